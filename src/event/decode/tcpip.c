/* TcpIp. Addresses and ports in network order; saddr and sport are the local end, whatever
 * the direction. connid is as wide as a pointer. */
#include "src/event/decode/maps.h"
#include "src/event/decode/table.h"

static const struct field send_v0[] = {
    IPV4("daddr", 0, 0),   IPV4("saddr", 4, 4), PORT("dport", 8, 8),
    PORT("sport", 10, 10), U32("size", 12, 12), PID("PID", FIELD_U32, 16, 16),
};

static const struct field send_v1[] = {
    PID("PID", FIELD_U32, 0, 0), U32("size", 4, 4),      IPV4("daddr", 8, 8),
    IPV4("saddr", 12, 12),       PORT("dport", 16, 16),  PORT("sport", 18, 18),
    U32("startime", 20, 20),     U32("endtime", 24, 24), POINTER("connid", 28, 28),
    U32("seqnum", 32, 36),
};

static const struct field send_ipv4_v2[] = {
    PID("PID", FIELD_U32, 0, 0), U32("size", 4, 4),      IPV4("daddr", 8, 8),
    IPV4("saddr", 12, 12),       PORT("dport", 16, 16),  PORT("sport", 18, 18),
    U32("startime", 20, 20),     U32("endtime", 24, 24), U32("seqnum", 28, 28),
    POINTER("connid", 32, 32),
};

static const struct field recv_v1[] = {
    PID("PID", FIELD_U32, 0, 0), U32("size", 4, 4),     IPV4("daddr", 8, 8),
    IPV4("saddr", 12, 12),       PORT("dport", 16, 16), PORT("sport", 18, 18),
    POINTER("connid", 20, 20),   U32("seqnum", 24, 28),
};

static const struct field recv_ipv4_v2[] = {
    PID("PID", FIELD_U32, 0, 0), U32("size", 4, 4),         IPV4("daddr", 8, 8),
    IPV4("saddr", 12, 12),       PORT("dport", 16, 16),     PORT("sport", 18, 18),
    U32("seqnum", 20, 20),       POINTER("connid", 24, 24),
};

static const struct field connect_v1[] = {
    PID("PID", FIELD_U32, 0, 0), U32("size", 4, 4),         IPV4("daddr", 8, 8),
    IPV4("saddr", 12, 12),       PORT("dport", 16, 16),     PORT("sport", 18, 18),
    U16("mss", 20, 20),          U16("sackopt", 22, 22),    U16("tsopt", 24, 24),
    U16("wsopt", 26, 26),        U32("rcvwin", 28, 28),     I16("rcvwinscale", 32, 32),
    I16("sndwinscale", 34, 34),  POINTER("connid", 36, 36), U32("seqnum", 40, 44),
};

static const struct field connect_ipv4_v2[] = {
    PID("PID", FIELD_U32, 0, 0), U32("size", 4, 4),      IPV4("daddr", 8, 8),
    IPV4("saddr", 12, 12),       PORT("dport", 16, 16),  PORT("sport", 18, 18),
    U16("mss", 20, 20),          U16("sackopt", 22, 22), U16("tsopt", 24, 24),
    U16("wsopt", 26, 26),        U32("rcvwin", 28, 28),  I16("rcvwinscale", 32, 32),
    I16("sndwinscale", 34, 34),  U32("seqnum", 36, 36),  POINTER("connid", 40, 40),
};

static const struct field fail_v1[] = {
    NAMED("Proto", FIELD_U32, map_address_family, 0, 0),
};

static const struct field fail_v2[] = {
    NAMED("Proto", FIELD_U16, map_address_family, 0, 0),
    NAMED("FailureCode", FIELD_U16, map_connection_failure, 2, 2),
};

static const struct field send_ipv6_v2[] = {
    PID("PID", FIELD_U32, 0, 0), U32("size", 4, 4),      IPV6("daddr", 8, 8),
    IPV6("saddr", 24, 24),       PORT("dport", 40, 40),  PORT("sport", 42, 42),
    U32("startime", 44, 44),     U32("endtime", 48, 48), U32("seqnum", 52, 52),
    POINTER("connid", 56, 56),
};

static const struct field recv_ipv6_v2[] = {
    PID("PID", FIELD_U32, 0, 0), U32("size", 4, 4),         IPV6("daddr", 8, 8),
    IPV6("saddr", 24, 24),       PORT("dport", 40, 40),     PORT("sport", 42, 42),
    U32("seqnum", 44, 44),       POINTER("connid", 48, 48),
};

static const struct field connect_ipv6_v2[] = {
    PID("PID", FIELD_U32, 0, 0), U32("size", 4, 4),      IPV6("daddr", 8, 8),
    IPV6("saddr", 24, 24),       PORT("dport", 40, 40),  PORT("sport", 42, 42),
    U16("mss", 44, 44),          U16("sackopt", 46, 46), U16("tsopt", 48, 48),
    U16("wsopt", 50, 50),        U32("rcvwin", 52, 52),  I16("rcvwinscale", 56, 56),
    I16("sndwinscale", 58, 58),  U32("seqnum", 60, 60),  POINTER("connid", 64, 64),
};

static const struct payload_layout send_ipv4[] = {
    LAYOUT_NAMED(0, send_v0, "Send"),
    LAYOUT_NAMED(1, send_v1, "Send"),
    LAYOUT(2, send_ipv4_v2),
};

static const struct payload_layout recv_ipv4[] = {
    LAYOUT_NAMED(0, send_v0, "Recv"),
    LAYOUT_NAMED(1, recv_v1, "Recv"),
    LAYOUT(2, recv_ipv4_v2),
};

static const struct payload_layout connect_ipv4[] = {
    LAYOUT_NAMED(0, send_v0, "Connect"),
    LAYOUT_NAMED(1, connect_v1, "Connect"),
    LAYOUT(2, connect_ipv4_v2),
};

static const struct payload_layout disconnect_ipv4[] = {
    LAYOUT_NAMED(0, send_v0, "Disconnect"),
    LAYOUT_NAMED(1, recv_v1, "Disconnect"),
    LAYOUT(2, recv_ipv4_v2),
};

static const struct payload_layout retransmit_ipv4[] = {
    LAYOUT_NAMED(0, send_v0, "Retransmit"),
    LAYOUT_NAMED(1, recv_v1, "Retransmit"),
    LAYOUT(2, recv_ipv4_v2),
};

static const struct payload_layout accept_ipv4[] = {
    LAYOUT_NAMED(0, send_v0, "Accept"),
    LAYOUT_NAMED(1, connect_v1, "Accept"),
    LAYOUT(2, connect_ipv4_v2),
};

static const struct payload_layout reconnect_ipv4[] = {
    LAYOUT_NAMED(1, recv_v1, "Reconnect"),
    LAYOUT(2, recv_ipv4_v2),
};

static const struct payload_layout fail[] = {
    LAYOUT(1, fail_v1),
    LAYOUT(2, fail_v2),
};

static const struct payload_layout tcpcopy_ipv4[] = {
    LAYOUT_NAMED(1, recv_v1, "TCPCopy"),
    LAYOUT(2, recv_ipv4_v2),
};

static const struct payload_layout arpcopy[] = {
    LAYOUT(1, recv_v1),
};

static const struct payload_layout send_ipv6[] = {
    LAYOUT(2, send_ipv6_v2),
};

static const struct payload_layout recv_ipv6[] = {
    LAYOUT(2, recv_ipv6_v2),
};

static const struct payload_layout connect_ipv6[] = {
    LAYOUT(2, connect_ipv6_v2),
};

static const struct event_type kinds[] = {
    [0x0a] = KIND_AS("SendIPV4", send_ipv4,
                     "TCP send {size} {laddr|.saddr} → {raddr|.daddr}[ ({host})]"),
    [0x0b] = KIND_AS("RecvIPV4", recv_ipv4,
                     "TCP receive {size} {laddr|.saddr} ← {raddr|.daddr}[ ({host})]"),
    [0x0c] = KIND_AS("ConnectIPV4", connect_ipv4,
                     "TCP connect {laddr|.saddr} → {raddr|.daddr}[ ({host})]"),
    [0x0d] = KIND_AS("DisconnectIPV4", disconnect_ipv4,
                     "TCP disconnect {laddr|.saddr} → {raddr|.daddr}[ ({host})]"),
    [0x0e] = KIND_AS("RetransmitIPV4", retransmit_ipv4,
                     "TCP retransmit {size} {laddr|.saddr} → {raddr|.daddr}[ ({host})]"),
    [0x0f] =
        KIND_AS("AcceptIPV4", accept_ipv4, "TCP accept {laddr|.saddr} ← {raddr|.daddr}[ ({host})]"),
    [0x10] = KIND_AS("ReconnectIPV4", reconnect_ipv4,
                     "TCP reconnect {laddr|.saddr} → {raddr|.daddr}[ ({host})]"),
    [0x11] = KIND_AS("Fail", fail, "TCP connection failed[: {.FailureCode}][ ({.Proto:name})]"),
    [0x12] = KIND_AS("TCPCopyIPV4", tcpcopy_ipv4,
                     "TCP copy {size} to the receiver, {laddr|.saddr} ← {raddr|.daddr}[ ({host})]"),
    [0x13] = KIND_AS("ARPCopy", arpcopy, "TCP copy {size} of an ARP packet"),
    [0x14] = KIND_AS("FullACK", arpcopy, "TCP full ACK {laddr|.saddr} ← {raddr|.daddr}[ ({host})]"),
    [0x15] =
        KIND_AS("PartACK", arpcopy, "TCP partial ACK {laddr|.saddr} ← {raddr|.daddr}[ ({host})]"),
    [0x16] =
        KIND_AS("DupACK", arpcopy, "TCP duplicate ACK {laddr|.saddr} ← {raddr|.daddr}[ ({host})]"),
    [0x1a] = KIND_AS("SendIPV6", send_ipv6,
                     "TCP send {size} {laddr|.saddr} → {raddr|.daddr}[ ({host})]"),
    [0x1b] = KIND_AS("RecvIPV6", recv_ipv6,
                     "TCP receive {size} {laddr|.saddr} ← {raddr|.daddr}[ ({host})]"),
    [0x1c] = KIND_AS("ConnectIPV6", connect_ipv6,
                     "TCP connect {laddr|.saddr} → {raddr|.daddr}[ ({host})]"),
    [0x1d] = KIND_AS("DisconnectIPV6", recv_ipv6,
                     "TCP disconnect {laddr|.saddr} → {raddr|.daddr}[ ({host})]"),
    [0x1e] = KIND_AS("RetransmitIPV6", recv_ipv6,
                     "TCP retransmit {size} {laddr|.saddr} → {raddr|.daddr}[ ({host})]"),
    [0x1f] = KIND_AS("AcceptIPV6", connect_ipv6,
                     "TCP accept {laddr|.saddr} ← {raddr|.daddr}[ ({host})]"),
    [0x20] = KIND_AS("ReconnectIPV6", recv_ipv6,
                     "TCP reconnect {laddr|.saddr} → {raddr|.daddr}[ ({host})]"),
    [0x21] = NAME("TCPIP_FAIL_IPV6"),
    [0x22] = KIND_AS("TCPCopyIPV6", recv_ipv6,
                     "TCP copy {size} to the receiver, {laddr|.saddr} ← {raddr|.daddr}[ ({host})]"),
    [0x23] = NAME("TCPIP_ARPCOPY_IPV6"),
    [0x24] = NAME("TCPIP_FULLACK_IPV6"),
    [0x25] = NAME("TCPIP_PARTACK_IPV6"),
    [0x26] = NAME("TCPIP_DUPACK_IPV6"),
};

const struct event_class decode_tcp_ip = {
    .name = "TcpIp",
    KINDS(kinds),
};

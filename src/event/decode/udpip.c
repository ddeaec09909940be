/* UdpIp. Source and destination are those of the datagram, whatever the direction. */
#include "src/event/decode/maps.h"
#include "src/event/decode/table.h"

static const struct field send_v0[] = {
    POINTER("context", 0, 0), IPV4("saddr", 4, 8),   PORT("sport", 8, 12), U16("size", 10, 14),
    IPV4("daddr", 12, 16),    PORT("dport", 16, 20), U16("dsize", 18, 22),
};

static const struct field send_v1[] = {
    PID("PID", FIELD_U32, 0, 0), U32("size", 4, 4),     IPV4("daddr", 8, 8),
    IPV4("saddr", 12, 12),       PORT("dport", 16, 16), PORT("sport", 18, 18),
};

static const struct field send_ipv4_v2[] = {
    PID("PID", FIELD_U32, 0, 0), U32("size", 4, 4),         IPV4("daddr", 8, 8),
    IPV4("saddr", 12, 12),       PORT("dport", 16, 16),     PORT("sport", 18, 18),
    U32("seqnum", 20, 20),       POINTER("connid", 24, 24),
};

static const struct field fail_v2[] = {
    NAMED("Proto", FIELD_U16, map_address_family, 0, 0),
    NAMED("FailureCode", FIELD_U16, map_connection_failure, 2, 2),
};

static const struct field send_ipv6_v2[] = {
    PID("PID", FIELD_U32, 0, 0), U32("size", 4, 4),         IPV6("daddr", 8, 8),
    IPV6("saddr", 24, 24),       PORT("dport", 40, 40),     PORT("sport", 42, 42),
    U32("seqnum", 44, 44),       POINTER("connid", 48, 48),
};

static const struct payload_layout send_ipv4[] = {
    LAYOUT_NAMED(0, send_v0, "Send"),
    LAYOUT_NAMED(1, send_v1, "Send"),
    LAYOUT(2, send_ipv4_v2),
};

static const struct payload_layout recv_ipv4[] = {
    LAYOUT_NAMED(0, send_v0, "Recv"),
    LAYOUT_NAMED(1, send_v1, "Recv"),
    LAYOUT(2, send_ipv4_v2),
};

static const struct payload_layout fail[] = {
    LAYOUT(2, fail_v2),
};

static const struct payload_layout send_ipv6[] = {
    LAYOUT(2, send_ipv6_v2),
};

static const struct event_type kinds[] = {
    [0x0a] = KIND_AS("SendIPV4", send_ipv4,
                     "UDP send {size} {laddr|.saddr} → {raddr|.daddr}[ ({host})]"),
    [0x0b] = KIND_AS("RecvIPV4", recv_ipv4,
                     "UDP receive {size} {laddr|.daddr} ← {raddr|.saddr}[ ({host})]"),
    [0x11] = KIND_AS("Fail", fail, "UDP failed[: {.FailureCode}][ ({.Proto:name})]"),
    [0x1a] = KIND_AS("SendIPV6", send_ipv6,
                     "UDP send {size} {laddr|.saddr} → {raddr|.daddr}[ ({host})]"),
    [0x1b] = KIND_AS("RecvIPV6", send_ipv6,
                     "UDP receive {size} {laddr|.daddr} ← {raddr|.saddr}[ ({host})]"),
};

const struct event_class decode_udp_ip = {
    .name = "UdpIp",
    KINDS(kinds),
};

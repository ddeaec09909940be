/* Sends and receives with both ends' addresses. A connected socket knows them. One that is not
 * (UDP) has them in the packets only, which pass in the same thread just before the call ends:
 * they are remembered by socket and thread and spent there, so that each call is one record. */
#include "collectors/linux/bpf/output.h"


enum { PACKET_IPV4 = 0x0800, PACKET_IPV6 = 0x86dd };

struct ends {
    __u16 family;       /* of the addresses; 0 = not known */
    __u16 sport, dport; /* of this machine, of the other; host order */
    __u16 padding;
    __u8 saddr[16], daddr[16]; /* network order; IPv4 in the first four */
};

struct out_socket {
    RECORD_HEAD;
    __u64 sk;
    __u16 family, protocol; /* the socket's */
    __s32 ret, flags;
    __u16 address_family; /* from here on as in struct ends */
    __u16 sport, dport;
    __u16 padding[3];
    __u8 saddr[16], daddr[16];
};

OUTPUT(sock_send_length, out_socket);
OUTPUT(sock_recv_length, out_socket);

/* A packet on its way through a thread. Received ones no longer know their socket. */
struct passage {
    __u64 sk; /* 0 = received */
    __u64 thread;
};

struct {
    __uint(type, BPF_MAP_TYPE_LRU_HASH);
    __uint(max_entries, 4096);
    __type(key, struct passage);
    __type(value, struct ends);
} packets SEC(".maps");

/* ---- addresses --------------------------------------------------------------------- */

/* ::ffff:a.b.c.d on a socket for both protocols is a.b.c.d. */
static __always_inline _Bool is_mapped(const __u8 *a)
{
    const __u32 *const words = (const __u32 *)a;
    return words[0] == 0 && words[1] == 0 && words[2] == bpf_htonl(0xffff);
}

static __always_inline void unmap(struct ends *e)
{
    if (!is_mapped(e->daddr))
        return;
    *(__u32 *)e->daddr = *(const __u32 *)(e->daddr + 12);
    *(__u32 *)e->saddr = is_mapped(e->saddr) ? *(const __u32 *)(e->saddr + 12) : 0;
    e->family = FAMILY_IPV4;
}

static __always_inline void ends_of_socket(struct ends *e, const struct sock *sk)
{
    e->family = BPF_CORE_READ(sk, __sk_common.skc_family);
    e->sport = BPF_CORE_READ(sk, __sk_common.skc_num);
    e->dport = bpf_ntohs(BPF_CORE_READ(sk, __sk_common.skc_dport));
    if (e->family == FAMILY_IPV4) {
        BPF_CORE_READ_INTO((__be32 *)e->saddr, sk, __sk_common.skc_rcv_saddr);
        BPF_CORE_READ_INTO((__be32 *)e->daddr, sk, __sk_common.skc_daddr);
    } else if (e->family == FAMILY_IPV6) {
        BPF_CORE_READ_INTO((struct in6_addr *)e->saddr, sk, __sk_common.skc_v6_rcv_saddr);
        BPF_CORE_READ_INTO((struct in6_addr *)e->daddr, sk, __sk_common.skc_v6_daddr);
        unmap(e);
    } else {
        e->family = 0;
    }
}

/* Source and destination of a UDP packet; of a fragment only the first has the ports. */
static __always_inline _Bool read_packet(struct sk_buff *skb, __u8 *from, __u8 *to, __u16 *ports,
                                         __u16 *family)
{
    const unsigned char *const head = BPF_CORE_READ(skb, head);
    const unsigned char *const network = head + BPF_CORE_READ(skb, network_header);
    const unsigned char *const transport = head + BPF_CORE_READ(skb, transport_header);
    const __u16 protocol = bpf_ntohs(BPF_CORE_READ(skb, protocol));
    __u8 start[20] = {0};
    bpf_probe_read_kernel(start, sizeof start, network);
    if (protocol == PACKET_IPV4 && start[9] == PROTOCOL_UDP && !(start[6] & 0x1f) && !start[7]) {
        *family = FAMILY_IPV4;
        bpf_probe_read_kernel(from, 4, network + 12);
        bpf_probe_read_kernel(to, 4, network + 16);
    } else if (protocol == PACKET_IPV6 && start[6] == PROTOCOL_UDP) {
        *family = FAMILY_IPV6;
        bpf_probe_read_kernel(from, 16, network + 8);
        bpf_probe_read_kernel(to, 16, network + 24);
    } else {
        return 0;
    }
    return bpf_probe_read_kernel(ports, 2 * sizeof *ports, transport) == 0;
}

/* ---- packets ----------------------------------------------------------------------- */

static __always_inline _Bool is_unconnected_udp(const struct sock *sk)
{
    return !BPF_CORE_READ(sk, __sk_common.skc_dport) &&
           BPF_CORE_READ_BITFIELD_PROBED(sk, sk_protocol) == PROTOCOL_UDP;
}

/* The first packet of a call counts: what a tunnel makes of it passes later. */
SEC("tp_btf/net_dev_queue")
int BPF_PROG(sock_send_length_packet__1, struct sk_buff *skb)
{
    struct sock *const sk = BPF_CORE_READ(skb, sk);
    if (!sk || !is_unconnected_udp(sk))
        return 0;
    const struct passage key = {.sk = (__u64)sk, .thread = bpf_get_current_pid_tgid()};
    struct ends e = {0};
    __u16 ports[2] = {0};
    if (!read_packet(skb, e.saddr, e.daddr, ports, &e.family))
        return 0;
    e.sport = bpf_ntohs(ports[0]);
    e.dport = bpf_ntohs(ports[1]);
    bpf_map_update_elem(&packets, &key, &e, BPF_NOEXIST);
    return 0;
}

SEC("tp_btf/skb_copy_datagram_iovec")
int BPF_PROG(sock_recv_length_packet__2, struct sk_buff *skb, int len)
{
    const struct passage key = {.thread = bpf_get_current_pid_tgid()};
    struct ends e = {0};
    __u16 ports[2] = {0};
    if (!read_packet(skb, e.daddr, e.saddr, ports, &e.family))
        return 0;
    e.sport = bpf_ntohs(ports[1]);
    e.dport = bpf_ntohs(ports[0]);
    bpf_map_update_elem(&packets, &key, &e, BPF_ANY);
    return 0;
}

/* ---- calls ------------------------------------------------------------------------- */

static __always_inline void put_ends(struct out_socket *o, const struct sock *sk, __u64 passage)
{
    struct ends e = {0};
    const struct ends *known = NULL;
    const struct passage key = {.sk = passage, .thread = bpf_get_current_pid_tgid()};
    if (is_unconnected_udp(sk))
        known = bpf_map_lookup_elem(&packets, &key);
    if (known) {
        e = *known;
        bpf_map_delete_elem(&packets, &key);
    } else {
        ends_of_socket(&e, sk);
    }
    o->address_family = e.family;
    o->sport = e.sport;
    o->dport = e.dport;
    __builtin_memcpy(o->saddr, e.saddr, sizeof o->saddr);
    __builtin_memcpy(o->daddr, e.daddr, sizeof o->daddr);
}

static __always_inline void describe_call(struct out_socket *o, struct sock *sk, int ret, int flags)
{
    record_begin(o);
    o->sk = (__u64)sk;
    o->family = BPF_CORE_READ(sk, __sk_common.skc_family);
    o->protocol = BPF_CORE_READ_BITFIELD_PROBED(sk, sk_protocol);
    o->ret = ret;
    o->flags = flags;
}

SEC("tp_btf/sock_send_length")
int BPF_PROG(sock_send_length__3, struct sock *sk, int ret, int flags)
{
    struct out_socket o = {0};
    describe_call(&o, sk, ret, flags);
    put_ends(&o, sk, (__u64)sk);
    return emit(ctx, sock_send_length, &o, sizeof o);
}

SEC("tp_btf/sock_recv_length")
int BPF_PROG(sock_recv_length__3, struct sock *sk, int ret, int flags)
{
    struct out_socket o = {0};
    describe_call(&o, sk, ret, flags);
    put_ends(&o, sk, 0);
    return emit(ctx, sock_recv_length, &o, sizeof o);
}

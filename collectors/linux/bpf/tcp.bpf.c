/* Lives of TCP sockets. Answers and timers come in interrupts, where perf loses them on idle
 * processors. */
#include "collectors/linux/bpf/output.h"

/* For all; what the tracepoint of one lacks is extra there. */
struct out_tcp {
    RECORD_HEAD;
    __u64 skaddr;
    __s32 oldstate, newstate;
    __u16 sport, dport; /* host order */
    __u16 family, protocol;
    __u8 saddr[4], daddr[4], saddr_v6[16], daddr_v6[16];
    __u32 segments; /* sent again at once; 0: not known */
    __u32 padding;
};

OUTPUT(inet_sock_set_state, out_tcp);
OUTPUT(tcp_retransmit_skb, out_tcp);
OUTPUT(tcp_destroy_sock, out_tcp);

static __always_inline void describe_socket(struct out_tcp *o, const struct sock *sk)
{
    const struct inet_sock *const inet = (const void *)sk;
    record_begin(o);
    o->skaddr = (__u64)sk;
    o->family = BPF_CORE_READ(sk, __sk_common.skc_family);
    o->protocol = BPF_CORE_READ_BITFIELD_PROBED(sk, sk_protocol);
    o->sport = bpf_ntohs(BPF_CORE_READ(inet, inet_sport)); /* outlives skc_num */
    o->dport = bpf_ntohs(BPF_CORE_READ(sk, __sk_common.skc_dport));
    BPF_CORE_READ_INTO((__be32 *)o->saddr, inet, inet_saddr);
    BPF_CORE_READ_INTO((__be32 *)o->daddr, sk, __sk_common.skc_daddr);
    if (o->family == FAMILY_IPV6) {
        BPF_CORE_READ_INTO((struct in6_addr *)o->saddr_v6, sk, __sk_common.skc_v6_rcv_saddr);
        BPF_CORE_READ_INTO((struct in6_addr *)o->daddr_v6, sk, __sk_common.skc_v6_daddr);
    }
}

SEC("tp_btf/inet_sock_set_state")
int BPF_PROG(inet_sock_set_state__3, const struct sock *sk, int oldstate, int newstate)
{
    struct out_tcp o = {.oldstate = oldstate, .newstate = newstate};
    describe_socket(&o, sk);
    return o.protocol == PROTOCOL_TCP ? emit(ctx, inet_sock_set_state, &o, sizeof o) : 0;
}

static __always_inline int sent_again(void *ctx, const struct sock *sk, const struct sk_buff *skb)
{
    const struct tcp_skb_cb *const cb =
        (const void *)((const char *)skb + bpf_core_field_offset(struct sk_buff, cb));
    struct out_tcp o = {0};
    describe_socket(&o, sk);
    if (bpf_core_field_exists(cb->tcp_gso_segs))
        o.segments = BPF_CORE_READ(cb, tcp_gso_segs);
    return emit(ctx, tcp_retransmit_skb, &o, sizeof o);
}

/* With the error of sending since 6.13. */
SEC("tp_btf/tcp_retransmit_skb")
int BPF_PROG(tcp_retransmit_skb__2, const struct sock *sk, const struct sk_buff *skb)
{
    return sent_again(ctx, sk, skb);
}

SEC("tp_btf/tcp_retransmit_skb")
int BPF_PROG(tcp_retransmit_skb__3, const struct sock *sk, const struct sk_buff *skb, int error)
{
    return sent_again(ctx, sk, skb);
}

SEC("tp_btf/tcp_destroy_sock")
int BPF_PROG(tcp_destroy_sock__1, struct sock *sk)
{
    struct out_tcp o = {0};
    describe_socket(&o, sk);
    return emit(ctx, tcp_destroy_sock, &o, sizeof o);
}

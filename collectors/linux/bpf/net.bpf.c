/* Sends and receives with both ends' addresses. A connected socket knows them. One that is not
 * (UDP) has them in the packets only. Sent ones pass in the thread just before its call ends:
 * their ends are remembered by socket and thread, and spent there. Of received ones no
 * tracepoint tells in the receiver; they are looked at when they join the socket's queue. As
 * long as the queue holds packets of one other end only, that is whose they are; a mixture
 * stays unknown until the queue has been empty, and so does a packet that a thread on another
 * processor takes in the moment before it is looked at.
 *
 * Kernels before 6.3 tell no bytes of sockets. There they are taken from the ends of the system
 * calls: all but what threads of the kernel and io_uring move. */
#include "collectors/linux/bpf/output.h"
#include "collectors/linux/bpf/scope.h"

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

/* A packet on its way out through a thread. */
struct call_key {
    __u64 sk;
    __u64 thread;
};

struct {
    __uint(type, BPF_MAP_TYPE_LRU_HASH);
    __uint(max_entries, 4096);
    __type(key, struct call_key);
    __type(value, struct ends);
} packets SEC(".maps");

/* What waits in a socket's queue, since it was empty: all from one other end, or mixed. */
struct waiting {
    struct ends ends;
    __u64 is_mixed;
};

struct {
    __uint(type, BPF_MAP_TYPE_LRU_HASH);
    __uint(max_entries, 4096);
    __type(key, __u64); /* the socket */
    __type(value, struct waiting);
} queues SEC(".maps");

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
    const struct call_key key = {.sk = (__u64)sk, .thread = bpf_get_current_pid_tgid()};
    struct ends e = {0};
    __u16 ports[2] = {0};
    if (!read_packet(skb, e.saddr, e.daddr, ports, &e.family))
        return 0;
    e.sport = bpf_ntohs(ports[0]);
    e.dport = bpf_ntohs(ports[1]);
    bpf_map_update_elem(&packets, &key, &e, BPF_NOEXIST);
    return 0;
}

static __always_inline _Bool is_same(const __u8 *a, const __u8 *b)
{
    const __u64 *const x = (const __u64 *)a, *const y = (const __u64 *)b;
    return x[0] == y[0] && x[1] == y[1];
}

static __always_inline _Bool is_same_way(const struct ends *a, const struct ends *b)
{
    return a->sport == b->sport && a->dport == b->dport && is_same(a->saddr, b->saddr) &&
           is_same(a->daddr, b->daddr);
}

static __always_inline __u64 queue_of(const struct sock *sk)
{
    return (__u64)__builtin_preserve_access_index(&sk->sk_receive_queue);
}

/* A packet has just come to stand at the end of a socket's queue. */
SEC("tp_btf/sk_data_ready")
int BPF_PROG(sock_recv_length_packet__1, struct sock *sk)
{
    if (!is_unconnected_udp(sk))
        return 0;
    struct sk_buff *const last = (struct sk_buff *)BPF_CORE_READ(sk, sk_receive_queue.prev);
    if ((__u64)last == queue_of(sk))
        return 0; /* somebody has taken it already */
    const __u64 key = (__u64)sk;
    struct waiting w = {0};
    __u16 ports[2] = {0};
    if (!read_packet(last, w.ends.daddr, w.ends.saddr, ports, &w.ends.family))
        return 0;
    w.ends.sport = bpf_ntohs(ports[1]);
    w.ends.dport = bpf_ntohs(ports[0]);
    struct waiting *const others = bpf_map_lookup_elem(&queues, &key);
    if (!others)
        bpf_map_update_elem(&queues, &key, &w, BPF_NOEXIST);
    else if (!is_same_way(&others->ends, &w.ends))
        others->is_mixed = 1;
    return 0;
}

/* ---- calls ------------------------------------------------------------------------- */

static __always_inline void put_ends(struct out_socket *o, const struct ends *e)
{
    o->address_family = e->family;
    o->sport = e->sport;
    o->dport = e->dport;
    __builtin_memcpy(o->saddr, e->saddr, sizeof o->saddr);
    __builtin_memcpy(o->daddr, e->daddr, sizeof o->daddr);
}

static __always_inline void put_sent(struct out_socket *o, const struct sock *sk)
{
    const struct call_key key = {.sk = (__u64)sk, .thread = bpf_get_current_pid_tgid()};
    struct ends e = {0};
    const struct ends *const known =
        is_unconnected_udp(sk) ? bpf_map_lookup_elem(&packets, &key) : NULL;
    if (known) {
        put_ends(o, known);
        bpf_map_delete_elem(&packets, &key);
        return;
    }
    ends_of_socket(&e, sk);
    put_ends(o, &e);
}

static __always_inline _Bool is_empty(const struct sock *sk)
{
    const struct udp_sock *const udp = (const void *)sk;
    return BPF_CORE_READ(sk, sk_receive_queue.qlen) == 0 &&
           BPF_CORE_READ(udp, reader_queue.qlen) == 0;
}

static __always_inline void put_received(struct out_socket *o, const struct sock *sk)
{
    const __u64 key = (__u64)sk;
    struct ends e = {0};
    const struct waiting *const known =
        is_unconnected_udp(sk) ? bpf_map_lookup_elem(&queues, &key) : NULL;
    ends_of_socket(&e, sk);
    put_ends(o, known && !known->is_mixed ? &known->ends : &e);
    if (known && is_empty(sk))
        bpf_map_delete_elem(&queues, &key);
}

static __always_inline void describe_call(struct out_socket *o, const struct sock *sk, int ret,
                                          int flags)
{
    record_begin(o);
    o->sk = (__u64)sk;
    o->family = BPF_CORE_READ(sk, __sk_common.skc_family);
    o->protocol = BPF_CORE_READ_BITFIELD_PROBED(sk, sk_protocol);
    o->ret = ret;
    o->flags = flags;
}

/* Of local sockets and what else there is, nothing is told: it would be thrown away. */
static __always_inline _Bool is_reported(const struct out_socket *o)
{
    return (o->family == FAMILY_IPV4 || o->family == FAMILY_IPV6) &&
           (o->protocol == PROTOCOL_TCP || o->protocol == PROTOCOL_UDP) && is_in_scope();
}

static __always_inline int sent(void *ctx, const struct sock *sk, int ret, int flags)
{
    struct out_socket o = {0};
    describe_call(&o, sk, ret, flags);
    put_sent(&o, sk); /* ends that are remembered are spent in any case */
    return is_reported(&o) ? emit(ctx, sock_send_length, &o, sizeof o) : 0;
}

static __always_inline int received(void *ctx, const struct sock *sk, int ret, int flags)
{
    struct out_socket o = {0};
    describe_call(&o, sk, ret, flags);
    put_received(&o, sk); /* ends that are remembered are spent in any case */
    return is_reported(&o) ? emit(ctx, sock_recv_length, &o, sizeof o) : 0;
}

SEC("tp_btf/sock_send_length")
int BPF_PROG(sock_send_length__3, struct sock *sk, int ret, int flags)
{
    return sent(ctx, sk, ret, flags);
}

SEC("tp_btf/sock_recv_length")
int BPF_PROG(sock_recv_length__3, struct sock *sk, int ret, int flags)
{
    return received(ctx, sk, ret, flags);
}

/* ---- before 6.3: ends of system calls ------------------------------------------------------- */

enum { CALLS_OF_SOCKETS = 512, FILE_FORMAT = 0xf000, FORMAT_SOCKET = 0xc000 };

/* By number of the call: which argument is the socket's descriptor and which its flags, counted
 * from 1, 0: none; and whether it moves several messages and returns how many. The loader fills
 * them. */
enum { SOCKET_FLAGS_SHIFT = 4, SOCKET_MASK = 7, SOCKET_HAS_MANY = 0x80 };

#define CALLS_TABLE(name)                                                                          \
    struct {                                                                                       \
        __uint(type, BPF_MAP_TYPE_ARRAY);                                                          \
        __uint(max_entries, CALLS_OF_SOCKETS);                                                     \
        __type(key, __u32);                                                                        \
        __type(value, __u8);                                                                       \
    } name SEC(".maps")

CALLS_TABLE(send_calls);
CALLS_TABLE(receive_calls);

/* As programs of 64 bits lay it out: struct msghdr, and what was moved of it. */
enum { MESSAGE_BYTES = 64, MESSAGE_LENGTH_AT = 56, MESSAGES_MOST = 64 };

static __always_inline int sum_of_messages(__u64 messages, long count)
{
    __u32 sum = 0;
    for (int i = 0; i < MESSAGES_MOST && i < count; i++) {
        __u32 length = 0;
        bpf_probe_read_user(&length, sizeof length,
                            (const void *)(messages + i * MESSAGE_BYTES + MESSAGE_LENGTH_AT));
        sum += length;
    }
    return (int)sum;
}

/* The socket that a call was about, or NULL; how many bytes it moved, and its flags. */
static __always_inline const struct sock *socket_of_call(const void *table,
                                                         const struct pt_regs *regs, long ret,
                                                         int *bytes, int *flags)
{
    const __s64 number = number_of_call(regs);
    const __u32 call = (__u32)number;
    if (number < 0 || ret < 0 || is_compat())
        return NULL;
    const __u8 *const form = bpf_map_lookup_elem((void *)table, &call);
    if (!form || !*form)
        return NULL;
    __u64 arguments[6];
    read_arguments(arguments, regs);
    const struct file *const file =
        file_of_descriptor((__s32)argument(arguments, *form & SOCKET_MASK));
    if (!file || (BPF_CORE_READ(file, f_inode, i_mode) & FILE_FORMAT) != FORMAT_SOCKET)
        return NULL;
    const struct socket *const s = BPF_CORE_READ(file, private_data);
    *flags = (int)argument(arguments, *form >> SOCKET_FLAGS_SHIFT & SOCKET_MASK);
    *bytes = *form & SOCKET_HAS_MANY ? sum_of_messages(arguments[1], ret) : (int)ret;
    return BPF_CORE_READ(s, sk);
}

SEC("tp_btf/sys_exit")
int BPF_PROG(sock_send_length__2, struct pt_regs *regs, long ret)
{
    int bytes = 0, flags = 0;
    const struct sock *const sk = socket_of_call(&send_calls, regs, ret, &bytes, &flags);
    return sk ? sent(ctx, sk, bytes, flags) : 0;
}

SEC("tp_btf/sys_exit")
int BPF_PROG(sock_recv_length__2, struct pt_regs *regs, long ret)
{
    int bytes = 0, flags = 0;
    const struct sock *const sk = socket_of_call(&receive_calls, regs, ret, &bytes, &flags);
    return sk ? received(ctx, sk, bytes, flags) : 0;
}

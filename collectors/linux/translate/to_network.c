/* Network: what programs sent and received over TCP and UDP, and the lifetimes of connections.
 *
 * sock_send_length and sock_recv_length happen once per call, in the caller, with the bytes of
 * payload: the totals are exact. They name a socket by the address of its kernel object only
 * (records of our BPF program have its ends as well), so a table knows what the other events
 * said about it:
 *
 *   inet_sock_set_state   every step in the life of a TCP socket, with both ends. It happens
 *                         wherever a packet arrives, so its process is the socket's only at the
 *                         steps that a system call makes: connect, shutdown, close
 *   tcp_rcv_space_adjust, tcp_probe   TCP sockets that were there before: on while some are met
 *                         whose ends are not known
 *   tcp_destroy_sock      the address is free; the next socket may have it at once
 *   the helper            a process that has just one socket of that protocol
 *
 * What splice() takes out of a TCP socket is in no sock_recv_length.
 *
 * What stays without ends has zeros there: nothing is guessed. An accepted connection belongs to
 * the process that first sends or receives on it, and is reported then: the event TcpOpened that
 * follows has the time since it was established. */
#include "collectors/linux/bpf/process_scope.h"
#include "collectors/linux/translate/helper.h"
#include "collectors/linux/translate/sockets.h"
#include "collectors/linux/translate/translate.h"

#include "src/base/mem.h"
#include "src/model/fact.h"

#include <stdatomic.h>
#include <stdlib.h>

enum { FAMILY_V4 = 2, FAMILY_V6 = 10, PROTOCOL_TCP = 6, PROTOCOL_UDP = 17 };
enum { MESSAGE_PEEK = 0x2, MESSAGE_ERROR_QUEUE = 0x2000 }; /* nothing is taken; no payload */
enum { SOCKETS = 1 << 14, FEW_SOCKETS = 1 << 13, SOCKETS_PART = 32 /* of the ring of events */ };
enum {
    LESSONS = 3,      /* so often teaching events are switched on for one socket … */
    LESSON_TICKS = 2, /* … for so many seconds */
    QUESTIONS = 32,   /* to the helper, a second */
};
static const int64_t ASK_AGAIN_NS = 2000000000; /* UDP sockets come and go unseen */

enum tcp_state {
    TCP_ESTABLISHED = 1,
    TCP_SYN_SENT,
    TCP_SYN_RECEIVED,
    TCP_FIN_WAIT1,
    TCP_FIN_WAIT2,
    TCP_TIME_WAIT,
    TCP_CLOSE,
    TCP_CLOSE_WAIT,
    TCP_LAST_ACK,
    TCP_LISTEN,
    TCP_CLOSING,
};

/* Types of TcpIp (group 6) and UdpIp (group 8) for IPv4; IPv6 is 16 more. */
enum {
    GROUP_TCP = 0x0600,
    GROUP_UDP = 0x0800,
    TYPE_SEND = 10,
    TYPE_RECEIVE,
    TYPE_CONNECT,
    TYPE_DISCONNECT,
    TYPE_RETRANSMIT,
    TYPE_ACCEPT,
    TYPE_FAIL = 17,
    TYPE_V6 = 16,
    VERSION = 2,
};

struct network {
    struct sockets *sockets;
    uint32_t socket_places;
    uint64_t pushed_out;     /* of sockets_pushed_out(), already reported */
    _Atomic unsigned lesson; /* ticks that teaching events stay on; control reads it */
    unsigned questions;      /* left until the next tick */
};

static struct network *network_of(const struct translator *t)
{
    return t->state[DOMAIN_NETWORK];
}

/* ---- records -------------------------------------------------------------------------- */

static void put_port(struct payload_writer *p, unsigned port)
{
    put_u8(p, port >> 8);
    put_u8(p, port & 0xff);
}

/* TCP says d* for the remote end always; a datagram that was received has it in s*. */
static struct payload_writer *begin(struct translator *t, const struct sample *s, unsigned group,
                                    unsigned type, const struct socket_ends *e, uint32_t pid,
                                    uint32_t bytes)
{
    const uint32_t tid = pid == s->pid ? s->tid : EVENT_NO_ID;
    struct payload_writer *const p =
        record_begin(t, HEADER_SYSTEM, group | (type + (e->is_v6 ? TYPE_V6 : 0)), VERSION, pid, tid,
                     s->cpu, s->time);
    const bool is_turned = group == GROUP_UDP && type == TYPE_RECEIVE;
    const unsigned width = e->is_v6 ? 16 : 4;
    put_u32(p, pid);
    put_u32(p, bytes);
    put_bytes(p, is_turned ? e->local : e->remote, width);
    put_bytes(p, is_turned ? e->remote : e->local, width);
    put_port(p, is_turned ? e->local_port : e->remote_port);
    put_port(p, is_turned ? e->remote_port : e->local_port);
    return p;
}

static void end(struct translator *t, struct payload_writer *p, const struct socket_entry *e)
{
    put_u32(p, 0); /* seqnum */
    put_u64(p, e ? e->number : 0);
    record_end(t);
}

/* A connection is in scope with its owner; one without an owner only where everything is. */
static bool is_reported(const struct translator *t, const struct socket_entry *e)
{
    return !(t->self && e->owner == t->self) && scope_has(t->scope, e->owner);
}

/* Connect and Accept, and what ETW has no field for: how long our SYN waited for its answer, and
 * how long ago that was. */
static void report_opened(struct translator *t, const struct sample *s, unsigned type,
                          struct socket_entry *e)
{
    struct payload_writer *p = begin(t, s, GROUP_TCP, type, &e->ends, e->owner, 0);
    put_zeros(p, 16); /* options and windows */
    end(t, p, e);
    e->is_unreported = false;
    p = record_begin_tracetop(t, "TcpOpened", "connid:u64,handshake:u64,since:u64", e->owner,
                              e->owner == s->pid ? s->tid : EVENT_NO_ID, s->cpu, s->time);
    put_u64(p, e->number);
    put_u64(p, e->syn_ns && e->opened_ns > e->syn_ns ? (uint64_t)(e->opened_ns - e->syn_ns) : 0);
    put_u64(p, e->opened_ns ? (uint64_t)(s->time - e->opened_ns) : 0);
    record_end(t);
}

static void report_closed(struct translator *t, const struct sample *s, struct socket_entry *e)
{
    if (e->is_unreported)
        report_opened(t, s, TYPE_ACCEPT, e);
    end(t, begin(t, s, GROUP_TCP, TYPE_DISCONNECT, &e->ends, e->owner, 0), e);
    e->is_closed = true;
}

static void report_failed(struct translator *t, const struct sample *s,
                          const struct socket_entry *e)
{
    enum { INET6_OF_WINDOWS = 23, FAILED_OTHERWISE = 5 };
    struct payload_writer *const p =
        record_begin(t, HEADER_SYSTEM, GROUP_TCP | TYPE_FAIL, VERSION, e->owner,
                     e->owner == s->pid ? s->tid : EVENT_NO_ID, s->cpu, s->time);
    put_u16(p, e->ends.is_v6 ? INET6_OF_WINDOWS : FAMILY_V4);
    put_u16(p, FAILED_OTHERWISE);
    record_end(t);
}

/* ---- what sockets are ------------------------------------------------------------------- */

/* The fields of both ends, by their first number: local and remote address as IPv4 and as IPv6,
 * then the ports. */
enum { ENDS_V4, ENDS_V4_REMOTE, ENDS_V6, ENDS_V6_REMOTE, ENDS_PORT, ENDS_PORT_REMOTE };
#define ENDS_FIELDS "saddr", "daddr", "saddr_v6", "daddr_v6", "sport", "dport"

static bool read_ends(const struct sample *s, unsigned first, unsigned family,
                      struct socket_ends *out)
{
    const bool is_v6 = family == FAMILY_V6;
    if (!is_v6 && family != FAMILY_V4)
        return false;
    size_t local_bytes, remote_bytes;
    const uint8_t *const local = sample_bytes(s, first + (is_v6 ? ENDS_V6 : ENDS_V4), &local_bytes);
    const uint8_t *const remote =
        sample_bytes(s, first + (is_v6 ? ENDS_V6_REMOTE : ENDS_V4_REMOTE), &remote_bytes);
    const size_t width = is_v6 ? 16 : 4;
    if (!local || !remote || local_bytes < width || remote_bytes < width)
        return false;
    *out = socket_ends_of(family, local, remote, sample_u32(s, first + ENDS_PORT),
                          sample_u32(s, first + ENDS_PORT_REMOTE));
    return true;
}

/* Before 5.13 most events of TCP have none; addresses of IPv4 are there in their mapped form. */
static unsigned family_of(const struct sample *s, unsigned field)
{
    return sample_has(s, field) ? sample_u32(s, field) : FAMILY_V6;
}

static void learn(struct socket_entry *e, const struct socket_ends *ends)
{
    e->ends = *ends;
    e->has_ends = true;
}

static bool is_teaching(const struct translator *t)
{
    struct network *const n = network_of(t);
    return !n || atomic_load_explicit(&n->lesson, memory_order_relaxed) > 0;
}

/* Asks who can know: events that name the ends of TCP sockets, the lists in /proc. */
static void inquire(struct translator *t, struct socket_entry *e, int64_t time)
{
    struct network *const n = network_of(t);
    if (e->protocol == PROTOCOL_TCP && e->lessons < LESSONS && !is_teaching(t)) {
        e->lessons++;
        atomic_store_explicit(&n->lesson, LESSON_TICKS, memory_order_relaxed);
        t->has_need = true;
    }
    const bool is_due = !e->asked_ns || time - e->asked_ns > ASK_AGAIN_NS;
    if (!is_due || !n->questions || !t->helper || e->owner == EVENT_NO_ID)
        return;
    const struct help question = {.kind = HELP_SOCKETS,
                                  .domain = DOMAIN_NETWORK,
                                  .pid = e->owner,
                                  .fd = -1,
                                  .key = e->sk,
                                  .time = time};
    n->questions--;
    e->answers = 0;
    if (helper_ask(t->helper, &question))
        e->asked_ns = time;
}

/* Every socket of the process, one reply each: ours is known when it is the only one. */
static void take_reply(struct translator *t, const struct reply *m)
{
    struct socket_entry *const e = sockets_find(network_of(t)->sockets, m->key);
    if (m->kind != HELP_SOCKETS || !e || !e->asked_ns || e->owner != m->pid)
        return;
    const bool is_listening = m->protocol == PROTOCOL_TCP && !m->remote_port;
    if (m->family && (m->protocol != e->protocol || is_listening))
        return;
    if (e->has_ends && e->protocol == PROTOCOL_TCP)
        return; /* an event reported it meanwhile */
    if (!m->family) {
        e->has_ends = e->answers == 1;
        return;
    }
    e->has_ends = false;
    if (e->answers < UINT8_MAX)
        e->answers++;
    e->ends = socket_ends_of(m->family, m->local, m->remote, m->local_port, m->remote_port);
}

/* ---- payload ------------------------------------------------------------------------------ */

enum {
    LENGTH_SK,
    LENGTH_FAMILY,
    LENGTH_PROTOCOL,
    LENGTH_RET,
    LENGTH_FLAGS,
    /* of our BPF program: family of the addresses (0: not known), ours and theirs */
    LENGTH_ADDRESS_FAMILY,
    LENGTH_SADDR,
    LENGTH_DADDR,
    LENGTH_SPORT,
    LENGTH_DPORT,
};
#define LENGTH_FIELDS                                                                              \
    {                                                                                              \
        "sk", "family", "protocol", "ret", "flags", "?address_family", "?saddr", "?daddr",         \
            "?sport", "?dport"                                                                     \
    }

static bool is_counted(const struct sample *s, bool is_send)
{
    const uint32_t family = sample_u32(s, LENGTH_FAMILY), protocol = sample_u32(s, LENGTH_PROTOCOL);
    const int64_t bytes = sample_i64(s, LENGTH_RET);
    if (family != FAMILY_V4 && family != FAMILY_V6)
        return false;
    if (!is_send && sample_u32(s, LENGTH_FLAGS) & (MESSAGE_PEEK | MESSAGE_ERROR_QUEUE))
        return false;
    /* Datagrams may be empty; of a stream, 0 is its end. */
    return (protocol == PROTOCOL_TCP && bytes > 0) || (protocol == PROTOCOL_UDP && bytes >= 0);
}

static bool read_own_ends(const struct sample *s, struct socket_ends *out)
{
    const uint32_t family = sample_u32(s, LENGTH_ADDRESS_FAMILY);
    const size_t width = family == FAMILY_V6 ? 16 : 4;
    size_t local_bytes, remote_bytes;
    const uint8_t *const local = sample_bytes(s, LENGTH_SADDR, &local_bytes);
    const uint8_t *const remote = sample_bytes(s, LENGTH_DADDR, &remote_bytes);
    if (!family || !local || !remote || local_bytes < width || remote_bytes < width)
        return false;
    *out = socket_ends_of(family, local, remote, sample_u32(s, LENGTH_SPORT),
                          sample_u32(s, LENGTH_DPORT));
    return true;
}

/* The ends as this record shows them: its own, else those that are known. The ends of a TCP
 * socket never change, but it forgets its port when both sides have closed, with data left to
 * be received. */
static struct socket_ends ends_now(struct translator *t, const struct sample *s,
                                   struct socket_entry *e)
{
    const bool is_tcp = e->protocol == PROTOCOL_TCP;
    struct socket_ends ends;
    const bool tells = sample_has(s, LENGTH_ADDRESS_FAMILY) && read_own_ends(s, &ends);
    if (tells && !(is_tcp && (e->has_ends || !ends.local_port)))
        learn(e, &ends);
    else if (!e->has_ends || (!is_tcp && !tells))
        inquire(t, e, s->time);
    if (e->has_ends)
        return e->ends;
    return (struct socket_ends){.is_v6 = sample_u32(s, LENGTH_FAMILY) == FAMILY_V6};
}

static struct socket_entry *entry_of(struct translator *t, const struct sample *s,
                                     unsigned protocol)
{
    struct sockets *const sockets = network_of(t)->sockets;
    const uint64_t sk = sample_u64(s, LENGTH_SK);
    struct socket_entry *e = sockets_take(sockets, sk, protocol, s->time);
    /* The end of a UDP socket is not seen: another process, another socket. */
    if (protocol == PROTOCOL_UDP && e->owner != EVENT_NO_ID && e->owner != s->pid)
        e = sockets_renew(sockets, sk, protocol, s->time);
    if (e->owner == EVENT_NO_ID)
        e->owner = s->pid;
    return e;
}

static void translate_length(struct translator *t, const struct sample *s, bool is_send)
{
    if (!is_counted(s, is_send))
        return;
    const uint32_t bytes = sample_u32(s, LENGTH_RET);
    if (s->pid == t->self)
        return; /* telling it would cause more of it */
    const unsigned protocol = sample_u32(s, LENGTH_PROTOCOL);
    struct socket_entry *const e = entry_of(t, s, protocol);
    const struct socket_ends ends = ends_now(t, s, e);
    if (e->is_unreported)
        report_opened(t, s, TYPE_ACCEPT, e);
    const unsigned group = protocol == PROTOCOL_TCP ? GROUP_TCP : GROUP_UDP;
    struct payload_writer *const p =
        begin(t, s, group, is_send ? TYPE_SEND : TYPE_RECEIVE, &ends, s->pid, bytes);
    if (is_send && group == GROUP_TCP) { /* start and end, in ticks of 100 ms since boot */
        put_u32(p, (uint32_t)(s->time / 100000000));
        put_u32(p, (uint32_t)(s->time / 100000000));
    }
    end(t, p, e);
    stack_put(t, s, s->pid, s->tid, s->time);
}

static void translate_send(struct translator *t, const struct sample *s)
{
    translate_length(t, s, true);
}

static void translate_receive(struct translator *t, const struct sample *s)
{
    translate_length(t, s, false);
}

/* ---- lifetimes of TCP sockets ---------------------------------------------------------------- */

enum { STATE_SK, STATE_OLD, STATE_NEW, STATE_FAMILY, STATE_PROTOCOL, STATE_ENDS };

static void change_established(struct translator *t, const struct sample *s, struct socket_entry *e)
{
    e->opened_ns = s->time;
    if (sample_u32(s, STATE_OLD) != TCP_SYN_SENT)
        e->is_unreported = true; /* accepted: by whoever uses it first */
    else if (is_reported(t, e))
        report_opened(t, s, TYPE_CONNECT, e);
}

/* Steps that only a system call makes: they are the owner's. */
static bool is_by_owner(unsigned old, unsigned new)
{
    return new == TCP_SYN_SENT || (old == TCP_ESTABLISHED && new == TCP_FIN_WAIT1) ||
           (old == TCP_CLOSE_WAIT && new == TCP_LAST_ACK);
}

/* Leaves the states in which it can send and receive. */
static bool is_closing(unsigned old, unsigned new)
{
    return (old == TCP_ESTABLISHED && new != TCP_CLOSE_WAIT) || old == TCP_CLOSE_WAIT;
}

static void translate_state(struct translator *t, const struct sample *s)
{
    const unsigned old = sample_u32(s, STATE_OLD), new = sample_u32(s, STATE_NEW);
    const uint64_t sk = sample_u64(s, STATE_SK);
    if (!sk || sample_u32(s, STATE_PROTOCOL) != PROTOCOL_TCP || new == TCP_LISTEN ||
        old == TCP_LISTEN)
        return; /* neither is a listener reported, nor the start of accepting a connection */
    const bool is_new = new == TCP_SYN_SENT || new == TCP_SYN_RECEIVED || old == TCP_SYN_RECEIVED;
    struct sockets *const sockets = network_of(t)->sockets;
    struct socket_entry *const e = is_new ? sockets_renew(sockets, sk, PROTOCOL_TCP, s->time)
                                          : sockets_take(sockets, sk, PROTOCOL_TCP, s->time);
    struct socket_ends ends;
    if (read_ends(s, STATE_ENDS, sample_u32(s, STATE_FAMILY), &ends) && ends.remote_port &&
        (ends.local_port || !e->has_ends))
        learn(e, &ends);
    if (e->owner == EVENT_NO_ID && is_by_owner(old, new))
        e->owner = s->pid;
    if (new == TCP_SYN_SENT)
        e->syn_ns = s->time;
    else if (new == TCP_ESTABLISHED)
        change_established(t, s, e);
    else if (!is_reported(t, e))
        return;
    else if (old == TCP_SYN_SENT && new == TCP_CLOSE)
        report_failed(t, s, e);
    else if (is_closing(old, new) && !e->is_closed)
        report_closed(t, s, e);
}

enum {
    RETRANSMIT_SK,
    RETRANSMIT_FAMILY,
    RETRANSMIT_ENDS,
    RETRANSMIT_SEGMENTS = RETRANSMIT_ENDS + 6
};

/* A packet that the device cuts into segments: each of them counts, as in RetransSegs of the
 * system. Only our program knows how many. */
static unsigned segments_of(const struct sample *s)
{
    enum { MOST = 512 };
    const uint32_t reported =
        sample_has(s, RETRANSMIT_SEGMENTS) ? sample_u32(s, RETRANSMIT_SEGMENTS) : 1;
    return reported < 1 ? 1 : reported < MOST ? reported : MOST;
}

static void translate_retransmit(struct translator *t, const struct sample *s)
{
    const uint64_t sk = sample_u64(s, RETRANSMIT_SK);
    struct socket_ends ends;
    if (!sk || !read_ends(s, RETRANSMIT_ENDS, family_of(s, RETRANSMIT_FAMILY), &ends))
        return;
    struct socket_entry *const e = sockets_take(network_of(t)->sockets, sk, PROTOCOL_TCP, s->time);
    learn(e, &ends);
    if (!is_reported(t, e))
        return;
    for (unsigned left = segments_of(s); left; left--)
        end(t, begin(t, s, GROUP_TCP, TYPE_RETRANSMIT, &e->ends, e->owner, 0), e);
}

enum { DESTROY_SK };

static void translate_destroy(struct translator *t, const struct sample *s)
{
    sockets_forget(network_of(t)->sockets, sample_u64(s, DESTROY_SK));
}

/* ---- what was there before ------------------------------------------------------------------- */

enum { ADJUST_SK, ADJUST_FAMILY, ADJUST_ENDS };

static void translate_adjust(struct translator *t, const struct sample *s)
{
    const uint64_t sk = sample_u64(s, ADJUST_SK);
    struct socket_ends ends;
    if (!sk || !read_ends(s, ADJUST_ENDS, family_of(s, ADJUST_FAMILY), &ends))
        return;
    learn(sockets_take(network_of(t)->sockets, sk, PROTOCOL_TCP, s->time), &ends);
}

enum { PROBE_SK, PROBE_LOCAL, PROBE_REMOTE };

/* As a struct sockaddr: family u16, port in network order, then (IPv6: after a flow label) the
 * address. */
static void translate_probe(struct translator *t, const struct sample *s)
{
    const uint64_t sk = sample_u64(s, PROBE_SK);
    size_t local_bytes, remote_bytes;
    const uint8_t *const local = sample_bytes(s, PROBE_LOCAL, &local_bytes);
    const uint8_t *const remote = sample_bytes(s, PROBE_REMOTE, &remote_bytes);
    if (!sk || !local || !remote || local_bytes < 8 || remote_bytes < 8)
        return;
    const unsigned family = local[0] | local[1] << 8;
    const size_t at = family == FAMILY_V6 ? 8 : 4, width = family == FAMILY_V6 ? 16 : 4;
    if ((family != FAMILY_V4 && family != FAMILY_V6) || local_bytes < at + width ||
        remote_bytes < at + width)
        return;
    const struct socket_ends ends =
        socket_ends_of(family, local + at, remote + at, (unsigned)(local[2] << 8 | local[3]),
                       (unsigned)(remote[2] << 8 | remote[3]));
    learn(sockets_take(network_of(t)->sockets, sk, PROTOCOL_TCP, s->time), &ends);
}

/* ---- the domain ------------------------------------------------------------------------------ */

static void start(struct translator *t)
{
    struct network *const n = mem_new(1, sizeof *n);
    n->socket_places = translator_places(t, sizeof(struct socket_entry), SOCKETS_PART, FEW_SOCKETS,
                                         SOCKETS);
    n->sockets = sockets_new(n->socket_places);
    atomic_init(&n->lesson, LESSON_TICKS);
    n->questions = QUESTIONS;
    t->state[DOMAIN_NETWORK] = n;
}

static void stop(struct translator *t)
{
    struct network *const n = network_of(t);
    if (!n)
        return;
    sockets_free(n->sockets);
    free(n);
    t->state[DOMAIN_NETWORK] = NULL;
}

static size_t held_bytes(const struct translator *t)
{
    return network_of(t) ? network_of(t)->socket_places * sizeof(struct socket_entry) : 0;
}

static void tick(struct translator *t, int64_t now)
{
    (void)now;
    struct network *const n = network_of(t);
    const uint64_t pushed_out = sockets_pushed_out(n->sockets);
    t->unpaired += pushed_out - n->pushed_out;
    n->pushed_out = pushed_out;
    n->questions = QUESTIONS;
    const unsigned lesson = atomic_load_explicit(&n->lesson, memory_order_relaxed);
    if (lesson)
        atomic_store_explicit(&n->lesson, lesson - 1, memory_order_relaxed);
}

#define NETWORK .classes = 1u << FACT_NETWORK

static const struct linux_event events[] = {
    {.group = "sock",
     .name = "sock_send_length",
     .fields = LENGTH_FIELDS,
     NETWORK,
     .translate = translate_send,
     .program = "sock_send_length",
     .prefers_bpf = true,
     .serves = "bytes sent"},
    {.group = "sock",
     .name = "sock_recv_length",
     .fields = LENGTH_FIELDS,
     NETWORK,
     .translate = translate_receive,
     .program = "sock_recv_length",
     .prefers_bpf = true,
     .serves = "bytes received"},
    {.group = "sock",
     .name = "inet_sock_set_state",
     .fields = {"skaddr", "oldstate", "newstate", "family", "protocol", ENDS_FIELDS},
     NETWORK,
     .translate = translate_state,
     .program = "inet_sock_set_state",
     .prefers_bpf = true,
     .serves = "TCP connects, accepts and disconnects"},
    {.group = "tcp",
     .name = "tcp_retransmit_skb",
     .fields = {"skaddr", "?family", ENDS_FIELDS, "?segments"},
     NETWORK,
     .translate = translate_retransmit,
     .program = "tcp_retransmit_skb",
     .prefers_bpf = true,
     .serves = "TCP retransmits"},
    {.group = "tcp",
     .name = "tcp_destroy_sock",
     .fields = {"skaddr"},
     NETWORK,
     .translate = translate_destroy,
     .program = "tcp_destroy_sock",
     .prefers_bpf = true,
     .serves = "addresses of TCP sockets"},
    {.group = "tcp",
     .name = "tcp_rcv_space_adjust",
     .fields = {"skaddr", "?family", ENDS_FIELDS},
     NETWORK,
     .translate = translate_adjust,
     .is_needed = is_teaching,
     .serves = "addresses of TCP sockets older than tracetop"},
    {.group = "tcp",
     .name = "tcp_probe",
     .fields = {"skaddr", "saddr", "daddr"},
     NETWORK,
     .translate = translate_probe,
     .is_needed = is_teaching,
     .serves = "addresses of TCP sockets older than tracetop"},
};

const struct linux_domain domain_network = {
    .id = "network",
    .events = events,
    .event_count = sizeof events / sizeof *events,
    .start = start,
    .bytes = held_bytes,
    .stop = stop,
    .tick = tick,
    .reply = take_reply,
};

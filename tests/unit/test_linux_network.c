/* What the kernel says about sockets, and the TcpIp and UdpIp events that it becomes. */
#include "tests/made_sample.h"

#include "collectors/linux/bpf/process_scope.h"
#include "collectors/linux/translate/sockets.h"
#include "src/os/os.h"

#include <arpa/inet.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
    TCP_SEND = 0x060a,
    TCP_RECEIVE,
    CONNECT,
    DISCONNECT,
    RETRANSMIT,
    ACCEPT,
    FAIL = 0x0611,
    TCP6_SEND = 0x061a,
    UDP_SEND = 0x080a,
    UDP_RECEIVE,
    UDP6_SEND = 0x081a,
};
enum { V4 = 2, V6 = 10, UNIX = 1, TCP = 6, UDP = 17 };
enum {
    ESTABLISHED = 1,
    SYN_SENT,
    SYN_RECEIVED,
    FIN_WAIT1,
    CLOSED = 7,
    CLOSE_WAIT,
    LAST_ACK,
    LISTEN
};
#define N(v) ((uint64_t)(v))

static const uint8_t here[16] = {10, 1, 2, 3}, there[16] = {10, 9, 0, 7};
static const uint8_t here6[16] = {0x20, 1, 0xd, 0xb8, [15] = 1};
static const uint8_t there6[16] = {0x20, 1, 0xd, 0xb8, [15] = 2};
static const uint8_t mapped_here[16] = {[10] = 0xff, 0xff, 10, 1, 2, 3};
static const uint8_t mapped_there[16] = {[10] = 0xff, 0xff, 10, 9, 0, 7};
static const uint8_t nothing[16];

static void at(struct sample_maker *m, int64_t time, uint32_t pid, uint32_t tid)
{
    m->time = time;
    m->pid = pid;
    m->tid = tid;
}

static void length(struct sample_maker *m, const char *event, uint64_t sk, unsigned family,
                   unsigned protocol, int64_t ret, uint64_t flags)
{
    made_send(m, made_event(m, event), "sk", sk, "family", N(family), "protocol", N(protocol),
              "ret", N(ret), "flags", flags, NULL);
}

static void send_tcp(struct sample_maker *m, uint64_t sk, int64_t bytes)
{
    length(m, "sock_send_length", sk, V4, TCP, bytes, 0);
}

static void receive_tcp(struct sample_maker *m, uint64_t sk, int64_t bytes)
{
    length(m, "sock_recv_length", sk, V4, TCP, bytes, 0);
}

static void state(struct sample_maker *m, uint64_t sk, unsigned old, unsigned new, unsigned family,
                  const uint8_t *local, const uint8_t *remote)
{
    made_send(m, made_event(m, "inet_sock_set_state"), "skaddr", sk, "oldstate", N(old), "newstate",
              N(new), "family", N(family), "protocol", N(TCP), "=saddr", local, "=daddr", remote,
              "=saddr_v6", local, "=daddr_v6", remote, "sport", N(5000), "dport", N(80), NULL);
}

static void change(struct sample_maker *m, uint64_t sk, unsigned old, unsigned new)
{
    state(m, sk, old, new, V4, here, there);
}

/* pid, size, then both ends as ETW has them. */
static struct came expect(struct sample_maker *m, uint16_t hook, uint32_t pid, uint32_t bytes)
{
    const struct came c = made_next(m, hook);
    assert_int_equal(c.pid, pid);
    assert_int_equal(c.version, 2);
    assert_int_equal(load_u32(c.payload), pid);
    assert_int_equal(load_u32(c.payload + 4), bytes);
    return c;
}

static void assert_ends(const struct came *c, const uint8_t *d, const uint8_t *s, unsigned width,
                        unsigned dport, unsigned sport)
{
    assert_memory_equal(c->payload + 8, d, width);
    assert_memory_equal(c->payload + 8 + width, s, width);
    assert_int_equal(c->payload[8 + 2 * width] << 8 | c->payload[9 + 2 * width], dport);
    assert_int_equal(c->payload[10 + 2 * width] << 8 | c->payload[11 + 2 * width], sport);
}

/* TcpOpened: connid, handshake, since. */
static void expect_opened(struct sample_maker *m, uint64_t handshake, uint64_t since)
{
    const struct came c = made_next_tracetop(m, "TcpOpened");
    assert_int_equal(c.bytes, 24);
    assert_int_equal(load_u64(c.payload + 8), handshake);
    assert_int_equal(load_u64(c.payload + 16), since);
}

/* ---- lifetimes ------------------------------------------------------------------------------- */

static void a_client_connects_talks_and_closes(void **unused)
{
    (void)unused;
    struct sample_maker *const m = made_new(DOMAIN_NETWORK);
    at(m, 1000, 700, 701);
    change(m, 0x1000, CLOSED, SYN_SENT);
    made_nothing(m);
    at(m, 5000, 33, 33); /* the answer comes while somebody else runs */
    change(m, 0x1000, SYN_SENT, ESTABLISHED);
    struct came c = expect(m, CONNECT, 700, 0);
    assert_int_equal(c.tid, EVENT_NO_ID);
    assert_int_equal(c.bytes, 48);
    assert_ends(&c, there, here, 4, 80, 5000);
    expect_opened(m, 4000, 0);
    at(m, 300000000, 700, 702);
    send_tcp(m, 0x1000, 1234);
    c = expect(m, TCP_SEND, 700, 1234);
    assert_int_equal(c.tid, 702);
    assert_int_equal(c.bytes, 40);
    assert_ends(&c, there, here, 4, 80, 5000);
    assert_int_equal(load_u32(c.payload + 20), 3); /* 100 ms */
    receive_tcp(m, 0x1000, 99);
    c = expect(m, TCP_RECEIVE, 700, 99);
    assert_int_equal(c.bytes, 32);
    assert_ends(&c, there, here, 4, 80, 5000);
    change(m, 0x1000, ESTABLISHED, FIN_WAIT1);
    c = expect(m, DISCONNECT, 700, 0);
    assert_int_equal(c.bytes, 32);
    change(m, 0x1000, FIN_WAIT1, CLOSED); /* reported already */
    made_nothing(m);
    made_free(m);
}

static void whoever_uses_it_first_has_accepted(void **unused)
{
    (void)unused;
    struct sample_maker *const m = made_new(DOMAIN_NETWORK);
    at(m, 1000, 33, 33);
    change(m, 0x2000, LISTEN, SYN_RECEIVED);
    change(m, 0x2000, SYN_RECEIVED, ESTABLISHED);
    made_nothing(m);
    at(m, 51000, 800, 801);
    receive_tcp(m, 0x2000, 10);
    const struct came c = expect(m, ACCEPT, 800, 0);
    assert_int_equal(c.tid, 801);
    assert_ends(&c, there, here, 4, 80, 5000);
    expect_opened(m, 0, 50000);
    expect(m, TCP_RECEIVE, 800, 10);
    at(m, 60000, 33, 33);
    change(m, 0x2000, ESTABLISHED, CLOSE_WAIT); /* the other end's doing */
    made_nothing(m);
    at(m, 70000, 800, 801);
    change(m, 0x2000, CLOSE_WAIT, LAST_ACK);
    expect(m, DISCONNECT, 800, 0);
    made_nothing(m);

    /* One that is closed unused: by who closed it; one that is reset: by nobody. */
    at(m, 80000, 33, 33);
    change(m, 0x3000, SYN_RECEIVED, ESTABLISHED);
    change(m, 0x4000, SYN_RECEIVED, ESTABLISHED);
    at(m, 90000, 800, 801);
    change(m, 0x3000, ESTABLISHED, FIN_WAIT1);
    expect(m, ACCEPT, 800, 0);
    expect_opened(m, 0, 10000);
    expect(m, DISCONNECT, 800, 0);
    at(m, 90000, 33, 33);
    change(m, 0x4000, ESTABLISHED, CLOSED);
    expect(m, ACCEPT, EVENT_NO_ID, 0);
    expect_opened(m, 0, 10000);
    expect(m, DISCONNECT, EVENT_NO_ID, 0);
    made_free(m);
}

static void a_refused_connect_has_failed(void **unused)
{
    (void)unused;
    struct sample_maker *const m = made_new(DOMAIN_NETWORK);
    at(m, 1000, 700, 701);
    change(m, 0x1000, CLOSED, SYN_SENT);
    at(m, 2000, 33, 33);
    change(m, 0x1000, SYN_SENT, CLOSED);
    const struct came c = made_next(m, FAIL);
    assert_int_equal(c.pid, 700);
    assert_int_equal(c.bytes, 4);
    assert_int_equal(load_u16(c.payload), 2);
    assert_int_equal(load_u16(c.payload + 2), 5);
    made_nothing(m);
    made_free(m);
}

static void retransmits_are_the_owners(void **unused)
{
    (void)unused;
    struct sample_maker *const m = made_new(DOMAIN_NETWORK);
    const struct linux_event *const e = made_event(m, "tcp_retransmit_skb");
    at(m, 1000, 700, 701);
    send_tcp(m, 0x1000, 5);
    expect(m, TCP_SEND, 700, 5);
    at(m, 2000, 0, 0);
    for (unsigned i = 0; i < 2; i++) { /* of one that is known, and of one that is not */
        made_send(m, e, "skaddr", N(0x1000 + 0x1000 * i), "family", N(V4), "=saddr", here, "=daddr",
                  there, "sport", N(5000), "dport", N(80), NULL);
        if (i == 0) {
            const struct came not_v6 = made_next(m, RETRANSMIT);
            assert_int_equal(load_u32(not_v6.payload), 700);
            assert_ends(&not_v6, there, here, 4, 80, 5000);
        } else {
            expect(m, RETRANSMIT, EVENT_NO_ID, 0);
        }
    }
    made_nothing(m);
    /* Of a packet that the device cuts, every segment; whatever is claimed. */
    static const uint64_t claimed[] = {0, 1, 3, UINT32_MAX}, reported[] = {1, 1, 3, 512};
    for (unsigned i = 0; i < 4; i++) {
        made_send(m, e, "skaddr", N(0x1000), "family", N(V4), "=saddr", here, "=daddr", there,
                  "sport", N(5000), "dport", N(80), "segments", claimed[i], NULL);
        for (uint64_t n = 0; n < reported[i]; n++)
            expect(m, RETRANSMIT, 700, 0);
        made_nothing(m);
    }
    made_free(m);
}

/* ---- payload --------------------------------------------------------------------------------- */

/* Under -p: the owner's connections, wherever their packets arrive; nobody's not at all. */
static void only_sockets_of_the_scope_are_reported(void **unused)
{
    (void)unused;
    const uint32_t pids[] = {700};
    struct scope scope;
    scope_init(&scope, &(struct collector_scope){.pids = pids, .pid_count = 1}, "/nowhere",
               NULL);
    struct sample_maker *const m = made_new(DOMAIN_NETWORK);
    m->translator.scope = &scope;
    at(m, 1000, 800, 800);
    change(m, 0x1000, CLOSED, SYN_SENT);
    change(m, 0x3000, CLOSED, SYN_SENT);
    at(m, 2000, 700, 700);
    change(m, 0x2000, CLOSED, SYN_SENT);
    at(m, 3000, 700, 700); /* who is interrupted by the answers */
    change(m, 0x1000, SYN_SENT, ESTABLISHED);
    change(m, 0x3000, SYN_SENT, CLOSED);
    made_nothing(m);
    at(m, 4000, 800, 800);
    change(m, 0x2000, SYN_SENT, ESTABLISHED);
    expect(m, CONNECT, 700, 0);
    expect_opened(m, 2000, 0);
    for (uint64_t sk = 0x1000; sk <= 0x4000; sk += 0x1000) {
        made_send(m, made_event(m, "tcp_retransmit_skb"), "skaddr", sk, "family", N(V4), "=saddr",
                  here, "=daddr", there, "sport", N(5000), "dport", N(80), NULL);
    }
    const struct came c = made_next(m, RETRANSMIT);
    assert_int_equal(load_u32(c.payload), 700);
    made_nothing(m);
    change(m, 0x1000, ESTABLISHED, CLOSED);
    made_nothing(m);
    change(m, 0x2000, ESTABLISHED, CLOSED);
    expect(m, DISCONNECT, 700, 0);
    made_nothing(m);
    made_free(m);
    scope_fini(&scope);
}

static void only_payload_is_counted(void **unused)
{
    (void)unused;
    struct sample_maker *const m = made_new(DOMAIN_NETWORK);
    at(m, 1000, 700, 701);
    length(m, "sock_recv_length", 1, V4, TCP, 100, 0x2);    /* peeked at */
    length(m, "sock_recv_length", 1, V4, UDP, 100, 0x2000); /* what came back as undeliverable */
    length(m, "sock_recv_length", 1, V4, TCP, 0, 0);        /* the end of the stream */
    length(m, "sock_recv_length", 1, V4, TCP, -11, 0);
    length(m, "sock_send_length", 1, V4, UDP, -1, 0);
    length(m, "sock_send_length", 1, UNIX, 0, 100, 0);
    length(m, "sock_send_length", 1, V4, 1, 64, 0); /* ICMP */
    made_nothing(m);
    length(m, "sock_send_length", 1, V4, UDP, 0, 0); /* an empty datagram is one */
    expect(m, UDP_SEND, 700, 0);
    m->pid = m->translator.self;
    send_tcp(m, 2, 50);
    receive_tcp(m, 2, 60);
    made_nothing(m);
    made_free(m);
}

static void unknown_ends_are_zero(void **unused)
{
    (void)unused;
    struct sample_maker *const m = made_new(DOMAIN_NETWORK);
    at(m, 1000, 700, 701);
    send_tcp(m, 0x1000, 7);
    struct came c = expect(m, TCP_SEND, 700, 7);
    assert_ends(&c, nothing, nothing, 4, 0, 0);
    length(m, "sock_send_length", 0x2000, V6, UDP, 8, 0);
    c = expect(m, UDP6_SEND, 700, 8);
    assert_ends(&c, nothing, nothing, 16, 0, 0);
    made_free(m);
}

static void teaching_events_teach(void **unused)
{
    (void)unused;
    struct sample_maker *const m = made_new(DOMAIN_NETWORK);
    const struct linux_event *const adjust = made_event(m, "tcp_rcv_space_adjust");
    assert_true(adjust->is_needed(&m->translator)); /* at first */
    at(m, 1000, 700, 701);
    for (int i = 0; i < 3; i++)
        m->domain->tick(&m->translator, 1000);
    assert_false(adjust->is_needed(&m->translator));
    send_tcp(m, 0x1000, 7);
    expect(m, TCP_SEND, 700, 7);
    assert_true(adjust->is_needed(&m->translator)); /* one was met that is not known */
    made_send(m, adjust, "skaddr", N(0x1000), "family", N(V6), "=saddr", nothing, "=daddr", nothing,
              "=saddr_v6", mapped_here, "=daddr_v6", mapped_there, "sport", N(5000), "dport", N(80),
              NULL);
    send_tcp(m, 0x1000, 8);
    const struct came c = expect(m, TCP_SEND, 700, 8);
    assert_ends(&c, there, here, 4, 80, 5000);
    made_send(m, made_event(m, "tcp_destroy_sock"), "skaddr", N(0x1000), NULL);
    send_tcp(m, 0x1000, 9); /* somebody else by now */
    const struct came unknown = expect(m, TCP_SEND, 700, 9);
    assert_ends(&unknown, nothing, nothing, 4, 0, 0);
    /* Never for ever because of one that does not teach. */
    unsigned lessons = 0;
    for (unsigned i = 0; i < 100; i++) {
        send_tcp(m, 0x1000, 9);
        expect(m, TCP_SEND, 700, 9);
        lessons += adjust->is_needed(&m->translator);
        m->domain->tick(&m->translator, 1000);
    }
    assert_in_range(lessons, 1, 10);
    made_free(m);
}

static void addresses_are_distinguished(void **unused)
{
    (void)unused;
    struct sample_maker *const m = made_new(DOMAIN_NETWORK);
    at(m, 1000, 700, 701);
    state(m, 0x1000, CLOSED, SYN_SENT, V6, here6, there6);
    state(m, 0x1000, SYN_SENT, ESTABLISHED, V6, here6, there6);
    struct came c = expect(m, CONNECT + 16, 700, 0);
    assert_int_equal(c.bytes, 72);
    assert_ends(&c, there6, here6, 16, 80, 5000);
    expect_opened(m, 0, 0);
    length(m, "sock_send_length", 0x1000, V6, TCP, 11, 0);
    c = expect(m, TCP6_SEND, 700, 11);
    assert_int_equal(c.bytes, 64);
    assert_ends(&c, there6, here6, 16, 80, 5000);
    /* A socket for both protocols that talks IPv4. */
    state(m, 0x2000, CLOSED, SYN_SENT, V6, mapped_here, mapped_there);
    state(m, 0x2000, SYN_SENT, ESTABLISHED, V6, mapped_here, mapped_there);
    c = expect(m, CONNECT, 700, 0);
    assert_ends(&c, there, here, 4, 80, 5000);
    made_free(m);
}

/* Of a datagram that was received, s* is who sent it. */
static void programs_of_ours_say_the_ends(void **unused)
{
    (void)unused;
    struct sample_maker *const m = made_new(DOMAIN_NETWORK);
    m->by_bpf = true;
    at(m, 1000, 700, 701);
    static const char *const events[] = {"sock_send_length", "sock_recv_length"};
    for (unsigned i = 0; i < 2; i++) {
        made_send(m, made_event(m, events[i]), "sk", N(0x1000), "family", N(V6), "protocol", N(UDP),
                  "ret", N(40 + i), "flags", N(0), "address_family", N(V4), "=saddr", here,
                  "=daddr", there, "sport", N(5000), "dport", N(53), NULL);
        const struct came c = expect(m, i ? UDP_RECEIVE : UDP_SEND, 700, 40 + i);
        assert_int_equal(c.bytes, 32);
        if (i)
            assert_ends(&c, here, there, 4, 5000, 53);
        else
            assert_ends(&c, there, here, 4, 53, 5000);
    }
    made_nothing(m);
    made_free(m);
}

/* Both sides have closed; what had come before is received after that. */
static void a_forgotten_port_is_remembered(void **unused)
{
    (void)unused;
    struct sample_maker *const m = made_new(DOMAIN_NETWORK);
    m->by_bpf = true;
    at(m, 1000, 700, 701);
    for (unsigned i = 0; i < 2; i++) {
        made_send(m, made_event(m, "sock_recv_length"), "sk", N(0x1000), "family", N(V4),
                  "protocol", N(TCP), "ret", N(40), "flags", N(0), "address_family", N(V4),
                  "=saddr", here, "=daddr", there, "sport", N(i ? 0 : 5000), "dport", N(80), NULL);
        const struct came c = expect(m, TCP_RECEIVE, 700, 40);
        assert_ends(&c, there, here, 4, 80, 5000);
    }
    made_nothing(m);
    made_free(m);
}

/* ---- the helper ------------------------------------------------------------------------------ */

static void wait_for_answer(struct sample_maker *m)
{
    while (helper_is_busy(m->translator.helper))
        os_sleep(1000000);
    helper_take(m->translator.helper, &m->translator);
}

static int udp_socket(struct sockaddr_in *a)
{
    const int fd = socket(AF_INET, SOCK_DGRAM, 0);
    socklen_t size = sizeof *a;
    *a = (struct sockaddr_in){.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    assert_int_equal(bind(fd, (const struct sockaddr *)a, size), 0);
    assert_int_equal(getsockname(fd, (struct sockaddr *)a, &size), 0);
    return fd;
}

static void the_only_socket_is_the_one(void **unused)
{
    (void)unused;
    struct sample_maker *const m = made_new(DOMAIN_NETWORK);
    m->translator.helper = helper_start(&m->translator);
    assert_non_null(m->translator.helper);
    struct sockaddr_in a, b;
    const int first = udp_socket(&a);
    at(m, 1000, (uint32_t)getpid(), (uint32_t)getpid());
    length(m, "sock_send_length", 0x1000, V4, UDP, 5, 0);
    struct came c = expect(m, UDP_SEND, m->pid, 5);
    assert_ends(&c, nothing, nothing, 4, 0, 0);
    wait_for_answer(m);
    length(m, "sock_send_length", 0x1000, V4, UDP, 6, 0);
    c = expect(m, UDP_SEND, m->pid, 6);
    assert_ends(&c, nothing, (const uint8_t *)&a.sin_addr, 4, 0, ntohs(a.sin_port));
    /* Of two it is not known which. */
    const int second = udp_socket(&b);
    length(m, "sock_send_length", 0x2000, V4, UDP, 7, 0);
    expect(m, UDP_SEND, m->pid, 7);
    wait_for_answer(m);
    length(m, "sock_send_length", 0x2000, V4, UDP, 8, 0);
    c = expect(m, UDP_SEND, m->pid, 8);
    assert_ends(&c, nothing, nothing, 4, 0, 0);
    close(first);
    close(second);
    helper_stop(m->translator.helper);
    made_free(m);
}

/* ---- bounds ---------------------------------------------------------------------------------- */

static void sockets_beyond_the_table_push_out_the_oldest(void **unused)
{
    (void)unused;
    struct sockets *const s = sockets_new(64);
    for (uint64_t sk = 1; sk <= 1000; sk++)
        sockets_take(s, sk * 640, TCP, (int64_t)sk);
    assert_int_equal(sockets_pushed_out(s), 1000 - 64);
    unsigned known = 0;
    for (uint64_t sk = 1; sk <= 1000; sk++)
        known += sockets_find(s, sk * 640) != NULL;
    assert_int_equal(known, 64);
    assert_non_null(sockets_find(s, 640000));
    sockets_forget(s, 640000);
    assert_null(sockets_find(s, 640000));
    assert_null(sockets_find(s, 0));
    sockets_free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_client_connects_talks_and_closes),
        cmocka_unit_test(whoever_uses_it_first_has_accepted),
        cmocka_unit_test(a_refused_connect_has_failed),
        cmocka_unit_test(retransmits_are_the_owners),
        cmocka_unit_test(only_sockets_of_the_scope_are_reported),
        cmocka_unit_test(only_payload_is_counted),
        cmocka_unit_test(unknown_ends_are_zero),
        cmocka_unit_test(teaching_events_teach),
        cmocka_unit_test(addresses_are_distinguished),
        cmocka_unit_test(programs_of_ours_say_the_ends),
        cmocka_unit_test(a_forgotten_port_is_remembered),
        cmocka_unit_test(the_only_socket_is_the_one),
        cmocka_unit_test(sockets_beyond_the_table_push_out_the_oldest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

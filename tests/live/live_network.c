/* Network: bytes, ends and lifetimes of connections between processes whose doings are known. The
 * processes are children: the collector leaves its own sockets out. */
#include "tests/live/harness.h"

#include "src/base/bytes.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <net/if.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    TCP = 0x0600,
    UDP = 0x0800,
    SEND = 10,
    RECEIVE,
    CONNECT,
    DISCONNECT,
    RETRANSMIT,
    ACCEPT,
    FAIL = 17,
    V6 = 16,
};

static struct live_run *begin(void)
{
    return live_begin(&(struct live_request){.classes = 1u << FACT_NETWORK});
}

/* Events of one kind, of one process, between two ends. */
struct wanted {
    uint16_t hook;
    uint32_t pid;
    uint16_t local_port, remote_port; /* 0: any */
    const uint8_t *local, *remote;    /* NULL: any */
    uint64_t bytes;                   /* their sum */
};

static unsigned port_at(const uint8_t *p)
{
    return (unsigned)(p[0] << 8 | p[1]);
}

static bool is_wanted(const struct event *e, void *arg)
{
    struct wanted *const w = arg;
    if (e->id != w->hook || load_u32(e->payload) != w->pid)
        return false;
    const unsigned width = (w->hook & 0xff) >= SEND + V6 ? 16 : 4;
    const bool is_turned = w->hook == (UDP | RECEIVE) || w->hook == (UDP | (RECEIVE + V6));
    const uint8_t *const d = e->payload + 8, *const s = d + width, *const ports = s + width;
    const uint8_t *const local = is_turned ? d : s, *const remote = is_turned ? s : d;
    const unsigned local_port = port_at(is_turned ? ports : ports + 2);
    const unsigned remote_port = port_at(is_turned ? ports + 2 : ports);
    if ((w->local_port && local_port != w->local_port) ||
        (w->remote_port && remote_port != w->remote_port) ||
        (w->local && memcmp(local, w->local, width) != 0) ||
        (w->remote && memcmp(remote, w->remote, width) != 0))
        return false;
    w->bytes += load_u32(e->payload + 4);
    return true;
}

static uint64_t count(const struct live_run *r, struct wanted *w)
{
    w->bytes = 0;
    return live_count(r, is_wanted, w);
}

/* ---- programs -------------------------------------------------------------------------------- */

struct address {
    struct sockaddr_storage a;
    socklen_t size;
};

static struct address loopback(int family)
{
    struct address out = {.size = sizeof(struct sockaddr_in)};
    if (family == AF_INET) {
        *(struct sockaddr_in *)&out.a =
            (struct sockaddr_in){.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    } else {
        *(struct sockaddr_in6 *)&out.a =
            (struct sockaddr_in6){.sin6_family = AF_INET6, .sin6_addr = IN6ADDR_LOOPBACK_INIT};
        out.size = sizeof(struct sockaddr_in6);
    }
    return out;
}

static const struct sockaddr *name_of(const struct address *a)
{
    return (const struct sockaddr *)&a->a;
}

static int bound(int family, int type, struct address *a)
{
    *a = loopback(family);
    const int fd = socket(family, type, 0);
    if (fd < 0 || bind(fd, name_of(a), a->size) != 0 ||
        getsockname(fd, (struct sockaddr *)&a->a, &a->size) != 0) {
        print_message("no loopback of this family: %s\n", strerror(errno));
        skip();
    }
    return fd;
}

/* IPv6 has the port at the same place. */
static unsigned port_of(const struct address *a)
{
    return ntohs(((const struct sockaddr_in *)&a->a)->sin_port);
}

static void write_all(int fd, size_t bytes, size_t step)
{
    char room[1 << 16] = {0};
    while (bytes) {
        const ssize_t n = write(fd, room, bytes < step ? bytes : step);
        if (n <= 0)
            _exit(2);
        bytes -= (size_t)n;
    }
}

static size_t read_all(int fd)
{
    char room[10000];
    size_t bytes = 0;
    for (ssize_t n; (n = read(fd, room, sizeof room)) > 0;)
        bytes += (size_t)n;
    return bytes;
}

static void wait_for(pid_t child)
{
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

/* ---- TCP ------------------------------------------------------------------------------------- */

enum { THERE = 5 * 1000 * 1000 + 17, BACK = 123457 };

static _Noreturn void serve(int listener)
{
    const int fd = accept(listener, NULL, NULL);
    char peeked[100];
    if (recv(fd, peeked, sizeof peeked, MSG_PEEK) <= 0 || read_all(fd) != THERE)
        _exit(1);
    write_all(fd, BACK, 1000);
    close(fd);
    _exit(0);
}

static _Noreturn void call(const struct address *to, int port_pipe)
{
    const int fd = socket(to->a.ss_family, SOCK_STREAM, 0);
    struct address mine = {.size = sizeof mine.a};
    if (connect(fd, name_of(to), to->size) != 0 ||
        getsockname(fd, (struct sockaddr *)&mine.a, &mine.size) != 0)
        _exit(1);
    const uint16_t port = (uint16_t)port_of(&mine);
    if (write(port_pipe, &port, sizeof port) != sizeof port)
        _exit(1);
    write_all(fd, THERE, 40000);
    shutdown(fd, SHUT_WR);
    if (read_all(fd) != BACK)
        _exit(1);
    close(fd);
    _exit(0);
}

static void tcp_over_loopback(int family)
{
    struct address to;
    const int listener = bound(family, SOCK_STREAM, &to);
    assert_int_equal(listen(listener, 1), 0);
    struct live_run *const r = begin();
    int ports[2];
    assert_int_equal(pipe(ports), 0);
    const pid_t server = fork();
    if (server == 0)
        serve(listener);
    const pid_t client = fork();
    if (client == 0)
        call(&to, ports[1]);
    uint16_t port;
    assert_int_equal(read(ports[0], &port, sizeof port), sizeof port);
    wait_for(server);
    wait_for(client);
    live_end(r);

    const unsigned v6 = family == AF_INET6 ? V6 : 0, listens = port_of(&to);
    const uint8_t *const address = v6 ? (const uint8_t *)&((struct sockaddr_in6 *)&to.a)->sin6_addr
                                      : (const uint8_t *)&((struct sockaddr_in *)&to.a)->sin_addr;
    const struct {
        unsigned type;
        pid_t pid;
        unsigned local, remote;
        uint64_t bytes;
    } rows[] = {
        {SEND, client, port, listens, THERE},   {RECEIVE, server, listens, port, THERE},
        {SEND, server, listens, port, BACK},    {RECEIVE, client, port, listens, BACK},
        {CONNECT, client, port, listens, 0},    {ACCEPT, server, listens, port, 0},
        {DISCONNECT, client, port, listens, 0}, {DISCONNECT, server, listens, port, 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct wanted w = {.hook = (uint16_t)(TCP | (rows[i].type + v6)),
                           .pid = (uint32_t)rows[i].pid,
                           .local_port = (uint16_t)rows[i].local,
                           .remote_port = (uint16_t)rows[i].remote,
                           .local = address,
                           .remote = address};
        const uint64_t events = count(r, &w);
        print_message("hook %#x of %d: %" PRIu64 " events, %" PRIu64 " bytes of %" PRIu64 "\n",
                      w.hook, (int)rows[i].pid, events, w.bytes, rows[i].bytes);
        assert_int_equal(w.bytes, rows[i].bytes);
        if (rows[i].type >= CONNECT)
            assert_int_equal(events, 1);
    }
    assert_int_equal(llround(live_number(r, "network", "pid", (uint64_t)client, "bytes")),
                     THERE + BACK);
    assert_int_equal(llround(live_number(r, "network", "pid", (uint64_t)server, "bytes")),
                     THERE + BACK);
    assert_true(live_number(r, "network", "pid", (uint64_t)client, "connect") > 0);
    live_check_accounts(r);
    live_free(r);
    close(listener);
}

static void tcp4_over_loopback(void **state)
{
    (void)state;
    tcp_over_loopback(AF_INET);
}

static void tcp6_over_loopback(void **state)
{
    (void)state;
    tcp_over_loopback(AF_INET6);
}

/* ---- every call that moves bytes ------------------------------------------------------------ */

enum { PIECE = 1000, WAYS = 7 };

static struct mmsghdr message_of(struct iovec *v)
{
    return (struct mmsghdr){.msg_hdr = {.msg_iov = v, .msg_iovlen = 1}};
}

/* A piece by each of them, in turn; sendmmsg() sends two messages of half of one. */
static bool send_piece(int fd, unsigned way)
{
    char room[PIECE] = {0};
    struct iovec whole = {room, PIECE}, half = {room, PIECE / 2};
    struct mmsghdr two[2] = {message_of(&half), message_of(&half)};
    const struct msghdr message = {.msg_iov = &whole, .msg_iovlen = 1};
    int pipes[2] = {-1, -1};
    switch (way) {
    case 0:
        return write(fd, room, PIECE) == PIECE;
    case 1:
        return writev(fd, &whole, 1) == PIECE;
    case 2:
        return send(fd, room, PIECE, MSG_NOSIGNAL) == PIECE;
    case 3:
        return sendmsg(fd, &message, 0) == PIECE;
    case 4:
        return sendmmsg(fd, two, 2, 0) == 2;
    case 5: {
        const int file = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
        return sendfile(fd, file, NULL, PIECE) == PIECE;
    }
    default:
        return pipe(pipes) == 0 && write(pipes[1], room, PIECE) == PIECE &&
               splice(pipes[0], NULL, fd, NULL, PIECE, 0) == PIECE;
    }
}

/* First peeks at the data, which moves nothing. */
static bool receive_piece(int fd, unsigned way)
{
    char room[PIECE];
    struct iovec whole = {room, PIECE};
    struct mmsghdr one[1] = {message_of(&whole)};
    struct msghdr message = {.msg_iov = &whole, .msg_iovlen = 1};
    int pipes[2] = {-1, -1};
    if (recv(fd, room, PIECE, MSG_PEEK | MSG_WAITALL) != PIECE)
        return false;
    switch (way) {
    case 0:
        return read(fd, room, PIECE) == PIECE;
    case 1:
        return readv(fd, &whole, 1) == PIECE;
    case 2:
    case 3:
        return recv(fd, room, PIECE, MSG_WAITALL) == PIECE;
    case 4:
        return recvmsg(fd, &message, MSG_WAITALL) == PIECE;
    case 5:
        return recvmmsg(fd, one, 1, MSG_WAITALL, NULL) == 1 && one[0].msg_len == PIECE;
    default:
        return pipe(pipes) == 0 && splice(fd, NULL, pipes[1], NULL, PIECE, 0) == PIECE;
    }
}

static void every_call_counts(void **state)
{
    (void)state;
    struct address to;
    const int listener = bound(AF_INET, SOCK_STREAM, &to);
    assert_int_equal(listen(listener, 1), 0);
    struct live_run *const r = begin();
    const pid_t server = fork();
    if (server == 0) {
        const int fd = accept(listener, NULL, NULL);
        for (unsigned way = 0; way < WAYS; way++)
            if (!receive_piece(fd, way))
                _exit(1);
        _exit(0);
    }
    const pid_t client = fork();
    if (client == 0) {
        const int fd = socket(AF_INET, SOCK_STREAM, 0);
        if (connect(fd, name_of(&to), to.size) != 0)
            _exit(1);
        for (unsigned way = 0; way < WAYS; way++)
            if (!send_piece(fd, way))
                _exit(1);
        _exit(0);
    }
    wait_for(client);
    wait_for(server);
    live_end(r);
    struct wanted sent = {.hook = TCP | SEND, .pid = (uint32_t)client};
    struct wanted came = {.hook = TCP | RECEIVE, .pid = (uint32_t)server};
    const uint64_t sends = count(r, &sent), receives = count(r, &came);
    print_message("%d pieces of %d bytes: %" PRIu64 " bytes in %" PRIu64 " sends, %" PRIu64
                  " in %" PRIu64 " receives\n",
                  WAYS, PIECE, sent.bytes, sends, came.bytes, receives);
    assert_int_equal(sent.bytes, WAYS * PIECE);
    /* The kernel's own event says nothing of splice(); the ends of calls do. */
    if (came.bytes != (WAYS - 1) * PIECE)
        assert_int_equal(came.bytes, WAYS * PIECE);
    live_check_accounts(r);
    live_free(r);
    close(listener);
}

/* ---- many short ones ------------------------------------------------------------------------- */

enum { SHORT = 200 };

static bool has_failed(const struct event *e, void *arg)
{
    return e->id == (TCP | FAIL) && e->pid == *(const uint32_t *)arg;
}

/* As many as happened; those in threads of process 1 may be missing (live_out_of_reach()). */
static void check_count(const struct live_run *r, uint64_t seen, uint64_t happened)
{
    const uint64_t hidden = live_out_of_reach(r);
    if (hidden)
        print_message("%" PRIu64 " events in threads of process 1\n", hidden);
    assert_in_range(seen, happened > hidden ? happened - hidden : 0, happened);
}

static void lifetimes_are_counted(void **state)
{
    (void)state;
    struct address to;
    const int listener = bound(AF_INET, SOCK_STREAM, &to);
    /* None is refused and tried again by a timer: all steps are taken in the two processes. */
    assert_int_equal(listen(listener, SHORT), 0);
    struct live_run *const r =
        live_begin(&(struct live_request){.classes = 1u << FACT_NETWORK,
                                          .group = "sock",
                                          .tracepoint = "inet_sock_set_state"});
    const pid_t server = fork();
    if (server == 0) {
        for (int i = 0; i < SHORT; i++) {
            const int fd = accept(listener, NULL, NULL);
            if (read_all(fd) != 1)
                _exit(1);
            close(fd);
        }
        _exit(0);
    }
    const pid_t client = fork();
    if (client == 0) {
        for (int i = 0; i < SHORT; i++) {
            const int fd = socket(AF_INET, SOCK_STREAM, 0);
            if (connect(fd, name_of(&to), to.size) != 0)
                _exit(1);
            write_all(fd, 1, 1);
            close(fd);
        }
        /* Nobody listens there. */
        const int refused = socket(AF_INET, SOCK_STREAM, 0);
        struct sockaddr_in nobody = *(struct sockaddr_in *)&to.a;
        nobody.sin_port = htons(1);
        _exit(connect(refused, (struct sockaddr *)&nobody, sizeof nobody) == 0);
    }
    wait_for(server);
    wait_for(client);
    live_end(r);
    live_check_accounts(r);
    static const unsigned types[] = {CONNECT, ACCEPT, DISCONNECT, DISCONNECT};
    const pid_t pids[] = {client, server, client, server};
    for (unsigned i = 0; i < 4; i++) {
        struct wanted w = {.hook = (uint16_t)(TCP | types[i]), .pid = (uint32_t)pids[i]};
        const uint64_t seen = count(r, &w);
        print_message("hook %#x of %d: %" PRIu64 "\n", w.hook, (int)w.pid, seen);
        check_count(r, seen, SHORT);
    }
    uint32_t pid = (uint32_t)client;
    assert_int_equal(live_count(r, has_failed, &pid), 1);
    live_free(r);
    close(listener);
}

/* ---- UDP ------------------------------------------------------------------------------------- */

enum { DATAGRAMS = 300, SIZE = 1000 };

/* On one processor nobody takes a packet between its arrival and the look of a BPF program at it
 * (collectors/linux/bpf/net.bpf.c). Children inherit it. */
static void stay_on_one_processor(cpu_set_t *before)
{
    cpu_set_t one;
    assert_int_equal(sched_getaffinity(0, sizeof *before, before), 0);
    CPU_ZERO(&one);
    CPU_SET(sched_getcpu(), &one);
    assert_int_equal(sched_setaffinity(0, sizeof one, &one), 0);
}

static void udp_over_loopback(int family, bool connects)
{
    struct address from, to;
    cpu_set_t processors;
    const int receiver = bound(family, SOCK_DGRAM, &to), sender = bound(family, SOCK_DGRAM, &from);
    struct live_run *const r = begin();
    int turns[2]; /* one at a time: its queue is short */
    assert_int_equal(pipe(turns), 0);
    stay_on_one_processor(&processors);
    const pid_t reads = fork();
    if (reads == 0) {
        char room[2000];
        for (int i = 0; i < DATAGRAMS; i++)
            if (recv(receiver, room, sizeof room, 0) != SIZE + i || write(turns[1], "", 1) != 1)
                _exit(1);
        _exit(0);
    }
    const pid_t writes = fork();
    if (writes == 0) {
        static const char room[2000];
        if (connects && connect(sender, name_of(&to), to.size) != 0)
            _exit(1);
        for (int i = 0; i < DATAGRAMS; i++) {
            const ssize_t n =
                connects ? send(sender, room, (size_t)(SIZE + i), 0)
                         : sendto(sender, room, (size_t)(SIZE + i), 0, name_of(&to), to.size);
            char turn;
            if (n != SIZE + i || read(turns[0], &turn, 1) != 1)
                _exit(1);
        }
        _exit(0);
    }
    assert_int_equal(sched_setaffinity(0, sizeof processors, &processors), 0);
    wait_for(writes);
    wait_for(reads);
    live_end(r);
    const uint64_t all = (uint64_t)DATAGRAMS * SIZE + (uint64_t)DATAGRAMS * (DATAGRAMS - 1) / 2;
    const unsigned v6 = family == AF_INET6 ? V6 : 0;
    struct wanted sent = {.hook = (uint16_t)(UDP | (SEND + v6)), .pid = (uint32_t)writes};
    struct wanted came = {.hook = (uint16_t)(UDP | (RECEIVE + v6)), .pid = (uint32_t)reads};
    assert_int_equal(count(r, &sent), DATAGRAMS);
    assert_int_equal(count(r, &came), DATAGRAMS);
    assert_int_equal(sent.bytes, all);
    assert_int_equal(came.bytes, all);
    /* Ends are what BPF programs know: all, or without them none. */
    sent.remote_port = came.local_port = (uint16_t)port_of(&to);
    sent.local_port = came.remote_port = (uint16_t)port_of(&from);
    const uint64_t sent_known = count(r, &sent), came_known = count(r, &came);
    print_message("between ports %u and %u: %" PRIu64 " sent, %" PRIu64 " received\n",
                  port_of(&from), port_of(&to), sent_known, came_known);
    if (connects && sent_known)
        assert_int_equal(sent_known, DATAGRAMS);
    if (sent_known)
        assert_int_equal(came_known, DATAGRAMS);
    live_check_accounts(r);
    live_free(r);
    close(receiver);
    close(sender);
}

static void udp4_to_an_address(void **state)
{
    (void)state;
    udp_over_loopback(AF_INET, false);
}

static void udp6_to_an_address(void **state)
{
    (void)state;
    udp_over_loopback(AF_INET6, false);
}

static void udp4_connected(void **state)
{
    (void)state;
    udp_over_loopback(AF_INET, true);
}

/* ---- retransmits ----------------------------------------------------------------------------- */

/* "Tcp: …" twice: names, then values. */
static int64_t kernel_retransmits(void)
{
    char names[2048], values[2048];
    FILE *const f = fopen("/proc/self/net/snmp", "r");
    int64_t found = -1;
    while (f && fgets(names, sizeof names, f)) {
        if (strncmp(names, "Tcp:", 4) != 0 || !fgets(values, sizeof values, f))
            continue;
        char *in_names, *in_values;
        char *name = strtok_r(names, " \n", &in_names),
             *value = strtok_r(values, " \n", &in_values);
        for (; name && value && found < 0;
             name = strtok_r(NULL, " \n", &in_names), value = strtok_r(NULL, " \n", &in_values))
            if (strcmp(name, "RetransSegs") == 0)
                found = atoll(value);
        break;
    }
    if (f)
        fclose(f);
    return found;
}

/* In a network of its own, where what it asks nobody answers. */
static _Noreturn void call_nobody(int to)
{
    static const char setup[] =
        "ip link add v0 type veth peer name v1 && ip addr add 10.77.0.1/24 dev v0 && "
        "ip link set v0 up && ip link set v1 up && "
        "ip neigh add 10.77.0.2 lladdr 02:00:00:00:00:99 dev v0";
    if (unshare(CLONE_NEWNET) != 0 || system(setup) != 0)
        _exit(77);
    const int fd = socket(AF_INET, SOCK_STREAM, 0);
    const struct timeval patience = {.tv_sec = 3, .tv_usec = 500000};
    setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
    const struct sockaddr_in nobody = {
        .sin_family = AF_INET, .sin_port = htons(80), .sin_addr.s_addr = htonl(0x0a4d0002)};
    if (connect(fd, (const struct sockaddr *)&nobody, sizeof nobody) == 0)
        _exit(1);
    close(fd);
    const int64_t sent = kernel_retransmits();
    _exit(write(to, &sent, sizeof sent) != sizeof sent);
}

static void retransmits_are_counted(void **state)
{
    (void)state;
    struct live_run *const r = live_begin(&(struct live_request){
        .classes = 1u << FACT_NETWORK, .group = "tcp", .tracepoint = "tcp_retransmit_skb"});
    int report[2], status;
    assert_int_equal(pipe(report), 0);
    const pid_t child = fork();
    if (child == 0)
        call_nobody(report[1]);
    assert_int_equal(waitpid(child, &status, 0), child);
    live_end(r);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 77) {
        print_message("skipped: no network namespace with a pair of devices to be had\n");
        live_free(r);
        skip();
    }
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    int64_t sent;
    assert_int_equal(read(report[0], &sent, sizeof sent), sizeof sent);
    struct wanted w = {.hook = TCP | RETRANSMIT, .pid = (uint32_t)child, .remote_port = 80};
    const uint64_t seen = count(r, &w);
    print_message("the kernel sent %" PRId64 " again, %" PRIu64 " were seen\n", sent, seen);
    assert_true(sent >= 1);
    live_check_accounts(r);
    check_count(r, seen, (uint64_t)sent);
    live_free(r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tcp4_over_loopback), cmocka_unit_test(tcp6_over_loopback),
        cmocka_unit_test(every_call_counts),  cmocka_unit_test(lifetimes_are_counted),
        cmocka_unit_test(udp4_to_an_address), cmocka_unit_test(udp6_to_an_address),
        cmocka_unit_test(udp4_connected),     cmocka_unit_test(retransmits_are_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

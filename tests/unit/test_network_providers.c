/* What providers record beside the kernel's events of TCP and UDP: failures of sockets
 * (Winsock-AFD) and requests of HTTP (HttpService, WinINet, WebIO), at the connection and counted
 * once. */
#include "tests/shared.h"
#include "tests/stage.h"

#include "collectors/collectors.h"
#include "src/command/session.h"
#include "src/event/providers.h"

#include <stdio.h>
#include <string.h>

enum { PID = 1200, TID = 1204, SYSTEM = 4, HTTPS = 443, LOCAL_PORT = 50001, SERVER_PORT = 80 };

static const uint8_t LOCAL[4] = {10, 0, 0, 5}, WEB[4] = {192, 0, 2, 7}, GONE[4] = {192, 0, 2, 9};

static const uint32_t REFUSED = 0xc0000236u, RESET = 0xc000020du, WOULD_BLOCK = 0xc00000a3u,
                      IN_USE = 0xc0000043u, PENDING = 0x103;

enum { BEGINS, ENDED };

static struct scene by(struct stage *s, uint32_t pid)
{
    return (struct scene){.stage = s, .pid = pid, .tid = TID};
}

static void put_port(struct note *n, unsigned port)
{
    put_u8(n, (uint8_t)(port >> 8));
    put_u8(n, (uint8_t)port);
}

static void put_socket_address(struct note *n, const uint8_t address[4], unsigned port)
{
    put_u32(n, 16);
    put_u16(n, 2);
    put_port(n, port);
    put(n, address, 4);
    put_u64(n, 0);
}

/* The same as of version 6, ::ffff:… */
static void put_mapped_address(struct note *n, const uint8_t address[4], unsigned port)
{
    static const uint8_t before[12] = {[10] = 0xff, [11] = 0xff};
    put_u32(n, 28);
    put_u16(n, 23);
    put_port(n, port);
    put_u32(n, 0);
    put(n, before, sizeof before);
    put(n, address, 4);
    put_u32(n, 0);
}

static void put_ansi(struct note *n, const char *text)
{
    put(n, text, strlen(text) + 1);
}

/* Kernel-Network: send (10), receive, connect (12), disconnect, …, accept (15). */
static void send_kernel(const struct scene *s, int64_t us, uint16_t id, uint32_t pid,
                        const uint8_t remote[4], unsigned remote_port, unsigned local_port)
{
    struct note n = {.used = 0};
    put_u32(&n, pid);
    put_u32(&n, id == 10 || id == 11 ? 1000 : 0);
    put(&n, remote, 4);
    put(&n, LOCAL, 4);
    put_port(&n, remote_port);
    put_port(&n, local_port);
    for (unsigned i = 0; i < 6; i++)
        put_u32(&n, 0);
    send_manifest(s, us, &kernel_network_provider, id, 0, &n);
}

static void send_kernel_failure(const struct scene *s, int64_t us)
{
    struct note n = {.used = 0};
    put_u16(&n, 6);
    put_u16(&n, 3);
    send_manifest(s, us, &kernel_network_provider, 17, 0, &n);
}

static int row_of(const struct frame *f, const char *remote)
{
    const int row = row_named(f, "raddr", remote);
    if (row < 0)
        fail_msg("no row of %s", remote);
    return row;
}

static uint64_t sum_of(const struct frame *f, const char *column)
{
    return amount(f, total(f, column), column);
}

static void check_text(const struct frame *f, int row, const char *column, const char *text)
{
    assert_string_equal(text_of(f, cell(f, (unsigned)row, column)), text);
}

/* ---- HttpService ------------------------------------------------------------------------------- */

enum { OBJECT = 0x8000, CONNECTION = 0x9001, REQUEST = 0xa001 };

static void send_http_connect(const struct scene *s, int64_t us, uint64_t object,
                              const uint8_t remote[4], unsigned port)
{
    struct note n = {.used = 0};
    put_u64(&n, object);
    put_mapped_address(&n, LOCAL, SERVER_PORT);
    put_mapped_address(&n, remote, port);
    send_manifest(s, us, &http_service_provider, 21, 0, &n);
}

static void send_http_assigned(const struct scene *s, int64_t us, uint64_t connection,
                               uint64_t object)
{
    struct note n = {.used = 0};
    put_u64(&n, 0);
    put_u64(&n, connection);
    put_u64(&n, object);
    send_manifest(s, us, &http_service_provider, 22, 0, &n);
}

static void send_http_request(const struct scene *s, int64_t us, uint64_t request,
                              uint64_t connection, const char *url)
{
    struct note n = {.used = 0}, deliver = {.used = 0};
    put_u64(&n, request);
    put_u64(&n, connection);
    put_socket_address(&n, GONE, 5555);
    send_manifest(s, us, &http_service_provider, 1, 0, &n);
    put_u64(&deliver, 0x1234);
    put_u64(&deliver, request);
    put_u32(&deliver, 1);
    put_wide(&deliver, "DefaultAppPool");
    put_wide(&deliver, url);
    put_u32(&deliver, 0);
    send_manifest(s, us + 10, &http_service_provider, 3, 0, &deliver);
}

static void send_http_answer(const struct scene *s, int64_t us, uint16_t id, uint64_t request)
{
    struct note n = {.used = 0};
    put_u64(&n, request);
    put_u16(&n, 200);
    send_manifest(s, us, &http_service_provider, id, 0, &n);
}

static void a_server_s_requests_stand_at_their_connection(void **state)
{
    (void)state;
    struct stage *const s = stage_open(1, 1 << 20, RING_SEGMENT);
    const struct scene system = by(s, SYSTEM), worker = by(s, PID);
    send_kernel(&system, 1000, 15, SYSTEM, WEB, 40000, SERVER_PORT);
    send_http_connect(&system, 1010, OBJECT, WEB, 40000);
    send_http_assigned(&system, 1020, CONNECTION, OBJECT);
    send_http_request(&system, 1100, REQUEST, CONNECTION, "http://shop/a");
    send_http_answer(&worker, 1300, 12, REQUEST);
    send_http_answer(&worker, 1400, 13, REQUEST); /* it ended once */
    send_http_request(&system, 2000, REQUEST + 1, CONNECTION, "http://shop/b");
    send_kernel(&system, 2050, 10, SYSTEM, WEB, 40000, SERVER_PORT);
    send_http_answer(&worker, 2100, 10, REQUEST + 1);
    send_http_request(&system, 3000, REQUEST + 2, CONNECTION + 7, "http://old/"); /* open before */
    send_kernel(&system, 2100000, 10, SYSTEM, WEB, 40000, SERVER_PORT);
    stage_finish(s);
    stage_play(s);
    struct frame *const f = stage_show(s, "network", "");
    assert_int_equal(f->row_count, 2);
    const int row = row_of(f, "192.0.2.7:40000");
    check_text(f, row, "url", "http://shop/b");
    check_text(f, row, "state", "accepted");
    assert_int_equal(amount(f, cell(f, (unsigned)row, "requests"), "requests"), 2);
    assert_int_equal(amount(f, cell(f, (unsigned)row, "connects"), "connects"), 1);
    assert_int_equal(amount(f, cell(f, (unsigned)row, "packets"), "packets"), 2);
    assert_int_equal(cell(f, (unsigned)row, "answer_avg").ns, 150000);
    check_text(f, row_of(f, "192.0.2.9:5555"), "url", "http://old/");
    char recorder[FRAME_RECORDER];
    assert_string_equal(frame_recorder(f, recorder), "Kernel-Network, HTTP (requests)");
    frame_free(f);
    assert_int_equal(stage_events(s, "class=network op=query"), 3);
    assert_true(stage_events(s, "url=http://shop/b") > 6);
    stage_check_detail(s, "provider=Microsoft-Windows-HttpService id=12", "send HTTP response 200");
    stage_close(s);
}

/* ---- clients ----------------------------------------------------------------------------------- */

static void send_wininet(const struct scene *s, int64_t us, uint16_t id, uint64_t request,
                         const char *url)
{
    struct note n = {.used = 0};
    put_u64(&n, request);
    if (url)
        put_ansi(&n, url);
    else
        put_u32(&n, 0); /* no status line */
    send_manifest(s, us, &wininet_provider, id, 0, &n);
}

static void send_wininet_connected(const struct scene *s, int64_t us, uint64_t request)
{
    struct note n = {.used = 0};
    put_u64(&n, request);
    put_u32(&n, LOCAL_PORT);
    put_u32(&n, 0);
    put_socket_address(&n, LOCAL, LOCAL_PORT);
    put_socket_address(&n, WEB, HTTPS);
    send_manifest(s, us, &wininet_provider, 1046, 1, &n);
}

static void send_wininet_reused(const struct scene *s, int64_t us, uint64_t request)
{
    struct note n = {.used = 0};
    put_u64(&n, request);
    put_u32(&n, LOCAL_PORT);
    send_manifest(s, us, &wininet_provider, 1048, 0, &n);
}

static void wininet_has_urls(void **state)
{
    (void)state;
    struct stage *const s = stage_open(1, 1 << 20, RING_SEGMENT);
    const struct scene us = by(s, PID), other = by(s, PID + 4);
    send_wininet(&us, 1000, 1007, 0x70, "https://shop/a");
    send_kernel(&us, 1100, 12, PID, WEB, HTTPS, LOCAL_PORT);
    send_wininet_connected(&us, 1200, 0x70);
    send_wininet(&us, 1500, 1008, 0x70, NULL);
    send_wininet(&us, 2000, 1007, 0x71, "https://shop/b");
    send_wininet_reused(&us, 2100, 0x71);
    send_wininet(&us, 2300, 1008, 0x71, NULL);
    send_wininet(&other, 2400, 1007, 0x71, "https://elsewhere/"); /* the same pointer, and socket */
    send_wininet_reused(&other, 2500, 0x71);
    send_kernel(&us, 2100000, 10, PID, WEB, HTTPS, LOCAL_PORT);
    stage_finish(s);
    stage_play(s);
    struct frame *const f = stage_show(s, "network", "");
    assert_int_equal(f->row_count, 1);
    check_text(f, 0, "url", "https://shop/b");
    assert_int_equal(sum_of(f, "requests"), 2);
    assert_int_equal(sum_of(f, "connects"), 1);
    assert_int_equal(cell(f, 0, "answer_avg").ns, 400000); /* 500 and 300 µs */
    const int64_t p99 = cell(f, 0, "answer_p99").ns;
    assert_true(p99 >= 500000 && p99 <= 500000 / 16 * 17);
    frame_free(f);
    stage_check_detail(s, "id=1007 Request=0x70", "HTTP request of https://shop/a");
    stage_close(s);
}

static void send_webio(const struct scene *s, int64_t us, uint16_t id, uint64_t first,
                       uint64_t second, const char *text)
{
    struct note n = {.used = 0};
    put_u64(&n, first);
    if (id == 18) {
        for (unsigned i = 0; i < 3; i++)
            put_u64(&n, 0);
        put_ansi(&n, "GET");
        put_wide(&n, text);
        put_u16(&n, 1);
        put_u16(&n, 1);
        put_u32(&n, 0);
    } else if (id == 104) {
        put_u64(&n, 0);
        put_u64(&n, second);
    } else if (id == 101) {
        put_u16(&n, 0);
    } else { /* 200, 201 */
        put_u64(&n, 0);
        put_u32(&n, (uint32_t)strlen(text));
        for (; *text; text++)
            put_u16(&n, (uint8_t)*text);
        put_u64(&n, 0);
        put_u64(&n, 0);
        put_u32(&n, (uint32_t)second); /* error */
    }
    send_manifest(s, us, &webio_provider, id, 0, &n);
}

static void webio_has_winhttp_requests(void **state)
{
    (void)state;
    struct stage *const s = stage_open(1, 1 << 20, RING_SEGMENT);
    const struct scene us = by(s, PID);
    send_webio(&us, 1000, 18, 0x70, 0, "https://api/a");
    send_webio(&us, 1010, 104, 0x70, 0xc0, NULL);
    send_webio(&us, 1020, 200, 0xc0, 0, "192.0.2.7:443");
    send_kernel(&us, 1100, 12, PID, WEB, HTTPS, LOCAL_PORT);
    send_webio(&us, 1200, 201, 0xc0, 0, "");
    send_webio(&us, 1500, 101, 0x70, 0, NULL);
    send_webio(&us, 2000, 18, 0x71, 0, "https://api/b");
    send_webio(&us, 2010, 104, 0x71, 0xc0, NULL);
    send_webio(&us, 2400, 101, 0x71, 0, NULL);
    send_webio(&us, 3000, 18, 0x72, 0, "https://six/");
    send_webio(&us, 3010, 104, 0x72, 0xc2, NULL);
    send_webio(&us, 3020, 200, 0xc2, 0, "[2001:db8::7]:8443"); /* no event of the kernel's */
    send_webio(&us, 3030, 202, 0xc2, 0, "");
    send_webio(&us, 3100, 18, 0x73, 0, "https://refused/");
    send_webio(&us, 3110, 104, 0x73, 0xc3, NULL);
    send_webio(&us, 3120, 200, 0xc3, 0, "192.0.2.9:443");
    send_webio(&us, 3130, 201, 0xc3, 10061, "");
    send_kernel(&us, 2100000, 10, PID, WEB, HTTPS, LOCAL_PORT);
    stage_finish(s);
    stage_play(s);
    struct frame *const f = stage_show(s, "network", "");
    assert_int_equal(f->row_count, 2);
    const int row = row_of(f, "192.0.2.7:443");
    check_text(f, row, "url", "https://api/b");
    assert_int_equal(amount(f, cell(f, (unsigned)row, "requests"), "requests"), 2);
    assert_int_equal(cell(f, (unsigned)row, "answer_avg").ns, 450000);
    check_text(f, row_of(f, "[2001:db8::7]:8443"), "url", "https://six/");
    frame_free(f);
    stage_check_detail(s, "id=200 Connection=0xc0", "connect to 192.0.2.7:443");
    stage_check_detail(s, "id=18 Request=0x70", "HTTP GET https://api/a");
    stage_close(s);
}

/* ---- sockets ----------------------------------------------------------------------------------- */

static void put_call(struct note *n, uint32_t step, uint32_t place, uint64_t socket)
{
    put_u32(n, step);
    put_u32(n, place);
    put_u64(n, 0xffffe000u);
    put_u64(n, socket);
}

static void send_socket(const struct scene *s, int64_t us, uint64_t socket, uint32_t type)
{
    struct note n = {.used = 0};
    put_call(&n, BEGINS, 1002, socket);
    put_u32(&n, 2);
    put_u32(&n, type);
    put_u32(&n, 0);
    put_u64(&n, s->pid);
    put_u32(&n, 0);
    send_manifest(s, us, &winsock_provider, 1000, 0, &n);
}

static void send_close(const struct scene *s, int64_t us, uint32_t step, uint64_t socket)
{
    struct note n = {.used = 0};
    put_call(&n, step, 2000, socket);
    put_u32(&n, 0);
    send_manifest(s, us, &winsock_provider, 1002, 0, &n);
}

/* connect (1018), bind (1030): with an address where it begins */
static void send_call(const struct scene *s, int64_t us, uint16_t id, uint32_t step,
                      uint64_t socket, uint32_t status, const uint8_t *address, unsigned port)
{
    struct note n = {.used = 0};
    put_call(&n, step, 5023, socket);
    if (id == 1018 && address) {
        put_u64(&n, 0);
        put_u32(&n, 0);
    }
    put_u32(&n, status);
    if (address)
        put_socket_address(&n, address, port);
    send_manifest(s, us, &winsock_provider, address ? id : id - 1, 0, &n);
}

/* send (1003), receive (1004) */
static void send_transfer(const struct scene *s, int64_t us, uint16_t id, uint32_t step,
                          uint32_t place, uint64_t socket, uint32_t status)
{
    struct note n = {.used = 0};
    put_call(&n, step, place, socket);
    put_u32(&n, 1);
    put_u64(&n, 0);
    put_u32(&n, 1000);
    put_u32(&n, status);
    send_manifest(s, us, &winsock_provider, id, 0, &n);
}

static void send_drop(const struct scene *s, int64_t us, uint64_t socket)
{
    struct note n = {.used = 0};
    put_call(&n, 2, 0, socket);
    put_u64(&n, 0);
    put_u32(&n, 1000);
    put_socket_address(&n, WEB, 53);
    put_u32(&n, 2);
    send_manifest(s, us, &winsock_provider, 1033, 0, &n);
}

enum { SOCKET = 0x100, LOST = 0x200, BOUND = 0x300, DATAGRAMS = 0x400 };

static void send_sockets(struct stage *s)
{
    const struct scene us = by(s, PID), anywhere = by(s, SYSTEM);
    send_socket(&us, 1000, SOCKET, 1);
    send_call(&us, 1010, 1018, BEGINS, SOCKET, 0, WEB, HTTPS);
    send_call(&us, 1020, 1018, ENDED, SOCKET, PENDING, NULL, 0);
    send_kernel(&us, 1100, 12, PID, WEB, HTTPS, LOCAL_PORT);
    send_call(&anywhere, 1110, 1018, ENDED, SOCKET, 0, NULL, 0);
    send_transfer(&us, 1200, 1003, BEGINS, 3003, SOCKET, 0);
    send_transfer(&us, 1210, 1003, ENDED, 3014, SOCKET, 0);
    send_transfer(&us, 1300, 1004, ENDED, 4109, SOCKET, WOULD_BLOCK);
    send_transfer(&anywhere, 1400, 1004, ENDED, 4114, SOCKET, RESET);
    send_transfer(&anywhere, 1410, 1003, ENDED, 3025, SOCKET, RESET);
    send_transfer(&anywhere, 1420, 1003, ENDED, 3024, SOCKET, RESET); /* of the same send */
    for (unsigned i = 0; i < 3; i++) { /* attempts from three ports */
        const int64_t at = 2000 + 100 * i;
        send_socket(&us, at, LOST + i, 1);
        send_call(&us, at + 5, 1030, BEGINS, LOST + i, 0, LOCAL, 50100 + i);
        send_call(&us, at + 10, 1018, BEGINS, LOST + i, 0, GONE, HTTPS);
        send_kernel_failure(&anywhere, at + 20);
        send_call(&anywhere, at + 30, 1018, ENDED, LOST + i, REFUSED, NULL, 0);
    }
    send_kernel_failure(&anywhere, 2500); /* of the kernel's own */
    send_socket(&us, 3000, BOUND, 1);
    send_call(&us, 3010, 1030, BEGINS, BOUND, 0, LOCAL, 8080);
    send_call(&us, 3020, 1030, ENDED, BOUND, IN_USE, LOCAL, 8080);
    send_socket(&us, 4000, DATAGRAMS, 2);
    send_call(&us, 4010, 1030, ENDED, DATAGRAMS, 0, LOCAL, 5353);
    send_drop(&anywhere, 4020, DATAGRAMS);
    send_kernel(&us, 2100000, 10, PID, WEB, HTTPS, LOCAL_PORT);
}

static void failures_of_sockets_stand_at_their_connection(void **state)
{
    (void)state;
    static const struct {
        const char *remote;
        unsigned failures;
        const char *why;
    } rows[] = {
        {"192.0.2.7:443", 2, "CONNECTION_RESET"},
        {"192.0.2.9:443", 3, "CONNECTION_REFUSED"},
        {"192.0.2.7:53", 1, "-"},
        {"(unknown)", 1, "SHARING_VIOLATION"},
    };
    struct stage *const s = stage_open(1, 1 << 20, RING_SEGMENT);
    send_sockets(s);
    stage_finish(s);
    stage_play(s);
    struct frame *const f = stage_show(s, "network", "");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const int row = row_of(f, rows[i].remote);
        assert_int_equal(amount(f, cell(f, (unsigned)row, "fails"), "fails"), rows[i].failures);
        check_text(f, row, "why", rows[i].why);
        assert_int_equal(cell(f, (unsigned)row, "pid").count, PID);
    }
    assert_int_equal(sum_of(f, "fails"), 2 + 3 + 1 + 1 + 1);
    assert_int_equal(sum_of(f, "connects"), 1);
    char recorder[FRAME_RECORDER];
    assert_string_equal(frame_recorder(f, recorder), "Kernel-Network, Winsock-AFD (failures)");
    frame_free(f);
    assert_int_equal(stage_events(s, "status=CONNECTION_REFUSED"), 3);
    assert_int_equal(stage_events(s, "class=network failed"), 2 + 3 + 1 + 1 + 1);
    assert_int_equal(stage_events(s, "class=network status=0"), 0);
    stage_check_detail(s, "class=network op=fail Endpoint=0x201",
                       "connect socket 0x201 to 192.0.2.9:443: CONNECTION_REFUSED");
    stage_check_detail(
        s, "id=1033",
        "drop datagram of 1000 B from 192.0.2.7:53 at socket 0x400: Insufficient local buffer");
    stage_close(s);
}

/* A socket that is gone before its connect has ended waits for nothing: the kernel's failures
 * count again. One that nobody has met is made by no event about its end. */
static void a_lost_end_hides_no_failures(void **state)
{
    (void)state;
    struct stage *const s = stage_open(1, 1 << 20, RING_SEGMENT);
    const struct scene us = by(s, PID), anywhere = by(s, SYSTEM);
    send_socket(&us, 1000, LOST, 1);
    send_call(&us, 1010, 1018, BEGINS, LOST, 0, GONE, HTTPS);
    send_kernel_failure(&anywhere, 1020); /* the socket's */
    for (unsigned step = BEGINS; step <= ENDED; step++)
        send_close(&us, 1030 + step, step, LOST);
    send_kernel_failure(&anywhere, 1100);
    send_kernel(&us, 2100000, 10, PID, WEB, HTTPS, LOCAL_PORT);
    stage_finish(s);
    stage_play(s);
    struct frame *const f = stage_show(s, "network", "");
    assert_int_equal(sum_of(f, "fails"), 1);
    frame_free(f);
    stage_close(s);
}

/* Without AFD the kernel's failures count, as many as there are. */
static void without_sockets_the_kernel_counts(void **state)
{
    (void)state;
    struct stage *const s = stage_open(1, 1 << 20, RING_SEGMENT);
    const struct scene us = by(s, PID);
    send_kernel_failure(&us, 1000);
    send_kernel_failure(&us, 1100);
    send_kernel(&us, 2100000, 10, PID, WEB, HTTPS, LOCAL_PORT);
    stage_finish(s);
    stage_play(s);
    struct frame *const f = stage_show(s, "network", "");
    assert_int_equal(sum_of(f, "fails"), 2);
    frame_free(f);
    stage_close(s);
}

/* ---- hostile and real -------------------------------------------------------------------------- */

static void floods_and_cut_events_do_no_harm(void **state)
{
    (void)state;
    static const struct {
        const struct guid *provider;
        uint16_t first, last;
    } providers[] = {{&winsock_provider, 1000, 1037}, {&http_service_provider, 1, 24},
                     {&wininet_provider, 1007, 1049}, {&webio_provider, 17, 18},
                     {&webio_provider, 100, 104},     {&webio_provider, 200, 202}};
    struct stage *const s = stage_open(1, 64 << 20, RING_SEGMENT);
    const struct scene us = by(s, PID);
    int64_t at = 1000;
    struct note whole = {.used = 0};
    for (unsigned i = 0; i < 24; i++)
        put_u32(&whole, i % 3 ? 16 : 0xffffffffu);
    for (size_t p = 0; p < sizeof providers / sizeof *providers; p++)
        for (uint16_t id = providers[p].first; id <= providers[p].last; id++)
            for (size_t bytes = 0; bytes < whole.used; bytes += 3) {
                struct note n = whole;
                n.used = bytes;
                send_manifest(&us, at++, providers[p].provider, id, 0, &n);
            }
    for (unsigned i = 0; i < 40000; i++) /* more than are remembered */
        send_http_request(&us, at++, 0x10000 + i, CONNECTION + i, "http://flood/");
    send_http_connect(&us, at + 2000000, OBJECT, WEB, 40000);
    send_http_assigned(&us, at + 2000001, CONNECTION, OBJECT);
    send_http_request(&us, at + 2000002, REQUEST, CONNECTION, "http://last/");
    stage_finish(s);
    stage_play(s);
    struct frame *const f = stage_show(s, "network", "");
    check_text(f, row_of(f, "192.0.2.7:40000"), "url", "http://last/");
    frame_free(f);
    stage_close(s);
}

/* How many events of HttpService with the id another program counted. */
static uint64_t counted(const char *path, unsigned id)
{
    char line[512];
    uint64_t count = 0;
    FILE *const in = fopen(path, "r");
    assert_non_null(in);
    while (fgets(line, sizeof line, in)) {
        unsigned of, version, type;
        unsigned long long n;
        if (sscanf(line, "event dd5ef90a-6398-47a4-ad34-4dcecdef795f %u %u %u %llu", &of, &version,
                   &type, &n) == 4 &&
            of == id)
            count += n;
    }
    fclose(in);
    return count;
}

static void a_real_server_s_requests(void **state)
{
    (void)state;
    static const char *const names[] = {"tx-HTTP_Server", "tx-CrossMachineHTTP"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char path[128], counts[128];
        struct err err;
        snprintf(path, sizeof path, "../shared/etl/%s.etl", names[i]);
        snprintf(counts, sizeof counts, "../shared/etl/%s.counts.tsv", names[i]);
        glob_t found = shared_files(path);
        globfree(&found);
        const char *const file = path;
        const struct session_options o = {.kind = &collector_etl,
                                          .collector = {.files = &file, .file_count = 1},
                                          .ring_bytes = 16 << 20,
                                          .interval_ns = 1000000000};
        struct session *const s = session_start(&o, &err);
        assert_non_null(s);
        struct request r = {
            .pane = pane_find("network"), .rows = 1000, .accumulate = true, .sequence = 1};
        engine_request(s->engine, &r);
        struct frame *const f = engine_wait_frame(s->engine, 1, true, STAGE_TIMEOUT);
        assert_non_null(f);
        assert_int_equal(f->row_count, counted(counts, 21)); /* connections */
        assert_true(counted(counts, 1) > 200);
        assert_int_equal(sum_of(f, "requests"), counted(counts, 1));
        for (unsigned row = 0; row < f->row_count; row++) {
            assert_true(strncmp(text_of(f, cell(f, row, "url")), "http://", 7) == 0);
            assert_true(cell(f, row, "answer_avg").ns > 10000);
        }
        frame_free(f);
        session_stop(s);
        session_free(s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_server_s_requests_stand_at_their_connection),
        cmocka_unit_test(wininet_has_urls),
        cmocka_unit_test(webio_has_winhttp_requests),
        cmocka_unit_test(failures_of_sockets_stand_at_their_connection),
        cmocka_unit_test(a_lost_end_hides_no_failures),
        cmocka_unit_test(without_sockets_the_kernel_counts),
        cmocka_unit_test(floods_and_cut_events_do_no_harm),
        cmocka_unit_test(a_real_server_s_requests),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Names of hosts: results of queries name the addresses of connections, whichever was first. */
#include "tests/stage.h"

#include "src/base/address.h"
#include "src/event/providers.h"

enum { PID = 1200, TID = 1204 };

static void send_query(const struct scene *s, int64_t us, uint16_t id, uint8_t version,
                       const char *name, const char *results)
{
    struct note n = {.used = 0};
    put_wide(&n, name);
    if (id != 3013) {
        put_u32(&n, 1); /* type, and options or two indices */
        put_u32(&n, 0);
        put_u32(&n, 0);
    }
    put_u32(&n, 0); /* status */
    put_wide(&n, results);
    if (version)
        put_u32(&n, PID);
    send_manifest(s, us, &dns_client_provider, id, version, &n);
}

static void send_v4_from(const struct scene *s, int64_t us, const uint8_t remote[4], unsigned port)
{
    static const uint8_t local[4] = {10, 0, 0, 5};
    struct note n = {.used = 0};
    put_u32(&n, PID);
    put_u32(&n, 1000);
    put(&n, remote, 4);
    put(&n, local, 4);
    put_u16(&n, 0xbb01); /* 443 */
    put_u16(&n, port);
    for (unsigned i = 0; i < 4; i++)
        put_u32(&n, 0);
    send_manifest(s, us, &kernel_network_provider, 10, 0, &n);
}

static void send_v4(const struct scene *s, int64_t us, const uint8_t remote[4])
{
    send_v4_from(s, us, remote, 0x50c3);
}

static void send_v6(const struct scene *s, int64_t us, const uint8_t remote[16])
{
    static const uint8_t local[16] = {0xfe, 0x80, [15] = 5};
    struct note n = {.used = 0};
    put_u32(&n, PID);
    put_u32(&n, 1000);
    put(&n, remote, 16);
    put(&n, local, 16);
    put_u16(&n, 0xbb01);
    put_u16(&n, 0x50c3);
    for (unsigned i = 0; i < 4; i++)
        put_u32(&n, 0);
    send_manifest(s, us, &kernel_network_provider, 26, 0, &n);
}

static void check_host(struct stage *s, const char *remote, const char *host)
{
    struct frame *const f = stage_show(s, "network", "");
    const int row = row_named(f, "raddr", remote);
    assert_true(row >= 0);
    const struct value v = cell(f, (unsigned)row, "host");
    if (host)
        assert_string_equal(text_of(f, v), host);
    else
        assert_int_equal(v.type, VALUE_ABSENT);
    frame_free(f);
}

static void queries_name_addresses(void **state)
{
    (void)state;
    static const uint8_t web[] = {192, 0, 2, 7}, post[] = {192, 0, 2, 8}, other[] = {192, 0, 2, 9},
                         cached[] = {192, 0, 2, 10}, six[] = {0x20, 0x01, 0x0d, 0xb8, [15] = 7};
    struct stage *const s = stage_open(1, 1 << 20, RING_SEGMENT);
    const struct scene by = {.stage = s, .pid = PID, .tid = TID};
    send_v4(&by, 1000, web); /* before its query */
    send_query(&by, 1100, 3008, 0, "www.example.com",
               "type:  5 edge.example.net;::ffff:192.0.2.7;2001:db8::7;");
    send_query(&by, 1200, 3013, 1, "post.example.com", "192.0.2.8;");
    send_query(&by, 1300, 3018, 1, "cached.example.com", "192.0.2.10");
    send_query(&by, 1400, 3020, 0, "nothing.example.com", "192.0.2;300.0.2.9;192.0.2.9x;;-;");
    send_v4(&by, 1500, post);
    send_v4(&by, 1600, other);
    send_v4(&by, 1700, cached);
    send_v6(&by, 2100000, six);
    stage_finish(s);
    stage_play(s);
    check_host(s, "192.0.2.7:443", "www.example.com");
    check_host(s, "192.0.2.8:443", "post.example.com");
    check_host(s, "192.0.2.9:443", NULL);
    check_host(s, "192.0.2.10:443", "cached.example.com");
    check_host(s, "[2001:db8::7]:443", "www.example.com");
    struct frame *f = stage_show(s, "network", "hostname=www.example.com");
    assert_int_equal(f->row_count, 2);
    frame_free(f);
    f = stage_show(s, "network", "addr=192.0.2.8");
    assert_int_equal(f->row_count, 1);
    frame_free(f);
    f = stage_show(s, "events", "op=send addr=192.0.2.8");
    assert_string_equal(text_of(f, cell(f, 0, "name")), "pid 1200");
    assert_non_null(strstr(text_of(f, cell(f, 0, "detail")), "192.0.2.8:443 (post.example.com)  "));
    frame_free(f);
    stage_close(s);
}

/* A later query renames the address. */
static void the_newest_name_counts(void **state)
{
    (void)state;
    static const uint8_t web[] = {192, 0, 2, 7};
    struct stage *const s = stage_open(1, 1 << 20, RING_SEGMENT);
    const struct scene by = {.stage = s, .pid = PID, .tid = TID};
    send_query(&by, 1000, 3008, 0, "old.example.com", "192.0.2.7;");
    send_query(&by, 1100, 3008, 0, "new.example.com", "192.0.2.7;");
    send_v4(&by, 2100000, web);
    stage_finish(s);
    stage_play(s);
    check_host(s, "192.0.2.7:443", "new.example.com");
    stage_close(s);
}

/* Who is inside the group of an address stays there when it gets a name. */
static void groups_of_addresses_outlive_their_naming(void **state)
{
    (void)state;
    enum { SENT = 4 };
    static const uint8_t web[] = {192, 0, 2, 7}, other[] = {192, 0, 2, 9};
    struct stage *const s = stage_open(1, 1 << 20, RING_SEGMENT);
    const struct scene by = {.stage = s, .pid = PID, .tid = TID};
    for (unsigned i = 0; i < SENT; i++)
        send_v4_from(&by, 1000 + i, i < 2 ? web : other, 0x50c3 + i);
    stage_play(s);
    while (engine_figures(s->engine).events < SENT)
        os_sleep(100000);
    stage_request(s, "network")->group = GROUPED_BY_HOST;
    struct frame *f = stage_ask_now(s);
    const int at = row_named(f, "raddr", "192.0.2.7 (2)");
    assert_true(at >= 0);
    const struct row_key key = f->rows[at].key;
    frame_free(f);
    send_query(&by, 2000, 3008, 0, "www.example.com", "192.0.2.7;");
    stage_finish(s);
    struct request *const r = stage_request(s, "network");
    r->crumbs[r->crumb_count++] = (struct crumb){.kind = CRUMB_GROUP, .key = key};
    f = stage_ask(s);
    assert_int_equal(f->row_count, 2);
    assert_string_equal(text_of(f, cell(f, 0, "host")), "www.example.com");
    frame_free(f);
    stage_close(s);
}

/* More addresses than are remembered, and payloads cut at any byte. */
static void floods_and_cut_events_do_no_harm(void **state)
{
    (void)state;
    struct stage *const s = stage_open(1, 16 << 20, RING_SEGMENT);
    const struct scene by = {.stage = s, .pid = PID, .tid = TID};
    static const uint8_t web[] = {192, 0, 2, 7};
    int64_t us = 1000;
    for (unsigned i = 0; i < 40000; i++) {
        char list[40];
        snprintf(list, sizeof list, "10.%u.%u.%u;", i >> 16, i >> 8 & 255, i & 255);
        send_query(&by, us++, 3008, 0, "flood.example.com", list);
    }
    struct note whole = {.used = 0};
    put_wide(&whole, "www.example.com");
    for (unsigned i = 0; i < 4; i++)
        put_u32(&whole, 0);
    put_wide(&whole, "192.0.2.7;");
    for (size_t bytes = 0; bytes < whole.used; bytes++) {
        struct note n = whole;
        n.used = bytes;
        send_manifest(&by, us++, &dns_client_provider, 3008, 0, &n);
    }
    send_query(&by, us++, 3008, 0, "last.example.com", "192.0.2.7");
    send_v4(&by, us + 2000000, web);
    stage_finish(s);
    stage_play(s);
    check_host(s, "192.0.2.7:443", "last.example.com");
    stage_close(s);
}

static void addresses_end_where_they_end(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        size_t bytes; /* 0: it is none */
        bool is_v6;
    } rows[] = {
        {"192.0.2.7", 9, false}, {"192.0.2.7;", 9, false},
        {"::", 2, true},         {"::ffff:1.2.3.4", 14, true},
        {"fe80::1;x", 7, true},  {"fe80::1/64", 7, true},
        {"", 0, false},          {"192.0.2", 0, false},
        {"256.0.0.1", 0, false}, {"1::2::3", 0, true},
        {"type:  5 a", 0, true},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        uint8_t address[16];
        bool is_v6;
        const char *at = rows[i].text;
        assert_int_equal(address_read(&at, address, &is_v6), rows[i].bytes > 0);
        assert_int_equal(is_v6, rows[i].is_v6);
        if (rows[i].bytes)
            assert_int_equal(at - rows[i].text, rows[i].bytes);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(queries_name_addresses),
        cmocka_unit_test(the_newest_name_counts),
        cmocka_unit_test(groups_of_addresses_outlive_their_naming),
        cmocka_unit_test(floods_and_cut_events_do_no_harm),
        cmocka_unit_test(addresses_end_where_they_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

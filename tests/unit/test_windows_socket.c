/* Connections that are open when the program begins, from tables as the system's: Wine's own
 * have neither owners nor times. */
#include "tests/test.h"

#include "collectors/windows/state.h"
#include "src/base/mem.h"
#include "src/base/payload_writer.h"
#include "src/event/tracetop_provider.h"

#include <stdlib.h>
#include <string.h>

enum { LISTEN = 2, ESTABLISHED = 5, CLOSE_WAIT = 8, TIME_WAIT = 11, TOLD = 16 };

struct told {
    uint64_t pid, is_v6, local_high, local, local_port, remote, remote_port, since;
    char opened[8];
};

struct fixture {
    struct state *s;
    struct told told[TOLD];
    unsigned count;
    _Atomic bool stopping;
};

static struct fixture *fixture_new(void)
{
    struct fixture *const x = mem_new(1, sizeof *x);
    x->s = mem_new(1, sizeof *x->s);
    x->s->writer.intake = intake_new(4 << 20);
    x->s->writer.is_stopping = &x->stopping;
    x->s->writer.time = 1000;
    return x;
}

static void take(struct fixture *x, const struct event *e)
{
    struct told *const t = &x->told[x->count++];
    const char *opened, *const name = tracetop_event_name(e);
    assert_true(x->count < TOLD);
    assert_non_null(name);
    assert_string_equal(name, "Connection");
    assert_true(
        tracetop_event_number(e, "pid", &t->pid) && tracetop_event_number(e, "ipv6", &t->is_v6) &&
        tracetop_event_number(e, "local_high", &t->local_high) &&
        tracetop_event_number(e, "local", &t->local) &&
        tracetop_event_number(e, "local_port", &t->local_port) &&
        tracetop_event_number(e, "remote", &t->remote) &&
        tracetop_event_number(e, "remote_port", &t->remote_port) &&
        tracetop_event_number(e, "since", &t->since) && tracetop_event_text(e, "opened", &opened));
    snprintf(t->opened, sizeof t->opened, "%s", opened);
}

static void fixture_read(struct fixture *x)
{
    struct order *const order = order_new(1);
    order_add(order, x->s->writer.intake);
    order_look(order);
    for (const struct record_head *head; (head = order_next(order, INT64_MAX));) {
        struct event e;
        assert_int_equal(event_of_record(head, &e), EVENT_OK);
        take(x, &e);
        order_take(order);
    }
    order_free(order);
}

static void fixture_free(struct fixture *x)
{
    intake_free(x->s->writer.intake);
    free(x->s);
    free(x);
}

/* As FILETIME: so many seconds ago. */
static uint64_t ago(uint64_t seconds)
{
    FILETIME now;
    GetSystemTimeAsFileTime(&now);
    return ((uint64_t)now.dwHighDateTime << 32 | now.dwLowDateTime) - seconds * 10000000;
}

static void put_port(struct payload_writer *p, unsigned port)
{
    put_u8(p, port >> 8);
    put_u8(p, port & 0xff);
    put_u16(p, 0xabcd); /* upper halves are not to be looked at */
}

static void put_row(struct payload_writer *p, uint32_t state, unsigned port, unsigned remote_port,
                    uint32_t pid, uint64_t created)
{
    put_u32(p, state);
    put_u32(p, 0x0100007f);
    put_port(p, port);
    put_u32(p, 0x0100000a);
    put_port(p, remote_port);
    put_u32(p, pid);
    put_u64(p, created);
    put_zeros(p, 128);
}

static void connections_are_reported(void **state)
{
    (void)state;
    uint8_t room[4096];
    struct fixture *const x = fixture_new();
    struct payload_writer p = {.start = room, .at = room, .end = room + sizeof room};
    put_u32(&p, 6);
    put_u32(&p, 0);
    put_row(&p, LISTEN, 443, 0, 880, ago(100));
    put_row(&p, ESTABLISHED, 443, 50000, 880, ago(10));
    put_row(&p, CLOSE_WAIT, 50001, 80, 881, ago(20));
    put_row(&p, TIME_WAIT, 50002, 80, 0, 0);
    put_row(&p, ESTABLISHED, 50003, 81, 0, 0); /* nobody's */
    put_row(&p, ESTABLISHED, 50004, 82, 882, 0);
    assert_true(state_socket_table(x->s, false, room, (size_t)(p.at - room)));
    fixture_read(x);
    assert_int_equal(x->count, 3);
    assert_int_equal(x->told[0].pid, 880);
    assert_int_equal(x->told[0].is_v6, 0);
    assert_int_equal(x->told[0].local, 0x7f000001);
    assert_int_equal(x->told[0].remote, 0x0a000001);
    assert_int_equal(x->told[0].local_port, 443);
    assert_int_equal(x->told[0].remote_port, 50000);
    assert_string_equal(x->told[0].opened, "in");
    assert_in_range(x->told[0].since, 10000000000u, 70000000000u);
    assert_string_equal(x->told[1].opened, "out");
    assert_int_equal(x->told[1].remote_port, 80);
    assert_string_equal(x->told[2].opened, ""); /* how old it is nobody says */
    assert_int_equal(x->told[2].since, 0);
    fixture_free(x);
}

static void connections_of_ipv6_are_reported(void **state)
{
    (void)state;
    uint8_t room[4096];
    struct fixture *const x = fixture_new();
    struct payload_writer p = {.start = room, .at = room, .end = room + sizeof room};
    put_u32(&p, 1);
    put_u32(&p, 0);
    for (unsigned i = 0; i < 16; i++)
        put_u8(&p, 0x20 + i);
    put_u32(&p, 7); /* scope */
    put_port(&p, 1234);
    for (unsigned i = 0; i < 16; i++)
        put_u8(&p, 0x40 + i);
    put_u32(&p, 7);
    put_port(&p, 4321);
    put_u32(&p, ESTABLISHED);
    put_u32(&p, 99);
    put_u64(&p, ago(5));
    put_zeros(&p, 128);
    assert_true(state_socket_table(x->s, true, room, (size_t)(p.at - room)));
    fixture_read(x);
    assert_int_equal(x->count, 1);
    assert_int_equal(x->told[0].is_v6, 1);
    assert_true(x->told[0].local_high == 0x2021222324252627);
    assert_true(x->told[0].local == 0x28292a2b2c2d2e2f);
    assert_true(x->told[0].remote == 0x48494a4b4c4d4e4f);
    assert_int_equal(x->told[0].local_port, 1234);
    assert_int_equal(x->told[0].remote_port, 4321);
    assert_int_equal(x->told[0].pid, 99);
    assert_string_equal(x->told[0].opened, "out");
    fixture_free(x);
}

/* A count that is larger than the table tells nothing that is not in it. */
static void short_tables_end(void **state)
{
    (void)state;
    uint8_t *const room = calloc(1, 8 + 159);
    struct fixture *const x = fixture_new();
    memset(room, 0xff, 4);
    for (size_t bytes = 0; bytes <= 8 + 159; bytes++)
        assert_true(state_socket_table(x->s, false, room, bytes));
    fixture_read(x);
    assert_int_equal(x->count, 0);
    fixture_free(x);
    free(room);
}

/* The system's own tables: whatever they hold, it is well-formed. */
static void this_machine_is_asked(void **state)
{
    (void)state;
    struct fixture *const x = fixture_new();
    state_sockets(x->s);
    struct order *const order = order_new(1);
    order_add(order, x->s->writer.intake);
    order_look(order);
    for (const struct record_head *head; (head = order_next(order, INT64_MAX));) {
        x->count = 0;
        struct event e;
        assert_int_equal(event_of_record(head, &e), EVENT_OK);
        take(x, &e);
        assert_true(x->told[0].pid != 0);
        order_take(order);
    }
    order_free(order);
    fixture_free(x);
}

/* Windows lists process 0 as "[System Process]"; in traces it is Idle. */
static void process_0_is_idle(void **state_of_test)
{
    (void)state_of_test;
    assert_int_equal(wcscmp(state_process_name(0, L"[System Process]"), L"Idle"), 0);
    assert_int_equal(wcscmp(state_process_name(4, L"System"), L"System"), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(connections_are_reported),
        cmocka_unit_test(connections_of_ipv6_are_reported),
        cmocka_unit_test(short_tables_end),
        cmocka_unit_test(this_machine_is_asked),
        cmocka_unit_test(process_0_is_idle),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

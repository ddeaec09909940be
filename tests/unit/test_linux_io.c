/* Page faults, interrupts and system calls from the kernel's events, the names that our own events
 * give them, and error numbers as status codes. */
#include "tests/made_sample.h"

#include "collectors/linux/translate/status.h"
#include "src/event/status.h"

#include <errno.h>

enum { TRANSITION = 0x020a, ZERO, COPY, GUARD, HARD_PAGE, VIOLATION, HARD = 0x0220, UNKNOWN = 0x0245 };
enum { ISR = 0x0f43, DPC, TIMER_DPC, ENTER = 0x0f33, EXIT };
#define N(v) ((uint64_t)(v))

static void at(struct sample_maker *m, int64_t time, uint32_t pid, uint32_t tid)
{
    m->time = time;
    m->pid = pid;
    m->tid = tid;
}

/* ---- page faults -------------------------------------------------------------------------- */

enum { MINOR, MAJOR }; /* rows of the domain's table: they have no names */

static void fault(struct sample_maker *m, unsigned which, uint64_t address)
{
    m->address = address;
    m->ip = 0x401000;
    made_send(m, &m->domain->events[which], NULL);
}

static void trap(struct sample_maker *m, uint64_t address, uint64_t code)
{
    made_send(m, made_event(m, "page_fault_user"), "address", address, "error_code", code, NULL);
}

static void expect_fault(struct sample_maker *m, uint16_t hook, uint64_t address)
{
    const struct came c = made_next(m, hook);
    assert_int_equal(c.pid, 700);
    assert_int_equal(c.tid, 701);
    assert_int_equal(c.bytes, 16);
    assert_int_equal(load_u64(c.payload), address);
    assert_int_equal(load_u64(c.payload + 8), 0x401000);
}

static void faults_are_reported_by_kind(void **state)
{
    (void)state;
    struct sample_maker *const m = made_new(DOMAIN_FAULT);
    at(m, 1000, 700, 701);
    fault(m, MINOR, 0x7000123);
    expect_fault(m, UNKNOWN, 0x7000123);
    static const struct {
        uint64_t code;
        uint16_t hook;
    } rows[] = {{0x4, TRANSITION}, {0x14, TRANSITION}, {0x6, ZERO}, {0x7, COPY}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        trap(m, 0x8000, rows[i].code);
        fault(m, MINOR, 0x8000);
        expect_fault(m, rows[i].hook, 0x8000);
    }
    trap(m, 0x9000, 0x6); /* of another fault: it says nothing about this one */
    fault(m, MINOR, 0x8000);
    expect_fault(m, UNKNOWN, 0x8000);
    trap(m, 0x8000, 0x6); /* and a trap within the trap does not hide it */
    trap(m, 0xa000, 0x4);
    fault(m, MINOR, 0x8000);
    expect_fault(m, ZERO, 0x8000);
    made_nothing(m);
    made_free(m);
}

static void hard_faults_are_reported_twice(void **state)
{
    (void)state;
    struct sample_maker *const m = made_new(DOMAIN_FAULT);
    at(m, 1000, 700, 701);
    trap(m, 0x8123, 0x4);
    m->time = 5000;
    fault(m, MAJOR, 0x8123);
    expect_fault(m, HARD_PAGE, 0x8123);
    struct came c = made_next(m, HARD);
    assert_int_equal(c.bytes, 40);
    assert_int_equal(load_u64(c.payload), 1000);
    assert_int_equal(load_u64(c.payload + 16), 0x8000);
    assert_int_equal(load_u32(c.payload + 32), 701);
    assert_int_equal(load_u32(c.payload + 36), 4096);
    fault(m, MAJOR, 0x8123); /* when it began is not known */
    made_next(m, HARD_PAGE);
    c = made_next(m, HARD);
    assert_int_equal(load_u64(c.payload), 0);
    made_nothing(m);
    made_free(m);
}

static void violations_are_signals_of_the_kernel(void **state)
{
    (void)state;
    enum { SEGV = 11, TERM = 15 };
    struct sample_maker *const m = made_new(DOMAIN_FAULT);
    const struct linux_event *const e = made_event(m, "signal_generate");
    at(m, 1000, 700, 701);
    trap(m, 0x10, 0x4);
    made_send(m, e, "sig", N(TERM), "code", N(1), "pid", N(701), NULL);
    made_send(m, e, "sig", N(SEGV), "code", N(0), "pid", N(701), NULL); /* raise() */
    made_send(m, e, "sig", N(SEGV), "code", N(1), "pid", N(9), NULL);
    made_nothing(m);
    made_send(m, e, "sig", N(SEGV), "code", N(1), "pid", N(701), NULL);
    const struct came c = made_next(m, VIOLATION);
    assert_int_equal(load_u64(c.payload), 0x10);
    made_nothing(m);
    made_free(m);
}

/* ---- interrupts ------------------------------------------------------------------------------ */

static void irq(struct sample_maker *m, int64_t time, bool is_entry, uint64_t number,
                const char *name)
{
    m->time = time;
    if (is_entry)
        made_send(m, made_event(m, "irq_handler_entry"), "irq", number, "\"name", name, NULL);
    else
        made_send(m, made_event(m, "irq_handler_exit"), "irq", number, "ret", N(1), NULL);
}

static void softirq(struct sample_maker *m, int64_t time, bool is_entry, uint64_t vector)
{
    m->time = time;
    made_send(m, made_event(m, is_entry ? "softirq_entry" : "softirq_exit"), "vec", vector, NULL);
}

static void expect_routine(struct sample_maker *m, uint16_t hook, int64_t since, int64_t until,
                           uint64_t routine)
{
    const struct came c = made_next(m, hook);
    assert_int_equal(c.tid, EVENT_NO_ID);
    assert_int_equal(c.time, until);
    assert_int_equal(c.cpu, m->cpu);
    assert_int_equal(c.bytes, hook == ISR ? 20 : 16);
    assert_int_equal(load_u64(c.payload), since);
    assert_int_equal(load_u64(c.payload + 8), routine);
}

/* An interrupt while a softirq runs, on each of two processors. */
static void interrupts_nest_in_softirqs(void **state)
{
    (void)state;
    struct sample_maker *const m = made_new(DOMAIN_INTERRUPT);
    softirq(m, 100, true, 3);
    irq(m, 110, true, 24, "virtio0");
    m->cpu = 1;
    softirq(m, 111, true, 1);
    m->cpu = 0;
    irq(m, 115, false, 24, NULL);
    softirq(m, 150, false, 3);
    made_next_tracetop(m, "Routine");
    const struct came c = made_next(m, ISR);
    assert_int_equal(load_u64(c.payload), 110);
    assert_int_equal(c.payload[16], 1);
    assert_int_equal(load_u16(c.payload + 17), 24);
    made_next_tracetop(m, "Routine");
    expect_routine(m, DPC, 100, 150, 4);
    m->cpu = 1;
    softirq(m, 300, false, 1);
    made_next_tracetop(m, "Routine");
    expect_routine(m, TIMER_DPC, 111, 300, 2);
    made_nothing(m);
    assert_int_equal(m->translator.unpaired, 0);
    made_free(m);
}

static void halves_of_interrupts_are_counted(void **state)
{
    (void)state;
    struct sample_maker *const m = made_new(DOMAIN_INTERRUPT);
    irq(m, 100, false, 24, NULL);
    assert_int_equal(m->translator.unpaired, 1);
    irq(m, 110, true, 24, "");
    irq(m, 120, true, 25, ""); /* the exit of 24 was lost */
    assert_int_equal(m->translator.unpaired, 2);
    irq(m, 130, false, 24, NULL);
    assert_int_equal(m->translator.unpaired, 3);
    softirq(m, 140, true, 9);
    softirq(m, 150, false, 8);
    assert_int_equal(m->translator.unpaired, 4);
    m->cpu = 9999; /* a processor that cannot be */
    irq(m, 160, true, 24, "");
    irq(m, 170, false, 24, NULL);
    assert_int_equal(m->translator.unpaired, 5);
    made_nothing(m);
    made_free(m);
}

/* ---- system calls ---------------------------------------------------------------------------- */

static void call(struct sample_maker *m, bool is_entry, int64_t number, int64_t result)
{
    if (is_entry)
        made_send(m, made_event(m, "sys_enter"), "id", N(number), NULL);
    else
        made_send(m, made_event(m, "sys_exit"), "id", N(number), "ret", N(result), NULL);
}

static void calls_are_reported_with_their_end(void **state)
{
    (void)state;
    struct sample_maker *const m = made_new(DOMAIN_CALL);
    at(m, 1000, 700, 701);
    call(m, true, 1, 0);
    struct came c = made_next_tracetop(m, "Routine");
    c = made_next(m, ENTER);
    assert_int_equal(c.pid, 700);
    assert_int_equal(c.tid, 701);
    assert_int_equal(load_u64(c.payload), 1);
    call(m, false, 1, -ENOENT);
    c = made_next(m, EXIT);
    assert_int_equal(load_u32(c.payload), 0xc000c002);
    call(m, true, 1, 0);
    made_next(m, ENTER); /* named once */
    call(m, true, -1, 0);
    call(m, false, -1, 0);
    call(m, true, 5000, 0); /* no name for that */
    made_next(m, ENTER);
    at(m, 2000, 99, 99); /* our own */
    call(m, true, 1, 0);
    call(m, false, 1, 0);
    made_nothing(m);
    made_free(m);
}

static void errors_have_a_status(void **state)
{
    (void)state;
    static const struct {
        int64_t result;
        uint32_t status;
    } rows[] = {
        {0, 0},
        {4096, 0},
        {-ENOENT, 0xc000c002},
        {-EPERM, 0xc000c001},
        {-512, 0x4000c200},
        {-ENOTRECOVERABLE, 0xc000c000 + ENOTRECOVERABLE},
        {-4095, 0xc000cfff},
        {-4096, 0},
        {INT64_MIN, 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_int_equal(status_of_result(rows[i].result), rows[i].status);
}

/* The names are those of this machine's C library. */
static void errors_have_their_names(void **state)
{
    (void)state;
    unsigned known = 0;
    for (int error = 1; error < 512; error++) {
        const char *const name = status_name(status_of_result(-error), 0);
        const char *const own = strerrorname_np(error);
        if (own)
            assert_string_equal(name ? name : "nothing",
                                strcmp(own, "ENOTSUP") == 0 ? "EOPNOTSUPP" : own);
        else
            assert_null(name);
        known += own != NULL;
    }
    assert_true(known > 100);
}

/* ---- names ----------------------------------------------------------------------------------- */

static void expect_name(struct sample_maker *m, const char *kind, uint64_t routine, uint32_t vector,
                        const char *name)
{
    const struct came c = made_next_tracetop(m, "Routine");
    const size_t at = strlen(kind) + 1;
    assert_string_equal((const char *)c.payload, kind);
    assert_int_equal(load_u64(c.payload + at), routine);
    assert_int_equal(load_u32(c.payload + at + 8), vector);
    assert_string_equal((const char *)c.payload + at + 12, name);
}

static void names_are_reported_once(void **state)
{
    (void)state;
    struct sample_maker *m = made_new(DOMAIN_INTERRUPT);
    irq(m, 1, true, 24, "virtio0-input.0");
    expect_name(m, "ISR", 0, 24, "virtio0-input.0");
    irq(m, 2, false, 24, NULL);
    irq(m, 3, true, 24, "virtio0"); /* the same line, another device: no prefix of one */
    made_next(m, ISR);
    expect_name(m, "ISR", 0, 24, "virtio0-input.0, virtio0");
    irq(m, 4, false, 24, NULL);
    irq(m, 5, true, 24, "virtio0");
    irq(m, 6, false, 24, NULL);
    made_next(m, ISR);
    made_next(m, ISR);
    made_nothing(m);
    softirq(m, 7, true, 1);
    softirq(m, 8, false, 1);
    expect_name(m, "timer", 2, 0, "TIMER");
    made_next(m, TIMER_DPC);
    made_free(m);
    m = made_new(DOMAIN_CALL);
    call(m, true, 1, 0);
    expect_name(m, "call", 1, 0, "write");
    made_free(m);
}

/* Every prefix of an event of our own, and every type that is none of ours. */
static void own_events_may_be_anything(void **state)
{
    (void)state;
    struct sample_maker *const m = made_new(DOMAIN_CALL);
    uint64_t position, number;
    const char *text;
    call(m, true, 1, 0);
    const struct record_head *const head = ring_peek(m->collector.hot, &position);
    struct event e;
    assert_int_equal(event_of_record(head, &e), EVENT_OK);
    assert_true(tracetop_event_number(&e, "routine", &number));
    assert_int_equal(number, 1);
    assert_true(tracetop_event_text(&e, "name", &text));
    assert_string_equal(text, "write");
    assert_false(tracetop_event_text(&e, "routine", &text));
    assert_false(tracetop_event_number(&e, "nothing", &number));
    for (uint32_t bytes = 0; bytes < e.payload_bytes; bytes++) {
        uint8_t *const part = malloc(bytes ? bytes : 1);
        memcpy(part, e.payload, bytes);
        struct event cut = e;
        cut.payload = part;
        cut.payload_bytes = bytes;
        assert_false(tracetop_event_text(&cut, "name", &text));
        free(part);
    }
    for (uint32_t bytes = 0; bytes < e.extended_bytes; bytes++) {
        uint8_t *const part = malloc(bytes ? bytes : 1);
        memcpy(part, e.extended, bytes);
        struct event cut = e;
        cut.extended = part;
        cut.extended_bytes = bytes;
        tracetop_event_name(&cut);
        tracetop_event_text(&cut, "name", &text);
        free(part);
    }
    uint8_t *const changed = malloc(e.extended_bytes);
    for (uint32_t i = 8; i < e.extended_bytes; i++) {
        memcpy(changed, e.extended, e.extended_bytes);
        changed[i] ^= 0xff;
        struct event other = e;
        other.extended = changed;
        tracetop_event_text(&other, "name", &text);
        tracetop_event_number(&other, "vector", &number);
    }
    free(changed);
    made_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(faults_are_reported_by_kind),
        cmocka_unit_test(hard_faults_are_reported_twice),
        cmocka_unit_test(violations_are_signals_of_the_kernel),
        cmocka_unit_test(interrupts_nest_in_softirqs),
        cmocka_unit_test(halves_of_interrupts_are_counted),
        cmocka_unit_test(calls_are_reported_with_their_end),
        cmocka_unit_test(errors_have_a_status),
        cmocka_unit_test(errors_have_their_names),
        cmocka_unit_test(names_are_reported_once),
        cmocka_unit_test(own_events_may_be_anything),
    };
    return cmocka_run_group_tests_name("faults, interrupts, calls", tests, NULL, NULL);
}

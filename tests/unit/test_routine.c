/* Interrupts, deferred calls and system calls: which routine it was, how long it took, whose
 * call it was and how it ended. */
#include "tests/stage.h"

#include "src/model/model.h"

enum {
    HOOK_MSI = 0x0f32,
    HOOK_ENTER,
    HOOK_EXIT,
    HOOK_THREADED = 0x0f42,
    HOOK_ISR,
    HOOK_DPC,
    HOOK_TIMER
};

static const uint64_t DRIVER = 0xfffff80002000000u;

static const struct scene *from(struct scene *room, struct stage *s)
{
    *room = (struct scene){.stage = s, .pid = 4, .tid = EVENT_NO_ID};
    return room;
}

static void send_routine(const struct scene *s, int64_t us, uint16_t hook, int64_t took_us,
                         uint64_t routine, uint16_t vector)
{
    struct note n = {.used = 0};
    put_u64(&n, (uint64_t)(us - took_us) * 10);
    put_u64(&n, routine);
    if (hook == HOOK_ISR || hook == HOOK_MSI) {
        put_u8(&n, 1);
        put_u16(&n, vector);
        put_u8(&n, 0);
    }
    if (hook == HOOK_MSI)
        put_u32(&n, 7);
    send_record(s, us, hook, 2, &n);
}

static void send_driver(const struct scene *s, int64_t us)
{
    struct note n = {.used = 0};
    put_u64(&n, DRIVER);
    put_u64(&n, 0x10000);
    put_u32(&n, 4);
    for (unsigned i = 0; i < 9; i++)
        put_u32(&n, 0);
    put_wide(&n, "\\SystemRoot\\drivers\\net.sys");
    send_record(s, us, 0x1403, 3, &n);
}

static void send_enter(const struct scene *s, int64_t us, uint64_t address)
{
    struct note n = {.used = 0};
    put_u64(&n, address);
    send_record(s, us, HOOK_ENTER, 2, &n);
}

static void send_exit(const struct scene *s, int64_t us, uint32_t status)
{
    struct note n = {.used = 0};
    put_u32(&n, status);
    send_record(s, us, HOOK_EXIT, 2, &n);
}

static struct frame *finish(struct stage *s, const char *pane)
{
    stage_finish(s);
    stage_play(s);
    stage_request(s, pane);
    return stage_ask(s);
}

/* The row whose column has this text. */
static unsigned row_of(const struct frame *f, const char *column, const char *text)
{
    for (unsigned i = 0; i < f->row_count; i++)
        if (strcmp(text_of(f, cell(f, i, column)), text) == 0)
            return i;
    fail_msg("%s: no row whose %s is %s", f->pane->id, column, text);
    return 0;
}

static void expect(const struct frame *f, const char *text, uint64_t count, uint64_t ns,
                   const char *kind)
{
    const unsigned row = row_of(f, "routine", text);
    assert_int_equal(amount(f, cell(f, row, "count"), "count"), count);
    assert_int_equal(amount(f, cell(f, row, "time"), "time"), ns);
    assert_string_equal(text_of(f, cell(f, row, "kind")), kind);
}

/* One routine is one row whatever processor it ran on; an address of no module stays an
 * address; interrupts without an address differ by their number. */
static void routines_are_named(void **state)
{
    (void)state;
    struct stage *s = stage_open(1, 1 << 20, RING_SEGMENT);
    struct scene room;
    struct scene *by = &room;
    from(by, s);
    send_routine(by, 1000, HOOK_DPC, 30, DRIVER + 0x123, 0);
    by->cpu = 1;
    send_routine(by, 2000, HOOK_DPC, 70, DRIVER + 0x123, 0);
    send_routine(by, 3000, HOOK_TIMER, 600, DRIVER + 0x123, 0);
    send_routine(by, 4000, HOOK_THREADED, 5, 0xfffff80009999000u, 0);
    send_routine(by, 5000, HOOK_ISR, 2, DRIVER + 0x400, 0x81);
    send_routine(by, 6000, HOOK_MSI, 3, DRIVER + 0x400, 0x82);
    send_routine(by, 7000, HOOK_ISR, 4, 0, 24);
    send_routine(by, 8000, HOOK_ISR, 8, 0, 25);
    send_driver(by, 9000); /* a list at the end names them all the same */
    struct frame *f = finish(s, "interrupts");
    assert_int_equal(f->row_count, 6);
    expect(f, "net.sys+0x400", 2, 5000, "ISR");
    assert_int_equal(cell(f, row_of(f, "routine", "net.sys+0x400"), "vector").count, 0x82);
    expect(f, "0xfffff80009999000", 1, 5000, "threaded");
    expect(f, "interrupt 24", 1, 4000, "ISR");
    expect(f, "interrupt 25", 1, 8000, "ISR");
    const unsigned dpc = row_of(f, "kind", "DPC"), timer = row_of(f, "kind", "timer");
    assert_string_equal(text_of(f, cell(f, dpc, "routine")), "net.sys+0x123");
    assert_string_equal(text_of(f, cell(f, timer, "routine")), "net.sys+0x123");
    assert_int_equal(amount(f, cell(f, dpc, "time"), "time"), 100000);
    assert_string_equal(text_of(f, cell(f, dpc, "cpus")), "39");
    assert_int_equal(cell(f, dpc, "max").ns, 70000);
    assert_int_equal(amount(f, total(f, "over"), "over"), 1);
    assert_int_equal(amount(f, total(f, "far_over"), "far_over"), 1);
    frame_free(f);
    stage_close(s);
}

/* A call lasts while others run; each thread has its own; what has no entry or no return
 * has no time. */
static void calls_are_paired_by_thread(void **state)
{
    (void)state;
    static const uint64_t READ = 0xfffff80000111000u, WAIT = 0xfffff80000222000u;
    struct stage *s = stage_open(1, 1 << 20, RING_SEGMENT);
    struct scene room;
    const struct scene *by = from(&room, s);
    send_process(by, 1, HOOK_DC_START, 700, 4, "a.exe");
    send_process(by, 2, HOOK_DC_START, 800, 4, "b.exe");
    send_thread(by, 3, HOOK_DC_START, 700, 70);
    send_thread(by, 4, HOOK_DC_START, 800, 80);
    send_exit(by, 500, 0xc0000005); /* nobody is known to run */
    send_switch(by, 1000, 0, 70);
    send_exit(by, 1001, 0xc0000022); /* entered before the trace began */
    send_enter(by, 1010, WAIT);
    send_switch(by, 1100, 70, 80);
    send_enter(by, 1110, READ);
    send_exit(by, 1115, 0xc0000034);
    send_enter(by, 1120, READ);
    send_exit(by, 1130, 0x102); /* a success: it timed out */
    send_switch(by, 1200, 80, 70);
    send_exit(by, 1210, 0);
    send_enter(by, 1220, READ); /* never returns */
    struct frame *f = finish(s, "calls");
    assert_int_equal(f->row_count, 3);
    const unsigned read = row_of(f, "call", "0xfffff80000111000");
    const unsigned wait = row_of(f, "call", "0xfffff80000222000");
    const unsigned unknown = row_of(f, "call", "(unknown)");
    assert_int_equal(amount(f, cell(f, read, "calls"), "calls"), 3);
    assert_int_equal(amount(f, cell(f, read, "time"), "time"), 15000);
    assert_int_equal(amount(f, cell(f, read, "errors"), "errors"), 1);
    assert_int_equal(cell(f, read, "max").ns, 10000);
    assert_string_equal(text_of(f, cell(f, read, "name")), "b.exe");
    assert_int_equal(amount(f, cell(f, wait, "time"), "time"), 200000);
    assert_string_equal(text_of(f, cell(f, wait, "name")), "a.exe");
    assert_int_equal(amount(f, cell(f, unknown, "errors"), "errors"), 2);
    assert_int_equal(amount(f, cell(f, unknown, "calls"), "calls"), 0);
    assert_int_equal(amount(f, total(f, "returns"), "returns"), 3);
    const struct row_key key = f->rows[read].key;
    frame_free(f);

    struct request *r = stage_request(s, "callers");
    r->crumbs[0] = (struct crumb){.kind = CRUMB_CALL, .key = key};
    r->crumb_count = 1;
    f = stage_ask(s);
    assert_int_equal(f->row_count, 2);
    const unsigned b = row_of(f, "name", "b.exe");
    assert_int_equal(amount(f, cell(f, b, "calls"), "calls"), 2);
    assert_string_equal(text_of(f, cell(f, b, "call")), "0xfffff80000111000");
    frame_free(f);
    stage_close(s);
}

/* ---- returns without an entry --------------------------------------------------------------- */

static void call(struct model *m, struct facts *facts, int64_t ts, uint16_t hook, uint32_t tid)
{
    struct note n = {.used = 0};
    if (hook == HOOK_ENTER)
        put_u64(&n, 257);
    else
        put_u32(&n, 0);
    const struct event e = {.ts = ts,
                            .pid = 7,
                            .tid = tid,
                            .id = hook,
                            .opcode = hook & 0xff,
                            .version = 2,
                            .kind = HEADER_SYSTEM,
                            .pointer = 8,
                            .payload = n.bytes,
                            .payload_bytes = (uint32_t)n.used};
    model_fact(m, &e, 0, ts * 100, facts_add(facts));
}

/* A thread is born in a fork, which returns in it; it may be in a call when recording begins, and
 * when calls are recorded again. All others have an entry, or it was lost. */
static void first_returns_have_no_entry(void **state)
{
    (void)state;
    struct model m;
    struct facts facts;
    model_init(&m);
    model_sources(&m, 1);
    facts_init(&facts, 100000);
    m.facts = &facts;
    for (uint32_t tid = 100; tid < 200; tid++) {
        call(&m, &facts, tid * 10, HOOK_EXIT, tid);
        call(&m, &facts, tid * 10 + 1, HOOK_ENTER, tid);
        call(&m, &facts, tid * 10 + 2, HOOK_EXIT, tid);
    }
    assert_int_equal(m.tally.calls_unmatched, 0);
    call(&m, &facts, 3000, HOOK_EXIT, 150);
    assert_int_equal(m.tally.calls_unmatched, 1);
    call(&m, &facts, 3001, HOOK_ENTER, 151);
    model_calls_stopped(&m);
    call(&m, &facts, 900000, HOOK_EXIT, 151); /* of another call */
    assert_int_equal(m.tally.calls_unmatched, 1);
    assert_false(facts_at(&facts, facts.end - 1)->flags & FACT_HAS_LATENCY);
    call(&m, &facts, 900001, HOOK_EXIT, 151);
    assert_int_equal(m.tally.calls_unmatched, 2);
    model_fini(&m);
    facts_fini(&facts);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(routines_are_named),
        cmocka_unit_test(calls_are_paired_by_thread),
        cmocka_unit_test(first_returns_have_no_entry),
    };
    return cmocka_run_group_tests_name("interrupts and calls", tests, NULL, NULL);
}

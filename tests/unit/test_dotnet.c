/* What a .NET runtime's events say about it: collections, pauses, heap, allocations, methods,
 * exceptions, locks, the thread pool, and stacks. */
#include "tests/stage.h"

#include "src/event/providers.h"

enum { PID = 4000, TID = 4004, OTHER_TID = 4008, CLR = 9 };

struct machine {
    struct stage *stage;
    struct scene thread, other_thread;
};

static struct machine machine_new(void)
{
    struct stage *const s = stage_open(1, 4 << 20, RING_SEGMENT);
    return (struct machine){.stage = s,
                            .thread = {.stage = s, .pid = PID, .tid = TID},
                            .other_thread = {.stage = s, .pid = PID, .tid = OTHER_TID}};
}

static void log_event(const struct scene *s, int64_t us, uint16_t id, uint8_t version,
                      const struct note *n)
{
    send_manifest(s, us, &dotnet_provider, id, version, n);
}

static void gc_start(const struct machine *m, int64_t us, uint8_t version, uint32_t number,
                     uint32_t generation, uint32_t type)
{
    struct note n = {.used = 0};
    put_u32(&n, number);
    if (version > 0)
        put_u32(&n, generation);
    put_u32(&n, 0); /* reason */
    if (version > 0) {
        put_u32(&n, type);
        put_u16(&n, CLR);
    }
    if (version > 1)
        put_u64(&n, 0);
    log_event(&m->thread, us, 1, version, &n);
}

static void pause_of(const struct machine *m, int64_t us, uint32_t reason, int64_t suspend_us,
                     int64_t pause_us)
{
    struct note begin = {.used = 0}, instance = {.used = 0};
    put_u32(&begin, reason);
    put_u32(&begin, 0);
    put_u16(&begin, CLR);
    put_u16(&instance, CLR);
    log_event(&m->thread, us, 9, 1, &begin);
    log_event(&m->thread, us + suspend_us, 8, 1, &instance);
    log_event(&m->thread, us + pause_us - 1, 7, 1, &instance);
    log_event(&m->other_thread, us + pause_us, 3, 1, &instance); /* whoever restarts it */
}

static void heap_stats(const struct machine *m, int64_t us, uint8_t version, const uint64_t sizes[5])
{
    struct note n = {.used = 0};
    for (unsigned i = 0; i < 4; i++) {
        put_u64(&n, sizes[i]);
        put_u64(&n, 1);
    }
    put_u64(&n, 0);
    put_u64(&n, 0);
    for (unsigned i = 0; i < 3; i++)
        put_u32(&n, 0);
    if (version > 0)
        put_u16(&n, CLR);
    if (version > 1) {
        put_u64(&n, sizes[4]);
        put_u64(&n, 0);
    }
    log_event(&m->thread, us, 4, version, &n);
}

static void allocation(const struct machine *m, int64_t us, uint8_t version, uint64_t bytes,
                       const char *type)
{
    struct note n = {.used = 0};
    put_u32(&n, (uint32_t)bytes);
    put_u32(&n, 0);
    put_u16(&n, CLR);
    if (version > 1) {
        put_u64(&n, bytes);
        put_u64(&n, 0x1000);
        put_wide(&n, type);
        put_u32(&n, 0);
    }
    if (version > 2)
        put_u64(&n, 0x2000);
    if (version > 3)
        put_u64(&n, 24);
    log_event(&m->thread, us, 10, version, &n);
}

static void compilation(const struct machine *m, int64_t us, uint64_t method, uint32_t flags,
                        int64_t took_us)
{
    struct note begin = {.used = 0}, end = {.used = 0};
    put_u64(&begin, method);
    put_u64(&begin, 77);
    put_u32(&begin, 0x6000001);
    put_u32(&begin, 20);
    put_wide(&begin, "N.C");
    put_wide(&begin, "Main");
    put_wide(&begin, "void ()");
    put_u16(&begin, CLR);
    if (took_us >= 0)
        log_event(&m->thread, us, 145, 1, &begin);
    put_u64(&end, method);
    put_u64(&end, 77);
    put_u64(&end, 0x7ff000000000u + method * 0x1000);
    put_u32(&end, 0x100);
    put_u32(&end, 0x6000001);
    put_u32(&end, flags);
    put_wide(&end, "N.C");
    put_wide(&end, "Main");
    put_wide(&end, "void ()");
    put_u16(&end, CLR);
    put_u64(&end, 0);
    log_event(&m->thread, us + (took_us > 0 ? took_us : 0), 143, 2, &end);
}

static void exception(const struct scene *s, int64_t us, const char *type)
{
    struct note n = {.used = 0};
    put_wide(&n, type);
    put_wide(&n, "It failed");
    put_u64(&n, 0x7ff000001000u);
    put_u32(&n, 0x80131509);
    put_u16(&n, 0);
    put_u16(&n, CLR);
    log_event(s, us, 80, 1, &n);
}

static void lock(const struct scene *s, int64_t us, uint16_t id, uint8_t version, double ns)
{
    struct note n = {.used = 0};
    put_u8(&n, 0);
    put_u16(&n, CLR);
    if (version > 0 && id == 91)
        put(&n, &ns, sizeof ns);
    log_event(s, us, id, version, &n);
}

static void pool(const struct machine *m, int64_t us, uint16_t id, uint32_t threads, uint32_t reason)
{
    struct note n = {.used = 0};
    const double throughput = 1;
    if (id == 55)
        put(&n, &throughput, sizeof throughput);
    put_u32(&n, threads);
    put_u32(&n, reason);
    put_u16(&n, CLR);
    log_event(&m->thread, us, id, 0, &n);
}

static void started(const struct machine *m, int64_t us, uint16_t sku)
{
    struct note n = {.used = 0};
    static const uint16_t versions[] = {8, 0, 1, 0, 4, 0, 30319, 42000};
    put_u16(&n, CLR);
    put_u16(&n, sku);
    for (size_t i = 0; i < sizeof versions / sizeof *versions; i++)
        put_u16(&n, versions[i]);
    put_u32(&n, 0);
    put_u8(&n, 0);
    put_wide(&n, "");
    put_u64(&n, 0);
    put_u64(&n, 0);
    put_wide(&n, "coreclr.dll");
    log_event(&m->thread, us, 187, 0, &n);
}

/* The nanoseconds behind a percentage of the time. */
static uint64_t busy_ns(const struct frame *f, const char *column)
{
    return (uint64_t)(cell(f, 0, column).number / 100 * seconds_of(f, column) * 1e9 + 0.5);
}

/* The pane with one row. */
static struct frame *ask(const struct machine *m)
{
    stage_finish(m->stage);
    stage_play(m->stage);
    stage_request(m->stage, "dotnet");
    struct frame *const f = stage_ask(m->stage);
    assert_int_equal(f->row_count, 1);
    assert_int_equal(cell(f, 0, "pid").count, PID);
    return f;
}

static void machine_free(const struct machine *m, struct frame *f)
{
    frame_free(f);
    stage_close(m->stage);
}

/* ---- collections ------------------------------------------------------------------------------ */

static void collections_count_by_generation(void **state)
{
    (void)state;
    const struct machine m = machine_new();
    for (uint32_t i = 1; i <= 6; i++) { /* three of 0, two of 1, one of 2 */
        gc_start(&m, i * 1000, 1, i, i < 4 ? 0 : i < 6 ? 1 : 2, i == 6);
        gc_start(&m, i * 1000 + 1, 2, i, i < 4 ? 0 : i < 6 ? 1 : 2, i == 6); /* the same again */
    }
    started(&m, 9000, 2);
    struct frame *const f = ask(&m);
    assert_int_equal(cell(f, 0, "sum_ops").count, 6);
    assert_int_equal(cell(f, 0, "gen0").count, 3);
    assert_int_equal(cell(f, 0, "gen1").count, 2);
    assert_int_equal(cell(f, 0, "gen2").count, 1);
    assert_int_equal(cell(f, 0, "background").count, 1);
    assert_int_equal(amount(f, cell(f, 0, "gcs"), "gcs"), 6);
    assert_string_equal(text_of(f, cell(f, 0, "runtime")), "CoreCLR 8.0.1");
    machine_free(&m, f);
}

/* Two runtimes in one process: each has its row, and neither its numbers nor its pauses mix. */
static void runtimes_of_a_process_are_separate(void **state)
{
    (void)state;
    enum { OTHER_CLR = 10 };
    const struct machine m = machine_new();
    for (uint16_t clr = CLR; clr <= OTHER_CLR; clr++) {
        struct note gc = {.used = 0}, suspend = {.used = 0};
        put_u32(&gc, 1); /* the same number in both */
        put_u32(&gc, clr == CLR ? 0 : 2);
        put_u32(&gc, 0);
        put_u32(&gc, 0);
        put_u16(&gc, clr);
        put_u32(&suspend, 1);
        put_u32(&suspend, 0);
        put_u16(&suspend, clr);
        log_event(&m.thread, 1000 + clr, 1, 1, &gc);
        log_event(&m.thread, 2000 + clr * 10, 9, 1, &suspend);
    }
    for (uint16_t clr = CLR; clr <= OTHER_CLR; clr++) {
        struct note restart = {.used = 0};
        put_u16(&restart, clr);
        log_event(&m.thread, 2000 + clr * 10 + (clr == CLR ? 100 : 300), 3, 1, &restart);
    }
    stage_finish(m.stage);
    stage_play(m.stage);
    stage_request(m.stage, "dotnet");
    struct frame *const f = stage_ask(m.stage);
    assert_int_equal(f->row_count, 2);
    for (unsigned i = 0; i < 2; i++) {
        const bool is_first = strcmp(text_of(f, cell(f, i, "runtime")), "instance 9") == 0;
        assert_int_equal(cell(f, i, "pid").count, PID);
        assert_int_equal(cell(f, i, "sum_ops").count, 1);
        assert_int_equal(cell(f, i, "gen0").count, is_first);
        assert_int_equal(cell(f, i, "gen2").count, !is_first);
        assert_int_equal(cell(f, i, "sum_time").ns, is_first ? 100000 : 300000);
    }
    machine_free(&m, f);
}

static void pauses_are_from_suspension_to_restart(void **state)
{
    (void)state;
    enum { FOR_GC = 1, FOR_DEBUGGER = 5, FOR_GC_PREPARATION = 6 };
    const struct machine m = machine_new();
    struct note instance = {.used = 0};
    put_u16(&instance, CLR);
    log_event(&m.thread, 500, 3, 1, &instance); /* a restart whose suspension was not seen */
    pause_of(&m, 1000, FOR_GC, 5, 100);
    pause_of(&m, 2000, FOR_GC_PREPARATION, 20, 300);
    pause_of(&m, 3000, FOR_DEBUGGER, 40, 5000);
    struct frame *const f = ask(&m);
    assert_int_equal(cell(f, 0, "pauses").count, 2);
    assert_int_equal(cell(f, 0, "sum_time").ns, 400000);
    assert_int_equal(cell(f, 0, "max").ns, 300000);
    assert_in_range(cell(f, 0, "p50").ns, 100000, 115000); /* the upper edge of a step */
    assert_in_range(cell(f, 0, "p99").ns, 300000, 300000);
    assert_int_equal(busy_ns(f, "paused"), 400000);
    assert_int_equal(cell(f, 0, "suspend").ns, 20000);
    machine_free(&m, f);
}

static void the_heap_is_that_of_the_last_collection(void **state)
{
    (void)state;
    static const uint64_t first[] = {1 << 20, 2 << 20, 3 << 20, 4 << 20, 0},
                          last[] = {24, 128 << 10, 256 << 10, 6 << 20, 1 << 20};
    const struct machine m = machine_new();
    heap_stats(&m, 1000, 1, first);
    heap_stats(&m, 5000, 2, last);
    struct frame *const f = ask(&m);
    assert_int_equal(cell(f, 0, "heap").count, (128u << 10) + (256u << 10) + (7u << 20));
    assert_int_equal(cell(f, 0, "heap0").type, VALUE_BYTES);
    assert_int_equal(cell(f, 0, "heap0").count, 0); /* some bytes: known, and below 1 KiB */
    assert_int_equal(cell(f, 0, "heap1").count, 128 << 10);
    assert_int_equal(cell(f, 0, "heap2").count, 256 << 10);
    assert_int_equal(cell(f, 0, "large").count, 6 << 20);
    machine_free(&m, f);
}

static void allocations_count_by_type(void **state)
{
    (void)state;
    const struct machine m = machine_new();
    allocation(&m, 1000, 1, 1000, "");
    allocation(&m, 2000, 2, 5000000000u, "System.Byte[]"); /* more than 32 bits */
    allocation(&m, 3000, 3, 2000, "System.String");
    allocation(&m, 4000, 4, 3000, "System.String");
    struct frame *const f = ask(&m);
    assert_int_equal(cell(f, 0, "sum_bytes").count, 5000006000u);
    assert_int_equal(amount(f, cell(f, 0, "alloc"), "alloc"), 5000006000u);
    assert_string_equal(text_of(f, cell(f, 0, "alloc_type")), "System.Byte[]");
    machine_free(&m, f);
}

/* ---- code, exceptions, threads ------------------------------------------------------------------ */

static void compiled_methods_count_with_their_time(void **state)
{
    (void)state;
    enum { JITTED = 8 };
    const struct machine m = machine_new();
    compilation(&m, 1000, 1, JITTED, 400);
    compilation(&m, 2000, 2, JITTED, 100);
    compilation(&m, 3000, 3, JITTED, -1); /* its beginning was not seen */
    compilation(&m, 4000, 4, 0, -1);      /* it was compiled ahead */
    struct frame *const f = ask(&m);
    assert_int_equal(amount(f, cell(f, 0, "methods"), "methods"), 3);
    assert_int_equal(cell(f, 0, "jit_max").ns, 400000);
    assert_int_equal(busy_ns(f, "jit"), 500000);
    assert_string_equal(text_of(f, cell(f, 0, "name")), "pid 4000");
    machine_free(&m, f);
}

static void loaded_modules_count(void **state)
{
    (void)state;
    const struct machine m = machine_new();
    for (unsigned i = 0; i < 3; i++) {
        struct note n = {.used = 0};
        put_u64(&n, 77 + i);
        put_u64(&n, 1);
        put_u32(&n, 0);
        put_u32(&n, 0);
        put_wide(&n, "C:\\a.dll");
        put_wide(&n, "");
        put_u16(&n, CLR);
        log_event(&m.thread, 1000 + i, 152, 1, &n);
    }
    struct frame *const f = ask(&m);
    assert_int_equal(amount(f, cell(f, 0, "loads"), "loads"), 3);
    machine_free(&m, f);
}

static void exceptions_and_locks_count(void **state)
{
    (void)state;
    const struct machine m = machine_new();
    exception(&m.thread, 1000, "System.IO.IOException");
    exception(&m.thread, 1100, "System.IO.IOException");
    exception(&m.other_thread, 1200, "System.Exception");
    lock(&m.thread, 2000, 81, 1, 0);
    lock(&m.other_thread, 2100, 81, 1, 0);
    lock(&m.thread, 2500, 91, 0, 0);              /* 500 µs by its own times */
    lock(&m.other_thread, 3000, 91, 1, 700000.0); /* as the event says */
    struct frame *const f = ask(&m);
    assert_int_equal(amount(f, cell(f, 0, "exceptions"), "exceptions"), 3);
    assert_string_equal(text_of(f, cell(f, 0, "exception")), "System.IO.IOException");
    assert_int_equal(amount(f, cell(f, 0, "waits"), "waits"), 2);
    assert_int_equal(amount(f, cell(f, 0, "waited"), "waited"), 1200000);
    machine_free(&m, f);
}

static void the_pool_shows_its_threads(void **state)
{
    (void)state;
    enum { ADJUSTMENT = 55, START = 50, CLIMBING = 3, STARVATION = 6 };
    const struct machine m = machine_new();
    pool(&m, 1000, START, 4, 0);
    pool(&m, 2000, ADJUSTMENT, 5, STARVATION);
    pool(&m, 3000, ADJUSTMENT, 6, STARVATION);
    pool(&m, 9000, ADJUSTMENT, 7, CLIMBING);
    struct frame *const f = ask(&m);
    assert_int_equal(cell(f, 0, "pool").count, 7);
    assert_int_equal(cell(f, 0, "starved").count, 2);
    machine_free(&m, f);
}

/* ---- stacks --------------------------------------------------------------------------------------- */

static void walk(const struct scene *s, int64_t us, uint32_t stated, unsigned frames)
{
    struct note n = {.used = 0};
    put_u16(&n, CLR);
    put_u16(&n, 0);
    put_u32(&n, stated);
    for (unsigned i = 0; i < frames; i++)
        put_u64(&n, 0x7ff000001000u + i * 0x100);
    log_event(s, us, 82, 0, &n);
}

/* A walk belongs to the event before it on the same thread, whatever another one does meanwhile. */
static void walks_follow_their_events(void **state)
{
    (void)state;
    const struct machine m = machine_new();
    exception(&m.thread, 1000, "System.A");
    exception(&m.other_thread, 1001, "System.B");
    walk(&m.thread, 1002, 3, 3);
    walk(&m.other_thread, 1003, UINT32_MAX, 5); /* it claims more than it has */
    stage_finish(m.stage);
    stage_play(m.stage);
    struct request *const r = stage_request(m.stage, "events");
    snprintf(r->filter, sizeof r->filter, "class=dotnet op=throw");
    struct frame *const f = stage_ask(m.stage);
    assert_int_equal(f->row_count, 2);
    assert_int_equal(cell(f, 0, "frames").count, 3);
    assert_int_equal(cell(f, 1, "frames").count, 5);
    assert_int_equal(f->stacks_matched, 2);
    assert_int_equal(f->stacks_unmatched, 0);
    frame_free(f);
    stage_close(m.stage);
}

/* The end of a wait says how long it was, its beginning where it was: they are one event of
 * waiting. */
static void waits_have_the_stack_of_their_beginning(void **state)
{
    (void)state;
    const struct machine m = machine_new();
    lock(&m.thread, 1000, 81, 1, 0);
    walk(&m.thread, 1001, 4, 4);
    lock(&m.other_thread, 1002, 81, 1, 0); /* without a stack */
    lock(&m.thread, 3000, 91, 1, 2000000.0);
    lock(&m.other_thread, 3001, 91, 1, 1000000.0);
    stage_finish(m.stage);
    stage_play(m.stage);
    struct request *const r = stage_request(m.stage, "events");
    snprintf(r->filter, sizeof r->filter, "class=dotnet op=contend");
    struct frame *const f = stage_ask(m.stage);
    assert_int_equal(f->row_count, 2);
    assert_int_equal(cell(f, 0, "frames").count, 4);
    assert_int_equal(cell(f, 1, "frames").count, 0);
    frame_free(f);
    stage_close(m.stage);
}

static void walks_without_events_are_counted(void **state)
{
    (void)state;
    const struct machine m = machine_new();
    walk(&m.thread, 1000, 3, 3);
    exception(&m.thread, 2000, "System.A");
    struct frame *const f = ask(&m);
    assert_int_equal(f->stacks_unmatched, 1);
    machine_free(&m, f);
}

/* ---- bad input ------------------------------------------------------------------------------------ */

/* Payloads of any length under any id and version, full of ones: numbers at their limits, texts
 * without an end. */
static void bad_events_do_no_harm(void **state)
{
    (void)state;
    const struct machine m = machine_new();
    int64_t us = 1000;
    for (uint16_t id = 0; id < 310; id++)
        for (size_t bytes = 0; bytes < 120; bytes += 1 + bytes / 4) {
            struct note n = {.used = bytes};
            memset(n.bytes, id % 2 ? 0xff : 0x41, bytes);
            log_event(&m.thread, us++, id, (uint8_t)(bytes % 5), &n);
        }
    stage_finish(m.stage);
    stage_play(m.stage);
    stage_request(m.stage, "dotnet");
    struct frame *const f = stage_ask(m.stage);
    assert_true(f->row_count > 0);
    machine_free(&m, f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(collections_count_by_generation),
        cmocka_unit_test(runtimes_of_a_process_are_separate),
        cmocka_unit_test(pauses_are_from_suspension_to_restart),
        cmocka_unit_test(the_heap_is_that_of_the_last_collection),
        cmocka_unit_test(allocations_count_by_type),
        cmocka_unit_test(compiled_methods_count_with_their_time),
        cmocka_unit_test(loaded_modules_count),
        cmocka_unit_test(exceptions_and_locks_count),
        cmocka_unit_test(the_pool_shows_its_threads),
        cmocka_unit_test(walks_follow_their_events),
        cmocka_unit_test(waits_have_the_stack_of_their_beginning),
        cmocka_unit_test(walks_without_events_are_counted),
        cmocka_unit_test(bad_events_do_no_harm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Samples by counters of processors: facts, the stack metric, columns of the CPU pane, and names.
 */
#include "tests/stage.h"

enum { PID = 1200, TID = 1204, OTHER_TID = 1208, MISSES = 10, OWN = 29 };

static const uint64_t ADDRESS = 0xfffff80000001000u;

static void send_interval(const struct scene *s, int64_t us, uint32_t source, uint32_t interval,
                          const char *name)
{
    struct note n = {.used = 0};
    put_u32(&n, source);
    put_u32(&n, interval);
    put_u32(&n, interval);
    if (name)
        put_wide(&n, name);
    send_record(s, us, name ? 0x0f49 : 0x0f48, name ? 3 : 2, &n);
}

static void send_pmc(const struct scene *s, int64_t us, uint32_t tid, uint16_t source)
{
    struct note n = {.used = 0};
    put_u64(&n, ADDRESS);
    put_u32(&n, tid);
    put_u16(&n, source);
    put_u16(&n, 0);
    send_record(s, us, 0x0f2f, 2, &n);
}

static void send_walk(const struct scene *s, int64_t us, uint32_t tid)
{
    struct note n = {.used = 0};
    put_u64(&n, (uint64_t)us * 10);
    put_u32(&n, PID);
    put_u32(&n, tid);
    put_u64(&n, ADDRESS);
    put_u64(&n, ADDRESS + 0x100);
    send_record(s, us + 1, 0x1820, 2, &n);
}

static struct scene processor(struct stage *s)
{
    return (struct scene){.stage = s, .pid = EVENT_NO_ID, .tid = EVENT_NO_ID};
}

static void send_samples(const struct scene *s)
{
    send_process(s, 900, HOOK_DC_START, PID, 4, "work.exe");
    send_module(s, 905, 0x1404, 0, ADDRESS & ~(uint64_t)0xfff, "\\SystemRoot\\nt.exe");
    send_thread(s, 910, HOOK_DC_START, PID, TID);
    send_thread(s, 920, HOOK_DC_START, PID, OTHER_TID);
    send_interval(s, 950, 0, 10000, "Timer");
    send_interval(s, 960, OWN, 65536, "LLCReference");
    send_interval(s, 970, MISSES, 1000, NULL);
    for (unsigned i = 0; i < 6; i++) {
        send_pmc(s, 1000 + 100 * i, TID, OWN);
        send_walk(s, 1000 + 100 * i, TID);
    }
    for (unsigned i = 0; i < 4; i++)
        send_pmc(s, 2000 + 100 * i, OTHER_TID, MISSES);
    send_pmc(s, 2900, OTHER_TID, 77); /* a counter without interval or name */
    send_sample(s, 3000, TID);
    send_sample(s, 2100000, TID);
}

static unsigned row_of_thread(const struct frame *f, uint32_t tid)
{
    for (unsigned i = 0; i < f->row_count; i++)
        if (cell(f, i, "tid").count == tid)
            return i;
    fail_msg("no row of thread %u", tid);
    return 0;
}

static void counters_have_their_columns(void **state)
{
    (void)state;
    struct stage *const s = stage_open(1, 1 << 20, RING_SEGMENT);
    const struct scene by = processor(s);
    send_samples(&by);
    stage_finish(s);
    stage_play(s);
    struct frame *f = stage_show(s, "cpu", "");
    unsigned row = row_of_thread(f, TID);
    assert_string_equal(text_of(f, cell(f, row, "counter")), "LLCReference");
    assert_int_equal(amount(f, cell(f, row, "pmc"), "pmc"), 6 * 65536);
    assert_int_equal(cell(f, row, "samples").count, 2); /* by time alone */
    row = row_of_thread(f, OTHER_TID);
    assert_string_equal(text_of(f, cell(f, row, "counter")), "CacheMisses");
    assert_int_equal(amount(f, cell(f, row, "pmc"), "pmc"), 4 * 1000 + 1);
    frame_free(f);
    f = stage_show(s, "cpu", "counter=CacheMisses");
    assert_int_equal(amount(f, total(f, "pmc"), "pmc"), 4000);
    frame_free(f);
    assert_int_equal(stage_events(s, "class=pmc"), 11);
    assert_int_equal(stage_events(s, "counter=LLCReference"), 6);
    f = stage_show(s, "events", "counter=\"counter 77\"");
    assert_int_equal(f->shown, 1);
    assert_non_null(
        strstr(text_of(f, cell(f, 0, "detail")), "sample of counter 77 at nt.exe!+0x0"));
    frame_free(f);
    stage_check_detail(s, "NewInterval=65536",
                       "sampling of LLCReference begins, every 65536 events");
    f = stage_show(s, "events", "SourceName=Timer");
    if (!strstr(text_of(f, cell(f, 0, "detail")), "every 1 ms"))
        fail_msg("%s", text_of(f, cell(f, 0, "detail")));
    frame_free(f);
    stage_close(s);
}

/* The stacks weigh what the samples stand for. */
static void stacks_weigh_events_of_counters(void **state)
{
    (void)state;
    struct stage *const s = stage_open(1, 1 << 20, RING_SEGMENT);
    const struct scene by = processor(s);
    send_samples(&by);
    stage_finish(s);
    stage_play(s);
    struct request *const r = stage_request(s, "stacks");
    r->stacks.metric = METRIC_COUNTED;
    struct frame *const f = stage_ask(s);
    assert_int_equal(f->stack_weight, 6 * 65536);
    assert_int_equal(f->stack_missing, 4 * 1000 + 1);
    assert_true(f->row_count >= 2);
    frame_free(f);
    stage_close(s);
}

/* More counters than there is room for, of any numbers, and records cut anywhere. */
static void floods_and_cut_records_do_no_harm(void **state)
{
    (void)state;
    struct stage *const s = stage_open(1, 8 << 20, RING_SEGMENT);
    const struct scene by = processor(s);
    int64_t us = 1000;
    for (unsigned i = 0; i < 2000; i++) {
        send_interval(&by, us++, i * 2654435761u, UINT32_MAX, "Flood");
        send_pmc(&by, us++, TID, (uint16_t)i);
    }
    for (size_t bytes = 0; bytes < 16; bytes++) {
        struct note n = {.used = bytes};
        memset(n.bytes, 0xff, sizeof n.bytes);
        send_record(&by, us++, 0x0f2f, 2, &n);
        send_record(&by, us++, 0x0f49, 3, &n);
    }
    send_sample(&by, us + 2000000, TID);
    stage_finish(s);
    stage_play(s);
    struct frame *const f = stage_show(s, "cpu", "");
    assert_true(f->row_count >= 1);
    frame_free(f);
    assert_int_equal(stage_events(s, "class=pmc"), 2016);
    stage_close(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counters_have_their_columns),
        cmocka_unit_test(stacks_weigh_events_of_counters),
        cmocka_unit_test(floods_and_cut_records_do_no_harm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

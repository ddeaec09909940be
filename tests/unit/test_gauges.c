/* Gauges: the machine's figures by interval equal what the tables count of the same events. */
#include "tests/play.h"
#include "tests/shared.h"

#include "collectors/collectors.h"
#include "src/command/session.h"
#include "src/model/gauge_history.h"

#include <math.h>

enum { SECONDS = 5 };

static const int64_t SECOND_NS = 1000000000;

static bool is_near(double a, double b)
{
    return fabs(a - b) <= 1e-4 * (fabs(b) > 1 ? fabs(b) : 1);
}

static void check(const char *what, int64_t second, double gauge, double table)
{
    if (!is_near(gauge, table))
        fail_msg("second %d: %s is %.9g, the table has %.9g", (int)second, what, gauge, table);
}

static struct request wanted(const char *pane, const struct frame *whole, int64_t second)
{
    struct request r = request_for(pane_find(pane));
    r.from_ns = whole->origin + second * whole->sample_ns - 1;
    r.to_ns = r.from_ns + whole->sample_ns;
    return r;
}

static float shown(const struct frame *f, enum gauge g)
{
    assert_non_null(f->gauges.series);
    return f->gauges.series[(size_t)(f->gauges.series_count - 1) * GAUGES + g];
}

/* Events that come late count in the interval after theirs, so all sources here are in order. */
static void match_tables(void **state)
{
    (void)state;
    struct play p = play_new(7, SECOND_NS);
    play_all(&p);
    struct request all = request_for(pane_find("disk"));
    struct frame *const whole = play_ask(&p, &all);
    assert_true(whole->gauges.series_count > SECONDS);
    assert_int_equal(whole->gauges.series_later, 0);
    assert_true(isnan(whole->gauges.now[GAUGE_MEMORY_TOTAL]) ||
                whole->gauges.now[GAUGE_MEMORY_TOTAL] > 0);
    for (int64_t second = 1; second <= SECONDS; second++) {
        struct request r = wanted("disk", whole, second);
        struct frame *const disk = play_ask(&p, &r);
        r = wanted("network", whole, second);
        struct frame *const network = play_ask(&p, &r);
        assert_int_equal(disk->gauges.series_count, second + 1);
        assert_int_equal(disk->gauges.series_count + disk->gauges.series_later,
                         whole->gauges.series_count);
        assert_int_equal(disk->gauges.series_from_ns, whole->origin);
        assert_true(disk->cpu_percent > 0);
        check("CPU", second, (double)shown(disk, GAUGE_CPU), disk->cpu_percent);
        check("read", second, (double)shown(disk, GAUGE_DISK_READ), disk->disk_read);
        check("write", second, (double)shown(disk, GAUGE_DISK_WRITE), disk->disk_write);
        check("received", second, (double)shown(disk, GAUGE_NET_IN), total(network, "recv").number);
        check("sent", second, disk->gauges.now[GAUGE_NET_OUT], total(network, "send").number);
        assert_true(disk->gauges.now[GAUGE_DISK_BUSY] > 0);
        assert_true(disk->gauges.now[GAUGE_DISK_BUSY] <= 100);
        assert_true(disk->gauges.now[GAUGE_EVENTS] > 0);
        assert_int_equal(disk->gauges.now[GAUGE_LOST], 0);
        double busy = 0;
        assert_int_equal(disk->gauges.cpu_count, disk->cpus);
        for (unsigned cpu = 0; cpu < disk->cpus; cpu++)
            busy += (double)disk->gauges.cpus[cpu].busy / disk->cpus;
        assert_true(fabs(busy - disk->cpu_percent) < 0.01);
        frame_free(disk);
        frame_free(network);
    }
    frame_free(whole);
    play_free(&p);
}

/* ---- the history alone ------------------------------------------------------------------------ */

static struct gauge_interval second_of(unsigned cpus)
{
    struct gauge_interval i = {.length = 1, .cpus = cpus, .events = 10};
    for (unsigned class = 0; class < FACT_CLASSES; class ++)
        i.seconds[class] = 1;
    return i;
}

static void run(struct gauge_history *h, unsigned cpu, double seconds, bool is_busy)
{
    const struct fact f = {
        .class = FACT_SWITCH, .cpu = (uint16_t)cpu, .value = (uint64_t)(seconds * 1e9)};
    gauge_history_count(h, &f, is_busy);
}

static void keep_by_processor(void **state)
{
    (void)state;
    struct gauge_history *const h = gauge_history_new();
    const struct gauge_interval i = second_of(2);
    run(h, 0, 0.25, true);
    run(h, 0, 0.75, false);
    run(h, 1, 1, false);
    gauge_history_step(h, 0, 1, &i);
    run(h, 1, 1, true);
    gauge_history_step(h, 1, 1, &i);
    struct gauge_cpu cpus[4];
    assert_int_equal(gauge_history_cpus(h, 0, NULL, cpus, 4), 2);
    assert_true(is_near((double)cpus[0].busy, 25) && is_near((double)cpus[1].busy, 0));
    assert_true(isnan(cpus[0].user));
    assert_int_equal(gauge_history_cpus(h, 1, NULL, cpus, 4), 2);
    assert_true(isnan(cpus[0].busy) && is_near((double)cpus[1].busy, 100));
    assert_int_equal(gauge_history_cpus(h, 2, NULL, cpus, 4), 0);
    assert_true(is_near((double)gauge_history_at(h, 0)[GAUGE_CPU], 12.5));
    struct gauge_history *const copy = gauge_history_copy(h);
    gauge_history_free(h);
    assert_true(is_near((double)gauge_history_at(copy, 1)[GAUGE_CPU], 50));
    gauge_history_free(copy);
}

/* After a pause nothing is known of the intervals between; and only the newest are kept. */
static void forget_old_ones(void **state)
{
    (void)state;
    struct gauge_history *const h = gauge_history_new();
    const struct gauge_interval i = second_of(1);
    uint64_t number = 0;
    for (; number < GAUGE_INTERVALS + 10; number++) {
        run(h, 0, (double)(number % 100) / 100, true);
        gauge_history_step(h, number, 1, &i);
    }
    assert_int_equal(gauge_history_first(h), 10);
    assert_int_equal(gauge_history_end(h), GAUGE_INTERVALS + 10);
    assert_true(is_near((double)gauge_history_at(h, 10)[GAUGE_CPU], 10));
    run(h, 0, 0.5, true);
    gauge_history_step(h, number, 100, &i);
    assert_true(is_near((double)gauge_history_at(h, number)[GAUGE_CPU], 50));
    assert_true(isnan(gauge_history_at(h, number + 1)[GAUGE_CPU]));
    assert_true(isnan(gauge_history_at(h, number + 99)[GAUGE_CPU]));
    assert_int_equal(gauge_history_first(h), 110);
    number += 100;
    gauge_history_step(h, number, UINT32_MAX / 2, &i);
    assert_int_equal(gauge_history_end(h) - gauge_history_first(h), GAUGE_INTERVALS);
    assert_true(isnan(gauge_history_at(h, gauge_history_first(h))[GAUGE_EVENTS]));
    gauge_history_clear(h);
    assert_int_equal(gauge_history_end(h) - gauge_history_first(h), 0);
    gauge_history_free(h);
}

/* Many processors are kept of fewer intervals; numbers of damaged records cost nothing. */
static void bound_processors(void **state)
{
    (void)state;
    struct gauge_history *const h = gauge_history_new();
    const struct gauge_interval i = second_of(2048);
    struct gauge_cpu cpus[8];
    for (uint64_t number = 0; number < 300; number++) {
        run(h, 65535, 1, true);
        gauge_history_step(h, number, 1, &i);
    }
    assert_int_equal(gauge_history_cpus(h, 299, NULL, cpus, 8), 8);
    assert_int_equal(gauge_history_cpus(h, 0, NULL, cpus, 8), 0);
    assert_true(gauge_history_bytes(h) < 4 << 20);
    gauge_history_free(h);
}

/* Without switches, samples say how busy processors were, and with what. */
static void split_by_samples(void **state)
{
    (void)state;
    struct gauge_history *const h = gauge_history_new();
    struct gauge_interval i = second_of(1);
    struct fact f = {.class = FACT_SAMPLE, .value = 100000000, .latency = 0x401000};
    gauge_history_count(h, &f, true); /* two in a program */
    gauge_history_count(h, &f, true);
    f.latency = 0xffffffff81000000u;
    gauge_history_count(h, &f, true);  /* one in the kernel … */
    gauge_history_count(h, &f, false); /* … and one of an idle processor */
    gauge_history_step(h, 0, 1, &i);
    const float *const values = gauge_history_at(h, 0);
    assert_true(is_near((double)values[GAUGE_CPU], 75));
    assert_true(is_near((double)values[GAUGE_CPU_USER], 50));
    assert_true(is_near((double)values[GAUGE_CPU_SYSTEM], 25));
    struct gauge_cpu cpu;
    assert_int_equal(gauge_history_cpus(h, 0, NULL, &cpu, 1), 1);
    assert_true(is_near((double)cpu.busy, 75) && is_near((double)cpu.user, 50));
    gauge_history_free(h);
}

/* Of a whole trace, processors show what they did on average, wherever it was recorded: their mean
 * is what the machine did, about, as intervals count alike. */
static void a_whole_trace_has_processors(void **state)
{
    (void)state;
    glob_t found = shared_files("../shared/etl/perfview-win7-PerfViewData.etl.zst");
    const char *const path = found.gl_pathv[0];
    struct err err = {""};
    const struct session_options o = {.kind = &collector_etl,
                                      .collector = {.files = &path, .file_count = 1},
                                      .ring_bytes = 256 << 20,
                                      .interval_ns = SECOND_NS};
    struct session *const s = session_start(&o, &err);
    if (!s)
        fail_msg("%s", err.text);
    struct request r = request_for(pane_find("processes"));
    r.sequence = 1;
    engine_request(s->engine, &r);
    struct frame *const f = engine_wait_frame(s->engine, r.sequence, true, PATIENCE_NS);
    assert_non_null(f);
    double busy = 0;
    assert_int_equal(f->gauges.cpu_count, 4);
    for (unsigned cpu = 0; cpu < f->gauges.cpu_count; cpu++)
        busy += (double)f->gauges.cpus[cpu].busy / f->gauges.cpu_count;
    assert_true(fabs(busy - f->cpu_percent) < 1);
    frame_free(f);
    session_stop(s);
    session_free(s);
    globfree(&found);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(match_tables),     cmocka_unit_test(keep_by_processor),
        cmocka_unit_test(forget_old_ones),  cmocka_unit_test(bound_processors),
        cmocka_unit_test(split_by_samples), cmocka_unit_test(a_whole_trace_has_processors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

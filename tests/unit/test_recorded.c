/* Recorded time by class: stated, or derived from events. Rates and percentages divide by it, live,
 * in files and in snapshots. */
#include "collectors/collectors.h"
#include "src/base/mem.h"
#include "src/collect/coverage.h"
#include "src/command/session.h"
#include "src/model/recorded.h"
#include "src/pane/panes.h"
#include "src/trace/snapshot.h"
#include "tests/folder.h"
#include "tests/stage.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { SECOND = 1000000 }; /* of the stage, in microseconds */

static const int64_t NS = 1000000000;

/* ---- spans ---------------------------------------------------------------------------------- */

static int64_t within(const struct recorded *r, unsigned class, int64_t from, int64_t to)
{
    struct recorded_span spans[RECORDED_SPANS];
    int64_t sum = 0;
    for (unsigned i = 0, count = recorded_in(r, class, from, to, spans); i < count; i++) {
        assert_true(spans[i].from >= from && spans[i].to <= to && spans[i].from < spans[i].to);
        sum += spans[i].to - spans[i].from;
    }
    return sum;
}

static void see(struct recorded *r, unsigned class, int64_t time)
{
    const struct fact f = {.time = time, .class = (uint8_t)class};
    recorded_see(r, &f);
}

static void statements_come_first(void **state)
{
    (void)state;
    struct recorded r = {.is_over = false};
    assert_int_equal(within(&r, FACT_DISK, 100, 300), 200); /* nothing is known: all of it */
    recorded_state(&r, FACT_DISK, 120, RECORDED_ON);
    assert_int_equal(within(&r, FACT_DISK, 100, 300), 180);
    recorded_end(&r, FACT_DISK, 150);
    recorded_end(&r, FACT_DISK, 170); /* it is off already */
    recorded_state(&r, FACT_DISK, 200, RECORDED_ON);
    assert_int_equal(within(&r, FACT_DISK, 100, 300), 30 + 100);
    see(&r, FACT_DISK, 115); /* came while it was being switched on */
    assert_int_equal(within(&r, FACT_DISK, 100, 300), 35 + 100);
    r.seen[FACT_DISK].count = 0;
    assert_int_equal(within(&r, FACT_DISK, 160, 190), 0);
    recorded_state(&r, FACT_DISK, 200, 240); /* its end is known now */
    assert_int_equal(within(&r, FACT_DISK, 100, 300), 30 + 40);
    recorded_state(&r, FACT_DISK, 140, 210); /* what touches is one */
    assert_int_equal(r.counts[FACT_DISK], 1);
    assert_int_equal(within(&r, FACT_DISK, 0, 1000), 120);
    recorded_state(&r, FACT_DISK, 50, 40); /* of no length: left out */
    recorded_state(&r, FACT_CLASSES, 50, 60);
    assert_int_equal(within(&r, FACT_DISK, 0, 1000), 120);
}

static void spans_are_bounded(void **state)
{
    (void)state;
    struct recorded r = {.is_over = false};
    for (int64_t i = 0; i < 1000; i++) {
        recorded_state(&r, FACT_FILE, i * 100, RECORDED_ON);
        recorded_end(&r, FACT_FILE, i * 100 + 50);
        assert_true(r.counts[FACT_FILE] <= RECORDED_SPANS);
    }
    const int64_t sum = within(&r, FACT_FILE, 0, 100000);
    assert_true(sum >= 50000 && sum <= 99950);
    assert_int_equal(within(&r, FACT_FILE, 99900, 100000), 50); /* the newest are exact */
}

static void events_show_recorded_time(void **state)
{
    (void)state;
    static const unsigned classes[] = {FACT_SAMPLE, FACT_SWITCH, FACT_READY,
                                       FACT_DPC,    FACT_ISR,    FACT_SYSCALL};
    for (unsigned i = 0; i < sizeof classes / sizeof *classes; i++) {
        const unsigned class = classes[i];
        struct recorded r = {.is_over = false};
        assert_int_equal(within(&r, class, 100, 300), 0);
        see(&r, class, 150);
        assert_int_equal(within(&r, class, 100, 300), 150); /* and still is */
        r.is_over = true;
        assert_int_equal(within(&r, class, 100, 300), 0); /* one alone took no time */
        see(&r, class, 250);
        see(&r, class, 140); /* late */
        assert_int_equal(within(&r, class, 100, 300), 110);
        assert_int_equal(within(&r, class, 200, 300), 50);
        recorded_state(&r, class, 120, 280);
        assert_int_equal(within(&r, class, 100, 300), 160);
    }
}

/* Two traces in one, one of which states its classes and the other does not. */
static void events_contradict(void **state)
{
    (void)state;
    struct recorded r = {.is_over = true};
    recorded_state(&r, FACT_SAMPLE, 10 * NS, 20 * NS);
    recorded_state(&r, FACT_DISK, 10 * NS, 20 * NS);
    see(&r, FACT_SAMPLE, 11 * NS);
    see(&r, FACT_SAMPLE, 30 * NS);
    see(&r, FACT_DISK, 30 * NS);
    assert_int_equal(within(&r, FACT_SAMPLE, 0, 40 * NS), 19 * NS);
    assert_int_equal(within(&r, FACT_DISK, 0, 40 * NS), 40 * NS);
}

static void classes_have_names(void **state)
{
    (void)state;
    unsigned class;
    for (unsigned i = 0; i < FACT_CLASSES; i++) {
        assert_non_null(recorded_class_name(i));
        assert_true(recorded_class_named(recorded_class_name(i), &class));
        assert_int_equal(class, i);
    }
    assert_null(recorded_class_name(FACT_CLASSES));
    assert_false(recorded_class_named("", &class));
}

/* ---- rates ---------------------------------------------------------------------------------- */

static void is_about(double a, double b)
{
    if (fabs(a - b) > 1e-6 * fabs(b))
        fail_msg("%.9g, %.9g expected", a, b);
}

static struct stage *opened(struct scene *by)
{
    struct stage *const s = stage_open(1, 1 << 22, RING_SEGMENT);
    *by = (struct scene){.stage = s, .pid = 4, .tid = EVENT_NO_ID};
    send_process(by, 0, HOOK_DC_START, 0, 0, "Idle");
    send_thread(by, 0, HOOK_DC_START, 0, 0);
    send_process(by, 0, HOOK_DC_START, 40, 4, "forty.exe");
    send_thread(by, 0, HOOK_DC_START, 40, 41);
    return s;
}

static struct frame *ask(struct stage *s, const char *pane)
{
    stage_request(s, pane);
    return stage_ask(s);
}

/* Ten seconds, samples in two of them: idle processors are sampled like the others, and some are
 * missing on each. */
static void samples_are_of_the_sampled_time(void **state)
{
    (void)state;
    struct scene by;
    struct stage *const s = opened(&by);
    for (int64_t ms = 4000; ms < 6000; ms++)
        for (by.cpu = 0; by.cpu < STAGE_CPUS; by.cpu++)
            if (ms % 20 != 7)
                send_sample(&by, ms * 1000, ms % 4 == 0 ? 41 : 0);
    by.cpu = 0;
    send_tcp(&by, 10 * SECOND, true, 40, 1000);
    stage_finish(s);
    stage_play(s);
    struct frame *f = ask(s, "processes");
    const unsigned row = (unsigned)row_named(f, "name", "forty.exe");
    const double share = (double)cell(f, row, "samples").count / (double)total(f, "samples").count;
    is_about(cell(f, row, "cpu").number, share * 100);
    is_about(total(f, "cpu").number, 100);
    is_about(f->cpu_percent, share * 100);
    is_about(cell(f, row, "net_send").number, 100); /* a second: over all ten */
    assert_true(cell(f, row, "csw").type == VALUE_ABSENT);
    frame_free(f);
    /* A part that begins before the samples do is not diluted either. */
    stage_request(s, "processes");
    s->request.from_ns = 2 * NS;
    s->request.to_ns = 5 * NS;
    f = stage_ask(s);
    assert_true(fabs(total(f, "cpu").number - 100) < 0.2);
    frame_free(f);
    /* Nor does one without a missing sample hold more than all. */
    stage_request(s, "processes");
    s->request.from_ns = 4 * NS + 7500000;
    s->request.to_ns = 4 * NS + 26500000;
    f = stage_ask(s);
    is_about(total(f, "cpu").number, 100);
    frame_free(f);
    stage_close(s);
}

/* Where idle processors are left out, percentages are of all the processors' time. */
static void samples_without_idle_ones(void **state)
{
    (void)state;
    struct scene by;
    struct stage *const s = opened(&by);
    for (int64_t ms = 4000; ms <= 6000; ms++)
        send_sample(&by, ms * 1000, 41);
    send_tcp(&by, 10 * SECOND, true, 40, 1000);
    stage_finish(s);
    stage_play(s);
    struct frame *const f = ask(s, "processes");
    const double cpu = cell(f, (unsigned)row_named(f, "name", "forty.exe"), "cpu").number;
    assert_true(fabs(cpu - 100.0 / STAGE_CPUS) < 0.1);
    frame_free(f);
    stage_close(s);
}

/* A recording of switches that ends long before the trace does: who ran last did not run on. */
static void switches_end_before_the_trace(void **state)
{
    (void)state;
    struct scene by;
    struct stage *const s = opened(&by);
    for (int64_t ms = 1000; ms < 2500; ms += 2) {
        send_switch(&by, ms * 1000, 0, 41);
        send_switch(&by, (ms + 1) * 1000, 41, 0);
    }
    send_tcp(&by, 10 * SECOND, true, 40, 1000);
    stage_finish(s);
    stage_play(s);
    struct frame *const f = ask(s, "cpu");
    const unsigned row = (unsigned)row_named(f, "name", "forty.exe");
    const double part = 750.0 / (1499.0 * STAGE_CPUS) * 100;
    assert_true(fabs(cell(f, row, "cpu_percent").number - part) < 0.001 * part);
    is_about(cell(f, row, "csw").number, 750 / 1.499);
    assert_true(total(f, "run").number * seconds_of(f, "run") < 1.5e9);
    frame_free(f);
    stage_close(s);
}

/* Whoever left a processor first ran there from the first switch on any, if our collector says so
 * and that was just before: a file may claim it of a gap of minutes. */
static void first_switches_count_what_is_near(void **state)
{
    (void)state;
    enum { FIRST = 2 };
    static const struct {
        int64_t us;
        double run_ns;
    } rows[] = {{300000, 300e6}, {600ll * SECOND, 0}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct scene by;
        struct stage *const s = opened(&by);
        s->collectors[0].sources[0].is_linux = true;
        send_switch_spare(&by, SECOND, 0, 0, FIRST);
        by.cpu = 1;
        send_switch_spare(&by, SECOND + rows[i].us, 41, 0, FIRST);
        stage_finish(s);
        stage_play(s);
        struct frame *const f = ask(s, "cpu");
        const int row = row_named(f, "name", "forty.exe");
        const double run =
            row < 0 ? 0 : cell(f, (unsigned)row, "run").number * seconds_of(f, "run");
        assert_true(fabs(run - rows[i].run_ns) < 1e3);
        frame_free(f);
        stage_close(s);
    }
}

/* Two traces, one a minute after the other: who runs at the end of the first is not on its
 * processor until the second one ends. */
static void nobody_runs_between_traces(void **state)
{
    (void)state;
    struct scene by;
    struct stage *const s = opened(&by);
    struct collector *const c = &s->collectors[0];
    c->sources[1] = c->sources[0];
    atomic_store(&c->source_count, 2);
    for (unsigned i = 0; i < 2; i++) {
        const int64_t first = SECOND + i * 60ll * SECOND;
        by.source = (uint8_t)i;
        c->sources[i].start_ns = first * 1000;
        c->sources[i].end_ns = (first + SECOND) * 1000;
        /* The first event after the gap is a switch. */
        for (int64_t us = first; us < first + SECOND; us += 2000) {
            send_switch(&by, us, 41, 0);
            send_switch(&by, us + 1000, 0, 41);
        }
    }
    stage_finish(s);
    stage_play(s);
    struct frame *const f = ask(s, "cpu");
    const double run = total(f, "run").number * seconds_of(f, "run");
    if (run < 1.99e9 || run > 2.01e9) /* with idle threads all of both seconds of a processor */
        fail_msg("%.9g s", run / 1e9);
    frame_free(f);
    stage_close(s);
}

/* Times that a damaged record claims. */
static void wild_times_are_survived(void **state)
{
    (void)state;
    static const struct {
        int64_t time;
        unsigned spans; /* the statement is contradicted, so events count: from this one on */
    } rows[] = {{INT64_MIN, 1}, {INT64_MAX, 0}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct recorded *const r = mem_new(1, sizeof *r);
        struct recorded_span spans[RECORDED_SPANS];
        recorded_state(r, FACT_SAMPLE, 5 * SECOND, 6 * SECOND);
        recorded_see(r, &(struct fact){.class = FACT_SAMPLE, .time = rows[i].time});
        assert_int_equal(recorded_in(r, FACT_SAMPLE, INT64_MIN, INT64_MAX, spans), rows[i].spans);
        free(r);
    }
}

static void one_event_has_no_rate(void **state)
{
    (void)state;
    struct scene by;
    struct stage *const s = opened(&by);
    send_sample(&by, SECOND, 41);
    send_switch(&by, 2 * SECOND, 0, 41);
    send_tcp(&by, 4 * SECOND, true, 40, 1000);
    stage_finish(s);
    stage_play(s);
    struct frame *f = ask(s, "processes");
    const unsigned row = (unsigned)row_named(f, "name", "forty.exe");
    assert_int_equal(cell(f, row, "cpu").type, VALUE_ABSENT);
    assert_int_equal(cell(f, row, "csw").type, VALUE_ABSENT);
    assert_int_equal(total(f, "csw").type, VALUE_ABSENT);
    assert_int_equal(cell(f, row, "samples").count, 1);
    is_about(cell(f, row, "net_send").number, 250);
    frame_free(f);
    stage_close(s);
}

/* ---- live ----------------------------------------------------------------------------------- */

static void wait_for(const struct stage *s, uint64_t events)
{
    while (engine_figures(s->engine).events < events)
        os_sleep(1000000);
}

static void put_on(struct stage *s, uint32_t active, int64_t ns)
{
    struct collector *const c = &s->collectors[0];
    for (unsigned class = 0; class < FACT_CLASSES; class ++)
        if ((active ^ c->active) >> class & 1)
            atomic_store(&c->switched_ns[class], ns);
    atomic_store_explicit(&c->active, active, memory_order_release);
}

/* Network from the beginning, disks from 8 to 9 s and from 9.5 s on: three reads of 1500 bytes. */
static struct stage *live(void)
{
    enum { NETWORK = 1 << FACT_NETWORK, DISK = 1 << FACT_DISK };
    struct scene by;
    struct stage *const s = opened(&by);
    uint64_t events = 4;
    s->collectors[0].kind = &stage_live;
    put_on(s, NETWORK, 0);
    stage_play(s);
    for (unsigned i = 0; i <= 80; i++, events++)
        send_tcp(&by, i * SECOND / 10, true, 40, 100);
    wait_for(s, events);
    frame_free((stage_request(s, "disk"), stage_ask_now(s)));
    put_on(s, NETWORK | DISK, 8 * NS);
    send_disk(&by, 8 * SECOND + 500000, false, 0, 1500, 0xf00, 200, 41);
    wait_for(s, ++events);
    frame_free(stage_ask_now(s));
    put_on(s, NETWORK, 9 * NS);
    frame_free(stage_ask_now(s));
    put_on(s, NETWORK | DISK, 9 * NS + NS / 2);
    send_disk(&by, 9 * SECOND + 600000, false, 0, 1500, 0xf00, 200, 41);
    send_disk(&by, 9 * SECOND + 900000, false, 0, 1500, 0xf00, 200, 41);
    send_tcp(&by, 10 * SECOND, true, 40, 100);
    wait_for(s, events + 3);
    return s;
}

static void classes_switched_on_late(void **state)
{
    (void)state;
    struct stage *const s = live();
    stage_request(s, "disk");
    struct frame *f = stage_ask_now(s);
    assert_true(f->is_total);
    is_about(f->interval_s, 10);
    is_about(seconds_of(f, "read"), 1.5);
    is_about(total(f, "read").number, 3000);
    frame_free(f);
    stage_request(s, "network");
    f = stage_ask_now(s);
    is_about(seconds_of(f, "send"), 10);
    is_about(total(f, "send").number, 820);
    frame_free(f);
    stage_request(s, "disk")->accumulate = false; /* the last second: 9 to 10 */
    f = stage_ask_now(s);
    is_about(f->interval_s, 1);
    is_about(seconds_of(f, "read"), 0.5);
    is_about(total(f, "read").number, 6000);
    assert_int_equal(total(f, "ops").count, 3); /* sums are since the start, all the same */
    assert_int_equal(total(f, "sum_bytes").count, 4500);
    frame_free(f);
    stage_request(s, "disk"); /* and a range */
    s->request.from_ns = 7 * NS;
    s->request.to_ns = 9 * NS;
    f = stage_ask_now(s);
    while (f->is_partial) {
        frame_free(f);
        f = stage_ask_now(s);
    }
    is_about(seconds_of(f, "read"), 1);
    is_about(total(f, "read").number, 1500);
    frame_free(f);
    stage_finish(s);
    stage_close(s);
}

/* Linux says what it records: as long as no fault has come, there were none. */
static void what_is_on_and_has_not_come_is_zero(void **state)
{
    (void)state;
    enum { FAULT = 1 << FACT_FAULT, MEMORY = 1 << FACT_MEMORY, NETWORK = 1 << FACT_NETWORK };
    static const char *const faults[] = {"hard", "soft"}, *const kinds[] = {"zero", "transition",
                                                                          "copy"};
    struct scene by;
    struct stage *const s = opened(&by);
    s->collectors[0].kind = &stage_live;
    s->collectors[0].sources[0].is_linux = true;
    put_on(s, NETWORK, 0);
    stage_play(s);
    for (unsigned i = 0; i <= 10; i++)
        send_tcp(&by, i * SECOND / 10, true, 40, 100);
    wait_for(s, 4 + 11);
    for (unsigned on = 0; on < 3; on++) {
        put_on(s, NETWORK | (on > 0 ? FAULT : 0) | (on > 1 ? MEMORY : 0), NS / 4 * (on + 1));
        frame_free((stage_request(s, "memory"), stage_ask_now(s)));
        struct frame *const f = stage_ask_now(s);
        for (unsigned i = 0; i < 2; i++)
            assert_int_equal(total(f, faults[i]).type == VALUE_ABSENT, on < 1);
        for (unsigned i = 0; i < 3; i++)
            assert_int_equal(total(f, kinds[i]).type == VALUE_ABSENT, on < 2);
        assert_int_equal(total(f, "alloc").type, VALUE_ABSENT);
        assert_int_equal(total(f, "guard").type, VALUE_ABSENT);
        frame_free(f);
    }
    stage_finish(s);
    stage_close(s);
}

enum { TRANSITION = 0x020a, ZERO = 0x020b, UNKNOWN = 0x0245 };

static void send_faults(const struct scene *by, int64_t us, uint16_t hook, unsigned count)
{
    struct scene thread = *by;
    struct note n = {.used = 0};
    put_u64(&n, 0x7f0000001000); /* VirtualAddress */
    put_u64(&n, 0x400000);       /* ProgramCounter */
    thread.pid = 40;
    thread.tid = 41;
    for (unsigned i = 0; i < count; i++)
        send_record(&thread, us + i, hook, 2, &n);
}

/* Soft faults from the beginning, and from 2 s on their kinds: the kind of ten before that is
 * unknown, not transition. */
static void kinds_of_faults_count_from_when_they_are_known(void **state)
{
    (void)state;
    enum { FAULT = 1 << FACT_FAULT, MEMORY = 1 << FACT_MEMORY };
    struct scene by;
    struct stage *const s = opened(&by);
    s->collectors[0].kind = &stage_live;
    s->collectors[0].sources[0].is_linux = true;
    put_on(s, FAULT, 0);
    stage_play(s);
    send_faults(&by, SECOND, UNKNOWN, 10);
    wait_for(s, 4 + 10);
    stage_request(s, "memory");
    struct frame *f = stage_ask_now(s);
    assert_int_equal(total(f, "transition").type, VALUE_ABSENT);
    assert_int_equal(amount(f, total(f, "soft"), "soft"), 10);
    frame_free(f);
    put_on(s, FAULT | MEMORY, 2 * NS);
    frame_free(stage_ask_now(s));
    send_faults(&by, 3 * SECOND, TRANSITION, 2);
    send_faults(&by, 4 * SECOND - 3, ZERO, 3);
    send_tcp(&by, 4 * SECOND, true, 40, 100);
    wait_for(s, 4 + 10 + 2 + 3 + 1);
    f = stage_ask_now(s);
    assert_true(f->is_total);
    is_about(seconds_of(f, "soft"), 4);
    is_about(seconds_of(f, "transition"), 2);
    assert_int_equal(amount(f, total(f, "transition"), "transition"), 2);
    assert_int_equal(amount(f, total(f, "zero"), "zero"), 3);
    assert_int_equal(amount(f, total(f, "soft"), "soft"), 15);
    assert_int_equal(amount(f, cell(f, (unsigned)row_named(f, "name", "forty.exe"), "transition"),
                            "transition"),
                     2);
    frame_free(f);
    stage_finish(s);
    stage_close(s);
}

/* Switching on takes a while, and is stated when it is done: what came meanwhile was recorded, also
 * where a processor's thread left it unseen. */
static void unseen_time_counts_while_switching_on(void **state)
{
    (void)state;
    enum { SWITCH = 1 << FACT_SWITCH, UNSEEN = 1 };
    struct scene by;
    struct stage *const s = opened(&by);
    s->collectors[0].kind = &stage_live;
    s->collectors[0].sources[0].is_linux = true;
    stage_play(s);
    send_switch_spare(&by, SECOND, 0, 41, 0);
    wait_for(s, 4 + 1);
    put_on(s, SWITCH, NS + NS / 10 * 2);
    frame_free((stage_request(s, "cpu"), stage_ask_now(s)));
    send_switch_spare(&by, SECOND + SECOND / 10 * 3, 0, 0, UNSEEN);
    send_switch_spare(&by, SECOND + SECOND / 10 * 4, 0, 0, 0);
    wait_for(s, 4 + 3);
    stage_finish(s);
    struct frame *const f = ask(s, "cpu");
    const unsigned row = (unsigned)row_named(f, "name", "(unknown)");
    is_about(amount(f, cell(f, row, "run"), "run"), 300e6);
    frame_free(f);
    stage_close(s);
}

/* Windows reports a fault of such an event once more by its kind: it is counted once. */
static void faults_of_unknown_kind_in_a_trace(void **state)
{
    (void)state;
    for (unsigned is_linux = 0; is_linux < 2; is_linux++) {
        struct scene by;
        struct stage *const s = opened(&by);
        s->collectors[0].sources[0].is_linux = is_linux;
        send_faults(&by, SECOND, UNKNOWN, 5);
        send_faults(&by, 2 * SECOND, ZERO, 1);
        send_faults(&by, 3 * SECOND, TRANSITION, 4);
        stage_finish(s);
        stage_play(s);
        struct frame *const f = ask(s, "memory");
        assert_int_equal(amount(f, total(f, "transition"), "transition"), 4);
        assert_int_equal(amount(f, total(f, "zero"), "zero"), 1);
        assert_int_equal(amount(f, total(f, "soft"), "soft"), is_linux ? 10 : 5);
        frame_free(f);
        stage_close(s);
    }
}

/* The same in what a snapshot of it shows. */
static void snapshots_know_it(void **state)
{
    (void)state;
    char folder[] = "/tmp/test_recorded.XXXXXX", path[64];
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/s.etl", folder);
    struct stage *const s = live();
    const struct snapshot_options o = {
        .engine = s->engine, .collector = &s->collectors[0], .path = path, .folder = folder};
    struct snapshot_result result;
    snapshot_finish(snapshot_start(&o), &result);
    if (!result.is_done)
        fail_msg("%s", result.err.text);
    stage_finish(s);
    stage_close(s);

    struct err err;
    const char *const files[] = {path};
    const struct session_options so = {.kind = &collector_etl,
                                       .collector = {.files = files, .file_count = 1},
                                       .ring_bytes = 1 << 22,
                                       .interval_ns = NS};
    struct session *const again = session_start(&so, &err);
    assert_non_null(again);
    const struct request r = {
        .sequence = 1, .pane = pane_find("disk"), .rows = 10, .accumulate = true};
    engine_request(again->engine, &r);
    struct frame *const f = engine_wait_frame(again->engine, 1, true, STAGE_TIMEOUT);
    assert_non_null(f);
    is_about(f->interval_s, 10);
    is_about(seconds_of(f, "read"), 1.5);
    is_about(total(f, "read").number, 3000);
    assert_int_equal(total(f, "ops").count, 3);
    assert_int_equal(total(f, "sum_bytes").count, 4500);
    frame_free(f);
    session_stop(again);
    session_free(again);
    folder_clear(folder);
    rmdir(folder);
}

static void switching_is_noted(void **state)
{
    (void)state;
    static struct collector c;
    const int64_t before = os_wall_now();
    coverage_switch(&c, 1u << FACT_DISK);
    const int64_t on = atomic_load(&c.switched_ns[FACT_DISK]);
    assert_true(on >= before && on <= os_wall_now());
    assert_int_equal(atomic_load(&c.switched_ns[FACT_FILE]), 0);
    coverage_switch(&c, 1u << FACT_DISK | 1u << FACT_FILE);
    assert_int_equal(atomic_load(&c.switched_ns[FACT_DISK]), on);
    assert_true(atomic_load(&c.switched_ns[FACT_FILE]) >= on);
    coverage_switch(&c, 1u << FACT_FILE);
    assert_true(atomic_load(&c.switched_ns[FACT_DISK]) >= on);
    assert_int_equal(atomic_load(&c.active), 1u << FACT_FILE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(statements_come_first),
        cmocka_unit_test(spans_are_bounded),
        cmocka_unit_test(events_show_recorded_time),
        cmocka_unit_test(events_contradict),
        cmocka_unit_test(classes_have_names),
        cmocka_unit_test(samples_are_of_the_sampled_time),
        cmocka_unit_test(samples_without_idle_ones),
        cmocka_unit_test(switches_end_before_the_trace),
        cmocka_unit_test(first_switches_count_what_is_near),
        cmocka_unit_test(nobody_runs_between_traces),
        cmocka_unit_test(one_event_has_no_rate),
        cmocka_unit_test(wild_times_are_survived),
        cmocka_unit_test(classes_switched_on_late),
        cmocka_unit_test(what_is_on_and_has_not_come_is_zero),
        cmocka_unit_test(kinds_of_faults_count_from_when_they_are_known),
        cmocka_unit_test(unseen_time_counts_while_switching_on),
        cmocka_unit_test(faults_of_unknown_kind_in_a_trace),
        cmocka_unit_test(snapshots_know_it),
        cmocka_unit_test(switching_is_noted),
    };
    return cmocka_run_group_tests_name("recorded time", tests, NULL, NULL);
}

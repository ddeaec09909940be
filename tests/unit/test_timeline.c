/* The timeline and the time strip made of it, against sums of the same events by other ways. */
#include "tests/play.h"

#include "src/engine/timeline.h"

#include <math.h>

static const int64_t BEGIN = 1700000000000000000, SECOND = 1000000000;

/* ---- cells --------------------------------------------------------------------------------- */

struct fixture {
    struct timeline *timeline;
    struct model model;
};

static struct fixture fixture_new(bool is_live)
{
    struct fixture x = {.timeline = calloc(1, sizeof *x.timeline)};
    model_init(&x.model);
    timeline_init(x.timeline, is_live);
    timeline_begin(x.timeline, BEGIN);
    return x;
}

static void fixture_free(struct fixture *x)
{
    timeline_fini(x->timeline);
    free(x->timeline);
    model_fini(&x->model);
}

static void take(struct fixture *x, int64_t since, enum fact_class class, enum fact_op op,
                 uint64_t value)
{
    const struct fact f = {.time = BEGIN + since,
                           .value = value,
                           .class = (uint8_t) class,
                           .op = (uint8_t)op,
                           .thread = 1};
    timeline_take(x->timeline, &x->model, &f, 0, SECOND);
}

static double sum(const struct fixture *x, enum timeline_sum of, int64_t from, int64_t to)
{
    return timeline_sum(x->timeline, of, BEGIN + from, BEGIN + to);
}

/* Some hours of a read a second: whatever the cells are by then, no byte is missing. */
static void sums_are_whole_however_long(void **state)
{
    (void)state;
    enum { HOURS = 20 };
    struct fixture x = fixture_new(false);
    uint64_t bytes = 0;
    for (int64_t i = 0; i < HOURS * 3600; i++) {
        const uint64_t size = (uint64_t)(i * 37 % 1000);
        take(&x, i * SECOND, FACT_DISK, i % 2 ? OP_READ : OP_WRITE, size);
        take(&x, i * SECOND, FACT_DISK, OP_START, 1 << 20); /* measures nothing */
        bytes += size;
        if (i == 3 || i == 5000 || i == HOURS * 3600 - 1) {
            assert_true(sum(&x, TIMELINE_DISK, 0, (i + 1) * SECOND + x.timeline->all.cell_ns) ==
                        (double)bytes);
            assert_true(sum(&x, TIMELINE_EVENTS, 0, (i + 1) * SECOND + x.timeline->all.cell_ns) ==
                        (double)(2 * i + 2));
        }
    }
    assert_true(x.timeline->all.end <= TIMELINE_CELLS);
    assert_true(x.timeline->all.cell_ns < 40 * SECOND);
    fixture_free(&x);
}

/* Live, the last minutes are known finely, and the rest of the time as well. */
static void the_last_minutes_are_fine(void **state)
{
    (void)state;
    enum { SECONDS = 9000 };
    struct fixture x = fixture_new(true);
    for (int64_t i = 0; i < SECONDS; i++)
        take(&x, i * SECOND, FACT_NETWORK, OP_SEND, (uint64_t)i);
    assert_true(sum(&x, TIMELINE_NET, (SECONDS - 60) * SECOND, (SECONDS - 59) * SECOND) ==
                SECONDS - 60);
    assert_true(timeline_cell_ns(x.timeline, BEGIN + (SECONDS - 600) * SECOND) <= SECOND);
    assert_true(timeline_cell_ns(x.timeline, BEGIN) > SECOND);
    assert_true(sum(&x, TIMELINE_NET, 0, (SECONDS + 10) * SECOND) ==
                (double)SECONDS * (SECONDS - 1) / 2);
    fixture_free(&x);
}

/* A time slice lies in all the cells that it covers. */
static void slices_are_spread(void **state)
{
    (void)state;
    struct fixture x = fixture_new(false);
    take(&x, 0, FACT_OTHER, OP_NONE, 0);
    take(&x, 3 * SECOND, FACT_SWITCH, OP_NONE, (uint64_t)(2 * SECOND));
    for (int64_t i = 0; i < 3; i++) {
        const double ns = sum(&x, TIMELINE_RUN, i * SECOND, (i + 1) * SECOND);
        assert_true(fabs(ns - (i ? 1e9 : 0)) < 4e6); /* cells do not end where seconds do */
    }
    take(&x, 4 * SECOND, FACT_SWITCH, OP_NONE, UINT64_MAX); /* a hostile length */
    assert_true(sum(&x, TIMELINE_RUN, 0, 5 * SECOND) < 7e9);
    fixture_free(&x);
}

/* One wild time does not make all cells coarse; time that goes on there does. */
static void one_wild_time_is_left_out(void **state)
{
    (void)state;
    static const int64_t YEAR = 365 * 86400 * SECOND;
    struct fixture x = fixture_new(false);
    for (int64_t i = 0; i < 10; i++)
        take(&x, i * SECOND, FACT_OTHER, OP_NONE, 0);
    take(&x, YEAR, FACT_OTHER, OP_NONE, 0);
    take(&x, 10 * SECOND, FACT_OTHER, OP_NONE, 0);
    assert_true(x.timeline->all.cell_ns < SECOND);
    assert_true(sum(&x, TIMELINE_EVENTS, 0, 20 * SECOND) == 11);
    take(&x, YEAR, FACT_OTHER, OP_NONE, 0);
    take(&x, YEAR + SECOND, FACT_OTHER, OP_NONE, 0);
    assert_true(sum(&x, TIMELINE_EVENTS, YEAR / 2, 2 * YEAR) == 1);
    fixture_free(&x);
}

static void a_beginning_moves(void **state)
{
    (void)state;
    struct fixture x = fixture_new(false);
    take(&x, 5 * SECOND, FACT_OTHER, OP_NONE, 0);
    timeline_begin(x.timeline, BEGIN - SECOND);
    take(&x, -SECOND, FACT_OTHER, OP_NONE, 0);
    assert_true(x.timeline->all.begin_ns <= BEGIN - SECOND);
    assert_true(sum(&x, TIMELINE_EVENTS, -2 * SECOND, 0) == 1);
    assert_true(sum(&x, TIMELINE_EVENTS, 4 * SECOND, 6 * SECOND) == 1);
    timeline_begin(x.timeline, BEGIN + 6 * SECOND); /* later: what was before is left out */
    assert_true(sum(&x, TIMELINE_EVENTS, -2 * SECOND, 9 * SECOND) == 0);
    fixture_free(&x);
}

/* ---- signs --------------------------------------------------------------------------------- */

static void signs_stand_in_their_columns(void **state)
{
    (void)state;
    struct fixture x = fixture_new(false);
    uint8_t signs[10] = {0};
    const struct strip s = {
        .columns = 10, .begin_ns = BEGIN, .end_ns = BEGIN + 10 * SECOND, .signs = signs};
    take(&x, 0, FACT_OTHER, OP_NONE, 0);
    take(&x, SECOND / 2, FACT_MARK, OP_NONE, 0);
    take(&x, 4 * SECOND + SECOND / 2, FACT_OTHER, OP_NONE, 0); /* columns 1 to 3 are a gap */
    timeline_note(x.timeline, STRIP_LOSS, BEGIN + 7 * SECOND, BEGIN + 7 * SECOND);
    timeline_note(x.timeline, STRIP_TRIGGER, BEGIN + 7 * SECOND, BEGIN + 7 * SECOND);
    timeline_note(x.timeline, STRIP_LOSS, BEGIN + 10 * SECOND, BEGIN + 10 * SECOND); /* beyond */
    timeline_signs(x.timeline, &s, s.end_ns - 1);
    static const uint8_t expected[10] = {
        STRIP_MARK, STRIP_GAP, STRIP_GAP, STRIP_GAP, 0, 0, 0, STRIP_LOSS | STRIP_TRIGGER, 0, 0};
    assert_memory_equal(signs, expected, sizeof expected);
    timeline_signs(x.timeline, &s, INT64_MAX); /* what came since */
    assert_int_equal(signs[9], STRIP_LOSS);
    for (unsigned i = 0; i < 2 * TIMELINE_NOTES; i++) /* the oldest make room */
        timeline_note(x.timeline, STRIP_MARK, BEGIN + 9 * SECOND, BEGIN + 9 * SECOND);
    memset(signs, 0, sizeof signs);
    timeline_signs(x.timeline, &s, s.end_ns - 1);
    assert_int_equal(signs[0], 0);
    assert_int_equal(signs[9], STRIP_MARK);
    fixture_free(&x);
}

static void columns_cover_the_time(void **state)
{
    (void)state;
    const struct strip s = {.columns = 7, .begin_ns = BEGIN, .end_ns = BEGIN + 1000};
    assert_int_equal(strip_time(&s, 0), s.begin_ns);
    assert_int_equal(strip_time(&s, 7), s.end_ns);
    for (unsigned i = 0; i < 7; i++) {
        assert_int_equal(strip_column(&s, strip_time(&s, i)), i);
        assert_int_equal(strip_column(&s, strip_time(&s, i + 1) - 1), i);
    }
    assert_int_equal(strip_column(&s, 0), 0);
    assert_int_equal(strip_column(&s, INT64_MAX), 6);
}

/* ---- frames ---------------------------------------------------------------------------------- */

static struct frame *ask(const struct play *p, struct strip_look look, int64_t from, int64_t to)
{
    struct request r = request_for(pane_find("processes"));
    r.strip = look;
    r.from_ns = from;
    r.to_ns = to;
    return play_ask(p, &r);
}

static double whole_of(const struct strip *s)
{
    double sum = 0;
    for (unsigned i = 0; i < s->columns; i++)
        if (!isnan(s->values[i]))
            sum += (double)s->values[i] * (double)(strip_time(s, i + 1) - strip_time(s, i)) / 1e9;
    return sum;
}

/* All columns together are what the machine line says of the whole recording. */
static void columns_add_up_to_the_machine_line(void **state)
{
    (void)state;
    struct play p = play_new(7, SECOND);
    play_all(&p);
    for (unsigned columns = 1; columns <= 300; columns = columns * 4 + 3) {
        struct frame *f =
            ask(&p, (struct strip_look){.metric = STRIP_DISK, .columns = (uint16_t)columns}, 0, 0);
        assert_non_null(f->strip);
        assert_int_equal(f->strip->columns, columns);
        const double disk = (f->disk_read + f->disk_write) * f->interval_s;
        assert_true(disk > 0 && fabs(whole_of(f->strip) / disk - 1) < 0.001);
        frame_free(f);
        f = ask(&p, (struct strip_look){.metric = STRIP_CPU, .columns = (uint16_t)columns}, 0, 0);
        const double seconds = (double)(f->strip->end_ns - f->strip->begin_ns) / 1e9;
        assert_true(fabs(whole_of(f->strip) / seconds - f->cpu_percent) < 0.5);
        assert_true(fabs(f->strip->shown - f->cpu_percent) < 0.5);
        frame_free(f);
    }
    play_free(&p);
}

/* The figure of a range is that of the machine line. */
static void the_figure_is_of_the_range(void **state)
{
    (void)state;
    struct play p = play_new(7, SECOND);
    play_all(&p);
    const struct strip_look look = {.metric = STRIP_CPU, .columns = 80};
    for (int64_t i = 1; i < 6; i++) {
        const int64_t from = PLAY_START_NS + i * SECOND, to = from + SECOND / 2;
        struct frame *const f = ask(&p, look, from - 1, to - 1);
        assert_true(f->cpu_percent > 0 && fabs(f->strip->shown - f->cpu_percent) < 3);
        frame_free(f);
    }
    play_free(&p);
}

/* Samples of half of the trace, one in four of a program, the others of the idle thread: the figure
 * is of that half, as in the header, and nothing is drawn where there are no samples. */
static void only_recorded_time_counts(void **state)
{
    (void)state;
    enum { MS = 1000, SAMPLES = 1000, COLUMNS = 100 };
    struct stage *const s = stage_open(1, 4 << 20, RING_SEGMENT);
    const struct scene at = {.stage = s, .tid = EVENT_NO_ID}, *const by = &at;
    stage_play(s);
    send_process(by, 0, HOOK_START, 700, 4, "busy.exe");
    send_thread(by, 0, HOOK_START, 700, 701);
    for (int64_t i = 0; i < SAMPLES; i++)
        send_sample(by, (1 + i) * MS, i % 4 == 0 ? 701 : 0);
    send_disk(by, 2 * SAMPLES * MS, true, 0, 4096, 0, 1, 701);
    stage_finish(s);
    struct request *const r = stage_request(s, "processes");
    r->strip = (struct strip_look){.metric = STRIP_CPU, .columns = COLUMNS};
    struct frame *const f = stage_ask(s);
    assert_true(fabs(f->cpu_percent - 25) < 0.5);
    assert_true(fabs(f->strip->shown - 25) < 0.5);
    assert_true(fabs((double)f->strip->values[COLUMNS / 4] - 25) < 15);
    assert_true(isnan(f->strip->values[COLUMNS * 3 / 4]));
    frame_free(f);
    stage_close(s);
}

static void a_part_is_a_part(void **state)
{
    (void)state;
    struct play p = play_new(7, SECOND);
    play_all(&p);
    struct strip_look look = {.metric = STRIP_EVENTS, .columns = 50, .span_ns = SECOND};
    struct frame *f = ask(&p, look, 0, 0);
    assert_int_equal(f->strip->end_ns, f->strip->last_ns); /* up to the newest */
    assert_int_equal(f->strip->end_ns - f->strip->begin_ns, SECOND);
    look.end_ns = f->strip->first_ns; /* before the beginning: moved to it */
    frame_free(f);
    f = ask(&p, look, 0, 0);
    assert_int_equal(f->strip->begin_ns, f->strip->first_ns);
    assert_int_equal(f->strip->end_ns - f->strip->begin_ns, SECOND);
    frame_free(f);
    look = (struct strip_look){.metric = STRIP_METRICS, .columns = 50};
    f = ask(&p, look, 0, 0);
    assert_null(f->strip);
    frame_free(f);
    play_free(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_are_whole_however_long),
        cmocka_unit_test(the_last_minutes_are_fine),
        cmocka_unit_test(slices_are_spread),
        cmocka_unit_test(one_wild_time_is_left_out),
        cmocka_unit_test(a_beginning_moves),
        cmocka_unit_test(signs_stand_in_their_columns),
        cmocka_unit_test(columns_cover_the_time),
        cmocka_unit_test(columns_add_up_to_the_machine_line),
        cmocka_unit_test(the_figure_is_of_the_range),
        cmocka_unit_test(only_recorded_time_counts),
        cmocka_unit_test(a_part_is_a_part),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

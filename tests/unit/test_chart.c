/* Charts agree with the panes: histograms count the operations of their pane, heat maps the same as
 * histograms, maps of processors the running time of the pane CPU. */
#include "tests/play.h"

#include "src/base/mem.h"
#include "src/frame/heat.h"
#include "src/pane/panes.h"
#include "src/pane/query_pane.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

static const int64_t SECOND = 1000000000;

enum { COLUMNS = 180, TICKS = 10000000 };

/* ---- asking -------------------------------------------------------------------------------- */

static unsigned measure_of(const char *pane, const char *id)
{
    const struct pane *const p = pane_find(pane);
    for (unsigned i = 0; i < p->measure_count; i++)
        if (strcmp(p->measures[i].id, id) == 0)
            return i;
    fail_msg("%s measures no %s", pane, id);
    return 0;
}

static void want(struct stage *s, enum chart_kind kind, const char *measure)
{
    struct request *const r = &s->request;
    r->chart = (struct chart_look){.kind = (uint8_t)kind, .columns = COLUMNS, .lanes = 20};
    if (measure)
        r->chart.measure = (uint8_t)measure_of(r->pane->id, measure);
}

/* Once it is whole. */
static struct frame *ask_whole(struct stage *s)
{
    for (;;) {
        struct frame *const f = stage_ask_now(s);
        if (!f->is_partial) {
            assert_non_null(f->chart);
            assert_int_equal(f->chart->kind, s->request.chart.kind);
            return f;
        }
        frame_free(f);
    }
}

static uint64_t octave_sum(const struct chart *p)
{
    uint64_t sum = 0;
    for (unsigned i = 0; i < CHART_OCTAVES; i++)
        sum += p->octaves[i];
    return sum;
}

/* Of the cells whose columns begin in from … to - 1. */
static uint64_t cell_sum(const struct chart *p, int64_t from, int64_t to)
{
    uint64_t sum = 0;
    for (unsigned c = 0; c < p->columns; c++) {
        const int64_t at = p->begin_ns + (int64_t)c * p->column_ns;
        for (unsigned i = 0; i < p->rows && at >= from && at < to; i++)
            sum += p->cells[(size_t)c * p->rows + i];
    }
    return sum;
}

/* What the pane says took time: counted by the histogram, and again over time. */
static uint64_t histogram_is_heat(struct stage *s, const char *measure)
{
    want(s, CHART_HISTOGRAM, measure);
    struct frame *const h = ask_whole(s);
    assert_int_equal(octave_sum(h->chart), h->chart->count);
    want(s, CHART_HEAT, measure);
    struct frame *const f = ask_whole(s);
    assert_true(f->chart->columns <= COLUMNS);
    assert_int_equal(cell_sum(f->chart, INT64_MIN, INT64_MAX), f->chart->count);
    assert_int_equal(f->chart->count, h->chart->count);
    for (unsigned i = 0; i < CHART_OCTAVES; i++)
        assert_int_equal(f->chart->octaves[i], h->chart->octaves[i]);
    const uint64_t count = h->chart->count;
    frame_free(h);
    frame_free(f);
    return count;
}

/* ---- latencies ----------------------------------------------------------------------------- */

static const struct {
    const char *pane, *measure;
    const char *operations; /* a column that counts them; NULL: none does */
} latencies[] = {
    {"disk", "latency", "ops"},       {"diskfiles", "latency", "ops"},
    {"files", "latency", NULL},       {"fileusers", "latency", NULL},
    {"registry", "latency", NULL},
    {"memory", "latency", NULL},      {"interrupts", "latency", NULL},
    {"calls", "latency", NULL},       {"callers", "latency", NULL},
    {"cpu", "ready", NULL},           {"cpu", "waits", NULL},
};

static void every_latency_adds_up(void **state)
{
    (void)state;
    unsigned with_any = 0;
    struct play p = play_new(71, SECOND);
    play_all(&p);
    for (size_t i = 0; i < sizeof latencies / sizeof *latencies; i++) {
        stage_request(p.stage, latencies[i].pane);
        frame_free(stage_ask(p.stage));
        const uint64_t count = histogram_is_heat(p.stage, latencies[i].measure);
        with_any += count > 0;
        if (!latencies[i].operations)
            continue;
        want(p.stage, CHART_HISTOGRAM, latencies[i].measure);
        struct frame *const f = ask_whole(p.stage);
        assert_true(count > 100);
        assert_int_equal(total(f, latencies[i].operations).count, count);
        frame_free(f);
    }
    assert_true(with_any >= 6);
    play_free(&p);
}

/* The latencies of the rows are, octave by octave, those of the histogram; a filter of rows takes
 * both. A tree and groups have rows of their own: single rows are shown instead. */
static void rows_add_up_to_the_histogram(struct stage *s, const char *measure)
{
    uint64_t sums[CHART_OCTAVES] = {0};
    want(s, CHART_HISTOGRAM, measure);
    struct frame *const h = ask_whole(s);
    s->request.rows = 1 << 16;
    s->request.tree = true;
    s->request.group = GROUPED_BY_NAME;
    want(s, CHART_ROWS, measure);
    struct frame *const f = ask_whole(s);
    assert_int_equal(f->row_count, f->shown);
    for (unsigned i = 0; i < f->row_count * CHART_OCTAVES; i++)
        sums[i % CHART_OCTAVES] += f->chart->of_rows[i];
    assert_memory_equal(sums, h->chart->octaves, sizeof sums);
    assert_memory_equal(f->chart->octaves, h->chart->octaves, sizeof sums);
    assert_true(f->row_count > 1 && h->chart->count > 0);
    frame_free(h);
    frame_free(f);
}

static void rows_have_latencies_of_their_own(void **state)
{
    (void)state;
    struct play p = play_new(76, SECOND);
    play_all(&p);
    stage_request(p.stage, "disk");
    rows_add_up_to_the_histogram(p.stage, "latency");
    stage_request(p.stage, "files");
    rows_add_up_to_the_histogram(p.stage, "latency");
    struct request *const r = stage_request(p.stage, "disk");
    snprintf(r->filter, sizeof r->filter, "reads>0.5");
    rows_add_up_to_the_histogram(p.stage, "latency");
    play_free(&p);
}

/* With a filter of rows, one of facts, a row above, a range, and one row alone. */
static void what_narrows_rows_narrows_pictures(void **state)
{
    static const char *const filters[] = {"sqlservr", "lat>=1ms", "proc=firefox.exe lat<100us",
                                          "reads>0.5", "!sqlservr"};
    (void)state;
    struct play p = play_new(72, SECOND);
    play_all(&p);
    stage_request(p.stage, "disk");
    struct frame *f = stage_ask(p.stage);
    const uint64_t all = total(f, "ops").count;
    const struct row_key key = f->rows[0].key;
    const uint64_t first = cell(f, 0, "ops").count;
    frame_free(f);
    for (size_t i = 0; i < sizeof filters / sizeof *filters; i++) {
        struct request *const r = stage_request(p.stage, "disk");
        snprintf(r->filter, sizeof r->filter, "%s", filters[i]);
        const uint64_t count = histogram_is_heat(p.stage, "latency");
        f = ask_whole(p.stage);
        assert_int_equal(total(f, "ops").count, count);
        assert_true(count > 0 && count < all);
        frame_free(f);
    }
    struct request *r = stage_request(p.stage, "disk");
    for (enum chart_kind kind = CHART_HISTOGRAM; kind <= CHART_HEAT; kind++) {
        want(p.stage, kind, "latency");
        r->chart.of_row = true;
        r->chart.row = key;
        f = ask_whole(p.stage);
        assert_int_equal(f->chart->count, first);
        frame_free(f);
    }
    r = stage_request(p.stage, "diskfiles");
    r->crumbs[0] = (struct crumb){.kind = CRUMB_DISK_PROCESS, .key = key};
    r->crumb_count = 1;
    assert_int_equal(histogram_is_heat(p.stage, "latency"), first);
    r = stage_request(p.stage, "disk");
    r->from_ns = PLAY_START_NS + 2 * SECOND - 1;
    r->to_ns = PLAY_START_NS + 4 * SECOND - 1;
    const uint64_t in_range = histogram_is_heat(p.stage, "latency");
    assert_true(in_range > 0 && in_range < all);
    play_free(&p);
}

/* The interval that is over: what the live table shows of it is what the heat map's columns
 * of that time have. */
/* Each operation that moved something, by its size: its sizes add up to the pane's bytes. */
static void sizes_of_queries_add_up(void **state)
{
    (void)state;
    struct err err;
    struct query q;
    struct play p = play_new(71, SECOND);
    play_all(&p);
    assert_true(query_parse(&q, "by op | quantize size, sum size, p99 lat where class=disk", &err));
    const struct pane *const pane = query_pane_new(&q, &err);
    assert_non_null(pane);
    assert_true(measure_is_of_sizes(&pane->measures[0]));
    stage_request(p.stage, "events")->pane = pane;
    p.stage->request.accumulate = true;
    const uint64_t count = histogram_is_heat(p.stage, NULL);
    assert_true(count > 100);
    want(p.stage, CHART_ROWS, NULL);
    struct frame *const f = ask_whole(p.stage);
    uint64_t of_rows = 0;
    for (unsigned i = 0; i < f->row_count * CHART_OCTAVES; i++)
        of_rows += f->chart->of_rows[i];
    assert_int_equal(of_rows, count);
    assert_int_equal(f->chart->sum, total(f, "sum_size").count);
    const unsigned octave = chart_octave_of(f->chart->max);
    assert_true(f->chart->octaves[octave] > 0);
    assert_int_equal(octave + 1 < CHART_OCTAVES ? f->chart->octaves[octave + 1] : 0, 0);
    frame_free(f);
    play_free(&p);
    query_pane_free(pane);
}

static void intervals_are_columns(void **state)
{
    (void)state;
    struct play p = play_new(73, SECOND / 2);
    const int64_t start = synthetic_time(p.machine);
    for (unsigned step = 3; step < 8; step++) {
        play_until(&p, start + (int64_t)step * TICKS * 7 / 10);
        stage_request(p.stage, "disk")->accumulate = false;
        want(p.stage, CHART_HISTOGRAM, "latency");
        struct frame *const h = ask_whole(p.stage);
        assert_false(h->is_total);
        assert_int_equal(amount(h, total(h, "reads"), "reads") +
                             amount(h, total(h, "writes"), "writes") +
                             amount(h, total(h, "flushes"), "flushes"),
                         h->chart->count);
        want(p.stage, CHART_HEAT, "latency");
        struct frame *const f = ask_whole(p.stage);
        assert_int_equal(f->interval, h->interval);
        const int64_t end = f->origin + (int64_t)f->interval * f->sample_ns;
        assert_int_equal(cell_sum(f->chart, end - f->sample_ns, end), h->chart->count);
        assert_true(h->chart->count > 0);
        frame_free(h);
        frame_free(f);
    }
    play_all(&p);
    play_free(&p);
}

/* Lists of events and call trees have no measures: all that took time counts. */
static void events_count_themselves(void **state)
{
    (void)state;
    struct play p = play_new(74, SECOND);
    play_all(&p);
    stage_request(p.stage, "disk");
    struct frame *f = stage_ask(p.stage);
    const uint64_t operations = total(f, "ops").count;
    frame_free(f);
    struct request *const r = stage_request(p.stage, "events");
    snprintf(r->filter, sizeof r->filter, "disk>=0 lat>=0ns");
    r->rows = 10;
    want(p.stage, CHART_HEAT, NULL);
    f = ask_whole(p.stage);
    assert_int_equal(f->chart->count, operations);
    frame_free(f);
    want(p.stage, CHART_HISTOGRAM, NULL);
    f = ask_whole(p.stage);
    assert_int_equal(f->chart->count, operations);
    frame_free(f);
    play_free(&p);
}

/* ---- processors ---------------------------------------------------------------------------- */

/* RUN of all threads but the idle ones, ns. */
static double run_of(const struct frame *f)
{
    double sum = total(f, "run").number;
    for (unsigned i = 0; i < f->row_count; i++)
        if (strcmp(text_of(f, cell(f, i, "name")), "(idle)") == 0)
            sum -= cell(f, i, "run").number;
    return sum * seconds_of(f, "run");
}

static double busy_between(const struct chart *p, int64_t from, int64_t to)
{
    double sum = 0;
    for (unsigned c = 0; c < p->columns; c++) {
        const int64_t at = p->begin_ns + (int64_t)c * p->column_ns;
        for (unsigned i = 0; i < p->lanes && at >= from && at < to; i++)
            sum += (double)p->busy[(size_t)c * p->lanes + i];
    }
    return sum;
}

static void expect_near(double a, double b)
{
    if (fabs(a - b) > 1e-6 * fabs(b) + 1000)
        fail_msg("%.0f ns on the map, %.0f ns in the pane", a, b);
}

static void processors_ran_what_threads_ran(void **state)
{
    (void)state;
    struct play p = play_new(75, SECOND / 2);
    const int64_t start = synthetic_time(p.machine);
    for (unsigned step = 3; step < 7; step++) {
        play_until(&p, start + (int64_t)step * TICKS * 7 / 10);
        stage_request(p.stage, "cpu")->accumulate = false;
        want(p.stage, CHART_CPUS, NULL);
        struct frame *const f = ask_whole(p.stage);
        const int64_t end = f->origin + (int64_t)f->interval * f->sample_ns;
        assert_true(run_of(f) > 0);
        expect_near(busy_between(f->chart, end - f->sample_ns, end), run_of(f));
        frame_free(f);
    }
    play_all(&p);
    stage_request(p.stage, "cpu");
    want(p.stage, CHART_CPUS, NULL);
    frame_free(stage_ask(p.stage));
    struct frame *const f = ask_whole(p.stage);
    const struct chart *const m = f->chart;
    assert_int_equal(m->lanes, synthetic_cpus(p.machine));
    assert_true(m->name_count == CHART_NAMES);
    expect_near((double)m->busy_ns, run_of(f));
    expect_near(busy_between(m, INT64_MIN, INT64_MAX), run_of(f));
    for (size_t i = 0; i < (size_t)m->columns * m->lanes; i++) {
        assert_true(m->busy[i] <= (uint64_t)m->column_ns);
        assert_true((m->busy[i] == 0) == (m->who[i] == 0));
    }
    frame_free(f);
    play_free(&p);
}

/* More processors than lines: they share lanes, and nothing is lost. */
static void processors_share_lanes(void **state)
{
    (void)state;
    struct play p = play_new(76, SECOND);
    play_all(&p);
    stage_request(p.stage, "cpu");
    want(p.stage, CHART_CPUS, NULL);
    p.stage->request.chart.lanes = 1;
    frame_free(stage_ask(p.stage));
    struct frame *const f = ask_whole(p.stage);
    assert_true(f->chart->lanes == 1 && f->chart->cpus_per_lane == f->cpus && f->cpus > 1);
    expect_near((double)f->chart->busy_ns, run_of(f));
    frame_free(f);
    play_free(&p);
}

/* ---- the store ----------------------------------------------------------------------------- */

static uint64_t counted(const struct heat *h)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < (size_t)h->room * h->rows; i++)
        sum += h->counts[i];
    return sum;
}

/* Whatever comes in whatever order: all of it is counted, in its column, and takes no more
 * memory than the first. */
static void columns_double(void **state)
{
    (void)state;
    enum { MANY = 200000 };
    struct heat h;
    uint64_t random = 88172645463325252;
    heat_init(&h, &(struct heat_options){.origin = -77, .column_ns = 3, .columns = 50});
    const size_t bytes = heat_bytes(&h);
    int64_t low = INT64_MAX, high = INT64_MIN;
    for (unsigned i = 0; i < MANY; i++) {
        random ^= random << 13, random ^= random >> 7, random ^= random << 17;
        const int64_t time = (int64_t)(random >> 20) % (1 + (int64_t)i * 1000) - (int64_t)i * 300;
        heat_count(&h, time, random >> (random & 63));
        low = time < low ? time : low;
        high = time > high ? time : high;
        if (i % 1000)
            continue;
        assert_int_equal(counted(&h), i + 1);
        assert_true(h.used <= 50);
        assert_true(h.origin + h.base * h.column_ns <= low);
        assert_true(h.origin + (h.base + (int64_t)h.used) * h.column_ns > high);
    }
    assert_int_equal(heat_bytes(&h), bytes);
    assert_true(bytes < 50 * 1024);
    heat_fini(&h);
}

static void fixed_columns_go(void **state)
{
    (void)state;
    struct heat h;
    heat_init(&h, &(struct heat_options){.column_ns = 10, .columns = 4, .is_fixed = true});
    for (int64_t t = 0; t < 100; t += 5)
        heat_count(&h, t, 100);
    assert_int_equal(h.used, 4);
    assert_int_equal(h.base, 6);
    assert_int_equal(counted(&h), 8);
    heat_count(&h, 12, 100); /* too old */
    assert_int_equal(counted(&h), 8);
    heat_forget(&h, 85);
    assert_int_equal(h.base, 8);
    assert_int_equal(counted(&h), 4);
    heat_count(&h, 100000, 100);
    assert_int_equal(counted(&h), 1);
    heat_fini(&h);
}

static void slices_are_spread(void **state)
{
    (void)state;
    struct heat h;
    heat_init(&h, &(struct heat_options){
                      .column_ns = 10, .columns = 8, .rows = 2, .is_of_cpus = true});
    heat_slice(&h, 1, 0, 35, 20, 7); /* from 15 to 35 */
    assert_int_equal(h.cells[0 * 2 + 1].busy, 5);
    assert_int_equal(h.cells[1 * 2 + 1].busy, 10);
    assert_int_equal(h.cells[2 * 2 + 1].busy, 5);
    heat_slice(&h, 0, 0, 40, 10, 8);
    assert_int_equal(h.used, 3);
    assert_int_equal(h.cells[2 * 2 + 0].busy, 10);
    assert_int_equal(h.cells[2 * 2 + 0].who.of[0], 8);
    heat_slice(&h, 0, 20, 40, 60, 9); /* began before what is kept: that counts in the first */
    uint64_t sum = 0;
    for (unsigned i = 0; i < h.used * h.rows; i++)
        sum += h.cells[i].busy;
    assert_int_equal(sum, 90);
    heat_fini(&h);
}

/* Rows and octaves begin where they say. */
static void rows_have_edges(void **state)
{
    (void)state;
    for (unsigned row = 0; row + 1 < CHART_OCTAVES * CHART_STEPS; row++) {
        assert_int_equal(chart_row_of(chart_row_ns(row)), row);
        assert_int_equal(chart_row_of(chart_row_ns(row + 1) - 1), row);
        assert_int_equal(chart_octave_of(chart_row_ns(row)), row / CHART_STEPS);
    }
    assert_int_equal(chart_row_of(UINT64_MAX), CHART_OCTAVES * CHART_STEPS - 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_latency_adds_up),
        cmocka_unit_test(rows_have_latencies_of_their_own),
        cmocka_unit_test(what_narrows_rows_narrows_pictures),
        cmocka_unit_test(sizes_of_queries_add_up),
        cmocka_unit_test(intervals_are_columns),
        cmocka_unit_test(events_count_themselves),
        cmocka_unit_test(processors_ran_what_threads_ran),
        cmocka_unit_test(processors_share_lanes),
        cmocka_unit_test(columns_double),
        cmocka_unit_test(fixed_columns_go),
        cmocka_unit_test(slices_are_spread),
        cmocka_unit_test(rows_have_edges),
    };
    return cmocka_run_group_tests_name("pictures", tests, NULL, NULL);
}

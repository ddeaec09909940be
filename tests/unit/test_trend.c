/* What rows were in the intervals before, against the amounts that were sent in each. */
#include "tests/stage.h"

#include "src/pane/query_pane.h"

#include <stdio.h>
#include <string.h>

enum { SECONDS = 40, SECOND_US = 1000000, KEPT = 32, SHOWN = 16, PID = 40, OTHER = 41, STEADY = 5 };

static const int64_t SECOND_NS = 1000000000;

static unsigned amount_of(unsigned second)
{
    return second * 37 % 11 * 10;
}

static void send_second(const struct scene *by, unsigned i)
{
    const int64_t us = (int64_t)i * SECOND_US;
    if (amount_of(i))
        send_tcp(by, us + SECOND_US / 2, true, PID, amount_of(i));
    send_tcp(by, us + SECOND_US / 2 + 1, true, OTHER, STEADY);
}

static struct stage *begin(struct scene *by)
{
    struct stage *const s = stage_open(1, 1 << 20, RING_SEGMENT);
    *by = (struct scene){.stage = s, .pid = 4, .tid = EVENT_NO_ID};
    send_process(by, 0, HOOK_DC_START, PID, 4, "talker.exe");
    send_process(by, 0, HOOK_DC_START, OTHER, 4, "talker.exe");
    return s;
}

static struct stage *finished(void)
{
    struct scene by;
    struct stage *const s = begin(&by);
    for (unsigned i = 0; i < SECONDS; i++)
        send_second(&by, i);
    stage_finish(s);
    stage_play(s);
    return s;
}

static int row_of(const struct frame *f, uint64_t pid)
{
    for (unsigned i = 0; i < f->row_count; i++)
        if (cell(f, i, "pid").count == pid)
            return (int)i;
    return -1;
}

/* The row's series is what was sent from second `first` to the one before `end`, each times
 * `factor` and `more`. */
static void assert_series_of(const struct frame *f, int row, const char *column, unsigned first,
                             unsigned end, unsigned least, unsigned more)
{
    char wanted[512] = "";
    size_t used = 0;
    for (unsigned i = first; i < end; i++) {
        const unsigned sent = amount_of(i) >= least ? amount_of(i) : 0;
        used += (size_t)snprintf(wanted + used, sizeof wanted - used, "%s%u", used ? " " : "",
                                 sent + more);
    }
    assert_true(row >= 0);
    const struct value v = cell(f, (unsigned)row, column);
    assert_int_equal(v.type, VALUE_SERIES);
    assert_string_equal(text_of(f, v), wanted);
}

static void assert_series(const struct frame *f, int row, unsigned first, unsigned end,
                          unsigned least, unsigned more)
{
    assert_series_of(f, row, "trend", first, end, least, more);
}

static void the_last_intervals_are_reported(void **state)
{
    (void)state;
    struct stage *const s = finished();
    stage_request(s, "network");
    struct frame *const f = stage_ask(s);
    assert_series(f, row_of(f, PID), SECONDS - SHOWN, SECONDS, 0, 0);
    assert_string_equal(text_of(f, cell(f, (unsigned)row_of(f, OTHER), "trend")),
                        "5 5 5 5 5 5 5 5 5 5 5 5 5 5 5 5");
    frame_free(f);
    stage_close(s);
}

/* A running interval is none yet. */
static void live_ones_are_whole(void **state)
{
    (void)state;
    enum { SOME = 10 };
    struct scene by;
    struct stage *const s = begin(&by);
    uint64_t events = 2;
    for (unsigned i = 0; i <= SOME; i++) {
        send_second(&by, i);
        events += 1 + (amount_of(i) > 0);
    }
    stage_play(s);
    while (engine_figures(s->engine).events < events)
        os_sleep(100000);
    stage_request(s, "network");
    struct frame *f = stage_ask_now(s);
    assert_series(f, row_of(f, PID), 0, SOME, 0, 0);
    frame_free(f);
    stage_request(s, "network")->freeze = true; /* frozen ones, too, whatever happens meanwhile */
    frame_free(stage_ask_now(s));
    for (unsigned i = SOME + 1; i < SECONDS; i++)
        send_second(&by, i);
    stage_finish(s);
    f = stage_ask(s);
    assert_true(f->is_frozen);
    assert_series(f, row_of(f, PID), 0, SOME + 1, 0, 0); /* over by now: the last one joins */
    frame_free(f);
    stage_close(s);
}

/* Stepped back, they end with the shown second, and begin where they are kept. */
static void steps_back_show_what_was_before(void **state)
{
    (void)state;
    struct stage *const s = finished();
    stage_request(s, "network");
    struct frame *f = stage_ask(s);
    const int64_t origin = f->origin;
    frame_free(f);
    static const struct {
        unsigned second, first, end;
    } rows[] = {{39, 24, 40}, {35, 20, 36}, {24, 9, 25}, {20, 8, 21}, {8, 8, 9}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct request *const r = stage_request(s, "network");
        r->freeze = true;
        r->to_ns = origin + (rows[i].second + 1) * SECOND_NS - 1;
        r->from_ns = r->to_ns - SECOND_NS;
        f = stage_ask(s);
        if (amount_of(rows[i].second))
            assert_series(f, row_of(f, PID), rows[i].first, rows[i].end, 0, 0);
        frame_free(f);
    }
    struct request *const r = stage_request(s, "network");
    r->freeze = true;
    r->to_ns = origin + 6 * SECOND_NS - 1;
    r->from_ns = r->to_ns - SECOND_NS;
    f = stage_ask(s);
    assert_int_equal(cell(f, (unsigned)row_of(f, OTHER), "trend").type, VALUE_ABSENT);
    frame_free(f);
    stage_close(s);
}

/* Filters and crumbs look at the same events everywhere. */
static void they_are_of_what_is_shown(void **state)
{
    (void)state;
    struct stage *const s = finished();
    struct request *r = stage_request(s, "network");
    snprintf(r->filter, sizeof r->filter, "size>=60B");
    struct frame *f = stage_ask(s);
    assert_series(f, row_of(f, PID), SECONDS - SHOWN, SECONDS, 60, 0);
    frame_free(f);
    stage_request(s, "processes");
    f = stage_ask(s);
    const struct row_key key = f->rows[row_of(f, PID)].key;
    frame_free(f);
    r = stage_request(s, "network");
    r->crumb_count = 1;
    r->crumbs[0] = (struct crumb){.kind = CRUMB_PROCESS, .key = key};
    f = stage_ask(s);
    assert_int_equal(f->shown, 1);
    assert_series(f, 0, SECONDS - SHOWN, SECONDS, 0, 0);
    frame_free(f);
    r->crumb_count = 0;
    r->group = GROUPED_BY_NAME;
    f = stage_ask(s);
    assert_int_equal(f->shown, 1);
    assert_series(f, 0, SECONDS - SHOWN, SECONDS, 0, STEADY);
    frame_free(f);
    stage_close(s);
}

/* A query has one per `trend`, each of its own amounts: here of events and sizes. */
static void queries_have_as_many_as_they_ask_for(void **state)
{
    (void)state;
    struct stage *const s = finished();
    struct err err = {""};
    struct query q;
    assert_true(query_parse(&q, "by pid | trend, sum size, trend size where class=network", &err));
    const struct pane *const pane = query_pane_new(&q, &err);
    assert_non_null(pane);
    stage_request(s, "events")->pane = pane;
    s->request.sort = 0;
    struct frame *f = stage_ask(s);
    const int row = row_of(f, PID);
    assert_series_of(f, row, "trend_size", SECONDS - SHOWN, SECONDS, 0, 0);
    char events[2 * SHOWN + 1] = "";
    for (unsigned i = SECONDS - SHOWN; i < SECONDS; i++)
        strcat(events, amount_of(i) ? i + 1 < SECONDS ? "1 " : "1" : i + 1 < SECONDS ? "0 " : "0");
    assert_string_equal(text_of(f, cell(f, (unsigned)row, "trend")), events);
    assert_string_equal(text_of(f, cell(f, (unsigned)row_of(f, OTHER), "trend")),
                        "1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1");
    assert_string_equal(text_of(f, cell(f, (unsigned)row_of(f, OTHER), "trend_size")),
                        "5 5 5 5 5 5 5 5 5 5 5 5 5 5 5 5");
    frame_free(f);
    stage_close(s);
    query_pane_free(pane);
}

/* Rows go by the last amount; that is what filters compare, too. */
static void the_last_one_counts(void **state)
{
    (void)state;
    assert_true(text_number(VALUE_SERIES, "1 22 3", 6) == 3);
    assert_true(text_number(VALUE_SERIES, "17", 2) == 17);
    assert_true(text_number(VALUE_SERIES, "", 0) == 0);
    assert_true(text_number(VALUE_BINS, "<0:2 0:0 >=100:5", 16) == 7);
    assert_true(text_number(VALUE_BINS, "", 0) == 0);
    struct stage *const s = finished();
    struct request *const r = stage_request(s, "network");
    r->sort = (unsigned)(pane_column(r->pane, "trend") - r->pane->columns);
    struct frame *f = stage_ask(s);
    const bool is_larger = amount_of(SECONDS - 1) > STEADY;
    assert_int_equal(row_of(f, is_larger ? PID : OTHER), 0);
    frame_free(f);
    snprintf(r->filter, sizeof r->filter, "trend=5");
    f = stage_ask(s);
    assert_int_equal(f->shown, 1);
    assert_int_equal(cell(f, 0, "pid").count, OTHER);
    frame_free(f);
    stage_close(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_last_intervals_are_reported),
        cmocka_unit_test(live_ones_are_whole),
        cmocka_unit_test(steps_back_show_what_was_before),
        cmocka_unit_test(they_are_of_what_is_shown),
        cmocka_unit_test(queries_have_as_many_as_they_ask_for),
        cmocka_unit_test(the_last_one_counts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

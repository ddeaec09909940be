/* Rows of a time whose events are gone: the same as from the events, of the largest rows, and what
 * is not among them in "(others)". */
#include "tests/play.h"

#include "src/view/inside.h"

#include <math.h>

enum { SECONDS = 60, RATE = 8000, FEW_FACTS = 1 << 18, FEWER_FACTS = 1 << 16, TICKS = 10000000 };

static const int64_t INTERVAL = 1000000000;
static const double ROUNDED = 1.000001;

/* The synthetic machine, live; its engine keeps so many facts, 0: the usual number. */
static struct play begun_machine(size_t facts, int64_t interval_ns)
{
    const struct synthetic_options o = {.seed = 5,
                                        .events = (uint64_t)SECONDS * RATE,
                                        .rate = RATE,
                                        .start_ns = PLAY_START_NS,
                                        .keep_totals = true};
    const struct engine_options engine = {.interval_ns = interval_ns,
                                          .wait_ns = 50000000,
                                          .names_ns = 1,
                                          .origin_ns = PLAY_START_NS,
                                          .facts = facts};
    return play_begin(&o, 4 << 20, &stage_live, &engine);
}

static struct play live_machine(size_t facts, int64_t interval_ns)
{
    const struct play p = begun_machine(facts, interval_ns);
    play_all(&p);
    return p;
}

static struct frame *frame_of(const struct play *p, const char *pane, int64_t from, int64_t to,
                              const char *filter)
{
    struct request r = {.pane = pane_find(pane), .from_ns = from, .to_ns = to, .freeze = true};
    snprintf(r.filter, sizeof r.filter, "%s", filter);
    return play_ask(p, &r);
}

static const struct frame_row *row_with(const struct frame *f, struct row_key key)
{
    for (unsigned i = 0; i < f->row_count; i++)
        if (row_key_equal(f->rows[i].key, key))
            return &f->rows[i];
    return NULL;
}

static double number_of(struct value v)
{
    return v.type == VALUE_ABSENT || value_is_text(v) ? 0 : view_number(v);
}

/* `is_near`: of the column a part is lost, as its title says. */
static bool is_same(const struct frame *a, struct value va, const struct frame *b, struct value vb,
                    bool is_near, double within)
{
    if (va.type == VALUE_TEXT || va.type == VALUE_PATH)
        return vb.type == va.type && va.text.bytes == vb.text.bytes &&
               memcmp(a->arena + va.text.offset, b->arena + vb.text.offset, va.text.bytes) == 0;
    const double x = number_of(va), y = number_of(vb);
    return is_near ? y <= x * ROUNDED && y >= x / 2 : fabs(x - y) <= fabs(x) * within;
}

static unsigned differing(const struct frame *events, const struct value *a,
                          const struct frame *sums, const struct value *b, const char *what)
{
    const struct pane *const p = events->pane;
    unsigned count = 0;
    for (size_t c = 0; c < p->column_count; c++) {
        /* The largest of several shares, of which some are of such columns. */
        const double within = strcmp(p->columns[c].id, "share") == 0 ? 0.01 : ROUNDED - 1;
        if (sums->missing >> c & 1 || b[c].type == VALUE_ABSENT ||
            is_same(events, a[c], sums, b[c], sums->totals[c].is_incomplete, within))
            continue;
        print_message("%s %s %s: %d %g by events, %d %g by sums\n", p->id, what, p->columns[c].id,
                      a[c].type, number_of(a[c]), b[c].type, number_of(b[c]));
        count++;
    }
    return count;
}

static bool is_incomplete(const struct pane *p, const struct frame_row *r)
{
    for (size_t c = 0; c < p->column_count; c++)
        if (r->cells[c].is_incomplete)
            return true;
    return false;
}

/* A row of which a part is among the others has no more of anything. */
static unsigned above(const struct frame *events, const struct value *a, const struct value *b)
{
    const struct pane *const p = events->pane;
    unsigned count = 0;
    for (size_t c = 0; c < p->column_count; c++)
        count += b[c].is_incomplete && number_of(b[c]) > number_of(a[c]) * ROUNDED;
    return count;
}

/* Compares all that both have; adds up how many rows that were: whole ones, and parts. */
static unsigned compare(const struct play *by_events, const struct play *by_sums, const char *pane,
                        int64_t from, int64_t to, unsigned *rows, unsigned *parts)
{
    struct frame *const events = frame_of(by_events, pane, from, to, "");
    struct frame *const sums = frame_of(by_sums, pane, from, to, "");
    unsigned bad = 0;
    assert_false(events->is_of_history);
    assert_true(sums->is_of_history);
    assert_int_equal(sums->range_from, from);
    assert_int_equal(sums->range_to, to);
    assert_true(sums->row_count <= HISTORY_ROWS * ((to - from) / INTERVAL) + 1);
    const bool is_one = to - from == INTERVAL;
    for (unsigned i = 0; i < events->row_count; i++) {
        const struct frame_row *const r = row_with(sums, events->rows[i].key);
        if (!r && is_one && events->row_count <= HISTORY_ROWS)
            fail_msg("%s has %u rows; one of them is in no sum", pane, events->row_count);
        if (!r)
            continue;
        if (is_incomplete(sums->pane, r)) {
            assert_false(is_one);
            bad += above(events, events->rows[i].cells, r->cells);
            *parts += 1;
        } else {
            bad += differing(events, events->rows[i].cells, sums, r->cells, "row");
            *rows += 1;
        }
    }
    bad += differing(events, events->totals, sums, sums->totals, "total");
    frame_free(events);
    frame_free(sums);
    return bad;
}

static void sums_are_those_of_the_events(void **state)
{
    (void)state;
    static const int64_t spans[][2] = {{3, 4}, {7, 8}, {5, 15}, {2, 30}};
    struct play by_events = live_machine(0, INTERVAL), by_sums = live_machine(FEW_FACTS, INTERVAL);
    unsigned bad = 0, rows = 0, parts = 0, tables = 0;
    for (unsigned i = 0; panes[i]; i++) {
        if (!interval_history_has(panes[i]))
            continue;
        tables++;
        for (size_t s = 0; s < sizeof spans / sizeof *spans; s++)
            bad += compare(&by_events, &by_sums, panes[i]->id,
                           PLAY_START_NS + spans[s][0] * INTERVAL - 1,
                           PLAY_START_NS + spans[s][1] * INTERVAL - 1, &rows, &parts);
    }
    print_message("%u rows and %u parts of rows, of %u tables\n", rows, parts, tables);
    assert_int_equal(bad, 0);
    assert_true(rows > 1000 && parts > 100 && tables > 10);
    play_free(&by_events);
    play_free(&by_sums);
}

/* Sums of counts between two times. */
static void expect_totals(const struct play *by_events, const struct play *p, int64_t from,
                          int64_t to)
{
    struct frame *const sums = frame_of(p, "calls", from, to, "");
    assert_true(sums->is_of_history);
    assert_true(sums->range_from <= from && sums->range_to >= to);
    struct frame *const events = frame_of(by_events, "calls", sums->range_from, sums->range_to, "");
    assert_int_equal(differing(events, events->totals, sums, sums->totals, "total"), 0);
    frame_free(events);
    frame_free(sums);
}

/* A reset and other intervals in the middle of one: nothing is lost, nothing counts twice. */
static void orders_cost_nothing(void **state)
{
    (void)state;
    static const struct command orders[] = {
        {.kind = COMMAND_RESET},
        {.kind = COMMAND_INTERVAL, .number = 500000000},
        {.kind = COMMAND_INTERVAL, .number = 2000000000},
        {.kind = COMMAND_INTERVAL, .number = 1000000000},
    };
    struct play by_events = live_machine(0, INTERVAL), p = begun_machine(FEW_FACTS, INTERVAL);
    const int64_t start = synthetic_time(p.machine);
    for (unsigned i = 0; i < sizeof orders / sizeof *orders; i++) {
        play_until(&p, start + (3 + 2 * (int64_t)i) * TICKS + TICKS / 3);
        engine_command(p.stage->engine, &orders[i]);
        stage_request(p.stage, "disk");
        frame_free(stage_ask_now(p.stage)); /* behind the order */
    }
    play_all(&p);
    for (int s = 1; s < 12; s++)
        expect_totals(&by_events, &p, PLAY_START_NS + s * INTERVAL - 1,
                      PLAY_START_NS + (s + 1) * INTERVAL - 1);
    expect_totals(&by_events, &p, PLAY_START_NS - 1, PLAY_START_NS + 20 * INTERVAL - 1);
    play_free(&by_events);
    play_free(&p);
}

/* What asks for more than rows by themselves gets none of a time whose events are gone. */
static void what_needs_events_says_so(void **state)
{
    (void)state;
    struct play p = live_machine(FEW_FACTS, INTERVAL);
    const int64_t from = PLAY_START_NS + 3ll * INTERVAL - 1, to = from + INTERVAL;
    struct frame *f = frame_of(&p, "processes", from, to, "op=read");
    assert_false(f->is_of_history);
    assert_int_equal(f->row_count, 0);
    assert_true(f->sums_first <= from + 1 && f->kept_first > to);
    frame_free(f);
    f = frame_of(&p, "events", from, to, "");
    assert_false(f->is_of_history);
    assert_int_equal(f->row_count, 0);
    frame_free(f);
    f = frame_of(&p, "processes", from, to, "pid>0"); /* about rows */
    assert_true(f->is_of_history && f->row_count > 5 && f->hidden);
    frame_free(f);
    f = frame_of(&p, "cpu", from, to, ""); /* some threads are among the others … */
    const size_t sum = (size_t)(pane_column(f->pane, "csw") - f->pane->columns);
    assert_true(f->is_of_history && f->row_count == HISTORY_ROWS + 1);
    assert_false(f->totals[sum].is_incomplete);
    frame_free(f);
    f = frame_of(&p, "cpu", from, to, "pid>0"); /* … and perhaps some of these */
    assert_true(f->is_of_history && f->totals[sum].is_incomplete);
    frame_free(f);
    play_free(&p);
}

/* The history takes no more than the limit that the memory page states. */
static void expect_within_bound(const struct frame *f)
{
    unsigned i = 0;
    while (i < f->footprint.count && strcmp(f->footprint.parts[i].name, "history") != 0)
        i++;
    assert_true(i < f->footprint.count && f->footprint.parts[i].bytes);
    assert_true(f->footprint.parts[i].bytes <= f->footprint.parts[i].most);
}

/* Little room: old intervals become ten seconds, which are shown as such, and the sums stay. */
static void old_intervals_become_longer(void **state)
{
    (void)state;
    struct play by_events = live_machine(0, INTERVAL), p = live_machine(FEWER_FACTS, INTERVAL);
    const int64_t from = PLAY_START_NS + 3ll * INTERVAL - 1;
    struct frame *const sums = frame_of(&p, "calls", from, from + INTERVAL, "");
    assert_true(sums->is_of_history);
    assert_true(sums->range_to - sums->range_from >= 2 * INTERVAL);
    assert_true(sums->range_to - sums->range_from <= 10 * INTERVAL);
    struct frame *const events =
        frame_of(&by_events, "calls", sums->range_from, sums->range_to, "");
    assert_int_equal(differing(events, events->totals, sums, sums->totals, "total"), 0);
    expect_within_bound(sums);
    frame_free(events);
    frame_free(sums);
    play_free(&by_events);
    play_free(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(orders_cost_nothing),
        cmocka_unit_test(what_needs_events_says_so),
        cmocka_unit_test(old_intervals_become_longer),
        cmocka_unit_test(sums_are_those_of_the_events),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

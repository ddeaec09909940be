/* What is asked for beside rows: marks and gaps at their moments, all about a process; samples of
 * another length, whose sums are the same; the largest part of a row in every pane. */
#include "tests/play.h"

#include "src/pane/panes.h"
#include "src/table/difference.h"

#include <math.h>
#include <stdio.h>

enum { TICKS = 10000000 };

static const int64_t SECOND = 1000000000;

static bool has_text(const struct frame *f, const struct value *v, const char *text)
{
    return v->text.bytes >= strlen(text) &&
           memcmp(f->arena + v->text.offset, text, strlen(text)) == 0;
}

static void marks_have_their_moments(void **state)
{
    (void)state;
    struct play p = play_new(71, SECOND);
    const int64_t start = synthetic_time(p.machine);
    struct command mark = {.kind = COMMAND_MARK, .text = "here"};
    play_until(&p, start + 2 * TICKS);
    engine_command(p.stage->engine, &mark);
    play_all(&p);
    struct request r = {.pane = pane_find("processes"), .about = ABOUT_MARKS};
    struct frame *const f = play_ask(&p, &r);
    unsigned marks = 0;
    int64_t last = 0;
    for (unsigned i = 0; i < f->field_count; i++) {
        assert_int_equal(f->fields[i].name.type, VALUE_INSTANT);
        assert_true(f->fields[i].name.ns >= last);
        last = f->fields[i].name.ns;
        if (!has_text(f, &f->fields[i].text, "mark here"))
            continue;
        marks++;
        assert_true(llabs(f->fields[i].name.ns - (PLAY_START_NS + 2 * SECOND)) < SECOND / 10);
    }
    assert_int_equal(f->about, ABOUT_MARKS);
    assert_int_equal(marks, 1);
    frame_free(f);
    play_free(&p);
}

static const struct value *field(const struct frame *f, const char *name)
{
    for (unsigned i = 0; i < f->field_count; i++)
        if (f->fields[i].name.type == VALUE_TEXT && has_text(f, &f->fields[i].name, name))
            return &f->fields[i].text;
    return NULL;
}

static void processes_are_reported(void **state)
{
    (void)state;
    struct play p = play_new(72, SECOND);
    play_all(&p);
    struct request r = {.pane = pane_find("processes")};
    struct frame *const all = play_ask(&p, &r);
    unsigned full = 0;
    for (unsigned i = 0; i < all->row_count && i < 30; i++) {
        r.about = ABOUT_ROW;
        r.has_anchor = true;
        r.anchor = all->rows[i].key;
        struct frame *const f = play_ask(&p, &r);
        const struct value name = cell(all, i, "name"), pid = cell(all, i, "pid");
        const struct value *const shown = field(f, "Name"), *const id = field(f, "Process id");
        assert_non_null(shown);
        assert_int_equal(shown->text.bytes, name.text.bytes);
        assert_memory_equal(f->arena + shown->text.offset, all->arena + name.text.offset,
                            name.text.bytes);
        if (pid.type != VALUE_ABSENT) {
            assert_non_null(id);
            assert_int_equal(atoi(f->arena + id->text.offset), pid.count);
            full += field(f, "Files used") && field(f, "Threads");
        }
        frame_free(f);
    }
    assert_true(full > 10);
    frame_free(all);
    play_free(&p);
}

static double sum_of(const struct frame *f, const char *column)
{
    const struct value v = total(f, column);
    return value_signed(v) * (v.type == VALUE_TIME ? 1 : seconds_of(f, column));
}

/* Longer, then much shorter, while it goes on: nothing is counted twice, nothing left out, and
 * samples are of the new length. */
static void samples_change_their_length(void **state)
{
    (void)state;
    struct play p = play_new(73, SECOND), q = play_new(73, SECOND);
    const int64_t start = synthetic_time(p.machine);
    struct command c = {.kind = COMMAND_INTERVAL, .number = 2e9};
    play_until(&p, start + 21 * TICKS / 10);
    engine_command(p.stage->engine, &c);
    play_until(&p, start + 43 * TICKS / 10);
    c.number = 3e8;
    engine_command(p.stage->engine, &c);
    play_until(&p, start + 5 * TICKS);
    struct request *const now = stage_request(p.stage, "processes");
    now->accumulate = false;
    struct frame *const short_one = stage_ask_now(p.stage);
    assert_int_equal(short_one->sample_ns, 300000000);
    assert_true(short_one->is_total || fabs(short_one->interval_s - 0.3) < 1e-9);
    frame_free(short_one);
    play_all(&p);
    play_all(&q);
    struct request r = {.pane = pane_find("processes"), .accumulate = true};
    struct frame *const f = play_ask(&p, &r), *const g = play_ask(&q, &r);
    static const char *const columns[] = {"csw", "disk_read", "net_recv", "events", "cpu_time"};
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++)
        assert_true(fabs(sum_of(f, columns[i]) - sum_of(g, columns[i])) <=
                    1e-9 * fabs(sum_of(g, columns[i])));
    assert_int_equal(f->row_count, g->row_count);
    frame_free(f);
    frame_free(g);
    play_free(&p);
    play_free(&q);
}

/* The whole header is 100 % of itself; a row's largest part of any column that adds up, but for those
 * that count since the reset. */
static void every_pane_has_shares(void **state)
{
    (void)state;
    struct play p = play_new(74, SECOND);
    play_all(&p);
    for (unsigned n = 0; panes[n]; n++) {
        const struct column *const share = pane_column(panes[n], "share");
        if (panes[n]->view != PANE_TABLE)
            continue;
        if (!share)
            fail_msg("%s has no SHARE", panes[n]->id);
        struct request r = {.pane = panes[n], .accumulate = true};
        struct frame *const f = play_ask(&p, &r);
        for (unsigned i = 0; i < f->row_count; i++) {
            double largest = 0;
            for (size_t c = 0; c < panes[n]->column_count; c++) {
                const struct column *const of = &panes[n]->columns[c];
                const double whole =
                    f->totals[c].type == VALUE_ABSENT ? 0 : value_signed(f->totals[c]);
                if (!(of->flags & COLUMN_SUMS) || of->flags & COLUMN_IS_SUM || !of->measure || whole <= 0 ||
                    f->rows[i].cells[c].type == VALUE_ABSENT)
                    continue;
                const double part = value_signed(f->rows[i].cells[c]) / whole * 100;
                largest = part > largest ? part : largest;
            }
            const double shown = f->rows[i].cells[share - panes[n]->columns].number;
            if (shown < largest - 1e-6 || shown > 100 + 1e-9)
                fail_msg("%s: row %u has %g, its largest part is %g", panes[n]->id, i, shown,
                         largest);
        }
        frame_free(f);
    }
    play_free(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(marks_have_their_moments),
        cmocka_unit_test(processes_are_reported),
        cmocka_unit_test(samples_change_their_length),
        cmocka_unit_test(every_pane_has_shares),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

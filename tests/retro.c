#include "tests/retro.h"

#include "tests/test.h"

#include "collectors/collectors.h"
#include "src/base/mem.h"
#include "src/command/session.h"
#include "src/pane/panes.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 4000, RING = 256 << 20 };

static struct session *open_session(const char *path, size_t facts, uint64_t ring)
{
    struct err err;
    const struct session_options o = {.kind = &collector_etl,
                                      .collector = {.files = &path, .file_count = 1},
                                      .ring_bytes = ring,
                                      .facts = facts,
                                      .interval_ns = 1000000000};
    struct session *const s = session_start(&o, &err);
    if (!s)
        fail_msg("%s: %s", path, err.text);
    return s;
}

static void close_session(struct session *s)
{
    session_stop(s);
    session_free(s);
}

static struct request request_of(const struct retro_question *q)
{
    struct request r;
    memset(&r, 0, sizeof r);
    r.pane = pane_find(q->pane);
    assert_non_null(r.pane);
    r.rows = ROWS;
    r.accumulate = true;
    r.group = (uint8_t)q->group;
    r.chart = (struct chart_look){.kind = (uint8_t)q->chart, .columns = 150, .lanes = 16};
    for (unsigned i = r.pane->measure_count; q->chart && i > 0; i--)
        if (r.pane->measures[i - 1].kind == MEASURE_HISTOGRAM)
            r.chart.measure = (uint8_t)(i - 1);
    r.stacks.metric = (uint8_t)q->metric;
    r.stacks.is_whole = r.pane->view == PANE_TREE;
    snprintf(r.filter, sizeof r.filter, "%s", q->filter);
    for (unsigned i = 0; r.pane->sort && i < r.pane->column_count; i++)
        if (strcmp(r.pane->columns[i].id, r.pane->sort) == 0)
            r.sort = i;
    return r;
}

static struct frame *ask(struct session *s, const struct retro_question *q, uint64_t sequence)
{
    struct request r = request_of(q);
    r.sequence = sequence;
    engine_request(s->engine, &r);
    struct frame *const f = engine_wait_frame(s->engine, sequence, true, PATIENCE_NS);
    if (!f)
        fail_msg("%s, '%s': no answer", q->pane, q->filter);
    return f;
}

/* A line that grows. */
struct line {
    char *text;
    size_t bytes, room;
};

static void append(struct line *l, const char *text, size_t bytes)
{
    if (l->bytes + bytes >= l->room) {
        l->room = 2 * (l->bytes + bytes) + 256;
        l->text = mem_grow(l->text, l->room, 1);
    }
    memcpy(l->text + l->bytes, text, bytes);
    l->bytes += bytes;
    l->text[l->bytes] = '\0';
}

static void append_value(struct line *l, const struct frame *f, const struct value *v)
{
    char number[32] = "-";
    if (v->type == VALUE_TEXT || v->type == VALUE_PATH) {
        append(l, f->arena + v->text.offset, v->text.bytes);
        return;
    }
    if (v->type != VALUE_ABSENT)
        snprintf(number, sizeof number, "%" PRIu64, v->count);
    append(l, number, strlen(number));
}

/* The heaviest of several comes from a few candidates: it is not exact, and depends on where
 * counting began. So do trends, which show earlier intervals. */
static bool is_estimate(const struct column *c)
{
    return (c->measure && c->type == VALUE_TEXT) || c->type == VALUE_SERIES;
}

static char *line_of(const struct frame *f, const struct value *cells)
{
    struct line l = {NULL, 0, 0};
    append(&l, "", 0);
    for (size_t c = 0; c < f->pane->column_count; c++) {
        const struct column *const column = &f->pane->columns[c];
        if (is_estimate(column))
            continue;
        append(&l, column->id, strlen(column->id));
        append(&l, "=", 1);
        append_value(&l, f, &cells[c]);
        append(&l, " ", 1);
    }
    return l.text;
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Rows that are equal by the column sorted by stand in any order. */
static char **lines_of(const struct frame *f)
{
    char **const lines = calloc(f->row_count + 1, sizeof *lines);
    for (unsigned i = 0; i < f->row_count; i++)
        lines[i] = line_of(f, f->rows[i].cells);
    qsort(lines, f->row_count, sizeof *lines, by_text);
    return lines;
}

static void free_lines(char **lines)
{
    for (char **l = lines; *l; l++)
        free(*l);
    free(lines);
}

static void compare_lines(const char *where, const char *one, const char *other)
{
    if (strcmp(one, other) != 0)
        fail_msg("%s\n  typed later    %s\n  from the start %s", where, one, other);
}

static unsigned compare(const struct retro_question *q, const struct frame *x,
                        const struct frame *y)
{
    char where[256];
    snprintf(where, sizeof where, "%s, '%s'", q->pane, q->filter);
    char **const ones = lines_of(x), **const others = lines_of(y);
    for (unsigned i = 0; i < x->row_count || i < y->row_count; i++)
        compare_lines(where, ones[i] ? ones[i] : "(no more)", others[i] ? others[i] : "(no more)");
    assert_int_equal(x->shown, y->shown);
    assert_int_equal(x->hidden, y->hidden);
    free_lines(ones);
    free_lines(others);
    char *const one = line_of(x, x->totals), *const other = line_of(y, y->totals);
    compare_lines(where, one, other);
    free(one);
    free(other);
    return x->row_count;
}

unsigned retro_compare(const char *path, const struct retro_question *asked, size_t count)
{
    const struct retro_question nothing = {.pane = "processes", .filter = ""};
    struct frame **const later = calloc(count, sizeof(struct frame *));
    struct session *const read_already = open_session(path, 0, RING);
    unsigned rows = 0;
    frame_free(ask(read_already, &nothing, 1));
    for (size_t i = 0; i < count; i++)
        later[i] = ask(read_already, &asked[i], i + 2);
    close_session(read_already);
    for (size_t i = 0; i < count; i++) {
        struct session *const anew = open_session(path, 0, RING);
        struct frame *const f = ask(anew, &asked[i], 1);
        close_session(anew);
        rows += compare(&asked[i], later[i], f);
        frame_free(f);
        frame_free(later[i]);
    }
    free(later);
    return rows;
}

/* ---- what is kept ---------------------------------------------------------------------------- */

static struct frame *ask_inside(struct session *s, const struct retro_question *q, uint64_t sequence)
{
    struct request r = request_of(q);
    r.sequence = sequence;
    if (q->is_inside) {
        const struct retro_question all = {.pane = "processes", .filter = ""};
        struct frame *const f = ask(s, &all, sequence);
        assert_true(f->row_count > 0);
        assert_int_equal(f->rows[0].crumb, CRUMB_PROCESS);
        r.crumbs[0] = (struct crumb){.kind = CRUMB_PROCESS, .key = f->rows[0].key};
        r.crumb_count = 1;
        r.sequence = sequence + 1;
        frame_free(f);
    }
    engine_request(s->engine, &r);
    struct frame *const f = engine_wait_frame(s->engine, r.sequence, true, PATIENCE_NS);
    if (!f)
        fail_msg("%s, '%s': no answer", q->pane, q->filter);
    return f;
}

static void compare_charts(const struct retro_question *q, const struct chart *x,
                           const struct chart *y)
{
    assert_true(!x == !y);
    if (!x)
        return;
    print_message("%s '%s': a picture of %" PRIu64 " in %u columns, %" PRIu64 " ns\n", q->pane,
                  q->filter, x->count, x->columns, x->busy_ns);
    assert_int_equal(x->kind, y->kind);
    assert_int_equal(x->count, y->count);
    assert_memory_equal(x->octaves, y->octaves, sizeof x->octaves);
    assert_int_equal(x->begin_ns, y->begin_ns);
    assert_int_equal(x->column_ns, y->column_ns);
    assert_int_equal(x->columns, y->columns);
    assert_int_equal(x->rows, y->rows);
    assert_int_equal(x->busy_ns, y->busy_ns);
    if (x->cells)
        assert_memory_equal(x->cells, y->cells, (size_t)x->columns * x->rows * sizeof *x->cells);
    if (x->busy)
        assert_memory_equal(x->busy, y->busy, (size_t)x->columns * x->lanes * sizeof *x->busy);
}

unsigned retro_compare_kept(const char *path, const struct retro_question *asked, size_t count)
{
    enum { LEAST_FACTS = 1, LEAST_RING = 4 << 20 };
    const struct retro_question nothing = {.pane = "processes", .filter = ""},
                                list = {.pane = "events", .filter = ""};
    struct session *const all = open_session(path, 0, RING),
                   *const few = open_session(path, LEAST_FACTS, LEAST_RING);
    unsigned rows = 0;
    frame_free(ask(all, &nothing, 1));
    frame_free(ask(few, &nothing, 1));
    struct frame *const x = ask(all, &list, 2), *const y = ask(few, &list, 2);
    assert_false(x->is_window_only);
    assert_true(y->is_window_only);
    assert_true(y->shown < x->shown);
    print_message("%s: %" PRIu64 " of %" PRIu64 " events are kept\n", path, y->shown, x->shown);
    frame_free(x);
    frame_free(y);
    for (size_t i = 0; i < count; i++) {
        struct frame *const of_all = ask_inside(all, &asked[i], 10 + 2 * i),
                     *const of_few = ask_inside(few, &asked[i], 10 + 2 * i);
        assert_false(of_all->is_window_only);
        assert_false(of_few->is_window_only);
        assert_int_equal(of_all->unread, 0);
        assert_int_equal(of_few->unread, 0);
        const unsigned compared = compare(&asked[i], of_all, of_few);
        print_message("%s '%s': %u rows\n", asked[i].pane, asked[i].filter, compared);
        compare_charts(&asked[i], of_all->chart, of_few->chart);
        rows += compared;
        frame_free(of_all);
        frame_free(of_few);
    }
    close_session(all);
    close_session(few);
    return rows;
}

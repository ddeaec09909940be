/* Three feeds, one result: a query that was asked before the events came, one that is asked of the
 * history afterwards, and one that a whole file streams through. Rows, every cell, totals, and
 * the time that rates are divided by; over the demo, a trace of Linux and one of Windows. */
#include "tests/bound.h"
#include "tests/sanitizer.h"
#include "tests/shared.h"

#include "collectors/collectors.h"
#include "src/command/session.h"
#include "src/os/os.h"
#include "src/pane/panes.h"
#include "src/pane/query_pane.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const queries[] = {
    ("by pid, op | count, sum size, rate, rate size, avg lat, stddev size, stddev lat, min lat, "
     "max "
     "size, p50 lat, p999 size, quantize lat, lquantize(0,1M,50K) size, first lat, last size"),
    "by proc | sum run, rate run, avg run, distinct path, distinct tid where class!=other",
    "by path | count, sum size, p99 lat, most op where class=file,disk",
    "by tid | count, sum lat, distinct cpu, last cpu, first op where class=switch,ready",
    "by event | count, rate",
    "by dir(path, 2), op | count, max lat where lat>=10us",
    "by net(raddr, 24) | sum size, distinct connid",
    "by time(100ms), op | count",
    "by stack | count where class=sample",
    "by bucket(size), cpu | count",
    "by .TransferSize | count, sum .TransferSize, avg .TransferSize, p90 .TransferSize",
    "by proc | count where failed",
    "by pid, op | trend, trend size, trend lat",
    "by proc | trend run, trend .TransferSize",
};
enum {
    QUERIES = sizeof queries / sizeof *queries,
    ROWS = 1 << 20,
    RING = 256 << 20,
    STREAM = 8 << 20
};

static const int64_t TIMEOUT = PATIENCE_NS, /* only what hangs takes as long */
    START = 1700000000000000000;

/* An answer as lines of text, one a row, in order. */
struct lines {
    char **at;
    unsigned count;
};

static int order(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static void add_cell(FILE *to, const struct frame *f, const struct value *v)
{
    if (v->type == VALUE_TEXT || v->type == VALUE_PATH || v->type == VALUE_BINS ||
        v->type == VALUE_SERIES)
        fprintf(to, "%.*s\t", (int)v->text.bytes, f->arena + v->text.offset);
    else
        fprintf(to, "%u %u %llx\t", v->type, v->is_estimated, (unsigned long long)v->count);
}

static void add_line(struct lines *l, const struct frame *f, const struct value *cells)
{
    char *text = NULL;
    size_t bytes;
    FILE *const to = open_memstream(&text, &bytes);
    for (size_t c = 0; c < f->pane->column_count; c++)
        add_cell(to, f, &cells[c]);
    fclose(to);
    l->at[l->count++] = text;
}

static struct lines lines_of(const struct frame *f)
{
    struct lines l = {.at = calloc(f->row_count + 2, sizeof(char *))};
    for (unsigned i = 0; i < f->row_count; i++)
        add_line(&l, f, f->rows[i].cells);
    add_line(&l, f, f->totals);
    qsort(l.at, l.count, sizeof *l.at, order);
    char seconds[32 * FRAME_COLUMNS] = "";
    for (size_t c = 0; c < f->pane->column_count; c++)
        snprintf(seconds + strlen(seconds), 32, "%.9f ", f->column_s[c]);
    l.at[l.count++] = strdup(seconds);
    return l;
}

static void lines_free(struct lines *l)
{
    for (unsigned i = 0; i < l->count; i++)
        free(l->at[i]);
    free(l->at);
}

/* What is read: a file, or the demo (NULL). */
static struct session *session(const char *path, uint64_t ring, const struct request *only)
{
    struct err err = {""};
    const struct session_options o = {.kind = path ? &collector_etl : &collector_synthetic,
                                      .collector = {.files = &path,
                                                    .file_count = path != NULL,
                                                    .seed = 5,
                                                    .events = 60000,
                                                    .start_ns = START},
                                      .ring_bytes = ring,
                                      .interval_ns = 1000000000,
                                      .only = only};
    struct session *const s = session_start(&o, &err);
    if (!s)
        fail_msg("%s: %s", path ? path : "demo", err.text);
    return s;
}

static struct frame *ask(struct session *s, struct request *r, bool finished)
{
    r->sequence++;
    engine_request(s->engine, r);
    struct frame *const f = engine_wait_frame(s->engine, r->sequence, finished, TIMEOUT);
    assert_non_null(f);
    return f;
}

/* The answer, once all events have come. */
static struct lines whole_answer(struct session *s, struct request *r)
{
    struct frame *const f = ask(s, r, true);
    const struct lines l = lines_of(f);
    frame_free(f);
    return l;
}

/* Answers while events come; the last one has all. */
static struct lines incremental(const char *path, struct request r, unsigned *before)
{
    struct session *const s = session(path, RING, NULL);
    for (bool is_over = false; !is_over;) {
        struct frame *const f = ask(s, &r, false);
        is_over = f->state == STATE_FINISHED || f->state == STATE_FAILED;
        *before += !is_over && f->row_count;
        frame_free(f);
        os_sleep(is_over ? 0 : 20000000);
    }
    const struct lines l = whole_answer(s, &r);
    session_stop(s);
    session_free(s);
    return l;
}

static struct lines stream(const char *path, struct request r)
{
    struct session *const s = session(path, STREAM, &r);
    const struct lines l = whole_answer(s, &r);
    session_stop(s);
    session_free(s);
    return l;
}

/* Returns how many lines differ, and prints the first. */
static unsigned differ(const char *what, const struct lines *a, const struct lines *b)
{
    unsigned wrong = a->count != b->count;
    if (wrong)
        print_message("%s: %u and %u lines\n", what, a->count, b->count);
    for (unsigned i = 0; i < a->count && i < b->count; i++)
        if (strcmp(a->at[i], b->at[i]) != 0 && wrong++ < 3)
            print_message("%s:\n  %.300s\n  %.300s\n", what, a->at[i], b->at[i]);
    return wrong;
}

/* The demo is no file: what has left the ring cannot be read again when its stack comes. */
static bool is_left_out(const char *path, const char *query)
{
    return !path && strstr(query, "stack");
}

static void compare(const char *path)
{
    static const struct pane *kept[QUERIES]; /* as long as anybody asks for them */
    struct session *const s = session(path, RING, NULL);
    struct request of_kept = {.pane = pane_find("processes"), .rows = 1};
    unsigned wrong = 0, lines = 0, before = 0;
    frame_free(ask(s, &of_kept, true));
    for (unsigned i = 0; i < QUERIES; i++) {
        const struct pane *const p = bound(queries[i]);
        kept[i] = p;
        if (is_left_out(path, queries[i]))
            continue;
        struct request r = {.pane = p, .rows = ROWS, .accumulate = true};
        r.sort = (unsigned)(pane_column(p, p->sort) - p->columns);
        r.ascending = p->order == ORDER_ASCENDING;
        of_kept = (struct request){.sequence = of_kept.sequence,
                                   .pane = r.pane,
                                   .sort = r.sort,
                                   .ascending = r.ascending,
                                   .rows = ROWS,
                                   .accumulate = true};
        struct lines a = incremental(path, r, &before), b = whole_answer(s, &of_kept),
                     c = stream(path, r);
        char what[300];
        snprintf(what, sizeof what, "%.150s, \"%.60s\", as it came and kept", path ? path : "demo",
                 queries[i]);
        wrong += differ(what, &a, &b);
        snprintf(what, sizeof what, "%.150s, \"%.60s\", kept and streamed", path ? path : "demo",
                 queries[i]);
        wrong += differ(what, &b, &c);
        lines += b.count;
        lines_free(&a);
        lines_free(&b);
        lines_free(&c);
    }
    session_stop(s);
    session_free(s);
    for (unsigned i = 0; i < QUERIES; i++)
        query_pane_free(kept[i]);
    print_message("%s: %u lines, %u answers on the way\n", path ? path : "demo", lines, before);
    assert_int_equal(wrong, 0);
    assert_true(lines > 3 * QUERIES);
}

static void of_the_demo(void **state)
{
    (void)state;
    compare(NULL);
}

static void of_linux(void **state)
{
    (void)state;
    compare("tests/data/linux.etl.zst");
}

/* The largest; sanitizers watch the same code at work on the other two. */
static void of_windows(void **state)
{
    (void)state;
    if (IS_SANITIZED)
        return;
    glob_t found = shared_files("../shared/etl/perfview-*PerfViewData.etl.zst");
    compare(found.gl_pathv[0]);
    globfree(&found);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(of_the_demo),
        cmocka_unit_test(of_linux),
        cmocka_unit_test(of_windows),
    };
    return cmocka_run_group_tests_name("feeds of queries", tests, NULL, NULL);
}

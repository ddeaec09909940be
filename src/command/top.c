#include "src/command/top.h"

#include "src/base/mem.h"
#include "src/base/message.h"
#include "src/command/fields.h"
#include "src/command/option_table.h"
#include "src/export/part.h"
#include "src/filter/filter.h"
#include "src/pane/event_columns.h"
#include "src/pane/query_pane.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const struct option options_for_top[] = {
    {0, "by", "QUERY", "group events instead of a pane: 'proc, path | count, sum size top 10'",
     AT(by), option_read_text},
    {'s', "sort", "COL[:asc]", "sort by this column; largest first unless :asc", AT(sort),
     option_read_text},
    {.name = NULL},
};

enum { PATIENCE_NS = 200000000 }; /* between looks at `stop` */

struct top {
    const struct top_options *options;
    struct session *session;
    struct request request;
    struct export_view view;
    const struct export_kind *kind;
    FILE *to;
    struct event_columns *event_columns; /* NULL: none are fields of payloads */
    struct query_pane *query;            /* --by; NULL: a pane of the list */
    bool has_printed; /* the first part is out, with what stands above it */
    uint64_t printed; /* intervals that were over when the last table was printed */
};

/* ---- the request -------------------------------------------------------------------- */

bool top_sort(struct request *r, const char *sort, struct err *err)
{
    const struct pane *const p = r->pane;
    char id[EVENT_COLUMN_NAME];
    const char *const given = sort ? sort : p->sort ? p->sort : p->columns[0].id;
    const size_t bytes = strcspn(given, ":");
    const char *const order = given + bytes;
    snprintf(id, sizeof id, "%.*s", (int)(bytes < sizeof id ? bytes : sizeof id - 1), given);
    struct export_view one = {.column_count = 0};
    if (!export_columns(&one, p, id, err))
        return false;
    if (*order && strcmp(order, ":asc") != 0 && strcmp(order, ":desc") != 0)
        return fail(err, "expected :asc or :desc behind the column, found '%s'", order);
    r->sort = one.columns[0];
    r->ascending = strcmp(order, ":asc") == 0;
    return true;
}

static bool has_column(const struct export_view *v, const struct pane *p, const char *id)
{
    for (unsigned i = 0; i < v->column_count; i++)
        if (strcmp(p->columns[v->columns[i]].id, id) == 0)
            return true;
    return false;
}

static bool begin_query(struct top *t, const char *text, struct err *err)
{
    struct query q;
    char *const whole = mem_new(strlen(text) + sizeof "by ", 1);
    sprintf(whole, "%s%s", query_is_one(text) ? "" : "by ", text);
    const bool ok = query_parse(&q, whole, err);
    free(whole);
    t->query = ok ? query_pane_new(&q, err) : NULL;
    return t->query != NULL;
}

/* The pane that is asked for; NULL with a sentence. */
static const struct pane *find_pane(struct top *t, struct err *err)
{
    const struct options *const o = &t->options->line->options;
    if (o->by)
        return begin_query(t, o->by, err) ? query_pane_of(t->query) : NULL;
    const struct pane *const pane = fields_pane(t->options->line->subject, err);
    if (!pane)
        return NULL;
    err->text[0] = '\0';
    t->event_columns = event_columns_new(pane, o->columns, err);
    if (err->text[0])
        return NULL;
    return t->event_columns ? event_columns_pane(t->event_columns) : pane;
}

static bool choose_order(struct top *t, struct err *err)
{
    struct request *const r = &t->request;
    if (!top_sort(r, t->options->line->options.sort, err))
        return false;
    if (t->query && !t->options->line->options.sort)
        r->sort = query_pane_sort(t->query, &r->ascending);
    return true;
}

static bool make_request(struct top *t, struct err *err)
{
    const struct command_line *const line = t->options->line;
    const struct pane *const pane = find_pane(t, err);
    if (!pane)
        return false;
    const size_t bytes = strlen(line->filter);
    if (line->options.range && !line->file_count)
        return fail(err, "-r chooses a part of a recording: name its FILE");
    if (bytes >= FILTER_MAX)
        return fail(err, "a filter has at most %d bytes, this one has %zu", FILTER_MAX - 1, bytes);
    if (!filter_check(line->filter, pane, err))
        return false;
    t->request = (struct request){.pane = pane, .accumulate = line->file_count > 0};
    memcpy(t->request.filter, line->filter, bytes + 1);
    t->kind = export_find(line->format);
    /* People get what fits a screen, programs everything. */
    const char *const usual = t->kind->is_for_people ? NULL : "all";
    const char *const columns = line->options.columns ? line->options.columns : usual;
    if (!choose_order(t, err) || !export_columns(&t->view, pane, columns, err))
        return false;
    t->request.names_events = pane->view == PANE_EVENTS && !has_column(&t->view, pane, "event");
    return true;
}

/* A part of the recording, by the ends that `cut` finds for it: a request leaves its first out. */
static enum exit_status choose_range(struct top *t)
{
    const struct command_line *const line = t->options->line;
    const struct part_options o = {.files = line->files,
                                   .file_count = line->file_count,
                                   .range = line->options.range,
                                   .stop = t->options->stop};
    int64_t from, to;
    const int status = o.range ? part_range(&o, &from, &to, stderr) : EXIT_DONE;
    if (status != EXIT_DONE || !o.range)
        return status;
    t->request.from_ns = from - 1;
    t->request.to_ns = to;
    return EXIT_DONE;
}

/* ---- frames --------------------------------------------------------------------------- */

static bool is_stopped(const struct top *t)
{
    return atomic_load(t->options->stop);
}

/* The answer to the request; NULL when the command is to stop. */
static struct frame *ask(struct top *t, bool settled)
{
    t->request.sequence++;
    engine_request(t->session->engine, &t->request);
    struct frame *f = NULL;
    while (!f && !is_stopped(t))
        f = engine_wait_frame(t->session->engine, t->request.sequence, settled, PATIENCE_NS);
    return f;
}

/* How many rows are wanted, which the first frame tells; false when the command is to stop. */
static bool count_rows(struct top *t, bool settled, uint64_t *rows)
{
    const uint64_t given = t->options->line->options.rows,
                   limit = given || !t->query ? given : query_pane_top(t->query);
    t->request.first = 0;
    t->request.rows = 1;
    struct frame *const first = ask(t, settled);
    if (!first)
        return false;
    *rows = limit && first->shown > limit ? limit : first->shown;
    frame_free(first);
    return true;
}

/* ---- printing ----------------------------------------------------------------------------- */

static void report_what_is_counted(const struct top *t, const struct frame *f)
{
    char covers[256];
    const bool has_filter = *t->request.filter;
    if (!f->shown && (has_filter || !f->hidden) && t->options->line->file_count)
        message_print(stderr, has_filter ? "no row: nothing matches the filter"
                                         : "no row: the trace has no event for this pane");
    if (export_covers(f, covers, sizeof covers))
        message_print(stderr, "the table %s", covers);
    char recorder[FRAME_RECORDER];
    if (*frame_recorder(f, recorder))
        message_print(stderr, "the table counts events that were recorded by %s", recorder);
}

static bool print_part(struct top *t, bool settled, uint64_t first, uint64_t rows)
{
    t->request.first = first;
    t->request.rows = rows < UINT_MAX ? (unsigned)rows : UINT_MAX;
    struct frame *const f = ask(t, settled);
    if (!f)
        return false;
    t->view.frame = f;
    t->view.is_first = !t->has_printed;
    t->kind->write(&t->view, t->to);
    if (!t->has_printed && !t->options->line->options.quiet)
        report_what_is_counted(t, f);
    t->has_printed = true;
    t->printed = f->interval;
    frame_free(f);
    return fflush(t->to) == 0;
}

/* Prints the rows as they are now; false when it is time to stop. Lists of events are longer than
 * what one frame can hold: those that do not move any more come in parts, unless the width of
 * columns is that of all rows. */
static bool print_rows(struct top *t, bool settled)
{
    enum { PART = 1 << 16 };
    const bool has_parts =
        settled && t->request.pane->view == PANE_EVENTS && !t->kind->is_for_people;
    uint64_t rows;
    if (!count_rows(t, settled, &rows))
        return false;
    const uint64_t part = has_parts ? PART : UINT64_MAX;
    uint64_t first = 0;
    do {
        const uint64_t left = rows - first;
        if (!print_part(t, settled, first, left < part ? left : part))
            return false;
        first = left < part ? rows : first + part;
    } while (first < rows);
    return true;
}

/* Waits for an interval that has not been printed. False when none will come any more. */
static bool wait_interval(struct top *t)
{
    const int64_t nap = t->options->session->interval_ns / 20;
    t->request.rows = 1;
    for (struct frame *f; (f = ask(t, false));) {
        const bool is_new = f->interval > t->printed,
                   is_over = f->state == STATE_FINISHED || f->state == STATE_FAILED;
        frame_free(f);
        if (is_new || is_over)
            return is_new;
        os_sleep(nap < PATIENCE_NS ? nap : PATIENCE_NS);
    }
    return false;
}

/* One table per interval; where all is over before the first one is, what there was. */
static void print_series(struct top *t)
{
    const uint64_t count = t->options->line->count;
    for (uint64_t i = 0; !count || i < count; i++)
        if (!wait_interval(t) || !print_rows(t, false))
            break;
    if (!t->has_printed)
        print_rows(t, true);
}

/* ---- running ------------------------------------------------------------------------------ */

static enum exit_status finish(struct top *t)
{
    const struct options *const o = &t->options->line->options;
    session_stop(t->session);
    if (!o->quiet)
        session_summary(t->session, true, stderr);
    const enum exit_status status = session_status(t->session, o->fail_on_loss);
    session_free(t->session);
    return is_stopped(t) ? EXIT_INTERRUPTED : status;
}

static enum exit_status run(struct top *t, struct err *err)
{
    const struct top_options *const o = t->options;
    if (!make_request(t, err))
        return EXIT_USAGE;
    const enum exit_status chosen = choose_range(t);
    if (chosen != EXIT_DONE)
        return err->text[0] = '\0', chosen;
    t->session = session_start(o->session, err);
    if (!t->session)
        return session_refusal(o->session->kind);
    if (o->line->file_count)
        print_rows(t, true);
    else
        print_series(t);
    return finish(t);
}

enum exit_status top_run(const struct top_options *o, FILE *to, struct err *err)
{
    struct top t = {.options = o, .to = to, .view = {.is_raw = o->line->options.csv_raw,
                             .separator = o->line->options.separator, .people = o->people}};
    const enum exit_status status = run(&t, err);
    event_columns_free(t.event_columns);
    query_pane_free(t.query);
    return status;
}

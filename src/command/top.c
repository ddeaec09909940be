#include "src/command/top.h"

#include "src/base/message.h"
#include "src/command/inquiry.h"
#include "src/command/fields.h"
#include "src/command/option_table.h"
#include "src/command/top_action.h"
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
    {0, "every", "'T print ...'", "live --by: print every T [per s|per op] [top N] [clear]",
     AT(every), option_read_list},
    {0, "at-end", "'print ...'", "--by: print at the end, after Ctrl-C as well", AT(at_end),
     option_read_text},
    {.name = NULL},
};

enum { PATIENCE_NS = 200000000 }; /* between looks at `stop` */

enum { ACTIONS = 8 };

/* One of --every or --at-end, with its query. */
struct due_action {
    struct top_action what;
    const struct pane *query;
    struct request request;
    struct export_view view;
    int64_t due; /* os_now() */
};

struct top {
    const struct top_options *options;
    struct session *session;
    struct request request;
    struct export_view view;
    const struct export_kind *kind;
    FILE *to;
    struct event_columns *event_columns; /* NULL: none are fields of payloads */
    const struct pane *query;            /* --by; NULL: a pane of the list */
    struct due_action actions[ACTIONS];
    unsigned action_count;
    const struct due_action *last; /* that printed */
    enum top_per per;              /* of the query that is made */
    char sort[2 * QUERY_WORD];     /* -s, by the names of the columns that it makes */
    uint64_t most_rows;            /* of the action; 0: it does not say */
    int64_t
        cleared_ns;   /* events up to then were printed and cleared, or there were none; 0: files */
    bool is_ending;   /* stopped or over: what is left is printed */
    bool has_printed; /* the first part is out, with what stands above it */
    uint64_t printed; /* intervals that were over when the last table was printed */
};

/* ---- the request -------------------------------------------------------------------- */

/* "cpu", "cpu:asc" → r->sort and r->ascending. */
static bool top_sort(struct request *r, const char *sort, struct err *err)
{
    char id[EVENT_COLUMN_NAME];
    const size_t bytes = strcspn(sort, ":");
    const char *const order = sort + bytes;
    snprintf(id, sizeof id, "%.*s", (int)(bytes < sizeof id ? bytes : sizeof id - 1), sort);
    struct export_view one = {.column_count = 0};
    if (!export_columns(&one, r->pane, id, err))
        return false;
    if (*order && strcmp(order, ":asc") != 0 && strcmp(order, ":desc") != 0)
        return fail(err, "expected :asc or :desc after the column, found '%s'", order);
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

/* The pane that is asked for; NULL with a sentence. */
static const struct pane *find_pane(struct top *t, struct err *err)
{
    const struct options *const o = &t->options->line->options;
    if (o->by) {
        struct query q;
        if (!inquiry_parse(&q, o->by, err))
            return NULL;
        if (o->sort) {
            struct query sorted = q;
            snprintf(sorted.sort, sizeof sorted.sort, "%s", o->sort);
            top_action_normalize(&sorted, t->per);
            memcpy(t->sort, sorted.sort, sizeof t->sort);
        }
        top_action_normalize(&q, t->per);
        t->query = query_pane_new(&q, err);
        return t->query;
    }
    const struct pane *const pane = fields_pane(t->options->line->subject, err);
    if (!pane)
        return NULL;
    err->text[0] = '\0';
    t->event_columns = event_columns_new(pane, o->columns, err);
    if (err->text[0])
        return NULL;
    return t->event_columns ? event_columns_pane(t->event_columns) : pane;
}

static bool make_request(struct top *t, struct err *err)
{
    const struct command_line *const line = t->options->line;
    const struct pane *const pane = find_pane(t, err);
    if (!pane)
        return false;
    const size_t bytes = strlen(line->filter);
    if (line->options.range && !line->file_count)
        return fail(err, "-r selects a part of a trace: name its FILE");
    if (bytes >= FILTER_MAX)
        return fail(err, "a filter has at most %d bytes, this one has %zu", FILTER_MAX - 1, bytes);
    if (!filter_check(line->filter, pane, err))
        return false;
    t->request = request_for(pane);
    t->request.accumulate = line->file_count > 0;
    memcpy(t->request.filter, line->filter, bytes + 1);
    t->kind = export_find(line->format);
    /* People get what fits a screen, programs everything. */
    const char *const usual = t->kind->is_for_people ? NULL : "all";
    const char *const columns = line->options.columns ? line->options.columns : usual;
    const char *const sort = line->options.sort && line->options.by ? t->sort : line->options.sort;
    if ((sort && !top_sort(&t->request, sort, err)) ||
        !export_columns(&t->view, pane, columns, err))
        return false;
    t->request.whole_payloads = !t->kind->is_for_people;
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
    for (unsigned i = 0; i < t->action_count; i++) {
        t->actions[i].request.from_ns = t->request.from_ns;
        t->actions[i].request.to_ns = t->request.to_ns;
    }
    return EXIT_DONE;
}

/* ---- frames --------------------------------------------------------------------------- */

static bool is_stopped(const struct top *t)
{
    return !t->is_ending && atomic_load(t->options->stop);
}

/* The answer to the request; NULL when the command is to stop. Actions print what is counted to its
 * end. */
static struct frame *ask(struct top *t, bool settled)
{
    struct frame *f = NULL;
    do {
        frame_free(f);
        f = NULL;
        t->request.sequence++;
        t->request.is_settled = settled;
        engine_request(t->session->engine, &t->request);
        while (!f && !is_stopped(t))
            f = engine_wait_frame(t->session->engine, t->request.sequence, settled, PATIENCE_NS);
    } while (f && t->action_count && f->is_partial);
    return f;
}

/* Takes the number of rows from the first frame; false when the command is to stop. */
static bool count_rows(struct top *t, bool settled, uint64_t *rows)
{
    const uint64_t limit = t->most_rows ? t->most_rows : t->options->line->options.rows;
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
    char remark[EXPORT_REMARK];
    const bool has_filter = *t->request.filter;
    if (!f->shown && (has_filter || !f->hidden) && t->options->line->file_count)
        message_print(stderr, has_filter ? "no row: nothing matches the filter"
                                         : "no row: the trace has no event for this pane");
    for (unsigned at = 0; export_remark(f, &at, remark);)
        message_print(stderr, "%s", remark);
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
    if ((!t->has_printed || t->action_count) && !t->options->line->options.quiet)
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

/* ---- actions ------------------------------------------------------------------------------- */

static bool add_action(struct top *t, const char *text, bool has_time, struct err *err)
{
    if (t->action_count == ACTIONS)
        return fail(err, "--every and --at-end: at most %d in all", ACTIONS);
    struct due_action *const a = &t->actions[t->action_count];
    struct err why;
    if (!top_action_read(text, has_time, &a->what, &why))
        return fail(err, "--%s: %s", has_time ? "every" : "at-end", why.text);
    t->per = (enum top_per)a->what.per;
    const bool ok = make_request(t, err);
    a->query = t->query; /* to be freed in any case */
    t->query = NULL;
    t->action_count += ok || a->query;
    a->view = t->view;
    a->request = t->request;
    a->request.accumulate = true;
    return ok;
}

static bool add_actions(struct top *t, struct err *err)
{
    const struct command_line *const line = t->options->line;
    const struct options *const o = &line->options;
    const bool has_any = o->every.count || o->at_end;
    if (has_any && !o->by)
        return fail(err, "--every and --at-end print the answer to --by QUERY");
    if (o->every.count && line->file_count)
        return fail(err, "--every is valid for live events only");
    if (has_any && line->count)
        return fail(err, "--every and --at-end say when to print: COUNT is not valid beside them");
    if (o->duration_ns && line->file_count)
        return fail(err, "-t is valid for live events only; -r selects a part of a trace");
    if (o->duration_ns && !has_any)
        return fail(err, "-t works only with --every or --at-end; without them, Ctrl-C ends top");
    for (size_t i = 0; i < o->every.count; i++)
        if (!add_action(t, o->every.items[i], true, err))
            return false;
    return !o->at_end || add_action(t, o->at_end, false, err);
}

/* The events that were not cleared yet, up to the newest. False: there are none, or it is time to
 * stop. */
static bool choose_uncleared(struct top *t)
{
    t->request.rows = 1;
    struct frame *const f = ask(t, false);
    if (!f)
        return false;
    if (f->kept_first > t->cleared_ns + 1)
        message_print(stderr,
                      "the table lacks %.1f s of events, which are no longer kept: print more "
                      "often, or use a larger --ring",
                      (double)(f->kept_first - t->cleared_ns) / 1e9);
    t->request.from_ns = t->cleared_ns;
    t->request.to_ns = f->kept_last;
    frame_free(f);
    return t->request.to_ns > t->request.from_ns;
}

static void act(struct top *t, struct due_action *a)
{
    const uint64_t sequence = t->request.sequence;
    t->request = a->request;
    t->request.sequence = sequence;
    memcpy(t->view.columns, a->view.columns, sizeof t->view.columns);
    t->view.column_count = a->view.column_count;
    t->most_rows = a->what.rows;
    t->has_printed = t->last == a; /* each has a head of its own */
    if ((!t->cleared_ns || choose_uncleared(t)) &&
        print_rows(t, t->is_ending || t->options->line->file_count) && a->what.clears)
        t->cleared_ns = t->request.to_ns;
    t->last = t->has_printed ? a : t->last;
}

/* Until Ctrl-C, the end of -t, or of made-up events. */
static void wait_actions(struct top *t)
{
    const int64_t given = t->options->line->options.duration_ns, begin = os_now();
    for (unsigned i = 0; i < t->action_count; i++)
        t->actions[i].due =
            t->actions[i].what.every_ns ? begin + t->actions[i].what.every_ns : INT64_MAX;
    t->request = t->actions[0].request;
    while (!is_stopped(t) && (!given || os_now() < begin + given)) {
        struct request *const r = &t->request;
        r->rows = 1;
        struct frame *const f = ask(t, false);
        const bool is_over = f && (f->state == STATE_FINISHED || f->state == STATE_FAILED);
        if (!t->cleared_ns && f && f->kept_first)
            t->cleared_ns = f->kept_first - 1;
        frame_free(f);
        if (is_over)
            break;
        for (unsigned i = 0; i < t->action_count; i++)
            if (os_now() >= t->actions[i].due) {
                act(t, &t->actions[i]);
                t->actions[i].due += t->actions[i].what.every_ns;
            }
        os_sleep(PATIENCE_NS / 10);
    }
}

static void print_by_actions(struct top *t)
{
    if (!t->options->line->file_count) {
        wait_actions(t);
        session_stop_collecting(t->session);
    }
    t->is_ending = !t->options->line->file_count;
    *t->options->ends_by_stop = t->is_ending;
    for (unsigned i = 0; i < t->action_count; i++)
        if (!t->actions[i].what.every_ns)
            act(t, &t->actions[i]);
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
    if (!add_actions(t, err) || (!t->action_count && !make_request(t, err)))
        return EXIT_USAGE;
    if (t->action_count) /* these have columns of their own, and the same events */
        t->request = t->actions[0].request;
    const enum exit_status chosen = choose_range(t);
    if (chosen != EXIT_DONE)
        return err->text[0] = '\0', chosen;
    struct session_options session = *o->session;
    enum exit_status refusal;
    session.only = &t->request;
    session.refusal = &refusal;
    t->session = session_start(&session, err);
    if (!t->session)
        return refusal;
    if (t->action_count)
        print_by_actions(t);
    else if (o->line->file_count)
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
    for (unsigned i = 0; i < t.action_count; i++)
        query_pane_free(t.actions[i].query);
    return status;
}

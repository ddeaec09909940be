#include "src/top.h"

#include "src/fields.h"

#include <limits.h>
#include <string.h>

enum { PATIENCE_NS = 200000000 }; /* between looks at `stop` */

struct top {
    const struct top_options *options;
    struct session *session;
    struct request request;
    struct export_view view;
    const struct export_kind *kind;
    FILE *to;
};

/* ---- the request -------------------------------------------------------------------- */

bool top_sort(struct request *r, const char *sort, struct err *err)
{
    const struct pane *const p = r->pane;
    char id[64];
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

static bool make_request(struct top *t, struct err *err)
{
    const struct command_line *const line = t->options->line;
    const struct pane *const pane = fields_pane(line->subject, err);
    if (!pane)
        return false;
    const size_t bytes = strlen(line->filter);
    if (bytes >= FILTER_MAX)
        return fail(err, "a filter has at most %d bytes, this one has %zu", FILTER_MAX - 1, bytes);
    t->request = (struct request){.pane = pane, .accumulate = line->file_count > 0};
    memcpy(t->request.filter, line->filter, bytes + 1);
    t->kind = export_find(line->format);
    return top_sort(&t->request, line->options.sort, err) &&
           export_columns(&t->view, pane, line->options.columns, err);
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

/* All rows that are wanted. How many there are is known only afterwards, and live they
 * grow in between, so the first frame is for counting. */
static struct frame *ask_rows(struct top *t, bool settled)
{
    const uint64_t limit = t->options->line->options.rows;
    t->request.rows = 1;
    struct frame *const first = ask(t, settled);
    if (!first)
        return NULL;
    uint64_t rows = first->shown;
    frame_free(first);
    if (limit && rows > limit)
        rows = limit;
    t->request.rows = rows < UINT_MAX ? (unsigned)rows : UINT_MAX;
    return ask(t, settled);
}

static void write_frame(struct top *t, const struct frame *f)
{
    t->view.frame = f;
    t->kind->write(&t->view, t->to);
    t->view.is_first = false;
    fflush(t->to);
}

static bool print_once(struct top *t, bool settled)
{
    struct frame *const f = ask_rows(t, settled);
    if (f)
        write_frame(t, f);
    frame_free(f);
    return f && !ferror(t->to);
}

/* ---- running ---------------------------------------------------------------------------- */

static bool is_over(const struct top *t)
{
    return is_stopped(t) || ring_is_finished(t->session->hot);
}

/* Sleeps until the next interval is complete; false when nothing more will come. */
static bool wait_interval(const struct top *t, int64_t *due)
{
    *due += t->options->session->interval_ns;
    for (int64_t left; (left = *due - os_now()) > 0;) {
        if (is_over(t))
            return false;
        os_sleep(left < PATIENCE_NS ? left : PATIENCE_NS);
    }
    return !is_stopped(t);
}

static void print_series(struct top *t)
{
    const uint64_t count = t->options->line->count;
    int64_t due = os_now();
    for (uint64_t i = 0; !count || i < count; i++) {
        const bool goes_on = wait_interval(t, &due);
        if (!print_once(t, !goes_on) || !goes_on)
            return;
    }
}

static enum exit_status finish(struct top *t)
{
    const struct options *const o = &t->options->line->options;
    session_stop(t->session);
    if (!o->quiet)
        session_summary(t->session, stderr);
    const enum exit_status status = session_status(t->session, o->fail_on_loss);
    session_free(t->session);
    return is_stopped(t) ? EXIT_INTERRUPTED : status;
}

enum exit_status top_run(const struct top_options *o, FILE *to, struct err *err)
{
    struct top t = {.options = o, .to = to, .view = {.is_first = true, .people = o->people}};
    if (!make_request(&t, err))
        return EXIT_USAGE;
    t.session = session_start(o->session, err);
    if (!t.session)
        return EXIT_ERROR;
    if (o->line->file_count)
        print_once(&t, true);
    else
        print_series(&t);
    return finish(&t);
}

#include "src/command/inquiry.h"

#include "src/base/mem.h"
#include "src/export/part.h"
#include "src/filter/range.h"
#include "src/pane/panes.h"

#include <stdlib.h>
#include <string.h>

/* Between looks at whether one is to stop, and at a client, who waits 10 ms at most. */
enum { PATIENCE_NS = 50000000, CLIENT_NS = 3000000 };

static bool is_over(void *of)
{
    struct inquiry *const a = of;
    a->was_given_up |= a->is_given_up && a->is_given_up(a->of);
    return a->was_given_up || (a->stop && atomic_load(a->stop));
}

/* The same for loops that come by far more often than a client need be looked at. */
static bool is_over_by_now(void *of)
{
    struct inquiry *const a = of;
    const int64_t now = os_now();
    if (now - a->looked_ns < CLIENT_NS)
        return a->was_given_up;
    a->looked_ns = now;
    return is_over(a);
}

static int64_t patience_of(const struct inquiry *a)
{
    return a->is_given_up ? CLIENT_NS : PATIENCE_NS;
}

const char *inquiry_kind(const struct collector_kind *k)
{
    return !k->is_live ? "file" : strcmp(k->id, "synthetic") == 0 ? "demo" : "live";
}

bool inquiry_begin(struct inquiry *a, struct err *err)
{
    struct session_options o = *a->options;
    o.refusal = &a->refusal;
    a->session = session_start(&o, err);
    a->engine = a->session ? a->session->engine : NULL;
    a->is_ended = a->line->file_count > 0;
    a->kind = inquiry_kind(a->options->kind);
    a->names = a->line->files;
    a->name_count = a->line->file_count;
    return a->session != NULL;
}

void inquiry_collect(struct inquiry *a, int64_t ns)
{
    const int64_t end = os_now() + ns;
    bool is_finished = false;
    while (!is_finished && !is_over(a) && os_now() < end) {
        struct request r = {.pane = pane_find("events"), .rows = 1};
        struct frame *const f = inquiry_frame(a, &r);
        is_finished = f && (f->state == STATE_FINISHED || f->state == STATE_FAILED);
        frame_free(f);
        os_sleep(PATIENCE_NS);
    }
    session_stop_collecting(a->session);
    a->is_ended = true;
}

/* The engine has answered the request with that number. */
static void free_retired(struct inquiry *a, uint64_t sequence)
{
    unsigned left = 0;
    for (unsigned i = 0; i < a->retired_count; i++)
        if (a->retired[i].sequence <= sequence)
            query_pane_free(a->retired[i].pane);
        else
            a->retired[left++] = a->retired[i];
    a->retired_count = left;
}

enum exit_status inquiry_end(struct inquiry *a)
{
    const struct options *const o = &a->line->options;
    session_stop(a->session);
    if (!o->quiet)
        session_summary(a->session, true, stderr);
    const int status = session_status(a->session, o->fail_on_loss);
    session_free(a->session);
    a->session = NULL;
    free_retired(a, UINT64_MAX);
    return atomic_load(a->stop) ? EXIT_INTERRUPTED : (enum exit_status)status;
}

static void request(struct inquiry *a, struct request *r)
{
    r->sequence = ++a->sequence;
    r->is_settled = a->is_ended;
    r->view = a->view;
    if (a->view == VIEW_ASIDE)
        engine_request_aside(a->engine, r);
    else
        engine_request(a->engine, r);
}

struct frame *inquiry_frame(struct inquiry *a, struct request *r)
{
    request(a, r);
    struct frame *f = NULL;
    while (!f && !is_over(a)) {
        f = engine_wait_view(a->engine, a->view, r->sequence, a->is_ended, patience_of(a));
        if (f)
            free_retired(a, r->sequence);
        if (f && f->is_partial) { /* live: the scan goes on, and a later frame has all */
            frame_free(f);
            f = NULL;
        }
    }
    return f;
}

void inquiry_await_interval(struct inquiry *a)
{
    enum { MOST_S = 3 };
    const int64_t end = os_now() + MOST_S * 1000000000ll;
    while (!a->has_interval && !a->is_ended && !is_over(a) && os_now() < end) {
        struct request r = {.pane = panes[0], .rows = 1};
        struct frame *const f = inquiry_frame(a, &r);
        a->has_interval =
            f && (f->interval || f->state == STATE_FINISHED || f->state == STATE_FAILED);
        frame_free(f);
        if (!a->has_interval)
            os_sleep(patience_of(a));
    }
}

/* Live: the times of the history. Some facts have times before the first event. */
static bool kept_ends(struct inquiry *a, int64_t *first, int64_t *last, struct err *err)
{
    struct request r = {.pane = pane_find("events"), .accumulate = true, .rows = 1};
    struct frame *const f = inquiry_frame(a, &r);
    *first = f && f->kept_first > f->origin ? f->kept_first : f ? f->origin : 0;
    *last = f ? f->kept_last : 0;
    frame_free(f);
    return *last > *first || fail(err, "no event is kept yet");
}

/* Of recordings, all of them: read once. What it has to say goes to standard error. */
static bool recorded_ends(struct inquiry *a, struct err *err)
{
    const struct part_options o = {.files = a->line->files,
                                   .file_count = a->line->file_count,
                                   .range = "..",
                                   .stop = a->stop,
                                   .is_given_up = is_over_by_now,
                                   .of = a};
    if (!a->last_ns && part_range(&o, &a->first_ns, &a->last_ns, stderr) != EXIT_DONE)
        return fail(err, "the files have no two events");
    return a->last_ns || fail(err, "the request was canceled");
}

bool inquiry_range(struct inquiry *a, const char *text, int64_t *from, int64_t *to, struct err *err)
{
    struct range range;
    int64_t first, last;
    if (!range_read(text, &range, err))
        return false;
    if (!a->session || !a->line->file_count)
        return kept_ends(a, &first, &last, err) &&
               range_resolve(&range, first, last, from, to, err);
    return recorded_ends(a, err) && range_resolve(&range, a->first_ns, a->last_ns, from, to, err);
}

bool inquiry_choose(struct inquiry *a, const char *text, int64_t *from, int64_t *to,
                    struct err *err)
{
    if (!text)
        return true;
    if (!inquiry_range(a, text, from, to, err))
        return false;
    --*from;
    return true;
}

bool inquiry_parse(struct query *q, const char *text, struct err *err)
{
    char *const whole = mem_new(strlen(text) + sizeof "by ", 1);
    sprintf(whole, "%s%s", query_is_one(text) ? "" : "by ", text);
    const bool ok = query_parse(q, whole, err);
    free(whole);
    return ok;
}

const struct pane *inquiry_query(const char *text, struct err *err)
{
    struct query q;
    return inquiry_parse(&q, text, err) ? query_pane_new(&q, err) : NULL;
}

void inquiry_query_free(struct inquiry *a, const struct pane *q)
{
    struct request other = {.pane = panes[0], .rows = 1, .sequence = ++a->sequence};
    if (a->view == VIEW_ASIDE) {
        engine_request_aside(a->engine, NULL);
        query_pane_free(q);
        return;
    }
    engine_request(a->engine, &other);
    a->retired[a->retired_count].pane = q;
    a->retired[a->retired_count++].sequence = other.sequence;
    const uint64_t oldest = a->retired[0].sequence;
    struct frame *f = engine_wait_frame(a->engine, oldest, false, 0);
    while (a->retired_count == INQUIRY_RETIRED && !f)
        f = engine_wait_frame(a->engine, oldest, false, PATIENCE_NS);
    if (f)
        free_retired(a, f->sequence);
    frame_free(f);
}

struct request inquiry_request(const struct pane *p)
{
    struct request r = request_for(p);
    r.accumulate = true;
    return r;
}

struct answer inquiry_answer(const struct inquiry *a, const struct frame *f)
{
    enum { MOST_TEXT = 512 };
    return (struct answer){.frame = f,
                           .kind = a->kind,
                           .names = a->names,
                           .name_count = a->name_count,
                           .most_text = MOST_TEXT};
}

/* So many rows as one frame may hold: one by one they fill the answer's bound. */
bool inquiry_put(struct inquiry *a, struct request *r, struct json_out *to, uint64_t *left_out)
{
    enum { MOST_ROWS = 1 << 17 };
    r->rows = MOST_ROWS;
    struct frame *const f = inquiry_frame(a, r);
    if (!f)
        return false;
    const struct answer answer = inquiry_answer(a, f);
    const uint64_t written = answer_write(&answer, to);
    *left_out = written < f->shown ? f->shown - written : 0;
    frame_free(f);
    return true;
}

#include "src/command/stacks.h"

#include "src/base/message.h"
#include "src/command/option_table.h"
#include "src/engine/watch.h"
#include "src/export/export.h"
#include "src/export/stacks.h"
#include "src/filter/filter.h"
#include "src/frame/stack_look.h"
#include "src/pane/panes.h"

#include <limits.h>
#include <string.h>

static bool read_metric(void *field, const char *text, struct err *err)
{
    return stack_metric_read(text, field, err);
}

const struct option options_for_stacks[] = {
    {0, "metric", "M",
     "what call trees add up: samples (default), operations, running, waiting, waited, ready, "
     "bytes, faults, allocations, counted, io or wall",
     NO_MEMBER, read_metric},
    {.name = NULL},
};

static enum stack_metric metric_of(const struct options *o)
{
    enum stack_metric metric = METRIC_SAMPLES;
    options_value(o, "metric", &metric);
    return metric;
}

enum { PATIENCE_NS = 200000000 }; /* between looks at `stop` */

struct stacks_command {
    const struct stacks_options *options;
    struct session *session;
    struct request request;
};

static bool is_stopped(const struct stacks_command *s)
{
    return atomic_load(s->options->stop);
}

/* The answer to the request. Who stops a live run wants to see what there was until then. */
static struct frame *ask(struct stacks_command *s)
{
    const bool is_live = s->options->line->file_count == 0;
    s->request.sequence++;
    s->request.is_settled = true;
    engine_request(s->session->engine, &s->request);
    struct frame *f = NULL;
    while (!f && (is_live || !is_stopped(s)))
        f = engine_wait_frame(s->session->engine, s->request.sequence, true, PATIENCE_NS);
    return f;
}

/* Live: until the time is over, or Ctrl-C; made-up events may end before. */
static void wait_live(struct stacks_command *s)
{
    enum { DEFAULT_S = 10 };
    const int64_t given = s->options->line->options.duration_ns;
    const int64_t end = os_now() + (given ? given : DEFAULT_S * 1000000000ll);
    while (!is_stopped(s) && os_now() < end) {
        s->request.sequence++;
        engine_request(s->session->engine, &s->request);
        struct frame *const f =
            engine_wait_frame(s->session->engine, s->request.sequence, false, PATIENCE_NS);
        const bool is_over = f && (f->state == STATE_FINISHED || f->state == STATE_FAILED);
        frame_free(f);
        if (is_over)
            return;
        os_sleep(PATIENCE_NS / 4);
    }
}

static bool make_request(struct stacks_command *s, struct err *err)
{
    const struct command_line *const line = s->options->line;
    const struct pane *const pane = pane_find("stacks");
    const size_t bytes = strlen(line->filter);
    if (bytes >= FILTER_MAX)
        return fail(err, "a filter has at most %d bytes, this one has %zu", FILTER_MAX - 1, bytes);
    if (!filter_check(line->filter, pane, err))
        return false;
    s->request = (struct request){.pane = pane, .accumulate = true, .rows = 1};
    s->request.sort = (unsigned)(pane_column(pane, "samples") - pane->columns);
    s->request.stacks.is_whole = true;
    memcpy(s->request.filter, line->filter, bytes + 1);
    s->request.stacks.metric = (uint8_t)metric_of(&line->options);
    return true;
}

/* Without --metric: samples where there are any, else events. */
static struct frame *ask_whole(struct stacks_command *s)
{
    struct frame *f = ask(s);
    if (f && !options_given(&s->options->line->options, "metric") &&
        !(f->metrics >> METRIC_SAMPLES & 1)) {
        frame_free(f);
        s->request.stacks.metric = METRIC_OPERATIONS;
        f = ask(s);
    }
    if (!f)
        return NULL;
    s->request.rows = f->shown < UINT_MAX ? (unsigned)f->shown : UINT_MAX;
    if (s->options->line->file_count == 0)
        s->request.rows = UINT_MAX; /* more may come until the next answer */
    frame_free(f);
    return ask(s);
}

static void list_metrics(uint32_t metrics, char *out, size_t room)
{
    size_t used = 0;
    out[0] = '\0';
    for (unsigned i = 0; i < STACK_METRICS && used < room; i++)
        if (metrics >> i & 1)
            used += (size_t)snprintf(out + used, room - used, "%s%s", used ? ", " : "",
                                     stack_metrics[i].id);
}

/* False: the recording has nothing that the metric could weigh. */
static bool has_metric(const struct frame *f, struct err *err)
{
    char offered[256];
    if (f->metrics >> f->metric & 1)
        return true;
    list_metrics(f->metrics, offered, sizeof offered);
    return fail(err, "nothing recorded for the metric '%s'; there is: %s",
                stack_metrics[f->metric].id, offered[0] ? offered : "nothing");
}

/* Nothing is no answer: why there is none. */
static void report_nothing(const struct stacks_command *s, const struct frame *f, FILE *err_to)
{
    const char *const filter = s->options->line->filter;
    if (f->stack_weight || f->stack_hidden)
        return;
    if (*f->filter_remark)
        message_print(err_to, "%s", f->filter_remark);
    else if (!f->stack_missing && *filter)
        message_print(err_to, "no event matches the filter '%s'", filter);
    else if (f->stack_missing && f->metric == METRIC_WAITING)
        message_print(err_to,
                      "no stack of a waiting thread was recorded; record them with -g switch");
    else if (f->stack_missing)
        message_print(err_to, "none of these events was recorded with its stack; record them with "
                              "-g and their classes");
}

static enum exit_status write_whole(struct stacks_command *s, FILE *to, FILE *err_to,
                                    struct err *err)
{
    const struct command_line *const line = s->options->line;
    const char *const name = line->file_count ? line->files[0] : "live";
    struct frame *const f = ask_whole(s);
    if (!f)
        return EXIT_INTERRUPTED;
    char account[256];
    const bool is_there = has_metric(f, err);
    const struct stacks_export x = {.frame = f, .name = name};
    if (is_there && !stacks_write(&x, line->format, to)) {
        frame_free(f);
        fail(err, "there is no format '%s'", line->format);
        return EXIT_USAGE;
    }
    stacks_account(f, account, sizeof account);
    if (is_there && !line->options.quiet)
        message_print(err_to, "%s", account);
    if (is_there && !line->options.quiet)
        report_nothing(s, f, err_to);
    if (is_there && !line->options.quiet && export_covers(f, account, sizeof account))
        message_print(err_to, "the tree %s", account);
    frame_free(f);
    return is_there ? EXIT_DONE : EXIT_ERROR;
}

enum exit_status stacks_run(const struct stacks_options *o, FILE *to, FILE *err_to, struct err *err)
{
    struct stacks_command s = {.options = o};
    const struct options *const options = &o->line->options;
    if (!make_request(&s, err))
        return EXIT_USAGE;
    struct session_options session = *o->session;
    enum exit_status refusal;
    session.only = &s.request;
    session.refusal = &refusal;
    s.session = session_start(&session, err);
    if (!s.session)
        return refusal;
    if (o->line->file_count == 0) {
        wait_live(&s);
        /* An answer is whole when nothing more can come. */
        s.session->collector.kind->stop(&s.session->collector);
    }
    const enum exit_status written = write_whole(&s, to, err_to, err);
    session_stop(s.session);
    if (!options->quiet)
        session_summary(s.session, true, err_to);
    const enum exit_status status = session_status(s.session, options->fail_on_loss);
    session_free(s.session);
    return written ? written : status;
}

struct watch_request stacks_request(const struct command_line *c)
{
    const struct request r = {.pane = pane_find("stacks"),
                              .stacks = {.metric = (uint8_t)metric_of(&c->options)}};
    return watch_of_request(&r);
}

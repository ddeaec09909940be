/* Reads the rings itself, without an engine: what waits for the output waits in the ring, and where
 * that is full the collector counts what is lost (a demo waits). An event is learned from when it
 * comes and printed when it has its place in time, some tenths of a second later. */
#include "src/command/dump_live.h"

#include "src/base/text.h"
#include "src/base/mem.h"
#include "src/base/message.h"
#include "src/collect/reorder_buffer.h"
#include "src/command/marks.h"
#include "src/event/mark.h"
#include "src/event/recent_marks.h"
#include "src/event/tracetop_provider.h"
#include "src/filter/remark.h"
#include "src/os/instance.h"
#include "src/os/os.h"
#include "src/trace/select.h"
#include "src/trace/select_fact.h"

#include <inttypes.h>
#include <string.h>

static const int64_t NAP_NS = 20 * 1000000, HOLD_NS = 400 * 1000000;

/* For the names of what was there before, at the beginning; for what is still on its way, at the
 * end; and for the output of what waits by then, after Ctrl-C. */
static const int64_t NAMES_NS = 1500 * 1000000ll, CATCH_UP_NS = 500 * 1000000,
                     PRINT_NS = 1000 * 1000000;

struct live {
    const struct dump_live_options *o;
    FILE *log;
    struct session *session;
    struct event_writer *writer;
    struct attribution *owners;
    struct schemas *schemas;
    struct rundown *names; /* for the filter; NULL: there is none */
    struct select *select; /* NULL: everything passes, or … */
    struct fact_select *facts; /* … this one decides */
    bool is_linux[MARK_SOURCES];
    struct reorder_buffer *reorder_buffer;
    struct os_wakeup *wakeup;
    struct instance *endpoint; /* for marks; NULL: nobody can call */
    int64_t began, printed_ns;
    int64_t newest_ns;    /* of the records that were taken; 0: none was */
    int64_t last_mark_ns; /* for mark_time() */
    uint64_t unprinted;
    bool has_failed; /* the output */
};

static const struct options *options(const struct live *l)
{
    return &l->o->line->options;
}

static bool is_demo(const struct live *l)
{
    return l->session->collector.sources[0].is_synthetic;
}

/* ---- in -------------------------------------------------------------------------------------- */

static int64_t time_of(const struct live *l, const struct event *e)
{
    return trace_clock_ns(&l->session->collector.sources[e->source].clock, e->ts);
}

static void learn(struct live *l, const struct record_head *head)
{
    struct event e, about;
    if (head->source >= SOURCE_MAX || event_of_record(head, &e) != EVENT_OK)
        return;
    attribution_learn(l->owners, &e);
    schema_learn(l->schemas, e.source, &e, &about);
    if (tracetop_event_is_of_linux(&e) || l->session->collector.sources[e.source].is_linux)
        l->is_linux[e.source] = true;
    const int64_t time = time_of(l, &e);
    l->newest_ns = time > l->newest_ns ? time : l->newest_ns;
    if (!l->names)
        return;
    rundown_make_room(l->names, l->printed_ns);
    rundown_note(l->names, &e, time);
}

/* Takes records out of the ring, as far as there is room for them side by side; their bytes. */
static size_t take(struct live *l, uint8_t *to, size_t room)
{
    struct ring *const hot = l->session->hot;
    const struct record_head *head;
    uint64_t position;
    size_t used = 0;
    while ((head = ring_peek(hot, &position)) && used + ring_padded(head->bytes) <= room) {
        memcpy(to + used, head, head->bytes);
        ring_release(hot);
        learn(l, (const struct record_head *)(const void *)(to + used));
        used += ring_padded(((const struct record_head *)(const void *)(to + used))->bytes);
    }
    ring_release_all(l->session->slow);
    return used;
}

/* False where nothing had come. */
static bool take_some(struct live *l)
{
    const int64_t now = os_now();
    size_t room;
    uint8_t *const to = reorder_room(l->reorder_buffer, now, &room);
    const size_t used = to ? take(l, to, room) : 0;
    if (used)
        reorder_put(l->reorder_buffer, used, now);
    return used > 0 || !to;
}

/* ---- marks ----------------------------------------------------------------------------------- */

/* The time of what happens now; where time passes otherwise, that of the latest event. */
static int64_t now_of(const struct live *l)
{
    const struct collector *const c = &l->session->collector;
    return c->kind->now ? c->kind->now(c) : l->newest_ns;
}

static bool put_mark(struct live *l, const struct new_mark *m)
{
    const int64_t time = mark_time(m, now_of(l), &l->last_mark_ns);
    struct mark_record r;
    size_t room;
    uint8_t *const to = reorder_room(l->reorder_buffer, os_now(), &room);
    mark_record_make(&r, trace_clock_raw(&l->session->collector.sources[0].clock, time), m);
    if (!to || ring_padded(r.head.bytes) > room)
        return false;
    memcpy(to, &r, r.head.bytes);
    reorder_put(l->reorder_buffer, ring_padded(r.head.bytes), os_now());
    return true;
}

/* `tracetop mark`: a script's own events among those of the kernel. There is no clock for them
 * before the first of these: who asks earlier waits. */
static void serve(struct live *l)
{
    struct instance_call call;
    while (l->endpoint && l->newest_ns && instance_take(l->endpoint, &call)) {
        struct new_mark m;
        struct err err;
        if (!mark_read(call.text, &m, &err))
            instance_answer(l->endpoint, false, err.text);
        else if (put_mark(l, &m))
            marks_answer(l->endpoint, m.text);
        else
            instance_answer(l->endpoint, false, "the dump's output is too slow for marks");
    }
}

/* ---- out ------------------------------------------------------------------------------------- */

static bool has_enough(const struct live *l)
{
    return options(l)->rows && event_writer_count(l->writer) == options(l)->rows;
}

static void print(struct live *l, const struct reordered *r)
{
    struct event e;
    struct schema schema;
    if (r->head->source >= SOURCE_MAX || event_of_record(r->head, &e) != EVENT_OK)
        return;
    const struct owner owner = attribution_of(l->owners, &e); /* of all, in time order */
    l->printed_ns = r->ns > l->printed_ns ? r->ns : l->printed_ns;
    const struct trace_clock *const clock = &l->session->collector.sources[e.source].clock;
    if (l->facts && !fact_select_passes(l->facts, &e, clock, r->ns))
        return;
    if (l->select && !select_passes(l->select, &e, &owner, r->ns))
        return;
    const bool is_known = schema_find(l->schemas, e.source, &e, &schema);
    l->has_failed = !event_writer_put(l->writer, &(struct written_event){
                                                     .event = &e,
                                                     .schema = is_known ? &schema : NULL,
                                                     .owner = owner,
                                                     .ns = r->ns,
                                                     .is_linux = l->is_linux[e.source],
                                                 });
}

/* What is due then, until `deadline`. */
static void print_due(struct live *l, int64_t now, int64_t deadline)
{
    enum { BETWEEN_LOOKS = 64 };
    struct reordered r;
    unsigned count = 0;
    while (!l->has_failed && !has_enough(l) && reorder_next(l->reorder_buffer, now, &r)) {
        print(l, &r);
        if (++count % BETWEEN_LOOKS == 0 && os_now() >= deadline)
            break;
    }
    if (!l->has_failed)
        l->has_failed = !event_writer_flush(l->writer);
}

/* ---- the end --------------------------------------------------------------------------------- */

static bool is_stopped(const struct live *l)
{
    return atomic_load(&l->o->batch->stop);
}

static bool is_over(const struct live *l)
{
    const int64_t most = options(l)->duration_ns;
    return l->has_failed || has_enough(l) || is_stopped(l) || ring_is_finished(l->session->hot) ||
           (most && os_now() - l->began >= most);
}

/* Without the names of what was there before, the first lines would be about nobody. */
static bool waits_for_names(const struct live *l, int64_t now)
{
    return now - l->began < NAMES_NS &&
           atomic_load_explicit(&l->session->collector.is_naming, memory_order_acquire);
}

/* One turn, false where nothing had come. */
static bool turn(struct live *l)
{
    serve(l);
    const bool has_more = take_some(l);
    const int64_t now = os_now();
    print_due(l, waits_for_names(l, now) ? 0 : now, INT64_MAX);
    return has_more;
}

/* What happened until now is still on its way. */
static void catch_up(struct live *l)
{
    const int64_t until = os_wall_now(), patience = os_now() + CATCH_UP_NS;
    while (!is_demo(l) && !l->has_failed && !session_has_all(l->session, until) &&
           os_now() < patience)
        if (!turn(l))
            os_wakeup_wait(l->wakeup, NAP_NS);
}

/* All that has come by now; after Ctrl-C what is printed soon. */
static void print_rest(struct live *l)
{
    const int64_t deadline = is_stopped(l) ? os_now() + PRINT_NS : INT64_MAX;
    struct reordered r;
    bool has_more = true;
    while (has_more && !l->has_failed && !has_enough(l) && os_now() < deadline) {
        has_more = take_some(l);
        print_due(l, has_more ? os_now() : INT64_MAX, deadline);
    }
    while (!has_enough(l) && (take_some(l) || reorder_next(l->reorder_buffer, INT64_MAX, &r)))
        while (reorder_next(l->reorder_buffer, INT64_MAX, &r))
            l->unprinted++;
}

/* Ends collecting, and reports what was lost until then. */
static void stop(struct live *l)
{
    l->session->figures.events = ring_figures(l->session->hot).put;
    session_stop(l->session);
    if (!options(l)->quiet && !l->has_failed)
        session_summary(l->session, true, l->log);
}

/* Who goes on from BATCH_RUNNING ends the session: this thread, or who leaves it behind. */
static bool takes_over(struct batch *b, enum batch_stage next)
{
    int expected = BATCH_RUNNING;
    return atomic_compare_exchange_strong(&b->stage, &expected, (int)next);
}

/* Ctrl-C was some time ago: the output takes nothing any more. */
static bool leave(struct batch *b)
{
    if (!takes_over(b, BATCH_LEFT))
        return atomic_load(&b->stage) != BATCH_ENDING;
    stop(b->state);
    return true;
}

static void report_rest(struct live *l)
{
    const uint64_t late = reorder_too_late(l->reorder_buffer),
                   forgotten = attribution_forgotten(l->owners) +
                               (l->names ? rundown_forgotten(l->names) : 0);
    char count[TEXT_COUNT];
    if (l->unprinted)
        message_print(l->log, "%s not printed: the output is too slow",
                      text_count(count, l->unprinted, "event"));
    if (late)
        message_print(l->log, "%s printed late, after newer ones",
                      text_count(count, late, "event"));
    if (forgotten)
        message_print(l->log, "%s dropped for lack of memory",
                      text_count(count, forgotten, "name"));
}

/* ---- running --------------------------------------------------------------------------------- */

static enum exit_status run(struct live *l)
{
    l->began = os_now();
    atomic_store_explicit(&l->session->collector.reader, l->wakeup, memory_order_release);
    l->o->batch->state = l;
    atomic_store(&l->o->batch->leave, leave);
    event_writer_head(l->writer);
    l->endpoint =
        instance_open(l->wakeup, INSTANCE_DUMP, NULL, &(struct err){""}); /* none: no marks */
    while (!is_over(l))
        if (!turn(l))
            os_wakeup_wait(l->wakeup, NAP_NS);
    if (!has_enough(l))
        catch_up(l);
    while (!takes_over(l->o->batch, BATCH_ENDING))
        os_sleep(NAP_NS); /* who leaves it behind ends the program */
    instance_close(l->endpoint);
    stop(l);
    atomic_store(&l->o->batch->stage, BATCH_ENDED);
    print_rest(l);
    if (l->has_failed)
        return event_writer_complain(l->writer, l->log) ? EXIT_ERROR : EXIT_DONE;
    if (!options(l)->quiet)
        report_rest(l);
    return (enum exit_status)session_status(l->session, options(l)->fail_on_loss);
}

/* Everything that may be refused, before something is started. */
static bool prepare(struct live *l, struct err *err)
{
    const struct command_line *const line = l->o->line;
    static const struct filter_span any = {1, INT64_MAX};
    const struct select_names names = {l->names, l->schemas, l->is_linux};
    if (strcmp(line->format, "etl") == 0)
        return fail(err, "-O etl copies a FILE; this machine is recorded by: tracetop record -o %s",
                    line->options.output ? line->options.output : "FILE.etl");
    if (line->options.range)
        return fail(err, "-r selects a part of a trace: name its FILE");
    l->writer = event_writer_new(l->o->lines, l->o->batch->to, err);
    if (!l->writer || !l->names)
        return l->writer != NULL;
    const struct fact_select_options facts = {line->filter, &any, l->schemas, l->is_linux, true};
    if (fact_select_is_for(line->filter))
        return (l->facts = fact_select_new(&facts, err)) != NULL;
    return (l->select = select_new(line->filter, &names, &any, err)) != NULL;
}

enum exit_status dump_live_run(const struct dump_live_options *o, FILE *log, struct err *err)
{
    struct session_options session = *o->session;
    struct live l = {.o = o,
                     .log = log,
                     .owners = attribution_new_live(),
                     .schemas = schemas_new(),
                     .names = *o->line->filter ? rundown_new(INT64_MIN, INT64_MAX) : NULL,
                     .wakeup = os_wakeup_new()};
    enum exit_status status = EXIT_USAGE;
    session.has_no_engine = true;
    if (prepare(&l, err)) {
        session.refusal = &status;
        l.session = session_start(&session, err);
    }
    if (l.session) {
        if (!o->line->options.quiet && !is_demo(&l))
            message_print(log, "printing what happens now; Ctrl-C ends it");
        l.reorder_buffer = reorder_new(&l.session->collector, HOLD_NS);
        o->batch->ends_by_stop = true;
        status = run(&l);
    }
    if (l.facts || l.select)
        filter_remarks_print(l.facts ? fact_select_filter(l.facts) : select_filter(l.select),
                             l.schemas, log);
    session_free(l.session);
    reorder_free(l.reorder_buffer);
    select_free(l.select);
    fact_select_free(l.facts);
    rundown_free(l.names);
    event_writer_free(l.writer);
    attribution_free(l.owners);
    schemas_free(l.schemas);
    os_wakeup_free(l.wakeup);
    return status;
}

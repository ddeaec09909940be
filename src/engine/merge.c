/* Brings the events in: the records of all hot rings in time order, and with them time
 * itself, interval by interval. */
#include "src/engine/inside.h"

static const int64_t DRAIN_NS = 4 * 1000000; /* events for so long, then questions */

/* Of a live source; a trace says it itself. */
static void know_watched(struct engine *e, uint32_t source, const struct collector_scope *w)
{
    for (size_t i = 0; i < w->pid_count; i++)
        model_watch(&e->model, source, w->pids[i], "", w->has_children);
    if (w->name)
        model_watch(&e->model, source, 0, w->name, w->has_children);
}

void merge_input_sources(struct engine *e, struct merge_input *l)
{
    const struct collector *c = l->collector;
    unsigned count = atomic_load_explicit(&c->source_count, memory_order_acquire);
    count = count < SOURCE_MAX ? count : SOURCE_MAX;
    const uint32_t base = (uint32_t)(l - e->merge_inputs) * SOURCE_MAX;
    if (count == l->sources)
        return;
    model_sources(&e->model, base + count);
    for (unsigned i = l->sources; i < count; i++) {
        e->model.sources[base + i].clock = c->sources[i].clock;
        e->model.sources[base + i].is_linux = c->sources[i].is_linux;
        e->model.sources[base + i].is_live = collector_is_live(c);
        if (collector_is_live(c))
            know_watched(e, base + i, &c->watched);
    }
    l->sources = count;
    engine_expect_stacks(e);
}

int64_t merge_input_time(const struct engine *e, const struct merge_input *l,
                         const struct record_head *head)
{
    const uint32_t source = (uint32_t)(l - e->merge_inputs) * SOURCE_MAX + head->source;
    static const int64_t LIMIT = INT64_MAX / 4;
    const int64_t time = trace_clock_ns(&e->model.sources[source].clock, head->ts);
    return time > LIMIT ? LIMIT : time < -LIMIT ? -LIMIT : time;
}

void merge_input_look(struct engine *e, struct merge_input *l)
{
    l->head = ring_peek(l->ring, &l->position);
    if (!l->head) { /* only then: the producer writes what is asked with every record */
        l->complete = ring_completed(l->ring);
        l->head = ring_peek(l->ring, &l->position);
    }
    if (!l->head)
        return;
    if (l->head->source >= l->sources)
        merge_input_sources(e, l);
    l->time = l->head->source < l->sources ? merge_input_time(e, l, l->head) : e->newest_released;
}

/* The merge input whose record is next, or NULL when there is none to release yet. */
static struct merge_input *next_of_many(struct engine *e)
{
    struct merge_input *next = NULL;
    for (size_t i = 0; i < e->options.collector_count; i++) {
        struct merge_input *l = &e->merge_inputs[i];
        if (!l->head)
            merge_input_look(e, l);
        if (l->head && (!next || l->time < next->time))
            next = l;
    }
    if (!next)
        return NULL;
    for (size_t i = 0; i < e->options.collector_count; i++) {
        const struct merge_input *l = &e->merge_inputs[i];
        if (l->head || l->complete >= next->time || ring_is_finished(l->ring))
            continue;
        const int64_t now = os_now();
        if (!e->waiting_since)
            e->waiting_since = now;
        if (now - e->waiting_since < e->options.wait_ns)
            return NULL;
    }
    e->waiting_since = 0;
    return next;
}

static inline struct merge_input *next_merge_input(struct engine *e)
{
    if (e->options.collector_count != 1)
        return next_of_many(e);
    struct merge_input *const only = e->merge_inputs;
    if (!only->head)
        merge_input_look(e, only);
    return only->head ? only : NULL;
}

static inline void put_on_timeline(struct engine *e, const struct fact *f, uint32_t process)
{
    if (e->timeline)
        timeline_take(e->timeline, &e->model, f, process, e->options.interval_ns);
}

/* A part of a time slice that is counted before its end, or, as thread 0, time without a known
 * thread. */
static void add_slice(struct engine *e, uint32_t thread, uint32_t cpu, int64_t until, int64_t ns)
{
    struct fact *f = facts_add(&e->dataset.slices);
    f->time = until - 1;
    f->position = e->dataset.facts.end;
    f->value = (uint64_t)ns;
    f->thread = thread;
    f->cpu = (uint16_t)cpu;
    f->class = FACT_SWITCH;
    f->op = OP_SLICE;
    f->flags = FACT_NO_RECORD;
    recorded_see(&e->model.recorded, f);
    const uint32_t process = thread ? model_process_of(&e->model, f) : 0;
    engine_count_gauges(e, f, process);
    dataset_feed(&e->dataset, f, process);
    put_on_timeline(e, f, process);
}

/* Adds the processor's time without a known thread as a fact, once it is at least `least`. */
static void count_unseen(struct engine *e, struct processor *p, uint32_t cpu, int64_t until,
                         int64_t least)
{
    if (p->unseen_ns < least || !p->unseen_ns)
        return;
    add_slice(e, 0, cpu, until, p->unseen_ns);
    p->unseen_ns = 0;
}

/* When the trace ends, of several one after the other: nobody runs on in a file that is over. Not
 * before its newest switch, whatever its header says. */
static int64_t end_of_source(const struct engine *e, uint32_t s)
{
    const struct model_source *const source = &e->model.sources[s];
    const size_t number = s / SOURCE_MAX;
    const struct collector *const c =
        number < e->options.collector_count ? e->options.collectors[number] : NULL;
    int64_t end = c && !collector_is_live(c) ? c->sources[s % SOURCE_MAX].end_ns : 0;
    if (!end)
        return INT64_MAX;
    for (uint32_t cpu = 0; cpu < source->processors_seen; cpu++)
        if (source->processors[cpu].since_ns > end)
            end = source->processors[cpu].since_ns;
    return end;
}

/* Stays on processors that go on are counted up to the end of the interval, so that
 * a thread nobody interrupts shows while it runs. */
static void slice_stays(struct engine *e, int64_t all_until)
{
    for (uint32_t s = 0; s < e->model.source_count; s++) {
        struct model_source *source = &e->model.sources[s];
        const int64_t end = source->processors_seen ? end_of_source(e, s) : 0,
                      until = end < all_until ? end : all_until;
        for (uint32_t cpu = 0; cpu < source->processors_seen; cpu++) {
            struct processor *p = &source->processors[cpu];
            const struct thread *const t = generation_at(&e->model.threads, p->thread);
            const int64_t from = p->since_ns + p->credited_ns,
                          ns = recorded_stay(&e->model.recorded, from, until);
            count_unseen(e, p, cpu, all_until, 0);
            if (!p->thread || until <= from || (t && model_is_unwatched(&e->model, t)))
                continue;
            p->credited_ns = until - p->since_ns;
            if (ns > 0)
                add_slice(e, t && t->leaves_unseen ? 0 : p->thread, cpu, until, ns);
        }
    }
}

void engine_step(struct engine *e, uint32_t steps)
{
    struct dataset *w = &e->dataset;
    dataset_flush(w);
    engine_step_gauges(e, steps);
    w->interval += steps;
    const int64_t begin = w->origin_ns + (int64_t)w->interval * e->options.interval_ns;
    w->interval_events[1] = steps == 1 ? w->interval_events[0] : 0;
    w->interval_events[0] = 0;
    for (unsigned i = 0; i < w->table_count; i++)
        table_step(&w->tables[i], steps, begin);
    w->running_ns = begin > w->running_ns ? begin : w->running_ns;
    engine_is_due(e);
}

/* Up to when stays that go on are known to, at the end of an interval. A recording of switches may be
 * over long before the trace is: where nobody states that it goes on, one must have come a moment
 * ago, or come now. */
static int64_t stays_until(const struct engine *e, int64_t end, const struct event *next)
{
    enum { HOOK_SWITCH = 0x0524 };
    static const int64_t MOMENT_NS = 50000000;
    const int64_t last = e->model.recorded.seen[FACT_SWITCH].last;
    const bool is_known = e->model.recorded.counts[FACT_SWITCH] || engine_is_any_live(e) ||
                          end - last < MOMENT_NS || (next && decode_hook(next) == HOOK_SWITCH);
    return is_known ? end : last;
}

/* Lets the intervals pass that end before `time`, when `next` comes. */
static void pass_intervals(struct engine *e, int64_t time, const struct event *next)
{
    enum { IN_FULL = 4 }; /* after a longer gap only the last interval counts */
    struct dataset *w = &e->dataset;
    const int64_t length = e->options.interval_ns;
    int64_t end = w->origin_ns + ((int64_t)w->interval + 1) * length;
    if (time < end)
        return;
    const int64_t passed = (time - end) / length + 1;
    const uint32_t steps = passed < UINT32_MAX / 2 ? (uint32_t)passed : UINT32_MAX / 2;
    if (steps > IN_FULL) {
        dataset_keep_running(w, &e->model, end);
        engine_step(e, steps - IN_FULL);
        end += (int64_t)(steps - IN_FULL) * length;
    }
    for (uint32_t i = steps > IN_FULL ? IN_FULL : steps; i > 0; i--) {
        slice_stays(e, stays_until(e, end, next));
        dataset_keep_running(w, &e->model, end);
        engine_step(e, 1);
        engine_check_triggers(e);
        end += length;
    }
}

static inline void pass_time(struct engine *e, int64_t time, const struct event *next)
{
    const struct dataset *w = &e->dataset;
    if (time >= w->origin_ns + ((int64_t)w->interval + 1) * e->options.interval_ns)
        pass_intervals(e, time, next);
}

/* One wild time must not stop the clock: when many events in a row stand far behind
 * the newest, the newest was damage, and intervals go on from here. */
static void mistrust_newest(struct engine *e, int64_t time)
{
    enum { ENOUGH = 4096 };
    struct dataset *w = &e->dataset;
    const int64_t length = e->options.interval_ns;
    const bool is_far_behind = w->newest_ns - time > 10 * length;
    e->behind = is_far_behind ? e->behind + 1 : 0;
    if (e->behind < ENOUGH)
        return;
    e->behind = 0;
    e->newest_released = w->newest_ns = w->running_ns = time;
    w->origin_ns = time - (int64_t)w->interval * length;
}

/* Interval 0 begins with the first event, or at the last given beginning before it. */
static void begin_at(struct engine *e, int64_t time)
{
    struct dataset *w = &e->dataset;
    const int64_t length = e->options.interval_ns;
    w->first_ns = w->origin_ns = time;
    if (e->options.origin_ns)
        w->origin_ns -= ((time - e->options.origin_ns) % length + length) % length;
    w->running_ns = w->origin_ns;
    for (unsigned i = 0; i < w->table_count; i++) {
        table_begin(&w->tables[i], time);
        w->tables[i].counts_all = true;
    }
    if (e->timeline)
        timeline_begin(e->timeline, time);
}

/* True when it is late. What describes the log stands before the beginning, if only that came. */
static bool count_event(struct engine *e, int64_t time, const struct event *event)
{
    struct dataset *w = &e->dataset;
    if (!w->events || e->has_only_log) {
        begin_at(e, time);
        w->newest_ns = time;
        e->has_only_log = event_describes_log(event);
    } else if (!w->interval && time < w->first_ns && w->first_ns - time < e->options.interval_ns) {
        begin_at(e, time); /* a live source speaks first, then comes what waited for it */
    }
    /* What comes out of order is in time as long as its interval runs: it counts where it
     * belongs. Only then is it late. */
    const bool is_late =
        w->interval && time < w->origin_ns + (int64_t)w->interval * e->options.interval_ns;
    e->late += is_late;
    if (time > e->newest_released || !w->events)
        e->newest_released = time;
    w->events++;
    w->interval_events[0]++;
    if (time > w->newest_ns) {
        e->behind = 0;
        pass_time(e, time, event);
        w->newest_ns = time;
    } else if (time < w->newest_ns) {
        mistrust_newest(e, time);
    }
    return is_late;
}

/* A live source first reports what exists already, which takes a while: the first interval begins
 * with the first event that happens. */
static void notice_beginning(struct engine *e, const struct merge_input *l, const struct fact *f)
{
    static const uint32_t REPORTED = 1u << FACT_OTHER | 1u << FACT_PROCESS | 1u << FACT_THREAD |
                                     1u << FACT_IMAGE | 1u << FACT_NAME;
    if (e->dataset.interval || REPORTED >> f->class & 1 || f->op == OP_RUNDOWN)
        return;
    e->happened_ns = l->time;
    if (e->has_begun)
        return;
    e->has_begun = true;
    const bool is_live = collector_is_live(l->collector);
    if (is_live && l->time - e->dataset.first_ns < e->options.interval_ns)
        begin_at(e, l->time);
}

void engine_count_until_newest(struct engine *e)
{
    slice_stays(e, stays_until(e, e->dataset.newest_ns, NULL));
    dataset_flush(&e->dataset);
}

/* Behind a switch: the time before it, for which the thread that leaves did not account. */
static void look_for_unseen(struct engine *e, source_id source, const struct fact *f)
{
    static const int64_t LEAST_NS = 1000000; /* facts of slices are few */
    struct processor *const p = model_processor(&e->model, source, f->cpu);
    if (p)
        count_unseen(e, p, f->cpu, f->time, LEAST_NS);
}

static void add_span(void *of, const struct fact *span)
{
    struct engine *const e = of;
    struct fact *const f = facts_add(&e->dataset.facts);
    *f = *span;
    recorded_see(&e->model.recorded, f);
    dataset_feed(&e->dataset, f, model_process_of(&e->model, f));
}

/* A fact more may move those before. */
static void follow_spans(struct engine *e, const struct event *event, source_id source,
                         const struct fact *f)
{
    const struct fact copy = *f;
    span_set_take(e->spans, event, source, &copy, add_span, e);
}

static void take_event(struct engine *e, const struct merge_input *l)
{
    struct event event;
    if (l->head->form != RECORD_ETW)
        return; /* a note of loss: the collector counts it */
    if (l->head->source >= l->sources || event_of_record(l->head, &event) != EVENT_OK) {
        e->undecoded++;
        return;
    }
    event.ts = l->head->ts; /* messages may have none of their own */
    const bool is_late = count_event(e, l->time, &event);
    struct fact *f = facts_add(&e->dataset.facts);
    f->position = l->position;
    f->ring = (uint8_t)(l - e->merge_inputs);
    const source_id source = (source_id)((l - e->merge_inputs) * SOURCE_MAX + l->head->source);
    model_fact(&e->model, &event, source, l->time, f);
    e->late_classes |= (uint32_t)is_late << f->class;
    notice_beginning(e, l, f);
    if ((f->class == FACT_OTHER || f->class == FACT_NAME) && model_rundown_is_config(&event))
        model_rundown_config_keep(&e->rundowns.config, l->head, l->head + 1);
    const uint32_t process = model_process_of(&e->model, f);
    if (GAUGE_CLASSES >> f->class & 1)
        engine_count_gauges(e, f, process);
    dataset_feed(&e->dataset, f, process);
    put_on_timeline(e, f, process);
    if (f->class == FACT_SWITCH)
        look_for_unseen(e, source, f);
    if (e->spans)
        follow_spans(e, &event, source, f);
}

void merge_input_release(struct merge_input *l)
{
    ring_release(l->ring);
    l->head = NULL;
}

/* ---- marks ------------------------------------------------------------------------------------ */

/* Those up to `until`. Marks are facts of the history; the tables count the machine's events
 * only. */
static bool take_marks(struct engine *e, int64_t until)
{
    struct merge_input *const l = &e->merge_inputs[e->options.collector_count];
    bool had_any = false;
    for (; l->head && l->time <= until; merge_input_look(e, l)) {
        const int64_t newest = e->dataset.newest_ns, time = l->time > newest ? l->time : newest;
        struct event event;
        if (event_of_record(l->head, &event) == EVENT_OK) {
            struct fact *f = facts_add(&e->dataset.facts);
            f->position = l->position;
            f->ring = (uint8_t)(l - e->merge_inputs);
            model_fact(&e->model, &event, (source_id)((l - e->merge_inputs) * SOURCE_MAX), time, f);
            if (e->timeline)
                timeline_note(e->timeline, STRIP_MARK, f->time, f->time);
        }
        merge_input_release(l);
        had_any = true;
    }
    return had_any;
}

/* Everything up to then has come. */
static int64_t complete_time(const struct engine *e)
{
    int64_t complete = INT64_MAX;
    for (size_t i = 0; i < e->options.collector_count; i++) {
        const struct merge_input *const l = &e->merge_inputs[i];
        const int64_t time = l->head                       ? l->time - 1
                             : ring_is_finished(l->ring) ? INT64_MAX
                                                           : l->complete;
        complete = time < complete ? time : complete;
    }
    return complete;
}

void engine_count_slices(struct engine *e)
{
    if (!engine_is_any_live(e) || e->dataset.interval)
        return;
    const int64_t complete = complete_time(e), newest = e->dataset.newest_ns,
                  until = complete < newest ? complete : newest;
    slice_stays(e, until > e->happened_ns ? until : e->happened_ns);
    dataset_flush(&e->dataset);
}

bool engine_take_due_marks(struct engine *e)
{
    static const int64_t PATIENCE_NS = 2000000000; /* a source that says nothing holds no mark up */
    struct merge_input *const l = &e->merge_inputs[e->options.collector_count];
    if (!l->head)
        merge_input_look(e, l);
    if (!l->head)
        return false;
    const struct collector *const c = e->options.collector_count ? e->collectors[0] : NULL;
    int64_t due = complete_time(e);
    due = e->dataset.newest_ns > due ? e->dataset.newest_ns : due;
    if (c && c->kind && c->kind->now && c->kind->now(c) - PATIENCE_NS > due)
        due = c->kind->now(c) - PATIENCE_NS;
    return take_marks(e, due);
}

bool engine_has_marks(const struct engine *e)
{
    return e->merge_inputs[e->options.collector_count].head != NULL;
}

/* ---- events ----------------------------------------------------------------------------------- */

bool engine_take(struct engine *e, unsigned most)
{
    struct merge_input *const marks = &e->merge_inputs[e->options.collector_count];
    if (!marks->head)
        merge_input_look(e, marks);
    for (unsigned i = 0; i < most; i++) {
        struct merge_input *const l = next_merge_input(e);
        if (!l)
            return false;
        if (marks->head && marks->time < l->time)
            take_marks(e, l->time - 1);
        take_event(e, l);
        merge_input_release(l);
    }
    return true;
}

enum { BETWEEN_LOOKS = 256 }; /* events */

/* A recording waits for the one answer that it is read for: facts, stacks and records go only when
 * they were counted, and need not be read again. */
static bool is_ahead_of_view(const struct engine *e)
{
    enum { PART = 4 }; /* of what is kept */
    const struct view *const v = e->viewports[0].view;
    const struct facts *const f = &e->dataset.facts;
    if (!e->options.only || !e->held || !view_is_scanning(v) || view_wants_reread(v))
        return false;
    const uint64_t next = view_next_fact(v) > f->first ? view_next_fact(v) : f->first;
    return next < f->end && (f->end - next > f->kept * FACT_CHUNK / PART ||
                             model_stacks_may_go(&e->model.stack_store, BETWEEN_LOOKS) ||
                             facts_at(f, f->end - 1)->position - facts_at(f, next)->position >
                                 ring_capacity(e->merge_inputs[0].ring) / PART);
}

bool engine_drain(struct engine *e)
{
    const int64_t deadline = os_now() + DRAIN_NS;
    bool may_have_more = true;
    do
        may_have_more = engine_take(e, BETWEEN_LOOKS);
    while (may_have_more && os_now() < deadline && !engine_is_asked(e) && !is_ahead_of_view(e));
    dataset_flush(&e->dataset);
    return may_have_more;
}

bool engine_all_finished(const struct engine *e)
{
    for (size_t i = 0; i < e->options.collector_count; i++)
        if (!ring_is_finished(e->merge_inputs[i].ring))
            return false;
    return true;
}

void engine_pass_silence(struct engine *e)
{
    int64_t complete = INT64_MAX;
    for (size_t i = 0; i < e->options.collector_count; i++) {
        const struct merge_input *l = &e->merge_inputs[i];
        if (l->head)
            return;
        if (!ring_is_finished(l->ring) && l->complete < complete)
            complete = l->complete;
    }
    struct dataset *w = &e->dataset;
    if (complete == INT64_MAX || !w->events || complete <= w->newest_ns)
        return;
    pass_time(e, complete, NULL);
    w->newest_ns = complete;
}

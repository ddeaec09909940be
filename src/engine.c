/* The engine's thread. It drains the hot rings in time order, a slice at a time, and
 * between slices answers: a request from the ui is looked at within some
 * milliseconds however fast events come.
 *
 * What crosses threads: `request` (ui → engine, latest wins) and `frame` (engine →
 * ui, newest wins) are single pointers that change hands by exchange; whoever takes
 * one owns it. Marks are events and come through the control ring, whose one producer
 * is the ui; they are not merged by time but taken as soon as somebody asks. `commands` is a list that the ui pushes onto and the engine takes as
 * a whole, so none is dropped. Exchanges are acquire-release: what a pointer leads
 * to was written before it was handed over. `figures` are relaxed counters. */
#include "src/engine.h"

#include "src/coverage.h"
#include "src/mem.h"
#include "src/rundown_order.h"
#include "src/view.h"
#include "src/watch.h"

#include <stdlib.h>
#include <string.h>

enum { DEFAULT_FACTS = 2 << 20, COLLECTORS_MAX = 200, QUIET_TURNS = 50 };
enum { BOUNDS = sizeof(struct frame_bounds) / sizeof(uint64_t) };

static const int64_t MS = 1000000;
static const int64_t DRAIN_NS = 4 * 1000000;      /* events for so long, then questions */
static const int64_t SCAN_NS = 3 * 1000000;       /* retroactive scans likewise … */
static const int64_t WAITED_NS = 20 * 1000000;    /* … that somebody waits for */
static const int64_t KEEP_LATE_NS = 50 * 1000000; /* a copy of the rings waits for a scan so long */
static const int64_t IDLE_NS = 5 * 1000000;       /* sleep when the rings are empty */
static const int64_t QUIET_NS = 15 * 1000000;     /* … and have been for a while */
static const int64_t RESTING_NS = 250 * 1000000;  /* … and nothing will ever come */
static const int64_t PROGRESS_NS = 100 * 1000000; /* between frames of a running scan */
static const int64_t FIGURES_NS = 500 * 1000000;  /* between looks at slow figures */

struct queued {
    struct command command;
    struct queued *next;
};

/* The merge's view of one hot ring. */
struct lane {
    struct ring *ring;
    struct collector *collector;
    const struct record_head *head; /* next record, or NULL */
    uint64_t position;
    int64_t time;     /* of `head`, ns since 1970 */
    int64_t complete; /* nothing older than this is still to come */
    unsigned sources; /* of the collector, known to be complete */
};

struct shared_figures {
    _Atomic uint64_t events, facts, late, unmatched, undecoded;
    _Atomic int64_t newest_ns; /* what a mark is given as its time */
    _Atomic uint64_t bounds[BOUNDS]; /* struct frame_bounds, member by member */
};

struct engine {
    struct engine_options options;
    struct collector **collectors;
    struct lane *lanes;        /* one per collector, and behind them the control ring's */
    struct collector *control; /* no collector runs: its ring and its clock are what counts */
    struct model model;
    struct world world;
    struct view view;
    bool is_done; /* every collector finished and everything was drained */

    int64_t newest_released; /* time of the last event in merge order */
    int64_t waiting_since;   /* os_now() when the merge began to wait; 0 = it does not */
    uint64_t late, undecoded;

    unsigned quiet_turns; /* in a row without work */
    unsigned behind;      /* events in a row that stand far behind the newest */

    int64_t frozen_since; /* os_now(); 0 = the view is not frozen */

    /* When to make the next frame. */
    bool is_due;           /* something happened that a frame should show now */
    int64_t last_frame;    /* os_now() */
    uint64_t shown_events; /* world.events in the last frame */
    bool shown_partial;

    /* Figures that are looked at now and then. */
    int64_t last_figures, last_cpu;
    double self_percent, ring_s;
    struct frame_loss loss;

    struct watch watch; /* what live collectors are asked for */

    _Atomic(struct request *) request;
    _Atomic(struct frame *) frame;
    _Atomic(struct queued *) commands;
    struct rundown_orders rundowns;
    _Atomic bool stop;
    struct shared_figures figures;
    struct os_bell *wake;   /* for the engine */
    struct os_bell *answer; /* for engine_wait_frame() */
    struct os_thread *thread;
};

/* ---- events ---------------------------------------------------------------------- */

static void lane_sources(struct engine *e, struct lane *l)
{
    const struct collector *c = l->collector;
    unsigned count = atomic_load_explicit(&c->source_count, memory_order_acquire);
    count = count < SOURCE_MAX ? count : SOURCE_MAX;
    const uint32_t base = (uint32_t)(l - e->lanes) * SOURCE_MAX;
    if (count == l->sources)
        return;
    model_sources(&e->model, base + count);
    for (unsigned i = l->sources; i < count; i++) {
        e->model.sources[base + i].clock = c->sources[i].clock;
        e->model.sources[base + i].is_linux = c->sources[i].is_linux;
    }
    l->sources = count;
}

/* Times of damaged records are kept in a range whose differences are numbers, too. */
static int64_t lane_time(const struct engine *e, const struct lane *l,
                         const struct record_head *head)
{
    const uint32_t source = (uint32_t)(l - e->lanes) * SOURCE_MAX + head->source;
    static const int64_t LIMIT = INT64_MAX / 4;
    const int64_t time = trace_clock_ns(&e->model.sources[source].clock, head->ts);
    return time > LIMIT ? LIMIT : time < -LIMIT ? -LIMIT : time;
}

/* Looks for the lane's next record. Completeness is read first: everything older
 * than it was put before, so an empty look afterwards is an answer. */
static void lane_look(struct engine *e, struct lane *l)
{
    l->complete = ring_completed(l->ring);
    l->head = ring_peek(l->ring, &l->position);
    if (!l->head)
        return;
    if (l->head->source >= l->sources)
        lane_sources(e, l);
    l->time = l->head->source < l->sources ? lane_time(e, l, l->head) : e->newest_released;
}

/* The lane whose record is next, or NULL when there is none to release yet. */
static struct lane *next_lane(struct engine *e)
{
    struct lane *next = NULL;
    for (size_t i = 0; i < e->options.collector_count; i++) {
        struct lane *l = &e->lanes[i];
        if (!l->head)
            lane_look(e, l);
        if (l->head && (!next || l->time < next->time))
            next = l;
    }
    if (!next)
        return NULL;
    for (size_t i = 0; i < e->options.collector_count; i++) {
        const struct lane *l = &e->lanes[i];
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

/* Stays on processors that go on are counted up to the end of the interval, so that
 * a thread nobody interrupts shows while it runs. */
static void slice_stays(struct engine *e, int64_t until)
{
    for (uint32_t s = 0; s < e->model.source_count; s++) {
        struct model_source *source = &e->model.sources[s];
        for (uint32_t cpu = 0; cpu < source->processors_seen; cpu++) {
            struct processor *p = &source->processors[cpu];
            const int64_t ns = until - p->since_ns - p->credited_ns;
            if (!p->thread || ns <= 0)
                continue;
            p->credited_ns += ns;
            struct fact *f = facts_add(&e->world.slices);
            f->time = until - 1;
            f->position = e->world.facts.end;
            f->value = (uint64_t)ns;
            f->thread = p->thread;
            f->cpu = (uint16_t)cpu;
            f->class = FACT_SWITCH;
            f->op = OP_SLICE;
            f->flags = FACT_NO_RECORD;
            world_feed(&e->world, f, model_process_of(&e->model, f));
        }
    }
}

static void step_tables(struct engine *e, uint32_t steps)
{
    struct world *w = &e->world;
    world_flush(w);
    w->interval += steps;
    w->interval_events[1] = steps == 1 ? w->interval_events[0] : 0;
    w->interval_events[0] = 0;
    for (unsigned i = 0; i < w->table_count; i++)
        table_step(&w->tables[i], steps);
    e->is_due = true;
}

/* Lets the intervals pass that end before `time`. */
static void pass_intervals(struct engine *e, int64_t time)
{
    enum { IN_FULL = 4 }; /* after a longer gap only the last interval counts */
    struct world *w = &e->world;
    const int64_t length = e->options.interval_ns;
    int64_t end = w->origin_ns + ((int64_t)w->interval + 1) * length;
    if (time < end)
        return;
    const int64_t passed = (time - end) / length + 1;
    const uint32_t steps = passed < UINT32_MAX / 2 ? (uint32_t)passed : UINT32_MAX / 2;
    if (steps > IN_FULL) {
        step_tables(e, steps - IN_FULL);
        end += (int64_t)(steps - IN_FULL) * length;
    }
    for (uint32_t i = steps > IN_FULL ? IN_FULL : steps; i > 0; i--) {
        slice_stays(e, end);
        step_tables(e, 1);
        end += length;
    }
}

static inline void pass_time(struct engine *e, int64_t time)
{
    const struct world *w = &e->world;
    if (time >= w->origin_ns + ((int64_t)w->interval + 1) * e->options.interval_ns)
        pass_intervals(e, time);
}

/* One wild time must not stop the clock: when many events in a row stand far behind
 * the newest, the newest was damage, and intervals go on from here. */
static void mistrust_newest(struct engine *e, int64_t time)
{
    enum { ENOUGH = 4096 };
    struct world *w = &e->world;
    const int64_t length = e->options.interval_ns;
    const bool is_far_behind = w->newest_ns - time > 10 * length;
    e->behind = is_far_behind ? e->behind + 1 : 0;
    if (e->behind < ENOUGH)
        return;
    e->behind = 0;
    e->newest_released = w->newest_ns = time;
    w->origin_ns = time - (int64_t)w->interval * length;
}

static void count_event(struct engine *e, int64_t time)
{
    struct world *w = &e->world;
    if (!w->events) {
        w->first_ns = w->origin_ns = time;
        if (e->options.origin_ns) /* the last beginning at or before the first event */
            w->origin_ns -= ((time - e->options.origin_ns) % e->options.interval_ns +
                             e->options.interval_ns) %
                            e->options.interval_ns;
        w->newest_ns = time;
    }
    /* What comes out of order is in time as long as its interval runs: it counts where it
     * belongs. Only then is it late. */
    if (w->interval && time < w->origin_ns + (int64_t)w->interval * e->options.interval_ns)
        e->late++;
    if (time > e->newest_released || !w->events)
        e->newest_released = time;
    w->events++;
    w->interval_events[0]++;
    if (time > w->newest_ns) {
        e->behind = 0;
        pass_time(e, time);
        w->newest_ns = time;
    } else if (time < w->newest_ns) {
        mistrust_newest(e, time);
    }
}

static void take_event(struct engine *e, const struct lane *l)
{
    struct event event;
    if (l->head->form != RECORD_ETW)
        return; /* a note of loss: the collector counts it */
    if (l->head->source >= l->sources || event_of_record(l->head, &event) != EVENT_OK) {
        e->undecoded++;
        return;
    }
    event.ts = l->head->ts; /* messages may have none of their own */
    count_event(e, l->time);
    struct fact *f = facts_add(&e->world.facts);
    f->position = l->position;
    f->ring = (uint8_t)(l - e->lanes);
    const source_id source = (source_id)((l - e->lanes) * SOURCE_MAX + l->head->source);
    model_fact(&e->model, &event, source, l->time, f);
    if (f->class == FACT_OTHER && model_rundown_is_config(&event))
        model_rundown_config_keep(&e->rundowns.config, l->head, l->head + 1);
    world_feed(&e->world, f, model_process_of(&e->model, f));
}

static void release(struct lane *l)
{
    ring_release(l->ring);
    l->head = NULL;
}

static bool is_asked(const struct engine *e)
{
    return atomic_load_explicit(&e->request, memory_order_relaxed) != NULL;
}

/* Events until the rings are empty, the time is up or somebody asks; true when there may be more.
 */
static bool drain(struct engine *e)
{
    enum { BETWEEN_LOOKS = 256 };
    const int64_t deadline = os_now() + DRAIN_NS;
    bool may_have_more = true;
    do {
        for (unsigned i = 0; i < BETWEEN_LOOKS && may_have_more; i++) {
            struct lane *l = next_lane(e);
            may_have_more = l != NULL;
            if (l) {
                take_event(e, l);
                release(l);
            }
        }
    } while (may_have_more && os_now() < deadline && !is_asked(e));
    world_flush(&e->world);
    return may_have_more;
}

static bool all_finished(const struct engine *e)
{
    for (size_t i = 0; i < e->options.collector_count; i++)
        if (!ring_is_finished(e->lanes[i].ring))
            return false;
    return true;
}

/* A live source that falls silent still lets time pass, or its last rates would
 * stand for ever. */
static void pass_silence(struct engine *e)
{
    int64_t complete = INT64_MAX;
    for (size_t i = 0; i < e->options.collector_count; i++) {
        const struct lane *l = &e->lanes[i];
        if (l->head)
            return;
        if (!ring_is_finished(l->ring) && l->complete < complete)
            complete = l->complete;
    }
    struct world *w = &e->world;
    if (complete == INT64_MAX || !w->events || complete <= w->newest_ns)
        return;
    pass_time(e, complete);
    w->newest_ns = complete;
}

/* ---- figures ------------------------------------------------------------------------ */

static struct frame_loss total_loss(const struct engine *e, bool with_engine)
{
    struct frame_loss sum = {0};
    for (size_t i = 0; i < e->options.collector_count; i++) {
        const struct collector *c = e->options.collectors[i];
        sum.kernel += atomic_load_explicit(&c->loss.kernel, memory_order_relaxed);
        sum.realtime += atomic_load_explicit(&c->loss.buffers, memory_order_relaxed);
        sum.decoder += atomic_load_explicit(&c->loss.skipped, memory_order_relaxed);
        sum.ring += ring_figures(c->hot).lost;
    }
    if (with_engine)
        sum.decoder += atomic_load_explicit(&e->figures.undecoded, memory_order_relaxed);
    return sum;
}

static double rate(uint64_t now, uint64_t before, double seconds)
{
    return now > before && seconds > 0 ? (double)(now - before) / seconds : 0;
}

static void look_at_loss(struct engine *e, double seconds)
{
    struct frame_loss now = total_loss(e, true);
    now.kernel_rate = rate(now.kernel, e->loss.kernel, seconds);
    now.realtime_rate = rate(now.realtime, e->loss.realtime, seconds);
    now.ring_rate = rate(now.ring, e->loss.ring, seconds);
    now.decoder_rate = rate(now.decoder, e->loss.decoder, seconds);
    const bool moved = now.kernel_rate + now.realtime_rate + now.ring_rate + now.decoder_rate > 0;
    const bool moves =
        e->loss.kernel_rate + e->loss.realtime_rate + e->loss.ring_rate + e->loss.decoder_rate > 0;
    e->is_due |= moved || moves;
    e->view.is_losing = moved;
    e->view.has_lost = now.kernel + now.realtime + now.ring + now.decoder > 0;
    e->loss = now;
}

/* Seconds of history that can still be read back, in the ring with the least. */
static double history(const struct engine *e)
{
    double least = -1;
    for (size_t i = 0; i < e->options.collector_count; i++) {
        const struct lane *l = &e->lanes[i];
        struct record_head oldest;
        if (!ring_oldest(l->ring, PIN_ENGINE, &oldest) || oldest.source >= l->sources)
            continue;
        const double seconds = (double)(e->world.newest_ns - lane_time(e, l, &oldest)) / 1e9;
        if (least < 0 || seconds < least)
            least = seconds;
    }
    return least > 0 ? least : 0;
}

static void follow_wishes(struct engine *e, int64_t now)
{
    for (size_t i = 0; i < e->options.collector_count; i++)
        watch_follow(&e->watch, e->collectors[i], now);
}

static void look_at_figures(struct engine *e)
{
    const int64_t now = os_now();
    if (e->last_figures && now - e->last_figures < FIGURES_NS)
        return;
    follow_wishes(e, now);
    const int64_t cpu = os_cpu_time();
    const double passed = (double)(now - e->last_figures);
    if (e->last_figures)
        e->self_percent = (double)(cpu - e->last_cpu) / passed * 100;
    look_at_loss(e, e->last_figures ? passed / 1e9 : 0);
    e->last_cpu = cpu;
    e->last_figures = now;
    e->ring_s = e->world.events ? history(e) : 0;
}

static uint64_t unmatched(const struct engine *e)
{
    const struct model_tally *t = &e->model.tally;
    return t->stacks_unmatched + t->completions_unmatched + t->calls_unmatched;
}

static struct frame_bounds bounds_of(const struct engine *e)
{
    const struct model *m = &e->model;
    struct frame_bounds b = {
        .evicted_processes = m->processes.evicted,
        .evicted_threads = m->threads.evicted,
        .evicted_files = m->files.evicted,
        .evicted_connections = m->connections.evicted,
        .evicted_images = m->images.evicted,
        .evicted_stacks = m->stack_store.stacks.evicted,
        .stacks_dropped = m->tally.stacks_dropped,
        .stacks_halved = m->tally.stacks_halved,
        .images_dropped = m->tally.images_dropped,
        .names_dropped = m->tally.names_dropped,
        .kinds_dropped = m->tally.kinds_dropped,
    };
    for (unsigned i = 0; i < e->world.table_count; i++)
        b.rows_folded += e->world.tables[i].folded;
    return b;
}

static void publish_bounds(struct engine *e)
{
    const struct frame_bounds now = bounds_of(e);
    uint64_t words[BOUNDS];
    memcpy(words, &now, sizeof now);
    for (unsigned i = 0; i < BOUNDS; i++)
        atomic_store_explicit(&e->figures.bounds[i], words[i], memory_order_relaxed);
}

static void publish_figures(struct engine *e)
{
    publish_bounds(e);
    struct shared_figures *f = &e->figures;
    atomic_store_explicit(&f->events, e->world.events, memory_order_relaxed);
    atomic_store_explicit(&f->facts, e->world.facts.end, memory_order_relaxed);
    atomic_store_explicit(&f->late, e->late, memory_order_relaxed);
    atomic_store_explicit(&f->newest_ns, e->world.newest_ns, memory_order_relaxed);
    atomic_store_explicit(&f->unmatched, unmatched(e), memory_order_relaxed);
    atomic_store_explicit(&f->undecoded, e->undecoded, memory_order_relaxed);
}

/* ---- frames --------------------------------------------------------------------------- */

static enum engine_state state_of(const struct engine *e)
{
    enum { EXIT_STATUS_ERROR = 1 }; /* interaction.md 12.3: 6, skipped bytes, is no failure */
    bool is_live = false, is_paused = false, has_failed = false;
    for (size_t i = 0; i < e->options.collector_count; i++) {
        const struct collector *c = e->options.collectors[i];
        is_live |= c->kind && c->kind->is_live;
        is_paused |= atomic_load_explicit(&c->paused, memory_order_relaxed);
        has_failed |=
            atomic_load_explicit(&c->exit_status, memory_order_relaxed) == EXIT_STATUS_ERROR;
    }
    if (e->is_done)
        return has_failed ? STATE_FAILED : STATE_FINISHED;
    return is_paused ? STATE_PAUSED : is_live ? STATE_LIVE : STATE_REPLAY;
}

static void fill_progress(const struct engine *e, struct frame *f)
{
    int64_t done = 0, end = 0;
    f->progress = -1;
    for (size_t i = 0; i < e->options.collector_count; i++) {
        const struct collector *c = e->options.collectors[i];
        done += atomic_load_explicit(&c->progress, memory_order_relaxed);
        end += atomic_load_explicit(&c->progress_end, memory_order_relaxed);
        f->speed = atomic_load_explicit(&c->speed, memory_order_relaxed);
    }
    if (end > 0)
        f->progress = done < end ? (double)done / (double)end : 1;
}

/* Sum of a pane's measure over the machine, per second of the frame's span. */
static double machine_rate(const struct row_context *x, const char *pane, const char *measure,
                           const struct world *w)
{
    const uint64_t sum = world_sum(w, x, pane, measure);
    return x->seconds > 0 ? (double)sum / x->seconds : 0;
}

/* Time not spent in any source's idle process. */
static double busy_percent(const struct engine *e, const struct row_context *x,
                           const struct world *w)
{
    struct row_context of = *x;
    of.table = &w->tables[pane_index(pane_find("processes"))];
    const int measure = table_measure(of.table, x->has_switches ? "run" : "sampled");
    const uint64_t all = row_tally(&of, of.table->all, measure);
    uint64_t idle = 0;
    for (uint32_t s = 0; s < e->model.source_count; s++) {
        const uint32_t number = map_get(&e->model.process_now, (uint64_t)s << 32);
        const struct table_row *r = table_find(of.table, (struct row_key){.a = number});
        idle += number && r ? row_tally(&of, r, measure) : 0;
    }
    if (!all || x->seconds <= 0 || !x->cpus)
        return -1;
    return (double)(all - idle) / 1e9 / x->seconds / x->cpus * 100;
}

/* Made-up data is called so on screen, whatever else is shown beside it. */
static bool has_synthetic(const struct engine *e)
{
    for (size_t i = 0; i < e->options.collector_count; i++) {
        const struct collector *c = e->options.collectors[i];
        const unsigned count = atomic_load_explicit(&c->source_count, memory_order_acquire);
        for (unsigned s = 0; s < count; s++)
            if (c->sources[s].is_synthetic)
                return true;
    }
    return false;
}

/* Whether every source that is known runs Linux, and there is one. */
static bool is_all_linux(const struct engine *e)
{
    unsigned known = 0;
    for (size_t i = 0; i < e->options.collector_count; i++)
        for (unsigned s = 0; s < e->lanes[i].sources; s++, known++)
            if (!e->model.sources[i * SOURCE_MAX + s].is_linux)
                return false;
    return known > 0;
}

/* What the live collectors have on; nothing where none is live. */
static void fill_watched(const struct engine *e, struct frame *f)
{
    for (size_t i = 0; i < e->options.collector_count; i++) {
        struct collector *const c = e->collectors[i];
        f->active |= atomic_load_explicit(&c->active, memory_order_relaxed);
        f->active_stacks |= atomic_load_explicit(&c->active_stacks, memory_order_relaxed);
        f->refused |= atomic_load_explicit(&c->refused, memory_order_relaxed);
    }
}

static void fill_machine(const struct engine *e, struct frame *f, const struct row_context *x)
{
    const struct world *w = view_world(&e->view);
    f->events = e->world.events;
    f->late = e->late;
    f->unmatched = unmatched(e);
    f->stacks_matched = e->model.tally.stacks_matched;
    f->stacks_unmatched = e->model.tally.stacks_unmatched;
    f->loss = e->loss;
    f->bounds = bounds_of(e);
    f->ring_s = e->ring_s;
    f->self_percent = e->self_percent;
    f->state = state_of(e);
    f->is_synthetic = has_synthetic(e);
    f->is_linux = is_all_linux(e);
    const int64_t first = e->world.first_ns, newest = e->world.newest_ns;
    const int64_t whole =
        newest - first - coverage_gap_ns(e->collectors, e->options.collector_count, first, newest);
    const double seconds = (double)(e->options.interval_ns) / 1e9;
    f->events_per_s = e->world.interval && !e->is_done
                          ? (double)e->world.interval_events[1] / seconds
                      : whole > 0 ? (double)e->world.events / ((double)whole / 1e9)
                                  : 0;
    if (!request_has_range(&e->view.request)) { /* else the view has counted them */
        f->cpu_percent = busy_percent(e, x, w);
        f->disk_read = machine_rate(x, "disk", "read", w);
        f->disk_write = machine_rate(x, "disk", "write", w);
    }
    fill_progress(e, f);
    fill_watched(e, f);
}

static void fill_notice(const struct engine *e, struct frame_maker *maker)
{
    for (size_t i = 0; i < e->options.collector_count; i++) {
        const char *text =
            atomic_load_explicit(&e->options.collectors[i]->notice, memory_order_acquire);
        if (text)
            maker->frame.notice = maker_text(maker, VALUE_TEXT, text, strlen(text));
    }
}

static void make_frame(struct engine *e)
{
    struct frame_maker maker;
    look_at_figures(e);
    const struct row_context x = view_fill(&e->view, &maker);
    fill_machine(e, &maker.frame, &x);
    fill_notice(e, &maker);
    e->is_due = false;
    e->last_frame = os_now();
    e->shown_events = e->world.events;
    e->shown_partial = maker.frame.is_partial;
    frame_free(atomic_exchange_explicit(&e->frame, maker_take(&maker), memory_order_acq_rel));
    os_bell_ring(e->answer);
    if (e->options.frame_bell)
        os_bell_ring(e->options.frame_bell);
}

/* A frame is made when something asks for one (a request, the end of a scan or of the
 * trace, a loss that moves), or when the refresh interval is over and there is news. */
static bool frame_is_due(const struct engine *e)
{
    if (!e->view.has_request)
        return false;
    const int64_t passed = os_now() - e->last_frame;
    const bool is_complete = view_is_complete(&e->view);
    if (e->shown_partial && (is_complete || passed >= PROGRESS_NS))
        return true;
    const int64_t refresh = e->options.interval_ns < 1000 * MS ? e->options.interval_ns : 1000 * MS;
    return (e->is_due || e->shown_events != e->world.events) && passed >= refresh;
}

/* ---- requests and commands --------------------------------------------------------------- */

static void reset(struct engine *e, const struct command *c)
{
    (void)c;
    for (unsigned i = 0; i < e->world.table_count; i++)
        table_clear(&e->world.tables[i]);
    e->world.reset_ns = e->world.newest_ns;
    view_restart(&e->view);
}

/* What the ui has put into the control ring. Marks are facts of the kept window; the
 * tables count the machine's events only. */
static bool take_marks(struct engine *e)
{
    struct lane *l = &e->lanes[e->options.collector_count];
    bool had_any = false;
    for (lane_look(e, l); l->head; lane_look(e, l)) {
        struct event event;
        if (event_of_record(l->head, &event) == EVENT_OK) {
            struct fact *f = facts_add(&e->world.facts);
            f->position = l->position;
            f->ring = (uint8_t)(l - e->lanes);
            model_fact(&e->model, &event, (source_id)((l - e->lanes) * SOURCE_MAX), l->time, f);
        }
        release(l);
        had_any = true;
    }
    return had_any;
}

static void set_paused(struct engine *e, const struct command *c)
{
    for (size_t i = 0; i < e->options.collector_count; i++)
        atomic_store_explicit(&e->options.collectors[i]->paused, c->kind == COMMAND_PAUSE,
                              memory_order_relaxed);
}

static void set_speed(struct engine *e, const struct command *c)
{
    const double speed = c->number >= 0 && c->number <= 1e6 ? c->number : 0;
    for (size_t i = 0; i < e->options.collector_count; i++)
        atomic_store_explicit(&e->options.collectors[i]->speed, (int)speed, memory_order_relaxed);
}

static bool take_commands(struct engine *e)
{
    static void (*const actions[])(struct engine *, const struct command *) = {
        [COMMAND_RESET] = reset,       [COMMAND_PAUSE] = set_paused,
        [COMMAND_RESUME] = set_paused, [COMMAND_SPEED] = set_speed,
    };
    struct queued *newest = atomic_exchange_explicit(&e->commands, NULL, memory_order_acq_rel);
    struct queued *oldest = NULL;
    while (newest) { /* the list stands newest first */
        struct queued *const next = newest->next;
        newest->next = oldest;
        oldest = newest;
        newest = next;
    }
    const bool had_any = oldest != NULL;
    while (oldest) {
        struct queued *const next = oldest->next;
        const size_t kind = (size_t)oldest->command.kind;
        if (kind < sizeof actions / sizeof *actions && actions[kind])
            actions[oldest->command.kind](e, &oldest->command);
        free(oldest);
        oldest = next;
    }
    return had_any;
}

/* Goes on with the running scan, up to so long, but not past the next question; true when
 * there was something to do. */
static bool work_for_view(struct engine *e, int64_t ns)
{
    const int64_t deadline = os_now() + ns;
    bool had_work = false;
    while (view_work(&e->view, os_now() + MS)) {
        had_work = true;
        if (is_asked(e) || os_now() >= deadline || view_is_complete(&e->view))
            break;
    }
    return had_work;
}

/* What is frozen is copied after what somebody waits for, but not much later: until then
 * it holds the rings. */
static bool keep_for_view(struct engine *e)
{
    if (!e->view.is_frozen)
        e->frozen_since = 0;
    else if (!e->frozen_since)
        e->frozen_since = os_now();
    const bool may_wait = !view_is_complete(&e->view) && os_now() - e->frozen_since < KEEP_LATE_NS;
    return e->view.is_frozen && (may_wait || view_keep(&e->view, os_now() + SCAN_NS));
}

/* The request is taken before the commands, and answered after them: so all that were
 * given before it are among them, and its answer shows what they did. */
static bool take_orders(struct engine *e, bool *was_asked)
{
    struct request *r = atomic_exchange_explicit(&e->request, NULL, memory_order_acq_rel);
    const bool was_commanded = take_commands(e);
    const bool was_told = take_marks(e) || was_commanded;
    *was_asked = r != NULL;
    if (r) {
        watch_pane(&e->watch, r->pane);
        follow_wishes(e, os_now());
        view_ask(&e->view, r);
        e->model.looked_at = e->view.is_frozen ? &e->view.frozen.facts : NULL;
        free(r);
        work_for_view(e, SCAN_NS);
    }
    return was_told;
}

static void drop_commands(struct engine *e)
{
    struct queued *q = atomic_exchange_explicit(&e->commands, NULL, memory_order_acq_rel);
    while (q) {
        struct queued *const next = q->next;
        free(q);
        q = next;
    }
}

/* The kept window, the model and the tables together stay well below 300 MB whatever comes:
 * the tables get what the others leave. */
static void stay_within_memory(struct engine *e)
{
    static const size_t ALL = 258000000, LEAST = 32000000;
    const size_t taken =
        facts_bytes(&e->world.facts) + facts_bytes(&e->world.slices) + model_bytes(&e->model);
    world_trim(&e->world, taken + LEAST < ALL ? ALL - taken : LEAST);
}

/* ---- the thread ------------------------------------------------------------------------------ */

static void turn(struct engine *e)
{
    const uint64_t before = e->world.events;
    const bool may_have_more = drain(e);
    stay_within_memory(e);
    if (e->world.events != before)
        e->quiet_turns = 0;
    for (size_t i = 0; i < e->options.collector_count; i++)
        if (e->collectors[i]->slow)
            ring_release_all(e->collectors[i]->slow);
    if (!may_have_more)
        pass_silence(e);
    if (!may_have_more && !e->is_done && all_finished(e)) {
        e->is_done = e->view.is_finished = true;
        e->is_due = true;
        e->last_frame = 0;
        e->ring_s = history(e); /* no later look will find more */
    }
    publish_figures(e);
    bool was_asked;
    const bool was_told = take_orders(e, &was_asked);
    const bool scanned = !was_asked && work_for_view(e, e->shown_partial ? WAITED_NS : SCAN_NS);
    const bool kept = keep_for_view(e);
    const bool listed = rundown_orders_work(&e->rundowns, &e->model, e->newest_released,
                                            os_now() + SCAN_NS);
    look_at_figures(e);
    const bool ends_scan = e->shown_partial && view_is_complete(&e->view);
    if (e->view.has_request && (was_asked || was_told || ends_scan || frame_is_due(e)))
        make_frame(e);
    /* Rows not judged yet are work too: the next frame goes on with them. */
    if (may_have_more || scanned || kept || listed || was_asked || e->shown_partial)
        e->quiet_turns = 0;
    else
        os_bell_wait(e->wake, e->is_done                       ? RESTING_NS
                              : e->quiet_turns++ < QUIET_TURNS ? IDLE_NS
                                                               : QUIET_NS);
}

static void run(void *arg)
{
    struct engine *e = arg;
    while (!atomic_load_explicit(&e->stop, memory_order_acquire))
        turn(e);
}

/* ---- the ui's side ------------------------------------------------------------------------------
 */

/* A ring of marks with a clock that counts ns since 1970; NULL: no memory for it. */
static struct collector *control_new(void)
{
    enum { BYTES = 8 * RING_SEGMENT, NS_PER_S = 1000000000 };
    struct collector *c = mem_new(1, sizeof *c);
    c->hot = ring_new(BYTES, RING_SEGMENT);
    if (!c->hot) {
        free(c);
        return NULL;
    }
    c->sources[0].clock = trace_clock_make(CLOCK_QPC, 0, FILETIME_UNIX_EPOCH, NS_PER_S);
    atomic_init(&c->source_count, 1);
    return c;
}

struct engine *engine_start(const struct engine_options *o, struct err *err)
{
    if (o->collector_count > COLLECTORS_MAX) {
        fail(err, "%u sources at once; at most %d are possible", (unsigned)o->collector_count,
             COLLECTORS_MAX);
        return NULL;
    }
    struct collector *const control = control_new();
    if (!control) {
        fail(err, "no memory for the control ring");
        return NULL;
    }
    os_heap_tidy();
    struct engine *e = mem_new(1, sizeof *e);
    e->control = control;
    e->options = *o;
    if (e->options.interval_ns <= 0)
        e->options.interval_ns = 1000 * MS;
    if (!e->options.facts)
        e->options.facts = DEFAULT_FACTS;
    e->collectors = mem_copy(o->collectors, o->collector_count * sizeof *e->collectors);
    e->options.collectors = e->collectors;
    e->lanes = mem_new(o->collector_count + 1, sizeof *e->lanes);
    model_init(&e->model);
    world_init(&e->world, e->options.facts);
    e->model.facts = &e->world.facts;
    for (unsigned i = 0; i < e->world.table_count; i++)
        e->world.tables[i].model = &e->model;
    for (size_t i = 0; i < o->collector_count; i++) {
        e->lanes[i] = (struct lane){
            .ring = e->collectors[i]->hot, .collector = e->collectors[i], .complete = INT64_MIN};
        lane_sources(e, &e->lanes[i]);
        e->watch.base |= atomic_load(&e->collectors[i]->wanted);
        e->watch.base_stacks |= atomic_load(&e->collectors[i]->wanted_stacks);
    }
    e->lanes[o->collector_count] = (struct lane){.ring = e->control->hot, .collector = e->control};
    lane_sources(e, &e->lanes[o->collector_count]);
    e->view = (struct view){.control = e->control->hot,
                            .model = &e->model,
                            .collectors = e->collectors,
                            .collector_count = o->collector_count,
                            .live = &e->world,
                            .interval_ns = e->options.interval_ns};
    view_init(&e->view);
    e->wake = os_bell_new();
    e->answer = os_bell_new();
    e->thread = os_thread_start("engine", run, e);
    return e;
}

void engine_stop(struct engine *e)
{
    if (!e)
        return;
    atomic_store_explicit(&e->stop, true, memory_order_release);
    os_bell_ring(e->wake);
    os_thread_join(e->thread);
    rundown_orders_close(&e->rundowns);
    free(atomic_load(&e->request));
    frame_free(atomic_load(&e->frame));
    drop_commands(e);
    view_fini(&e->view);
    world_fini(&e->world);
    model_fini(&e->model);
    os_bell_free(e->wake);
    os_bell_free(e->answer);
    free(e->collectors);
    ring_free(e->control->hot);
    free(e->control);
    free(e->lanes);
    free(e);
}

void engine_request(struct engine *e, const struct request *r)
{
    struct request *copy = mem_copy(r, sizeof *r);
    free(atomic_exchange_explicit(&e->request, copy, memory_order_acq_rel));
    os_bell_ring(e->wake);
}

struct frame *engine_take_frame(struct engine *e)
{
    return atomic_exchange_explicit(&e->frame, NULL, memory_order_acq_rel);
}

static bool is_answer(const struct frame *f, uint64_t sequence, bool settled)
{
    const bool is_over = f->state == STATE_FINISHED || f->state == STATE_FAILED;
    return f->sequence >= sequence && (!settled || (is_over && !f->is_partial));
}

struct frame *engine_wait_frame(struct engine *e, uint64_t sequence, bool settled,
                                int64_t timeout_ns)
{
    const int64_t deadline = timeout_ns < 0 ? INT64_MAX : os_now() + timeout_ns;
    for (;;) {
        struct frame *f = engine_take_frame(e);
        if (f && is_answer(f, sequence, settled))
            return f;
        frame_free(f);
        const int64_t left = deadline - os_now();
        if (left <= 0)
            return NULL;
        os_bell_wait(e->answer, left < 100 * MS ? left : 100 * MS);
    }
}

/* PerfInfo Mark as a current Windows logs it: PERFINFO_TRACE_HEADER, hook 0x0f22, text.
 * The engine looks into the control ring whatever else it does, so waiting is short. */
static void put_mark(struct engine *e, const char *text)
{
    enum { HEADER = 16, TYPE_PERFINFO64 = 0x11, FLAGS = 0xc0, TYPE_MARK = 0x22, GROUP = 0x0f };
    struct ring *const control = e->control->hot;
    const int64_t now = atomic_load_explicit(&e->figures.newest_ns, memory_order_relaxed);
    const size_t room = sizeof ((struct command *)0)->text;
    const uint16_t bytes = (uint16_t)(HEADER + strnlen(text, room - 1) + 1);
    const uint8_t start[] = {
        0, 0, TYPE_PERFINFO64, FLAGS, (uint8_t)bytes, (uint8_t)(bytes >> 8), TYPE_MARK, GROUP};
    const struct record_head head = {
        .bytes = (uint32_t)sizeof head + bytes, .form = RECORD_ETW, .ts = now};
    while (!ring_has_room(control, head.bytes)) {
        os_bell_ring(e->wake);
        os_sleep(MS);
    }
    uint8_t *const to = ring_reserve(control, &head);
    memcpy(to, start, sizeof start);
    memcpy(to + sizeof start, &now, sizeof now);
    memcpy(to + HEADER, text, (size_t)bytes - HEADER - 1);
    to[bytes - 1] = 0;
    ring_commit(control);
}

void engine_command(struct engine *e, const struct command *c)
{
    if (c->kind == COMMAND_MARK) {
        put_mark(e, c->text);
        os_bell_ring(e->wake);
        return;
    }
    struct queued *q = mem_new(1, sizeof *q);
    q->command = *c;
    q->next = atomic_load_explicit(&e->commands, memory_order_relaxed);
    while (!atomic_compare_exchange_weak_explicit(&e->commands, &q->next, q, memory_order_release,
                                                  memory_order_relaxed))
        ;
    os_bell_ring(e->wake);
}

struct model_rundown *engine_rundown(struct engine *e, unsigned collector, int64_t *at_ns,
                                     bool is_end)
{
    return rundown_order(&e->rundowns, e->wake, collector, at_ns, is_end);
}

struct ring *engine_marks(struct engine *e)
{
    return e->control->hot;
}

struct engine_figures engine_figures(const struct engine *e)
{
    const struct shared_figures *f = &e->figures;
    uint64_t words[BOUNDS];
    for (unsigned i = 0; i < BOUNDS; i++)
        words[i] = atomic_load_explicit(&f->bounds[i], memory_order_relaxed);
    struct engine_figures figures = {
        .events = atomic_load_explicit(&f->events, memory_order_relaxed),
        .facts = atomic_load_explicit(&f->facts, memory_order_relaxed),
        .late = atomic_load_explicit(&f->late, memory_order_relaxed),
        .unmatched_stacks = atomic_load_explicit(&f->unmatched, memory_order_relaxed),
        .undecoded = atomic_load_explicit(&f->undecoded, memory_order_relaxed),
        .loss = total_loss(e, true),
    };
    memcpy(&figures.bounds, words, sizeof figures.bounds);
    return figures;
}

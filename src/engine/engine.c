/* The engine's thread. It drains the hot rings in time order, a slice at a time, and
 * between slices answers: a request from the ui is taken within some milliseconds however fast
 * events come.
 *
 * What crosses threads: `request` (ui → engine, latest wins) and `frame` (engine →
 * ui, newest wins) are single pointers that change hands by exchange; whoever takes
 * one owns it. Marks are events and come through the control ring, whose one producer
 * is the ui; they are not merged by time but taken as soon as somebody asks. `commands`
 * is a list that the ui pushes onto and the engine takes as a whole, so none is dropped.
 * Exchanges are acquire-release: what a pointer leads to was written before it was handed
 * over. `figures` are relaxed counters. */
#include "src/base/mem.h"
#include "src/engine/inside.h"

#include <stdlib.h>

enum { COLLECTORS_MAX = 200, QUIET_TURNS = 50 };

static const int64_t WAITED_NS = 20 * 1000000;   /* a scan, when somebody waits for it */
static const int64_t IDLE_NS = 5 * 1000000;      /* sleep when the rings are empty */
static const int64_t QUIET_NS = 15 * 1000000;    /* … and have been for a while */
static const int64_t CALM_NS = 250 * 1000000;    /* … the longest, when little comes live … */
static const int64_t FRAME_NS = 1000 * 1000000;  /* … until a frame ends it anyway */
static const int64_t RESTING_NS = 250 * 1000000; /* … and nothing will ever come */

/* ---- the thread ------------------------------------------------------------------------ */

/* Rows, names and symbols that came and went are small pieces all over the heap, of this thread and
 * of the workers. */
static void give_back(struct engine *e)
{
    enum { MANY = 1 << 20 }; /* events */
    static const int64_t BETWEEN = 10 * 1000000000ll;
    if (e->dataset.events - e->given_back < MANY || os_now() - e->gave_back < BETWEEN)
        return;
    e->given_back = e->dataset.events;
    e->gave_back = os_now();
    os_heap_trim();
}

/* The history, the model and the tables together stay well below 300 MB whatever comes, and
 * in proportion where the window is smaller: the tables get what the others leave. */
static void stay_within_memory(struct engine *e)
{
    static const size_t ALL = 258000000, LEAST = 32000000, BESIDE = 16000000, FEW = 5000000;
    const size_t window = e->options.facts * sizeof(struct fact);
    const size_t part = window + window / 2 + BESIDE, all = part < ALL ? part : ALL;
    const size_t least = all / 8 > LEAST ? LEAST : all / 8 > FEW ? all / 8 : FEW;
    size_t taken = facts_bytes(&e->dataset.facts) + facts_bytes(&e->dataset.slices) +
                   model_bytes(&e->model) + (e->symbols ? symbols_bytes(e->symbols) : 0) +
                   (e->dataset.history ? interval_history_bytes(e->dataset.history) : 0);
    for (unsigned i = 0; i < ENGINE_VIEWS; i++)
        taken += view_chart_bytes(e->viewports[i].view);
    dataset_forget(&e->dataset, &e->model);
    dataset_trim(&e->dataset, taken + least < all ? all - taken : least);
    give_back(e);
}

static bool is_all_live(const struct engine *e)
{
    for (size_t i = 0; i < e->options.collector_count; i++)
        if (!collector_is_live(e->collectors[i]))
            return false;
    return true;
}

static bool has_triggers(const struct engine *e)
{
    for (unsigned i = 0; i < TRIGGERS_MAX; i++)
        if (e->triggers[i])
            return true;
    return false;
}

static bool are_called(const struct engine *e)
{
    for (size_t i = 0; i < e->options.collector_count; i++)
        if (!e->collectors[i]->kind->calls_reader)
            return false;
    return true;
}

/* The longest sleep: what comes meanwhile at some 250 MB/s must find room, unless we are called
 * then. Before a frame nobody sees how late we are; but a trigger is to be heard soon behind the
 * interval that it is about. */
static int64_t longest_pause(const struct engine *e, bool ends_with_frame)
{
    enum { BYTES_PER_MS = 256 * 1024 };
    if (ends_with_frame && are_called(e) && !has_triggers(e))
        return FRAME_NS;
    int64_t longest = CALM_NS;
    for (size_t i = 0; i < e->options.collector_count; i++) {
        const int64_t room = (int64_t)(ring_capacity(e->collectors[i]->hot) / BYTES_PER_MS) * MS;
        longest = room < longest ? room : longest;
    }
    const int64_t part = e->options.interval_ns / 4;
    return part < longest ? part : longest;
}

/* Live, it sleeps twice as long each time that waking up was not worth it, and half as long
 * where much had come: a machine that rests is not kept awake, and events that come in numbers
 * are taken by the thousand. Frames are not late for that, and questions wake it. */
static int64_t live_pause(struct engine *e)
{
    enum { FEW = 512, MANY = 2048 }; /* so few are still in the cache when they are taken */
    const uint64_t came = e->dataset.events - e->pause_events;
    const int64_t until_frame = engine_until_frame(e);
    const int64_t longest = longest_pause(e, until_frame != INT64_MAX);
    int64_t pause = came < FEW ? e->pause_ns * 2 : came > MANY ? e->pause_ns / 2 : e->pause_ns;
    pause = pause > longest ? longest : pause;
    e->pause_ns = pause < IDLE_NS ? IDLE_NS : pause;
    e->pause_events = e->dataset.events;
    if (until_frame >= e->pause_ns)
        return e->pause_ns;
    return until_frame > MS ? until_frame : MS;
}

static int64_t pause_of(struct engine *e)
{
    if (e->is_done)
        return RESTING_NS;
    if (e->is_naming || engine_has_marks(e))
        return IDLE_NS;
    if (is_all_live(e))
        return live_pause(e);
    return e->quiet_turns++ < QUIET_TURNS ? IDLE_NS : QUIET_NS;
}

/* Whether names of what was there before are still to come from a collector. */
static bool awaits_names(const struct engine *e)
{
    bool is_naming = false;
    for (size_t i = 0; i < e->options.collector_count; i++)
        is_naming |= atomic_load_explicit(&e->collectors[i]->is_naming, memory_order_acquire);
    return is_naming;
}

/* The first frame of a live source waits until the names are read: they come behind what happened
 * meanwhile, and may all have come before the engine began. */
static bool drain_and_await_names(struct engine *e)
{
    const bool may_wait =
        engine_is_any_live(e) && !e->last_frame && os_now() - e->began < e->options.names_ns;
    const bool are_to_come = may_wait && awaits_names(e); /* asked before: then they are drained */
    const bool may_have_more = engine_drain(e);
    e->is_naming = are_to_come || (may_wait && may_have_more);
    return may_have_more;
}

/* Nothing will come any more: all views show the whole. */
static void end(struct engine *e)
{
    e->is_done = e->model.recorded.is_over = true;
    for (unsigned i = 0; i < ENGINE_VIEWS; i++) {
        view_end(e->viewports[i].view, engine_can_reread(e));
        e->viewports[i].is_due = true;
        e->viewports[i].last_frame = 0;
    }
    e->last_figures = 0; /* the answers that stay have the figures of all that came */
}

static bool is_due(const struct engine *e, unsigned view, unsigned requested, bool has_orders)
{
    const struct viewport *const l = &e->viewports[view];
    const bool ends_scan = l->shown_partial && view_is_complete(l->view);
    return view_request(l->view) && !engine_frame_waits(e, l) &&
           (requested >> view & 1 || has_orders || ends_scan || engine_frame_is_due(e, l));
}

/* The frames that are due, by the order in which they were asked for; and where one is, those of
 * all views that show an earlier interval: what stands side by side is of one time. */
static void make_frames(struct engine *e, unsigned requested, bool has_orders)
{
    unsigned due = 0, behind = 0;
    for (unsigned i = 0; i < ENGINE_VIEWS; i++) {
        const struct viewport *const l = &e->viewports[i];
        due |= is_due(e, i, requested, has_orders) ? 1u << i : 0;
        behind |= view_request(l->view) && !engine_frame_waits(e, l) &&
                          l->shown_interval != e->dataset.interval
                      ? 1u << i
                      : 0;
    }
    due |= due ? behind : 0;
    for (unsigned i = 0; i < ENGINE_VIEWS; i++) {
        struct viewport *const l = &e->viewports[e->order[i]];
        const bool is_one = due >> e->order[i] & 1;
        l->is_due |= requested >> e->order[i] & 1;
        if (is_one && !e->is_naming)
            engine_make_frame(e, l);
        l->is_due |= is_one && e->is_naming;
    }
}

static void turn(struct engine *e)
{
    const uint64_t before = e->dataset.events;
    const bool may_have_more = drain_and_await_names(e);
    stay_within_memory(e);
    if (e->dataset.events != before)
        e->quiet_turns = 0;
    for (size_t i = 0; i < e->options.collector_count; i++)
        if (e->collectors[i]->slow)
            ring_release_all(e->collectors[i]->slow);
    if (!may_have_more)
        engine_pass_silence(e);
    if (!may_have_more && !e->is_done && engine_all_finished(e))
        end(e);
    model_kinds_look(&e->model);
    engine_publish_figures(e);
    unsigned requested;
    const bool has_orders = engine_take_orders(e, &requested);
    const bool scanned =
        !requested && engine_work_for_views(e, engine_shows_partial(e) ? WAITED_NS : SCAN_NS);
    const bool kept = engine_keep_for_view(e);
    const bool listed =
        rundown_orders_work(&e->rundowns, &e->model, e->newest_released, os_now() + SCAN_NS);
    engine_take_symbols(e);
    engine_look_at_figures(e);
    make_frames(e, requested, has_orders);
    /* Rows not matched yet are work too: the next frame goes on with them. */
    if (may_have_more || scanned || kept || listed || requested || engine_shows_partial(e))
        e->quiet_turns = 0;
    else
        os_wakeup_wait(e->wake, pause_of(e));
}

/* Events may wait once the budget is used up, but not who asks. */
static void update_boost(struct engine *e)
{
    struct priority_boost *const p = &e->priority_boost;
    if (atomic_exchange_explicit(&e->is_pushed, false, memory_order_acquire))
        p->is_boosted = os_thread_boost(true);
    p->is_urgent = engine_is_asked(e) || engine_shows_partial(e);
    priority_boost_update(p);
}

static void run(void *arg)
{
    struct engine *e = arg;
    while (!atomic_load_explicit(&e->stop, memory_order_acquire)) {
        update_boost(e);
        turn(e);
    }
}

/* ---- beginning and end ----------------------------------------------------------------- */

/* Who wants a small window wants a small program: the kernel's symbols, and a few files'. */
static size_t symbol_bytes(const struct engine *e)
{
    enum { SMALL_WINDOW = 1 << 19, FEW = 8 << 20 };
    return is_all_live(e) && e->options.facts < SMALL_WINDOW ? FEW : 0;
}

/* Their messages stand among those of the first source. */
static struct symbol_downloads downloads_of(const struct engine_options *o)
{
    struct symbol_downloads d = o->downloads;
    if (o->collector_count)
        d.notices = &o->collectors[0]->notices;
    return d;
}

struct engine *engine_start(const struct engine_options *o, struct err *err)
{
    if (o->collector_count > COLLECTORS_MAX) {
        fail(err, "%u sources at once; at most %d are possible", (unsigned)o->collector_count,
             COLLECTORS_MAX);
        return NULL;
    }
    struct engine *const e = engine_new(o, true, err);
    if (!e)
        return NULL;
    for (size_t i = 0; i < o->collector_count; i++) {
        e->watch.base |= atomic_load(&e->collectors[i]->wanted);
        e->watch.base_stacks |= atomic_load(&e->collectors[i]->wanted_stacks);
    }
    e->watch.base |= span_set_classes(e->spans);
    if (o->collector_count == 1 && e->collectors[0]->kind && e->collectors[0]->kind->hold)
        e->held = e->collectors[0]->kind->hold(e->collectors[0]);
    if (!o->only) {
        e->timeline = mem_new(1, sizeof *e->timeline);
        timeline_init(e->timeline, is_all_live(e));
        e->dataset.history = is_all_live(e) ? interval_history_new(engine_history_bytes(e)) : NULL;
    }
    e->wake = os_wakeup_new();
    e->began = os_now();
    if (o->has_symbols)
        e->symbols = symbols_new(&(struct symbol_options){.path = o->symbol_path,
                                                          .downloads = downloads_of(o),
                                                          .wakeup = e->wake,
                                                          .open_bytes = symbol_bytes(e)});
    for (size_t i = 0; i < o->collector_count; i++)
        atomic_store_explicit(&e->collectors[i]->reader, e->wake, memory_order_release);
    for (unsigned i = 0; i < ENGINE_VIEWS; i++) {
        e->viewports[i].rules = rules_new();
        engine_open_view(e, i);
        e->order[i] = (uint8_t)i;
    }
    e->answer = os_wakeup_new();
    e->priority_boost.percent = is_all_live(e) ? BOOST_ENGINE : 0;
    if (is_all_live(e))
        schemas_never_wait(e->model.schemas);
    for (size_t i = 0; i < o->trigger_count && i < TRIGGERS_MAX; i++) {
        struct command c = {.kind = COMMAND_TRIGGER, .number = (double)i};
        snprintf(c.text, sizeof c.text, "%s", o->triggers[i]);
        engine_set_trigger(e, &c);
    }
    e->thread = os_thread_start("engine", run, e);
    return e;
}

void engine_stop(struct engine *e)
{
    if (!e)
        return;
    atomic_store_explicit(&e->stop, true, memory_order_release);
    os_wakeup_signal(e->wake);
    os_thread_join(e->thread);
    free(atomic_load(&e->request));
    free(atomic_load(&e->aside));
    engine_drop_commands(e);
    engine_drop_triggers(e);
    engine_reread_stop(e);
    for (unsigned i = 0; i < ENGINE_VIEWS; i++) {
        frame_free(atomic_load(&e->frames[i]));
        view_free(e->viewports[i].view);
        rules_free(e->viewports[i].rules);
    }
    symbols_free(e->symbols);
    if (e->held)
        e->collectors[0]->kind->let_go(e->held);
    os_wakeup_free(e->wake);
    os_wakeup_free(e->answer);
    engine_free(e);
}

/* ---- the ui's side --------------------------------------------------------------------- */

static struct frame *take_of(struct engine *e, unsigned view)
{
    return atomic_exchange_explicit(&e->frames[view], NULL, memory_order_acq_rel);
}

struct frame *engine_take_frame(struct engine *e)
{
    struct frame *f = NULL;
    for (unsigned i = 0; i < VIEWS_MAX && !f; i++)
        f = take_of(e, i);
    return f;
}

static bool is_answer(const struct frame *f, uint64_t sequence, bool settled)
{
    const bool is_over = f->state == STATE_FINISHED || f->state == STATE_FAILED;
    return f->sequence >= sequence && (!settled || (is_over && !f->is_partial));
}

struct frame *engine_wait_frame(struct engine *e, uint64_t sequence, bool settled,
                                int64_t timeout_ns)
{
    return engine_wait_view(e, 0, sequence, settled, timeout_ns);
}

struct frame *engine_wait_view(struct engine *e, unsigned view, uint64_t sequence, bool settled,
                               int64_t timeout_ns)
{
    const int64_t deadline = timeout_ns < 0 ? INT64_MAX : os_now() + timeout_ns;
    for (;;) {
        struct frame *f = take_of(e, view);
        if (f && is_answer(f, sequence, settled))
            return f;
        frame_free(f);
        const int64_t left = deadline - os_now();
        if (left <= 0)
            return NULL;
        os_wakeup_wait(e->answer, left < 100 * MS ? left : 100 * MS);
    }
}

struct model_rundown *engine_rundown(struct engine *e, unsigned collector, int64_t *at_ns,
                                     bool is_end)
{
    return rundown_order(&e->rundowns, e->wake, collector, at_ns, is_end);
}

struct provider_count *engine_providers(struct engine *e, size_t *count)
{
    return provider_order(&e->rundowns, e->wake, count);
}

struct ring *engine_marks(struct engine *e)
{
    return e->control->hot;
}

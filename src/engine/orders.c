/* What the ui asks for: requests, commands, marks. The ui's side comes first. */
#include "src/base/mem.h"
#include "src/engine/inside.h"
#include "src/event/mark.h"

#include <stdlib.h>
#include <string.h>

static const int64_t KEEP_LATE_NS = 50 * 1000000; /* a copy of the rings waits for a scan so long */

struct queued {
    struct command command;
    struct queued *next;
};

/* ---- the ui's side --------------------------------------------------------------------- */

void engine_request(struct engine *e, const struct request *r)
{
    engine_request_all(e, r, 1);
}

void engine_request_all(struct engine *e, const struct request *r, unsigned count)
{
    struct request_set *const copy = mem_new(1, sizeof *copy);
    copy->count = count < VIEWS_MAX ? count : VIEWS_MAX;
    memcpy(copy->of, r, copy->count * sizeof *r);
    free(atomic_exchange_explicit(&e->request, copy, memory_order_acq_rel));
    if (e->priority_boost.percent && os_thread_boost_other(e->thread))
        atomic_store_explicit(&e->is_pushed, true, memory_order_release);
    os_wakeup_signal(e->wake);
}

void engine_request_aside(struct engine *e, const struct request *r)
{
    struct request *const copy = mem_new(1, sizeof *copy);
    if (r)
        *copy = *r;
    atomic_store_explicit(&e->has_aside, true, memory_order_relaxed);
    free(atomic_exchange_explicit(&e->aside, copy, memory_order_acq_rel));
    os_wakeup_signal(e->wake);
    while (!r && atomic_load_explicit(&e->has_aside, memory_order_acquire))
        os_sleep(MS);
}

/* A live mark has the time at which it was asked for; where time passes otherwise, that of the
 * newest event. */
static int64_t time_of(struct engine *e, const struct new_mark *m)
{
    const struct collector *const c = e->options.collector_count ? e->collectors[0] : NULL;
    const int64_t newest = atomic_load_explicit(&e->figures.newest_ns, memory_order_relaxed);
    const int64_t now = c && c->kind && c->kind->now ? c->kind->now(c) : newest;
    return mark_time(m, now, &e->last_mark);
}

/* The engine looks into the control ring whatever else it does, so waiting is short. */
static void put_mark(struct engine *e, const char *line)
{
    struct ring *const control = e->control->hot;
    struct mark_record r;
    struct new_mark m;
    struct err err;
    if (!mark_read(line, &m, &err)) /* whoever asks for one reads it before */
        return;
    mark_record_make(&r, time_of(e, &m), &m);
    while (!ring_has_room(control, r.head.bytes)) {
        os_wakeup_signal(e->wake);
        os_sleep(MS);
    }
    ring_put(control, &r.head, r.bytes);
}

void engine_command(struct engine *e, const struct command *c)
{
    if (c->kind == COMMAND_MARK) {
        struct collector *const source = e->options.collector_count ? e->collectors[0] : NULL;
        if (source && source->kind && source->kind->mark)
            source->kind->mark(source, c->text);
        else
            put_mark(e, c->text);
        os_wakeup_signal(e->wake);
        return;
    }
    struct queued *q = mem_new(1, sizeof *q);
    q->command = *c;
    q->next = atomic_load_explicit(&e->commands, memory_order_relaxed);
    while (!atomic_compare_exchange_weak_explicit(&e->commands, &q->next, q, memory_order_release,
                                                  memory_order_relaxed))
        ;
    os_wakeup_signal(e->wake);
}

/* ---- the engine's side ----------------------------------------------------------------- */

static void reset(struct engine *e, const struct command *c)
{
    (void)c;
    engine_count_until_newest(e);
    dataset_keep_running(&e->dataset, &e->model, e->dataset.newest_ns + 1);
    for (unsigned i = 0; i < e->dataset.table_count; i++)
        table_clear(&e->dataset.tables[i]);
    e->dataset.reset_ns = e->dataset.newest_ns;
    for (unsigned i = 0; i < e->dataset.table_count; i++)
        table_begin(&e->dataset.tables[i], e->dataset.reset_ns);
    for (unsigned i = 0; i < ENGINE_VIEWS; i++)
        view_restart(e->viewports[i].view);
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

/* Samples get another length from the running one on. Their numbers go on, and those of what is
 * kept stay countable: number 0 begins no later than it did. What was the last interval is none
 * of the new length; the next one that is over is. */
static void set_interval(struct engine *e, const struct command *c)
{
    struct dataset *const w = &e->dataset;
    const int64_t old = e->options.interval_ns, length = (int64_t)c->number;
    if (length < 100 * MS || length > 86400000 * MS || length == old || e->frozen_snapshot)
        return;
    const int64_t begin = w->origin_ns + (int64_t)w->interval * old;
    int64_t number = (begin - w->origin_ns + length - 1) / length;
    number = number > (int64_t)w->interval ? number : (int64_t)w->interval;
    if (number > UINT32_MAX / 2 || number > INT64_MAX / 2 / length)
        return; /* of traces many years apart */
    e->options.interval_ns = length;
    for (unsigned i = 0; i < ENGINE_VIEWS; i++)
        view_set_interval(e->viewports[i].view, length);
    w->origin_ns = begin - number * length;
    gauge_history_clear(w->gauges);
    if (number > (int64_t)w->interval) /* what the tables have counted is over */
        dataset_keep_running(w, &e->model, w->newest_ns + 1);
    engine_step(e, (uint32_t)number - w->interval);
    for (unsigned i = 0; i < ENGINE_VIEWS; i++)
        view_restart(e->viewports[i].view);
}

static void set_rule(struct engine *e, const struct command *c)
{
    for (unsigned i = 0; i < ENGINE_VIEWS; i++)
        rules_set(e->viewports[i].rules, c->number >= 0 ? (unsigned)c->number : RULES_MAX,
                  c->text);
}

/* Each source is asked by a thread of its own. */
static void set_capture(struct engine *e, const struct command *c)
{
    e->is_unlike = true;
    for (size_t i = 0; i < e->options.collector_count; i++) {
        struct capture *const filter = c->text[0] ? capture_new(c->text, NULL) : NULL;
        if (c->text[0] && !filter)
            return; /* who asked has looked whether it can be */
        if (filter)
            capture_learn(filter, &e->model);
        if (!capture_set(&e->options.collectors[i]->capture, filter))
            capture_free(filter); /* so often in an instant that the source has not looked yet */
    }
}

static void watch_for_reader(struct engine *e, const struct command *c)
{
    struct watch_request w;
    if (watch_request_read(c->text, &w, NULL)) {
        watch_prolong(&e->watch, &w, os_now());
        engine_follow_requests(e, os_now());
    }
}

static void watch_in_any_case(struct engine *e, const struct command *c)
{
    struct watch_request w;
    if (!watch_request_read(c->text, &w, NULL))
        return;
    e->watch.base = w.classes | span_set_classes(e->spans);
    e->watch.base_stacks = w.stacks;
    engine_follow_requests(e, os_now());
}

static bool take_commands(struct engine *e)
{
    static void (*const actions[])(struct engine *, const struct command *) = {
        [COMMAND_RESET] = reset,
        [COMMAND_PAUSE] = set_paused,
        [COMMAND_RESUME] = set_paused,
        [COMMAND_SPEED] = set_speed,
        [COMMAND_INTERVAL] = set_interval,
        [COMMAND_RULE] = set_rule,
        [COMMAND_CAPTURE] = set_capture,
        [COMMAND_WATCH] = watch_for_reader,
        [COMMAND_BASE] = watch_in_any_case,
        [COMMAND_TRIGGER] = engine_set_trigger,
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

bool engine_work_for_views(struct engine *e, int64_t ns)
{
    const int64_t deadline = os_now() + ns;
    bool had_work = false;
    for (bool has_more = true; has_more;) {
        has_more = engine_reread(e, os_now() + MS);
        had_work |= has_more;
        for (unsigned i = 0; i < ENGINE_VIEWS; i++) {
            struct view *const v = e->viewports[e->order[i]].view;
            if (!view_work(v, os_now() + MS))
                continue;
            had_work = true;
            has_more |= !view_is_complete(v);
            if (engine_is_asked(e) || os_now() >= deadline)
                return true;
        }
        if (os_now() >= deadline)
            break;
    }
    return had_work;
}

static bool is_complete(const struct engine *e)
{
    for (unsigned i = 0; i < ENGINE_VIEWS; i++)
        if (!view_is_complete(e->viewports[i].view))
            return false;
    return true;
}

bool engine_keep_for_view(struct engine *e)
{
    if (!e->frozen_snapshot)
        e->frozen_since = 0;
    else if (!e->frozen_since)
        e->frozen_since = os_now();
    const bool may_wait = !is_complete(e) && os_now() - e->frozen_since < KEEP_LATE_NS;
    return e->frozen_snapshot &&
           (may_wait || frozen_snapshot_keep(e->frozen_snapshot, os_now() + SCAN_NS));
}

/* Views of the same pane with different filters forget each other's match_cache on its rows. */
static void part_match_cache(struct engine *e)
{
    for (unsigned i = 0; i < ENGINE_VIEWS; i++) {
        const struct request *const own = view_request(e->viewports[i].view);
        bool is_shared = false;
        for (unsigned k = 0; own && k < ENGINE_VIEWS; k++) {
            const struct request *const other = view_request(e->viewports[k].view);
            is_shared |= k != i && other && other->pane == own->pane && other->filter[0];
        }
        view_share_matches(e->viewports[i].view, is_shared);
    }
}

/* Views that are closed let go of what is frozen before others take hold of it. Those whose
 * request is the one that they have go on: bits of the others. */
static unsigned ask_views(struct engine *e, const struct request_set *a)
{
    unsigned open = 0, requested = 0, count = 0;
    for (unsigned i = 0; i < a->count; i++)
        open |= a->of[i].view < VIEWS_MAX ? 1u << a->of[i].view : 0;
    for (unsigned i = 0; i < VIEWS_MAX; i++)
        if (!(open >> i & 1))
            engine_close_view(e, i);
    watch_nothing(&e->watch);
    for (unsigned i = 0; i < a->count; i++) {
        const struct request *const r = &a->of[i];
        if (r->view >= VIEWS_MAX)
            continue;
        watch_add(&e->watch, r);
        e->order[count++] = r->view;
        struct view *const v = e->viewports[r->view].view;
        const struct request *const was = view_request(v);
        if (was && was->sequence == r->sequence)
            continue;
        view_ask(v, r);
        requested |= 1u << r->view;
    }
    for (unsigned i = 0; i < VIEWS_MAX; i++)
        if (!(open >> i & 1))
            e->order[count++] = (uint8_t)i;
    part_match_cache(e);
    return requested;
}

/* Nothing is switched on for it: watch_add() is for the screen's. */
static unsigned ask_aside(struct engine *e, const struct request *r)
{
    if (r->pane) {
        view_ask(e->viewports[VIEW_ASIDE].view, r);
        part_match_cache(e);
        return 1u << VIEW_ASIDE;
    }
    engine_close_view(e, VIEW_ASIDE);
    part_match_cache(e);
    atomic_store_explicit(&e->has_aside, false, memory_order_release);
    return 0;
}

bool engine_take_orders(struct engine *e, unsigned *requested)
{
    struct request_set *const a = atomic_exchange_explicit(&e->request, NULL, memory_order_acq_rel);
    const bool was_commanded = take_commands(e);
    const bool has_orders = engine_take_due_marks(e) || was_commanded;
    *requested = 0;
    if (a) {
        *requested = ask_views(e, a);
        engine_follow_requests(e, os_now());
        e->model.frozen_facts = e->frozen_snapshot ? &e->frozen_snapshot->dataset.facts : NULL;
        free(a);
    }
    struct request *const aside = atomic_exchange_explicit(&e->aside, NULL, memory_order_acq_rel);
    if (aside)
        *requested |= ask_aside(e, aside);
    free(aside);
    if (*requested || a)
        engine_work_for_views(e, SCAN_NS);
    return has_orders;
}

void engine_drop_commands(struct engine *e)
{
    struct queued *q = atomic_exchange_explicit(&e->commands, NULL, memory_order_acq_rel);
    while (q) {
        struct queued *const next = q->next;
        free(q);
        q = next;
    }
}

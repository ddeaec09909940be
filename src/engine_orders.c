/* What the ui asks for: requests, commands, marks. The ui's side comes first. */
#include "src/engine_inside.h"
#include "src/mark.h"
#include "src/mem.h"

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
    struct request *copy = mem_copy(r, sizeof *r);
    free(atomic_exchange_explicit(&e->request, copy, memory_order_acq_rel));
    if (e->precedence.percent && os_thread_push(e->thread))
        atomic_store_explicit(&e->is_pushed, true, memory_order_release);
    os_bell_ring(e->wake);
}

/* The engine looks into the control ring whatever else it does, so waiting is short. */
static void put_mark(struct engine *e, const char *text)
{
    struct ring *const control = e->control->hot;
    const size_t length = strnlen(text, sizeof((struct command *)0)->text - 1);
    const uint32_t bytes = mark_bytes(length);
    const struct record_head head = {
        .bytes = (uint32_t)sizeof head + bytes,
        .form = RECORD_ETW,
        .ts = atomic_load_explicit(&e->figures.newest_ns, memory_order_relaxed)};
    while (!ring_has_room(control, head.bytes)) {
        os_bell_ring(e->wake);
        os_sleep(MS);
    }
    uint8_t *const to = ring_reserve(control, &head);
    struct pen p = {to, to, to + bytes};
    mark_put(&p, head.ts, text, length);
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

/* ---- the engine's side ----------------------------------------------------------------- */

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
        lane_release(l);
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

/* Samples get another length from the running one on. Their numbers go on, and those of what is
 * kept stay countable: number 0 begins no later than it did. What was the last interval is none
 * of the new length; the next one that is over is. */
static void set_interval(struct engine *e, const struct command *c)
{
    struct world *const w = &e->world;
    const int64_t old = e->options.interval_ns, length = (int64_t)c->number;
    if (length < 100 * MS || length > 86400000 * MS || length == old || e->view.is_frozen)
        return;
    const int64_t begin = w->origin_ns + (int64_t)w->interval * old;
    int64_t number = (begin - w->origin_ns + length - 1) / length;
    number = number > (int64_t)w->interval ? number : (int64_t)w->interval;
    if (number > UINT32_MAX / 2)
        return;
    e->options.interval_ns = e->view.interval_ns = length;
    engine_step(e, (uint32_t)number - w->interval);
    w->origin_ns = begin - number * length;
    view_restart(&e->view);
}

static void set_rule(struct engine *e, const struct command *c)
{
    rules_set(e->view.rules, c->number >= 0 ? (unsigned)c->number : RULES_MAX, c->text);
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

bool engine_work_for_view(struct engine *e, int64_t ns)
{
    const int64_t deadline = os_now() + ns;
    bool had_work = false;
    while (view_work(&e->view, os_now() + MS)) {
        had_work = true;
        if (engine_is_asked(e) || os_now() >= deadline || view_is_complete(&e->view))
            break;
    }
    return had_work;
}

bool engine_keep_for_view(struct engine *e)
{
    if (!e->view.is_frozen)
        e->frozen_since = 0;
    else if (!e->frozen_since)
        e->frozen_since = os_now();
    const bool may_wait = !view_is_complete(&e->view) && os_now() - e->frozen_since < KEEP_LATE_NS;
    return e->view.is_frozen && (may_wait || view_keep(&e->view, os_now() + SCAN_NS));
}

bool engine_take_orders(struct engine *e, bool *was_asked)
{
    struct request *r = atomic_exchange_explicit(&e->request, NULL, memory_order_acq_rel);
    const bool was_commanded = take_commands(e);
    const bool was_told = take_marks(e) || was_commanded;
    *was_asked = r != NULL;
    if (r) {
        watch_request(&e->watch, r);
        engine_follow_wishes(e, os_now());
        view_ask(&e->view, r);
        e->model.looked_at = e->view.is_frozen ? &e->view.frozen.facts : NULL;
        free(r);
        engine_work_for_view(e, SCAN_NS);
    }
    return was_told;
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

/* Triggers: at the end of each interval every one asks the pane, with its filter, what a user
 * would ask it with the same words, and holds when there is a row. */
#include "src/base/mem.h"
#include "src/engine/inside.h"
#include "src/engine/trigger.h"

#include <stdlib.h>
#include <string.h>

struct engine_trigger {
    struct trigger what;
    struct trigger_state state;
    struct view *view;
    struct request request; /* of the view; of the interval alone where it is_of_events */
    bool is_of_events;    /* decided about events: counted again from those of the interval */
    int64_t held_ns;      /* how long by now; 0 = it does not hold */
};

static void drop(struct engine_trigger *t)
{
    if (t)
        view_free(t->view);
    free(t);
}

static struct engine_trigger *trigger_new(struct engine *e, const struct trigger *what,
                                          unsigned slot)
{
    struct engine_trigger *const t = mem_new(1, sizeof *t);
    t->what = *what;
    t->state.setting = e->trigger_settings[slot];
    const struct view_options o = {.control = e->control->hot,
                                   .model = &e->model,
                                   .collectors = e->collectors,
                                   .collector_count = e->options.collector_count,
                                   .live = &e->dataset,
                                   .interval_ns = e->options.interval_ns,
                                   .filter_serial = engine_first_serial(e, slot + 1)};
    t->view = view_new(&o);
    return t;
}

/* What live collectors are to collect for them all. */
static void watch_for_triggers(struct engine *e)
{
    e->watch.standing = (struct watch_request){0, 0};
    for (unsigned i = 0; i < TRIGGERS_MAX; i++)
        if (e->triggers[i]) {
            const struct watch_request w = watch_of_pane(e->triggers[i]->what.pane);
            e->watch.standing.classes |= w.classes;
            e->watch.standing.stacks |= w.stacks;
        }
    engine_follow_requests(e, os_now());
}

void engine_set_trigger(struct engine *e, const struct command *c)
{
    struct trigger what;
    const unsigned slot = c->number >= 0 && c->number < TRIGGERS_MAX ? (unsigned)c->number : 0;
    if (e->triggers[slot])
        engine_keep_serial(e, slot + 1, e->triggers[slot]->view);
    drop(e->triggers[slot]);
    e->triggers[slot] = NULL;
    e->trigger_settings[slot]++;
    if (c->text[0] && trigger_parse(c->text, &what, NULL))
        e->triggers[slot] = trigger_new(e, &what, slot);
    watch_for_triggers(e);
}

void engine_drop_triggers(struct engine *e)
{
    for (unsigned i = 0; i < TRIGGERS_MAX; i++)
        drop(e->triggers[i]);
}

/* With the first interval: times in the filter mean the history's. */
static void ask_first(struct engine_trigger *t)
{
    const struct pane *const p = t->what.pane;
    t->request = (struct request){.sequence = 1, .pane = p, .rows = 1, .hides_idle = true};
    memcpy(t->request.filter, t->what.filter, sizeof t->what.filter);
    view_ask(t->view, &t->request);
    t->is_of_events = p->view == PANE_EVENTS || view_filters_events(t->view);
}

/* Are there rows of the interval that ended at `end`? */
static bool holds_now(struct engine_trigger *t, int64_t end, int64_t interval_ns)
{
    struct view *const v = t->view;
    if (!view_request(v))
        ask_first(t);
    if (t->is_of_events) {
        t->request.to_ns = end - 1;
        t->request.from_ns = t->request.to_ns - interval_ns;
        view_ask(v, &t->request);
    }
    while (view_work(v, INT64_MAX) && !view_is_complete(v))
        ;
    uint64_t shown;
    do {
        struct frame_maker maker;
        view_fill(v, &maker);
        shown = maker.frame.shown;
        frame_free(maker_take(&maker));
    } while (!shown && view_has_unmatched(v));
    return shown > 0;
}

/* True where it is to act. */
static bool check(struct engine_trigger *t, const struct dataset *w, int64_t interval_ns)
{
    view_set_interval(t->view, interval_ns); /* it may be changed on the way */
    const int64_t end = w->origin_ns + (int64_t)w->interval * interval_ns;
    struct trigger_state *const s = &t->state;
    s->holds = holds_now(t, end, interval_ns);
    t->held_ns = s->holds ? t->held_ns + interval_ns : 0;
    const bool may_act = !s->hits || (!t->what.once && end - s->last_ns >= t->what.every_ns);
    if (!s->holds || t->held_ns < t->what.for_ns || !may_act)
        return false;
    s->hits++;
    s->last_ns = end;
    return true;
}

void engine_check_triggers(struct engine *e)
{
    for (unsigned i = 0; i < TRIGGERS_MAX; i++)
        if (e->triggers[i] && check(e->triggers[i], &e->dataset, e->options.interval_ns) &&
            e->timeline)
            timeline_note(e->timeline, STRIP_TRIGGER, e->triggers[i]->state.last_ns - 1,
                          e->triggers[i]->state.last_ns - 1);
}

void engine_report_triggers(const struct engine *e, struct frame *f)
{
    f->newest_ns = e->dataset.newest_ns;
    for (unsigned i = 0; i < TRIGGERS_MAX; i++)
        if (e->triggers[i])
            f->triggers[i] = e->triggers[i]->state;
}

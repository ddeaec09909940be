#include "ui/state/neighbor.h"

void neighbor_seek(struct app *a, enum neighbor kind, bool is_backward)
{
    a->neighbor_step = (struct neighbor_step){.kind = kind, .is_backward = is_backward};
}

bool neighbor_is_settled(const struct app *a)
{
    const struct frame *const f = app_known(a);
    return !a->neighbor_step.kind && f && f->has_detail &&
           row_key_equal(f->detail_of, app_shown(a)->list.key);
}

void neighbor_ask(const struct app *a, struct request *r)
{
    if (!r->detail || !a->neighbor_step.kind)
        return;
    r->neighbor = (uint8_t)a->neighbor_step.kind;
    r->is_backward = a->neighbor_step.is_backward;
}

void neighbor_sent(struct app *a, const struct request *r)
{
    if (r->neighbor && !a->neighbor_step.sequence)
        a->neighbor_step.sequence = r->sequence;
}

static const char *of_what(enum neighbor kind)
{
    return kind == NEIGHBOR_THREAD ? " of this thread" : kind == NEIGHBOR_KIND ? " of this kind" : "";
}

/* Events may be missing for two reasons: the filter hides them, or they are no longer kept. */
static void report(struct app *a, const struct frame *f, const struct neighbor_step *s)
{
    const char *const of = of_what(s->kind);
    const bool is_filtered = f->hidden > 0;
    if (f->neighbor_is_unknown && f->neighbor_skips)
        app_message(a, true, "the event has left the history: nothing%s can be found from it", of);
    else if (f->neighbor_is_unknown)
        app_message(a, true, "no thread is known for this event");
    else if (!f->has_neighbor)
        app_message(a, true, "no %s event%s%s%s", s->is_backward ? "earlier" : "later", of,
                    is_filtered ? " matches the filter" : "", s->is_backward ? " in the history" : "");
    else if (f->neighbor_skips)
        app_message(a, true, "this is the oldest event%s; those before it have left the history", of);
}

void neighbor_take(struct app *a, const struct frame *f)
{
    const struct neighbor_step s = a->neighbor_step;
    if (!s.kind || !s.sequence || f->sequence < s.sequence || !f->has_searched)
        return;
    a->neighbor_step = (struct neighbor_step){0};
    report(a, f, &s);
    if (!f->has_neighbor)
        return;
    struct list *const l = &app_place(a)->list;
    l->is_first = l->is_tail = false;
    l->key = f->neighbor;
    l->has_key = true;
}

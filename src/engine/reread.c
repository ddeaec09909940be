/* Reads a recording once more, for views that need more of it than the engine keeps.
 *
 * A second engine without a thread and without tables turns the same records into the same facts:
 * the numbers in a fact depend only on the records before it. So views scan these facts as if they
 * had been kept, and use the first engine's model, which also knows the late names. Two things come
 * from the second one: the records, and stacks that the first one has dropped for newer ones.
 *
 * The second one takes events only as fast as the views look at them, and stays so far ahead that
 * stacks which come behind their events are there. Memory is that of its own window. */
#include "src/base/mem.h"
#include "src/engine/inside.h"

#include <stdlib.h>

struct rereading {
    struct collector *collector;
    struct engine *engine;
    struct reread seen;  /* what views are given … */
    struct model model;  /* … and the model in it: a copy of the struct, which owns nothing */
};

enum {
    RING_BYTES = 64 << 20,
    BACK_BYTES = RING_BYTES / 8 * 3, /* the collector leaves half a ring of what was taken */
    AHEAD = 1 << 17,                 /* facts that wait for their stacks … */
    AHEAD_LEAST = 1 << 10,           /* … where there is no room for more stacks */
    AT_ONCE = 64,                    /* events, of up to a segment of the ring each */
    NAP_NS = 200000,                 /* until the collector has put more */
};

bool engine_can_reread(const struct engine *e)
{
    return e->held && !e->is_unlike && !e->model.depends_on_frozen;
}

/* ---- beginning and end ----------------------------------------------------------------------- */

/* What was left out at first is left out again. */
static void copy_capture(struct collector *to, const struct collector *from)
{
    const struct capture *const c =
        atomic_load_explicit(&from->capture.wanted, memory_order_relaxed);
    struct capture *const again = c ? capture_new(capture_text(c), NULL) : NULL;
    if (again)
        capture_set(&to->capture, again);
}

static void drop_collector(struct collector *c)
{
    if (c->state)
        c->kind->stop(c);
    capture_slot_fini(&c->capture);
    ring_free(c->hot);
    free(c);
}

static struct collector *make_collector(const struct engine *e)
{
    const struct collector *const first = e->collectors[0];
    struct collector *const c = mem_new(1, sizeof *c);
    c->kind = first->kind;
    c->hot = ring_new(RING_BYTES, RING_SEGMENT);
    if (!c->hot) {
        free(c);
        return NULL;
    }
    copy_capture(c, first);
    c->kind->start_again(c, e->held);
    return c;
}

static struct rereading *begin(const struct engine *e)
{
    struct collector *const c = make_collector(e);
    struct engine_options o = e->options;
    o.collectors = &(struct collector *){c};
    o.origin_ns = e->dataset.origin_ns; /* stays are cut where they were, or would be now */
    struct engine *const second = c ? engine_new(&o, false, NULL) : NULL;
    if (!second) {
        if (c)
            drop_collector(c);
        return NULL;
    }
    struct rereading *const r = mem_new(1, sizeof *r);
    r->collector = c;
    r->engine = second;
    r->seen = (struct reread){.dataset = &second->dataset, .model = &r->model, .hot = c->hot};
    return r;
}

void engine_reread_stop(struct engine *e)
{
    struct rereading *const r = e->rereading;
    if (!r)
        return;
    drop_collector(r->collector);
    engine_free(r->engine);
    free(r);
    e->rereading = NULL;
}

/* ---- views ------------------------------------------------------------------------------------ */

static bool reads_for(const struct engine *e, const struct view *v)
{
    return e->rereading && view_rereads(v, &e->rereading->seen);
}

static bool is_wanted(const struct engine *e)
{
    for (unsigned i = 0; i < ENGINE_VIEWS; i++)
        if (view_wants_reread(e->viewports[i].view))
            return true;
    return false;
}

static bool has_reader(const struct engine *e)
{
    for (unsigned i = 0; i < ENGINE_VIEWS; i++)
        if (reads_for(e, e->viewports[i].view))
            return true;
    return false;
}

static void refuse(struct engine *e)
{
    e->is_unlike = true;
    for (unsigned i = 0; i < ENGINE_VIEWS; i++)
        view_refuse_reread(e->viewports[i].view);
}

/* All views that want it begin together; who comes later waits for the next time. */
static void start(struct engine *e)
{
    e->rereading = begin(e);
    if (!e->rereading)
        refuse(e);
    for (unsigned i = 0; e->rereading && i < ENGINE_VIEWS; i++)
        if (view_wants_reread(e->viewports[i].view))
            view_start_reread(e->viewports[i].view, &e->rereading->seen);
}

/* The oldest fact that some view has not scanned. */
static uint64_t oldest_unread_fact(const struct engine *e)
{
    uint64_t least = e->rereading->engine->dataset.facts.end;
    for (unsigned i = 0; i < ENGINE_VIEWS; i++) {
        const struct view *const v = e->viewports[i].view;
        if (reads_for(e, v) && view_next_fact(v) < least)
            least = view_next_fact(v);
    }
    return least;
}

/* ---- reading ---------------------------------------------------------------------------------- */

/* The file has changed meanwhile where other facts come out of it. */
static bool is_alike(const struct engine *e)
{
    const struct dataset *const now = &e->rereading->engine->dataset;
    return now->events == e->dataset.events && now->newest_ns == e->dataset.newest_ns &&
           now->first_ns == e->dataset.first_ns;
}

static bool has_no_stacks_left(const struct rereading *r)
{
    return model_stacks_may_go(&r->engine->model.stack_store, AT_ONCE);
}

/* Facts before this one may be scanned; newer ones wait for their stacks, as many as there is room
 * for. */
static uint64_t ready_up_to(const struct rereading *r)
{
    const struct facts *const f = &r->engine->dataset.facts;
    const uint64_t most = has_no_stacks_left(r) ? AHEAD_LEAST : AHEAD;
    const uint64_t room = f->kept * FACT_CHUNK / 4, ahead = room < most ? room : most;
    if (r->seen.is_over || f->end < ahead)
        return r->seen.is_over ? f->end : 0;
    uint64_t ready = f->end - ahead;
    const uint64_t newest = facts_at(f, f->end - 1)->position;
    while (ready < f->end && newest - facts_at(f, ready)->position > BACK_BYTES / 2)
        ready += FACT_BLOCK;
    ready = ready < f->end ? ready : f->end;
    return ready > r->seen.ready ? ready : r->seen.ready;
}

/* May more come, without facts, their records or their stacks going that some view is still to look
 * at? */
static bool has_room(const struct engine *e)
{
    const struct facts *const f = &e->rereading->engine->dataset.facts;
    const uint64_t next = oldest_unread_fact(e);
    if (next >= f->end)
        return true;
    if (has_no_stacks_left(e->rereading) && next < ready_up_to(e->rereading))
        return false;
    return f->end + AT_ONCE - next < f->kept * FACT_CHUNK / 2 &&
           facts_at(f, f->end - 1)->position - facts_at(f, next)->position < BACK_BYTES;
}

static void take(struct engine *e, int64_t deadline)
{
    struct rereading *const r = e->rereading;
    while (!r->seen.is_over && os_now() < deadline && has_room(e)) {
        if (engine_take(r->engine, AT_ONCE))
            continue;
        if (engine_all_finished(r->engine) && !r->engine->merge_inputs[0].head)
            r->seen.is_over = true;
        else
            os_sleep(NAP_NS);
    }
    r->seen.ready = ready_up_to(r);
    r->model = e->model;
    r->model.stack_store = r->engine->model.stack_store;
}

bool engine_reread(struct engine *e, int64_t deadline)
{
    if (e->rereading && !has_reader(e))
        engine_reread_stop(e);
    if (!e->rereading && is_wanted(e))
        start(e);
    if (!e->rereading)
        return false;
    take(e, deadline);
    if (!e->rereading->seen.is_over || is_alike(e))
        return true;
    refuse(e);
    engine_reread_stop(e);
    return false;
}

double engine_reread_progress(const struct engine *e)
{
    const struct collector *const c = e->rereading ? e->rereading->collector : NULL;
    const double done = c ? (double)atomic_load(&c->progress) : 0,
                 end = c ? (double)atomic_load(&c->progress_end) : 0;
    return end > 0 ? done / end : 0;
}

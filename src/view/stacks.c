/* Call trees: the facts that pass, weighed by the metric asked for and counted by their stacks.
 *
 * Each stack is resolved once, to the nodes of its frames (src/view/stack_tree.c); every further
 * fact adds its weight to the stack. A stack that comes after its fact was counted moves the weight
 * (struct stack_update). Keys and images that come later and change stacks that were resolved
 * already take a new scan.
 *
 * The wall clock adds three such counts up: samples, time ready and waits. What the thread did is
 * the innermost step of its stack.
 *
 * Waits need two facts each: the ready event, which has the duration, and the switch to the thread,
 * whose stack shows where it waited. */
#include "src/base/mem.h"
#include "src/os/os.h"
#include "src/view/inside.h"
#include "src/view/stack_tree.h"
#include "src/view/stacks.h"

#include <stdlib.h>
#include <string.h>

/* A thread that left a processor. Its stack comes when it runs again; what counts for that stack is
 * kept here. */
struct waiter {
    uint64_t last; /* number + 1 of the last switch with its stack; 0 = none yet */
    uint64_t owed; /* ns it waited, or times it left, for the next such switch */
    bool is_used;  /* time ready was counted by `last`, when it left again */
};

/* The weight counted for the stack of a switch. The stack may come later than the switch. */
struct payment {
    uint64_t number; /* of the switch, + 1; 0: none */
    uint64_t weight;
};

enum { PAYMENTS = 1 << 15 }; /* of the newest switches, 512 KiB; older ones make the tree stale */

struct tree {
    struct stack_tree counted;
    struct map numbers; /* thread → index into waiters + 1 */
    struct waiter *waiters;
    uint32_t waiter_count, waiter_room;
    struct payment *payments; /* by the switch's number; NULL until there is one */
    bool is_stale;           /* a stack came for a switch of which nobody knows what was counted */
    uint64_t update_next;    /* of the model's updates */
    uint64_t learned, images, builds; /* the model's counts when the scan began */
    struct symbol_figures symbols; /* likewise */
};

struct tree *tree_new(void)
{
    struct tree *t = mem_new(1, sizeof *t);
    stack_tree_init(&t->counted);
    map_init(&t->numbers);
    return t;
}

void tree_free(struct tree *t)
{
    if (!t)
        return;
    stack_tree_fini(&t->counted);
    map_fini(&t->numbers);
    free(t->waiters);
    free(t->payments);
    free(t);
}

/* ---- starting ------------------------------------------------------------------------------ */

/* Which frame a row stood for, by one stack that went through it. */
static struct tree_term term_of(struct view *v, struct row_key key, bool drops)
{
    uint64_t frames[2 * STACK_FRAMES];
    uint32_t number;
    unsigned index;
    struct tree_term term = {.drops = drops};
    if (!frame_filters_find(v, key, &number, &index))
        return term;
    const struct stack *const s = generation_at(&v->model->stack_store.stacks, number);
    if (!s || index >= model_stack_frames(v->model, s, frames))
        return term;
    term.site = site_of(&v->sites, v->model, s, frames, index);
    term.of_module = (key.c >> PATH_FOLD_SHIFT & 3) == FOLD_MODULES;
    term.is_known = true;
    return term;
}

/* The list of facts that got their stacks later. */
static const struct stack_store *stack_updates(const struct view *v)
{
    return v->scanned ? &v->scanned->model->stack_store : &v->model->stack_store;
}

void tree_end_reread(struct view *v)
{
    v->tree->update_next = v->model->stack_store.update_count;
}

void tree_start(struct view *v)
{
    struct tree *const t = v->tree;
    const struct model *const m = v->model;
    const struct stack_look *const look = &v->request.stacks;
    stack_tree_clear(&t->counted, look);
    for (unsigned i = 0; i < look->term_count && i < STACK_TERMS; i++)
        t->counted.terms[i] = term_of(v, look->terms[i].key, look->terms[i].drops);
    if (look->shape == STACK_BOTH)
        t->counted.focus = term_of(v, look->focus, false);
    map_fini(&t->numbers);
    map_init(&t->numbers);
    t->waiter_count = 0;
    if (t->payments)
        memset(t->payments, 0, PAYMENTS * sizeof *t->payments);
    t->is_stale = false;
    t->update_next = stack_updates(v)->update_count;
    t->learned = m->stack_store.learned;
    t->images = m->images_learned;
    t->builds = m->builds_learned;
    t->symbols = view_symbols(v);
}

/* ---- counting ------------------------------------------------------------------------------ */

/* Shown frames are found again by a stack that goes through them. */
static void note_steps(struct view *v, struct row_key root, uint32_t stack,
                       const struct path_step *steps, unsigned count)
{
    const bool is_flat = v->tree->counted.look.shape == STACK_FLAT;
    struct row_key path = root;
    for (unsigned i = 0; i < count; i++) {
        path = path_key(is_flat ? root : path, &steps[i].site);
        frame_filters_note(v, path, stack, steps[i].frame);
    }
}

/* A stack counts once for each state of its threads. */
static uint64_t stack_in_state(uint32_t stack, enum wall_state state)
{
    return (uint64_t)state << 32 | stack;
}

static uint32_t resolve(struct view *v, struct stack_tree *t, uint32_t stack, enum wall_state state)
{
    struct path_step steps[STACK_STEPS];
    const struct path_look look = {t->look.shape, t->look.fold, state};
    const unsigned count = path_steps(&v->sites, view_stack_model(v, stack), stack, look, steps);
    if (look.shape != STACK_BOTH)
        note_steps(v, t->root, stack, steps, count);
    stack_tree_place(t, stack_tree_add(t, stack_in_state(stack, state)), steps, count);
    return t->stack_count;
}

static bool is_wall(const struct view *v)
{
    return v->request.stacks.metric == METRIC_WALL;
}

static void count_state(struct view *v, uint32_t stack, uint64_t weight, enum wall_state state)
{
    struct stack_tree *const t = &v->tree->counted;
    if (!weight)
        return;
    if (!stack) {
        t->without += weight;
        return;
    }
    if (!is_wall(v))
        state = STATE_NOT_SHOWN;
    const uint32_t known = stack_tree_known(t, stack_in_state(stack, state));
    const uint32_t number = known ? known : resolve(v, t, stack, state);
    t->stacks[number - 1].weight += weight;
    t->is_summed = false;
}

static uint64_t bytes_moved(const struct fact *f)
{
    static const uint64_t MOVED =
        1ull << OP_READ | 1ull << OP_WRITE | 1ull << OP_SEND | 1ull << OP_RECEIVE;
    return MOVED >> f->op & 1 || f->flags & FACT_MOVED ? f->value : 0;
}

/* What a fact weighs by itself. */
static uint64_t weigh(enum stack_metric metric, const struct fact *f)
{
    switch (metric) {
    case METRIC_RUNNING:
    case METRIC_WAKING:
    case METRIC_COUNTED:
    case METRIC_WALL:
        return f->value;
    case METRIC_IO:
        return f->flags & FACT_HAS_LATENCY ? f->latency : 0;
    case METRIC_BYTES:
        return f->class == FACT_DISK || f->class == FACT_FILE || f->class == FACT_NETWORK
                   ? bytes_moved(f)
                   : 0;
    case METRIC_ALLOCATIONS:
        return f->op == OP_ALLOC ? f->value : 0;
    case METRIC_WAITING:
    case METRIC_READY:
        return 0; /* see feed_wait() */
    default:
        return 1;
    }
}

bool tree_looks_at(const struct view *v, const struct fact *f)
{
    const struct request *const r = &v->request;
    const uint32_t classes =
        r->stacks.metric < STACK_METRICS ? stack_metrics[r->stacks.metric].classes : 0;
    return r->pane->classes & classes & 1u << f->class;
}

/* Walks are about other events and have no stacks themselves. Requests of files that say only at
 * their end how much was moved weigh by the end. */
static bool is_counted(struct view *v, const struct fact *f)
{
    const struct request *r = &v->request;
    const bool is_end =
        r->stacks.metric == METRIC_BYTES && f->flags & FACT_MOVED && f->class == FACT_FILE;
    if (!tree_looks_at(v, f) || (is_other_end(f) && !is_end) || f->op == OP_SLICE)
        return false;
    const bool is_in_time = request_has_range(r) ? f->time > r->from_ns && f->time <= r->to_ns
                                                 : f->time >= view_dataset(v)->reset_ns;
    const uint32_t process = model_process_of(v->model, f);
    return is_in_time && view_fact_passes(v, f, process) && view_filter_passes(v, f, process);
}

/* ---- waits --------------------------------------------------------------------------------- */

static bool is_wait(const struct view *v)
{
    return v->request.stacks.metric == METRIC_WAITING || v->request.stacks.metric == METRIC_READY ||
           is_wall(v);
}

/* Facts that count for the stack that they have themselves. */
static bool counts_itself(const struct view *v, const struct fact *f)
{
    return !is_wait(v) || (is_wall(v) && f->class == FACT_SAMPLE);
}

/* The stack of a switch is that of the thread that comes in; the switch is an event of the thread
 * that leaves. */
static bool follows_switches(const struct view *v)
{
    return is_wait(v) || v->request.stacks.metric == METRIC_OPERATIONS;
}

bool tree_follows(const struct view *v, const struct fact *f)
{
    const bool is_ready =
        f->class == FACT_READY && v->request.stacks.metric == METRIC_OPERATIONS;
    return is_ready || (f->class == FACT_SWITCH && follows_switches(v));
}

static struct waiter *waiter_of(struct tree *t, uint32_t thread)
{
    uint32_t number = map_get(&t->numbers, thread);
    if (number)
        return &t->waiters[number - 1];
    if (t->waiter_count == t->waiter_room) {
        t->waiter_room = t->waiter_room ? t->waiter_room * 2 : 256;
        t->waiters = mem_grow(t->waiters, t->waiter_room, sizeof *t->waiters);
    }
    t->waiters[t->waiter_count++] = (struct waiter){0};
    map_put(&t->numbers, thread, t->waiter_count);
    return &t->waiters[t->waiter_count - 1];
}

static uint32_t stack_of_last(struct view *v, struct waiter *w)
{
    const struct facts *const facts = &view_scanned(v)->facts;
    w->is_used = true;
    return w->last > facts->first ? facts_at(facts, w->last - 1)->stack : 0;
}

/* The thread that leaves: its time ready counts for the stack with which it came in; its leaving
 * counts for the stack with which it will come in again. */
static void feed_leaving(struct view *v, const struct fact *f)
{
    const enum stack_metric metric = (enum stack_metric)v->request.stacks.metric;
    if (metric == METRIC_WAITING || !is_counted(v, f))
        return;
    if (metric == METRIC_OPERATIONS)
        waiter_of(v->tree, f->thread)->owed++;
    else if (f->flags & FACT_HAS_LATENCY)
        count_state(v, stack_of_last(v, waiter_of(v->tree, f->thread)), f->latency, STATE_READY);
}

static struct payment *payment_of(struct tree *t, uint64_t number)
{
    if (!t->payments)
        t->payments = mem_new(PAYMENTS, sizeof *t->payments);
    return &t->payments[number % PAYMENTS];
}

static void feed_switch(struct view *v, const struct fact *f, uint64_t number)
{
    feed_leaving(v, f);
    if (!f->entity || f->op == OP_SLICE)
        return;
    struct waiter *const w = waiter_of(v->tree, f->entity);
    *payment_of(v->tree, number) = (struct payment){number + 1, w->owed};
    count_state(v, f->stack, w->owed, STATE_WAITING);
    *w = (struct waiter){.last = number + 1};
}

/* A wait's end: the stack will come with the thread's next switch. */
static void feed_ready(struct view *v, const struct fact *f)
{
    if (is_counted(v, f))
        waiter_of(v->tree, f->thread)->owed += f->value;
}

/* A wake-up is the waker's doing, and the stack is its; nobody's where an interrupt did it. */
static struct fact as_event(const struct view *v, const struct fact *f)
{
    return f->class == FACT_READY && tree_follows(v, f) ? view_fact_of_stack(f) : *f;
}

/* What is owed to threads that have not run since, or were not seen to. */
static uint64_t still_owed(const struct tree *t)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < t->waiter_count; i++)
        sum += t->waiters[i].owed;
    return sum;
}

/* ---- feeding ------------------------------------------------------------------------------- */

static void feed_event(struct view *v, const struct fact *f)
{
    const struct fact of = as_event(v, f);
    if (is_counted(v, &of))
        count_state(v, of.stack, weigh(v->request.stacks.metric, f), STATE_RUNNING);
}

void tree_feed(struct view *v, const struct fact *f, uint64_t number)
{
    if (f->class == FACT_SWITCH && follows_switches(v))
        feed_switch(v, f, number);
    else if (f->class == FACT_READY && is_wait(v))
        feed_ready(v, f);
    else if (counts_itself(v, f))
        feed_event(v, f);
}

/* What was counted by a stack goes over to what it has become. */
static void recount(struct view *v, const struct stack_update *u, uint64_t weight,
                    enum wall_state state)
{
    count_state(v, u->old, 0 - weight, state);
    count_state(v, u->now, weight, state);
}

/* A switch got its stack after it was fed. */
static void recount_switch(struct view *v, const struct stack_update *u, const struct fact *f)
{
    struct tree *const t = v->tree;
    const uint32_t at = map_get(&t->numbers, f->entity);
    if (!at)
        return;
    const struct waiter *const w = &t->waiters[at - 1];
    const struct payment *const p = payment_of(t, u->number);
    const bool is_known = p->number == u->number + 1;
    if (is_known)
        recount(v, u, p->weight, STATE_WAITING);
    const bool is_ready = v->request.stacks.metric == METRIC_READY || is_wall(v);
    t->is_stale |= !is_known || (is_ready && (w->last != u->number + 1 || w->is_used));
}

static void recount_fact(struct view *v, const struct stack_update *u)
{
    const struct fact *const f = facts_at(&view_scanned(v)->facts, u->number);
    if (f->class == FACT_SWITCH && follows_switches(v)) {
        recount_switch(v, u, f);
    } else if (counts_itself(v, f)) {
        const struct fact of = as_event(v, f);
        if (is_counted(v, &of) && of.stack)
            recount(v, u, weigh(v->request.stacks.metric, f), STATE_RUNNING);
    }
}

bool tree_catch_up(struct view *v)
{
    struct tree *t = v->tree;
    const struct stack_store *s = stack_updates(v);
    const struct facts *facts = &view_scanned(v)->facts;
    if (s->update_count - t->update_next > s->update_places)
        return false;
    for (; t->update_next < s->update_count; t->update_next++) {
        const struct stack_update *u = &s->updates[t->update_next % s->update_places];
        if (u->number < v->scan_next && u->number >= facts->first && u->now != u->old)
            recount_fact(v, u);
    }
    return true;
}

/* Builds of images get known all the time: only those of frames without names matter. */
static bool may_be_named(const struct view *v)
{
    struct tree *const t = v->tree;
    const struct stack_tree *const c = &t->counted;
    if (!v->sites.symbols || t->builds == v->model->builds_learned || !(c->nameless + c->unnamed))
        return false;
    for (uint32_t n = 1; n < c->count; n++) {
        const struct site *const s = &c->nodes[n].site;
        const struct image *const i =
            s->state != SYMBOL_FOUND ? generation_at(&v->model->images, s->image) : NULL;
        if (i && i->build != s->build)
            return true;
    }
    t->builds = v->model->builds_learned;
    return false;
}

bool tree_is_outdated(const struct view *v)
{
    const struct tree *t = v->tree;
    const struct stack_tree *const c = &t->counted;
    const struct symbol_figures now = view_symbols(v);
    /* Names come in batches: when they come no more, or every now and then (view.c). */
    static const int64_t AGAIN_NS = 5 * 1000000000ll; /* code is made all the time */
    const bool has_all = now.asked == now.answered;
    const bool is_named =
        c->unnamed && (t->symbols.version != now.version ||
                       (t->symbols.put_off != now.put_off && has_all) ||
                       (!v->is_finished && has_all && os_now() - v->scan_started > AGAIN_NS));
    return is_named || t->is_stale || may_be_named(v) ||
           (c->unresolved &&
            (t->learned != v->model->stack_store.learned || t->images != v->model->images_learned));
}

struct stack_tree *tree_counted(struct tree *t)
{
    stack_tree_sum(&t->counted);
    return &t->counted;
}

uint64_t tree_without(const struct tree *t)
{
    return t->counted.without + still_owed(t);
}

const struct stack_look *tree_look(const struct tree *t)
{
    return &t->counted.look;
}

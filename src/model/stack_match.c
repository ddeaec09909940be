/* Events come to know their stacks. An event and its stack find each other by raw time and thread,
 * in a table of the newest events: buckets of two, in which the older makes room. Nothing waits. */
#include "src/model/stack_inside.h"

#include "src/base/bytes.h"
#include "src/model/model.h"

enum { BUCKETS = STACK_SLOTS / 2 };

static struct stack_slot *bucket_of(const struct model *m, int64_t ts)
{
    return &m->stack_store.slots[(hash_mix((uint64_t)ts) >> 40 & (BUCKETS - 1)) * 2];
}

/* The thread that a walk of this event would name: who logged it, the thread that is
 * switched to, the thread that readies another. 0: not known. */
static uint32_t walked_thread(const struct event *e, const struct fact *f, uint32_t owner)
{
    if (e->tid != EVENT_NO_ID)
        return owner;
    return f->class == FACT_SWITCH || f->class == FACT_READY ? f->entity : f->thread;
}

/* Puts what is expected into the buckets, which are in the cache by now. */
static void stacks_file(struct model *m)
{
    struct stack_store *s = &m->stack_store;
    for (unsigned i = 0; i < s->expected_count; i++) {
        const struct stack_slot *e = &s->expected[i];
        struct stack_slot *bucket = bucket_of(m, e->ts);
        struct stack_slot *slot = bucket[0].number <= bucket[1].number ? &bucket[0] : &bucket[1];
        /* Walks are of kernel events; others of the same moment must not push them out. */
        if (e->is_kernel || !slot->is_kernel || slot->ts != e->ts || slot->source != e->source)
            *slot = *e;
    }
    s->expected_count = 0;
}

void model_stack_expect(struct model *m, const struct event *e, source_id source,
                        const struct fact *f, uint32_t owner)
{
    if (!m->facts || m->is_without_stacks || m->ignores_stacks)
        return;
    struct stack_store *s = &m->stack_store;
    if (s->expected_count == STACKS_EXPECTED)
        stacks_file(m);
    s->expected[s->expected_count++] = (struct stack_slot){
        .ts = e->ts,
        .number = m->facts->end, /* of the fact + 1: 0 is a free slot */
        .thread = walked_thread(e, f, owner),
        .source = source,
        .is_kernel = header_is_kernel(e->kind),
    };
    __builtin_prefetch(bucket_of(m, e->ts), 1);
}

static bool same_tid(const struct model *m, uint32_t a, uint32_t b)
{
    const struct thread *x = generation_at(&m->threads, a), *y = generation_at(&m->threads, b);
    return a == b || (x && y && x->tid == y->tid); /* its start may lie between the two */
}

/* How well a slot's event fits the walk; 0 = not at all. */
static unsigned fit(const struct model *m, const struct stack_slot *s, int64_t ts, source_id source,
                    uint32_t thread)
{
    if (!s->number || s->ts != ts || s->source != source)
        return 0;
    if (s->thread && thread && !same_tid(m, s->thread, thread))
        return 0;
    return 1 + s->is_kernel + (s->thread && thread ? 2 : 0);
}

/* As fit(), of a fact: the header of its event is not at hand any more. */
static unsigned fact_fit(const struct model *m, const struct fact *f, int64_t time,
                         source_id source, uint32_t thread)
{
    const bool is_of_two = f->class == FACT_SWITCH || f->class == FACT_READY;
    const uint32_t of = is_of_two ? f->entity : f->thread;
    const struct process *const process = model_process_at(m, f->process);
    if (f->time != time || f->class == FACT_STACK || f->flags & FACT_NO_RECORD ||
        (process && process->source != source) || !header_is_kernel(m->kinds[f->kind].header))
        return 0;
    if (of && thread && !same_tid(m, of, thread))
        return 0;
    return of && thread ? 2 : 1;
}

/* The number of the fact of a block that fits best + 1; 0: none does. */
static uint64_t fittest_of(const struct model *m, uint64_t block, int64_t time, source_id source,
                           uint32_t thread)
{
    const struct facts *const s = m->facts;
    const uint64_t end = block + FACT_BLOCK < s->end ? block + FACT_BLOCK : s->end;
    uint64_t fittest = 0;
    unsigned best = 0;
    for (uint64_t n = block > s->first ? block : s->first; n < end; n++) {
        const unsigned now = fact_fit(m, facts_at(s, n), time, source, thread);
        fittest = now > best ? n + 1 : fittest;
        best = now > best ? now : best;
    }
    return fittest;
}

/* The first of the newest facts, among which events are looked for. */
static uint64_t first_in_reach(const struct facts *s)
{
    enum { REACH = 2048 * FACT_BLOCK };
    return s->end - s->first > REACH ? s->end - REACH : s->first;
}

/* Did its event come before all that it is looked for among? */
static bool is_late(const struct model *m, int64_t ts, source_id source)
{
    const struct facts *const s = m->facts;
    const uint64_t first = s ? first_in_reach(s) : 0;
    return first && first < s->end &&
           trace_clock_ns(&m->sources[source].clock, ts) < facts_at(s, first)->time;
}

/* Newer events may have taken the bucket: unwinding a user's stack takes some 10 ms, on a busy
 * machine seconds. Then the event is looked for among the newest facts. */
static struct fact *event_pushed_out(struct model *m, int64_t ts, source_id source, uint32_t thread,
                                     uint64_t *number)
{
    const struct facts *const s = m->facts;
    const int64_t time = trace_clock_ns(&m->sources[source].clock, ts);
    if (!s || !s->end)
        return NULL;
    const int64_t before = clock_minus(time, 1);
    const uint64_t least = first_in_reach(s);
    for (uint64_t end = s->end, block; end > least; end = block) {
        block = (end - 1) / FACT_BLOCK * FACT_BLOCK;
        const uint64_t fittest = facts_block_reaches(s, block, before, time)
                                     ? fittest_of(m, block, time, source, thread)
                                     : 0;
        *number = fittest - 1;
        if (fittest)
            return facts_at(s, *number);
    }
    return NULL;
}

static struct fact *event_walked(struct model *m, int64_t ts, source_id source, uint32_t thread,
                                 uint64_t *number)
{
    stacks_file(m);
    const struct stack_slot *const bucket = bucket_of(m, ts);
    const unsigned fits[2] = {fit(m, &bucket[0], ts, source, thread),
                              fit(m, &bucket[1], ts, source, thread)};
    const struct stack_slot *s = &bucket[fits[1] > fits[0]];
    *number = s->number - 1;
    if (!fits[0] && !fits[1])
        return event_pushed_out(m, ts, source, thread, number);
    return m->facts && *number >= m->facts->first ? facts_at(m->facts, *number) : NULL;
}

static struct stack_parts walk_parts(struct model *m, const struct event *e, source_id source,
                                     uint64_t key)
{
    enum { WALK = 0x20, WALK_KEY_KERNEL = 0x25, HEAD = 16 };
    if (e->opcode == WALK) {
        const struct frames f =
            stack_frames_of(e->payload + HEAD, e->payload_bytes - HEAD, e->pointer);
        return stack_parts_of(m, &f);
    }
    const uint32_t part = key ? stack_key_mentioned(m, source, key, e->ts) : 0;
    return e->opcode == WALK_KEY_KERNEL ? (struct stack_parts){part, 0}
                                        : (struct stack_parts){0, part};
}

static void set_stack(struct model *m, uint64_t number, uint32_t stack)
{
    struct stack_store *s = &m->stack_store;
    struct fact *f = facts_at(m->facts, number);
    s->updates[s->update_count++ % s->update_places] =
        (struct stack_update){number, f->stack, stack};
    f->stack = stack;
}

void model_stack_walked(struct model *m, const struct event *e, source_id source,
                        const struct stack_walk *w)
{
    if (m->ignores_stacks)
        return;
    m->is_without_stacks = false; /* for once somebody had not asked */
    stack_make_room(m);
    const struct stack_parts h = walk_parts(m, e, source, w->key);
    uint64_t number;
    struct fact *of = event_walked(m, w->ts, source, w->thread, &number);
    if (!of) {
        m->tally.stacks_unmatched++;
        m->tally.stacks_late += is_late(m, w->ts, source);
        return;
    }
    m->tally.stacks_matched++;
    const uint32_t stack = stack_add_parts(m, of->stack, h, source, w->process, of->time);
    set_stack(m, number, stack);
    const bool has_ended = of->class == FACT_DISK && of->op == OP_START && of->value;
    if (has_ended && of->value > m->facts->first) /* the end shows the stack of the beginning */
        set_stack(m, of->value - 1, stack);
}

void model_stack_follows(struct model *m, source_id source, uint64_t number, const uint8_t *at,
                         size_t bytes, unsigned pointer)
{
    if (m->ignores_stacks)
        return;
    m->is_without_stacks = false;
    stack_make_room(m);
    const struct frames frames = stack_frames_of(at, bytes, pointer);
    const struct stack_parts h = stack_parts_of(m, &frames);
    if (!number || !m->facts || number <= m->facts->first) {
        m->tally.stacks_unmatched++;
        m->tally.stacks_late += number != 0;
        return;
    }
    m->tally.stacks_matched++;
    const struct fact *const of = facts_at(m->facts, number - 1);
    set_stack(m, number - 1, stack_add_parts(m, of->stack, h, source, of->process, of->time));
}

/* Parts of one stack; which one is the kernel's is not always known: see model_stack_frames(). */
static struct stack_parts joined_parts(struct stack_parts first, struct stack_parts second)
{
    if (!first.kernel && !second.kernel)
        return (struct stack_parts){second.user, first.user};
    return (struct stack_parts){first.kernel ? first.kernel : second.kernel,
                                first.user ? first.user : second.user};
}

/* The kernel's part cannot wait for the user's, which is taken on the way back to the program
 * and comes with an event of its own: both bear one id. Then both events get both parts. */
static void join_by_id(struct model *m, uint64_t id, source_id source, struct fact *f)
{
    struct stack_store *s = &m->stack_store;
    struct stack_match *const match =
        &s->matches[hash_mix(id ^ source) >> 40 & (STACK_MATCHES - 1)];
    const bool is_known = match->number && match->id == id && match->source == source;
    struct fact *const first = is_known && m->facts && match->number > m->facts->first
                                   ? facts_at(m->facts, match->number - 1)
                                   : NULL;
    const struct stack *a = first ? generation_at(&s->stacks, first->stack) : NULL;
    const struct stack *b = generation_at(&s->stacks, f->stack);
    if (!a || !b || first == f) {
        m->tally.stacks_incomplete++;
        if (m->facts)
            *match = (struct stack_match){id, m->facts->end, source};
        return;
    }
    const struct stack_parts both = joined_parts(a->parts, b->parts);
    const uint32_t process = a->process ? a->process : b->process;
    set_stack(m, match->number - 1, stack_add_parts(m, 0, both, source, process, first->time));
    f->stack = first->stack;
    m->tally.stacks_incomplete--;
    match->number = 0;
}

/* Stacks that came in the event itself, in its extended items. */
void model_stack_inline(struct model *m, const struct event *e, source_id source, struct fact *f)
{
    enum { STACK32 = 5, STACK64 = 6, KEY32 = 17, KEY64 = 18, MATCH_ID = 8 };
    if (m->ignores_stacks)
        return;
    const uint32_t process = f->process;
    stack_make_room(m);
    struct event_item item;
    for (uint32_t at = 0; event_item_next(e, &at, &item);) {
        const bool is_key = item.type == KEY32 || item.type == KEY64;
        const bool is_narrow = item.type == STACK32 || item.type == KEY32;
        if ((item.type != STACK32 && item.type != STACK64 && !is_key) || item.size < MATCH_ID)
            continue;
        struct frames frames =
            stack_frames_of(item.data + MATCH_ID, item.size - MATCH_ID, is_narrow ? 4 : 8);
        if (!frames.count)
            continue;
        struct stack_parts h;
        if (is_key)
            h = (struct stack_parts){
                0, stack_key_mentioned(m, source, stack_frame_at(&frames, 0), e->ts)};
        else
            h = stack_parts_of(m, &frames);
        const struct stack *known = generation_at(&m->stack_store.stacks, f->stack);
        if (known && known->parts.user && is_key)
            h = (struct stack_parts){h.user, 0};
        m->tally.stacks_inline++;
        f->stack = stack_add_parts(m, f->stack, h, source, process, f->time);
        if (load_u64(item.data))
            join_by_id(m, load_u64(item.data), source, f);
    }
}

/* Stacks: frames are kept once, and events come to know theirs.
 *
 * A stack has two halves, kernel and user, which may come apart, late and from other
 * processors. A half is a path in a tree of addresses (outermost first, so that
 * stacks of one program share their beginnings), or a key whose frames are told
 * later. Facts hold the number of a stack; what its halves mean is looked up when it
 * is read, so a definition that comes at the end of a recording is right for all.
 *
 * An event and its stack find each other by raw time and thread, in a table of the
 * newest events: buckets of two, in which the older makes room. Nothing waits. */
#include "src/base/bytes.h"
#include "src/base/mem.h"
#include "src/model/model.h"

#include <stdlib.h>

enum { BUCKETS = STACK_SLOTS / 2, FIRST_ROOM = 4096 };

/* A half with this bit is a key's number. */
static const uint32_t BY_KEY = 0x80000000u;

/* 2^19 addresses take 16 MiB with their slots. A trace larger than memory must leave this
 * program below 300 MB beside its rings: when they run out, stacks that no recent fact has
 * are forgotten. */
enum { CALLS = 1 << 19 };

/* ---- paths ------------------------------------------------------------------------ */

static uint32_t call_hash(uint32_t parent, uint64_t address)
{
    return (uint32_t)(hash_mix(hash_mix(address) ^ (uint64_t)parent << 20) >> 24);
}

static uint64_t hash_of_call(const void *calls, uint32_t number)
{
    const struct call *const c = (const struct call *)calls + number;
    return call_hash(c->parent, c->address);
}

/* The call of `address` by `parent`; 0 when there is no room for another. */
static uint32_t call_of(struct stack_store *s, uint32_t parent, uint64_t address)
{
    const struct hash_index *const x = &s->call_index;
    uint32_t at = hash_index_first(x, call_hash(parent, address));
    for (uint32_t known; (known = x->numbers[at]); at = hash_index_next(x, at)) {
        const struct call *c = &s->calls[known];
        if (c->parent == parent && c->address == address)
            return known;
    }
    if (s->call_count == s->call_most)
        return 0;
    if (s->call_count == s->call_room) {
        s->call_room *= 2;
        s->calls = mem_grow(s->calls, s->call_room, sizeof *s->calls);
    }
    const uint32_t number = s->call_count++;
    s->calls[number] = (struct call){.address = address, .parent = parent};
    hash_index_put(&s->call_index, at, number, hash_of_call, s->calls);
    return number;
}

/* Frames as events carry them: pointers, innermost first. */
struct frames {
    const uint8_t *at;
    uint32_t count;
    unsigned pointer;
};

static struct frames frames_of(const uint8_t *at, size_t bytes, unsigned pointer)
{
    const size_t count = bytes / pointer;
    return (struct frames){ at, (uint32_t)(count < STACK_FRAMES ? count : STACK_FRAMES), pointer };
}

static uint64_t frame_at(const struct frames *f, uint32_t i)
{
    uint64_t wide;
    int32_t narrow;
    if (f->pointer == 8) {
        memcpy(&wide, f->at + (size_t)i * 8, 8);
        return wide;
    }
    memcpy(&narrow, f->at + (size_t)i * 4, 4);
    return (uint64_t)(int64_t)narrow; /* as model_address() */
}

static uint32_t path_walked(struct model *m, const struct frames *f, uint32_t first, uint32_t end)
{
    uint32_t path = 0;
    for (uint32_t i = end; i > first; i--) {
        path = call_of(&m->stack_store, path, frame_at(f, i - 1));
        if (!path) {
            m->tally.stacks_dropped++;
            return 0;
        }
    }
    return path;
}

/* Frames first … end-1 as a path. */
static uint32_t path_of(struct model *m, const struct frames *f, uint32_t first, uint32_t end)
{
    struct stack_memo *const memo = m->stack_store.memo;
    const uint32_t count = end - first;
    const uint8_t *const at = f->at + (size_t)first * f->pointer;
    if (f->pointer != 8 || !count || count > STACK_MEMO_FRAMES)
        return path_walked(m, f, first, end);
    uint64_t place;
    const uint32_t known = stack_memo_find(memo, at, count, &place);
    if (known)
        return known;
    const uint32_t path = path_walked(m, f, first, end);
    if (path)
        stack_memo_put(memo, place, at, count, path);
    return path;
}

/* A stack that comes whole: the kernel's frames lie innermost. */
static struct halves halves_of(struct model *m, const struct frames *f)
{
    uint32_t kernel = 0;
    if (f->count && !is_kernel_address(frame_at(f, 0)))
        return (struct halves){0, path_of(m, f, 0, f->count)};
    while (kernel < f->count && is_kernel_address(frame_at(f, kernel)))
        kernel++;
    return (struct halves){ path_of(m, f, 0, kernel), path_of(m, f, kernel, f->count) };
}

/* ---- keys ------------------------------------------------------------------------- */

static uint64_t key_name(source_id source, uint64_t key)
{
    return (key & 0xffffffffffffu) | (uint64_t)source << 48;
}

static void forget_key(void *thing, void *arg)
{
    const struct stack_key *k = thing;
    struct model *m = arg;
    if (map_get(&m->stack_store.key_now, k->name) == k->number)
        map_remove(&m->stack_store.key_now, k->name);
}

static struct stack_key *key_now(const struct model *m, uint64_t name)
{
    return generation_at(&m->stack_store.keys, map_get(&m->stack_store.key_now, name));
}

static struct stack_key *key_open(struct model *m, uint64_t name)
{
    struct stack_key *k = generation_add(&m->stack_store.keys, forget_key, m);
    k->name = name;
    k->until = INT64_MAX;
    map_put(&m->stack_store.key_now, name, k->number);
    return k;
}

/* A key is an address and comes back: a mention means what the key's next end says. */
static uint32_t key_mentioned(struct model *m, source_id source, uint64_t key, int64_t ts)
{
    const uint64_t name = key_name(source, key);
    const struct stack_key *k = key_now(m, name);
    if (!k || ts > k->until)
        k = key_open(m, name);
    return BY_KEY | k->number;
}

static void key_created(struct model *m, uint64_t name, uint32_t path)
{
    struct stack_key *k = key_now(m, name);
    if (k && k->until == INT64_MAX && k->path == path)
        return;
    key_open(m, name)->path = path; /* mentions before this meant another */
}

static void key_ended(struct model *m, uint64_t name, uint32_t path, int64_t ts)
{
    struct stack_key *k = key_now(m, name);
    if (k && k->until != INT64_MAX && ts <= k->until)
        return;
    if (!k || k->until != INT64_MAX)
        k = key_open(m, name);
    if (k->path != path)
        m->stack_store.learnt++;
    k->path = path;
    k->until = ts;
}

static void make_room(struct model *m);

void model_stack_defined(struct model *m, const struct event *e, source_id source, uint64_t key)
{
    enum { KEY_CREATE = 0x22 };
    const struct frames f =
        frames_of(e->payload + e->pointer, e->payload_bytes - e->pointer, e->pointer);
    make_room(m);
    const uint32_t path = path_of(m, &f, 0, f.count);
    if (e->opcode == KEY_CREATE)
        key_created(m, key_name(source, key), path);
    else
        key_ended(m, key_name(source, key), path, e->ts);
}

/* ---- stacks ------------------------------------------------------------------------ */

static uint64_t stack_name(const struct stack *s)
{
    const uint64_t halves = (uint64_t)s->halves.kernel << 32 | s->halves.user;
    const uint64_t whose = (uint64_t)s->process << 32 | s->epoch;
    return hash_mix(hash_mix(halves) * 0xff51afd7ed558ccdu ^ whose) ^ s->source;
}

static bool same_stack(const struct stack *a, const struct stack *b)
{
    return a->halves.kernel == b->halves.kernel && a->halves.user == b->halves.user
           && a->process == b->process && a->epoch == b->epoch && a->source == b->source;
}

static void forget_stack(void *thing, void *arg)
{
    const struct stack *s = thing;
    struct model *m = arg;
    const uint64_t name = stack_name(s);
    if (map_get(&m->stack_store.stack_now, name) == s->number)
        map_remove(&m->stack_store.stack_now, name);
}

/* Where the stack that came last with these halves stands: what comes again is known by it, without
 * a search. Halves by key share [0]. */
static uint32_t *stack_before(const struct stack_store *s, const struct halves *h)
{
    const uint32_t half = h->user ? h->user : h->kernel;
    return &s->calls[half & BY_KEY ? 0 : half].stack;
}

static uint32_t stack_searched(struct model *m, const struct stack *wanted)
{
    struct stack_store *s = &m->stack_store;
    const uint64_t name = stack_name(wanted);
    const struct stack *known = generation_at(&s->stacks, map_get(&s->stack_now, name));
    if (known && same_stack(known, wanted))
        return known->number;
    struct stack *new = generation_add(&s->stacks, forget_stack, m);
    const uint32_t number = new->number;
    *new = *wanted;
    new->number = number;
    map_put(&s->stack_now, name, number);
    return number;
}

static uint32_t stack_number(struct model *m, const struct stack *wanted)
{
    uint32_t *const before = stack_before(&m->stack_store, &wanted->halves);
    const struct stack *const known = generation_at(&m->stack_store.stacks, *before);
    if (!known || !same_stack(known, wanted))
        *before = stack_searched(m, wanted);
    return *before;
}

static uint32_t epoch_of(struct model *m, source_id source, uint32_t process)
{
    struct epoch_note *const n = &m->stack_store.epochs[process & (EPOCH_NOTES - 1)];
    if (n->changes != m->epoch_changes || n->process != process || n->source != source)
        *n = (struct epoch_note){m->epoch_changes, process,
                                 model_image_epoch(m, source, process), source};
    return n->epoch;
}

/* What a fact knows already stays; the other half joins it. */
static uint32_t stack_joined(struct model *m, uint32_t old, struct halves h, source_id source,
                             uint32_t process, int64_t time)
{
    const struct stack *known = generation_at(&m->stack_store.stacks, old);
    const struct halves k = known ? known->halves : (struct halves){ 0, 0 };
    const struct stack wanted = {
        .halves = { k.kernel ? k.kernel : h.kernel, k.user ? k.user : h.user },
        .process = process,
        .source = source,
        .epoch = epoch_of(m, source, process),
        .time = time,
    };
    return wanted.halves.kernel || wanted.halves.user ? stack_number(m, &wanted) : old;
}

/* The path behind a half; 0 when nobody has told it (yet). */
static uint32_t path_behind(const struct model *m, uint32_t half)
{
    if (!(half & BY_KEY))
        return half;
    const struct stack_key *k = generation_at(&m->stack_store.keys, half & ~BY_KEY);
    return k ? k->path : 0;
}

static unsigned unroll(const struct model *m, uint32_t path, uint64_t *out, unsigned count)
{
    for (; path && count < 2 * STACK_FRAMES; path = m->stack_store.calls[path].parent)
        out[count++] = m->stack_store.calls[path].address;
    return count;
}

unsigned model_stack_frames(const struct model *m, const struct stack *s,
                            uint64_t out[2 * STACK_FRAMES])
{
    uint32_t inner = path_behind(m, s->halves.kernel), outer = path_behind(m, s->halves.user);
    /* Events say of some keys not which half they are. */
    if (inner && outer && is_kernel_address(m->stack_store.calls[outer].address)
        && !is_kernel_address(m->stack_store.calls[inner].address)) {
        const uint32_t swap = inner;
        inner = outer;
        outer = swap;
    }
    return unroll(m, outer, out, unroll(m, inner, out, 0));
}

/* ---- forgetting ----------------------------------------------------------------------- */

/* What stays when the calls run out. */
struct keeping {
    struct model *m;
    bool *calls;  /* by number */
    bool *stacks; /* by place */
    uint32_t count; /* calls that stay */
};

static void keep_path(struct keeping *k, uint32_t path)
{
    for (; path && !k->calls[path]; path = k->m->stack_store.calls[path].parent) {
        k->calls[path] = true;
        k->count++;
    }
}

/* The stacks of facts, the newest first, while their calls are not too many. */
static void keep_stacks_of(struct keeping *k, const struct facts *facts, uint32_t most)
{
    const struct generation_table *stacks = &k->m->stack_store.stacks;
    for (uint64_t n = facts->end; n > facts->first && k->count < most; n--) {
        const uint32_t number = facts_at(facts, n - 1)->stack;
        const uint32_t place = number & (stacks->places - 1);
        const struct stack *s = number && !k->stacks[place] ? generation_at(stacks, number) : NULL;
        if (!s)
            continue;
        k->stacks[place] = true;
        keep_path(k, path_behind(k->m, s->halves.kernel));
        keep_path(k, path_behind(k->m, s->halves.user));
    }
}

/* Keys that may still be mentioned. */
static void keep_keys(struct keeping *k, uint32_t most)
{
    const struct generation_table *keys = &k->m->stack_store.keys;
    for (uint32_t place = 0; place < keys->places && k->count < most; place++) {
        const struct stack_key *key = generation_place(keys, place);
        if (key && key->until == INT64_MAX)
            keep_path(k, key->path);
    }
}

/* Moves the calls that stay together; callers stand before those they call. Their new
 * numbers, by the old ones; the caller frees it. */
static uint32_t *move_calls(struct keeping *k)
{
    struct stack_store *s = &k->m->stack_store;
    uint32_t *const now = mem_new(s->call_count, sizeof *now);
    uint32_t count = 1;
    for (uint32_t n = 1; n < s->call_count; n++) {
        if (!k->calls[n])
            continue;
        now[n] = count;
        s->calls[count++] =
            (struct call){.address = s->calls[n].address, .parent = now[s->calls[n].parent]};
    }
    s->call_count = count;
    hash_index_refill(&s->call_index, count, hash_of_call, s->calls);
    return now;
}

static uint32_t half_now(const uint32_t *now, uint32_t half)
{
    return half & BY_KEY ? half : now[half];
}

static void move_stacks(struct keeping *k, const uint32_t *now)
{
    struct stack_store *s = &k->m->stack_store;
    map_fini(&s->stack_now);
    map_init(&s->stack_now);
    for (uint32_t place = 0; place < s->stacks.places; place++) {
        struct stack *stack = generation_place(&s->stacks, place);
        if (stack && !k->stacks[place]) {
            stack->number = 0; /* a free place; who still holds the number finds nobody */
            s->stacks.evicted++;
        } else if (stack) {
            stack->halves.kernel = half_now(now, stack->halves.kernel);
            stack->halves.user = half_now(now, stack->halves.user);
            map_put(&s->stack_now, stack_name(stack), stack->number);
        }
    }
    for (uint32_t place = 0; place < s->keys.places; place++) {
        struct stack_key *key = generation_place(&s->keys, place);
        if (key)
            key->path = now[key->path];
    }
}

/* Makes room for a stack of any depth: when there is none, half of the calls go at least,
 * those of stacks that recent facts do not have. Some 50 ms, once in millions of events. */
static void make_room(struct model *m)
{
    struct stack_store *s = &m->stack_store;
    if (!m->facts || s->call_most - s->call_count > 2 * STACK_FRAMES)
        return;
    struct keeping k = {.m = m,
                        .calls = mem_new(s->call_count, sizeof *k.calls),
                        .stacks = mem_new(s->stacks.places, sizeof *k.stacks)};
    m->depends_on_frozen |= m->frozen_facts != NULL;
    if (m->frozen_facts)
        keep_stacks_of(&k, m->frozen_facts, s->call_most / 4);
    keep_stacks_of(&k, m->facts, s->call_most / 2);
    keep_keys(&k, s->call_most / 4 * 3);
    uint32_t *const now = move_calls(&k);
    move_stacks(&k, now);
    stack_memo_clear(s->memo);
    free(now);
    free(k.calls);
    free(k.stacks);
}

/* ---- events and their stacks --------------------------------------------------------- */

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
    if (!m->facts || m->is_without_stacks)
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
static unsigned fit(const struct model *m, const struct stack_slot *s, int64_t ts,
                    source_id source, uint32_t thread)
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
static struct fact *event_pushed_out(struct model *m, int64_t ts, source_id source,
                                     uint32_t thread, uint64_t *number)
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
    const unsigned fits[2] = { fit(m, &bucket[0], ts, source, thread),
                               fit(m, &bucket[1], ts, source, thread) };
    const struct stack_slot *s = &bucket[fits[1] > fits[0]];
    *number = s->number - 1;
    if (!fits[0] && !fits[1])
        return event_pushed_out(m, ts, source, thread, number);
    return m->facts && *number >= m->facts->first ? facts_at(m->facts, *number) : NULL;
}

static struct halves walk_halves(struct model *m, const struct event *e, source_id source,
                                 uint64_t key)
{
    enum { WALK = 0x20, WALK_KEY_KERNEL = 0x25, HEAD = 16 };
    if (e->opcode == WALK) {
        const struct frames f =
            frames_of(e->payload + HEAD, e->payload_bytes - HEAD, e->pointer);
        return halves_of(m, &f);
    }
    const uint32_t half = key ? key_mentioned(m, source, key, e->ts) : 0;
    return e->opcode == WALK_KEY_KERNEL ? (struct halves){ half, 0 } : (struct halves){ 0, half };
}

static void set_stack(struct model *m, uint64_t number, uint32_t stack)
{
    struct stack_store *s = &m->stack_store;
    struct fact *f = facts_at(m->facts, number);
    s->updates[s->update_count++ % s->update_places] = (struct stack_update){ number, f->stack, stack };
    f->stack = stack;
}

void model_stack_walked(struct model *m, const struct event *e, source_id source,
                        const struct stack_walk *w)
{
    m->is_without_stacks = false; /* for once somebody had not asked */
    make_room(m);
    const struct halves h = walk_halves(m, e, source, w->key);
    uint64_t number;
    struct fact *of = event_walked(m, w->ts, source, w->thread, &number);
    if (!of) {
        m->tally.stacks_unmatched++;
        m->tally.stacks_late += is_late(m, w->ts, source);
        return;
    }
    m->tally.stacks_matched++;
    const uint32_t stack = stack_joined(m, of->stack, h, source, w->process, of->time);
    set_stack(m, number, stack);
    const bool has_ended = of->class == FACT_DISK && of->op == OP_START && of->value;
    if (has_ended && of->value > m->facts->first) /* the end shows the stack of the beginning */
        set_stack(m, of->value - 1, stack);
}

void model_stack_follows(struct model *m, source_id source, uint64_t number, const uint8_t *at,
                         size_t bytes, unsigned pointer)
{
    m->is_without_stacks = false;
    make_room(m);
    const struct frames frames = frames_of(at, bytes, pointer);
    const struct halves h = halves_of(m, &frames);
    if (!number || !m->facts || number <= m->facts->first) {
        m->tally.stacks_unmatched++;
        m->tally.stacks_late += number != 0;
        return;
    }
    m->tally.stacks_matched++;
    const struct fact *const of = facts_at(m->facts, number - 1);
    set_stack(m, number - 1, stack_joined(m, of->stack, h, source, of->process, of->time));
}

/* Halves of one stack; which is which is not always told: see model_stack_frames(). */
static struct halves both_halves(struct halves first, struct halves second)
{
    if (!first.kernel && !second.kernel)
        return (struct halves){ second.user, first.user };
    return (struct halves){ first.kernel ? first.kernel : second.kernel,
                            first.user ? first.user : second.user };
}

/* The kernel's half cannot wait for the user's, which is taken on the way back to the program
 * and comes with an event of its own: both bear one id. Then both events get both halves. */
static void halves_meet(struct model *m, uint64_t id, source_id source, struct fact *f)
{
    struct stack_store *s = &m->stack_store;
    struct stack_match *const match = &s->matches[hash_mix(id ^ source) >> 40 & (STACK_MATCHES - 1)];
    const bool is_known = match->number && match->id == id && match->source == source;
    struct fact *const first = is_known && m->facts && match->number > m->facts->first
                                   ? facts_at(m->facts, match->number - 1)
                                   : NULL;
    const struct stack *a = first ? generation_at(&s->stacks, first->stack) : NULL;
    const struct stack *b = generation_at(&s->stacks, f->stack);
    if (!a || !b || first == f) {
        m->tally.stacks_halved++;
        if (m->facts)
            *match = (struct stack_match){ id, m->facts->end, source };
        return;
    }
    const struct halves both = both_halves(a->halves, b->halves);
    const uint32_t process = a->process ? a->process : b->process;
    set_stack(m, match->number - 1, stack_joined(m, 0, both, source, process, first->time));
    f->stack = first->stack;
    m->tally.stacks_halved--;
    match->number = 0;
}

/* Stacks that came in the event itself, in its extended items. */
void model_stack_inline(struct model *m, const struct event *e, source_id source, struct fact *f)
{
    enum { STACK32 = 5, STACK64 = 6, KEY32 = 17, KEY64 = 18, MATCH_ID = 8 };
    const uint32_t process = f->process;
    make_room(m);
    struct event_item item;
    for (uint32_t at = 0; event_item_next(e, &at, &item);) {
        const bool is_key = item.type == KEY32 || item.type == KEY64;
        const bool is_narrow = item.type == STACK32 || item.type == KEY32;
        if ((item.type != STACK32 && item.type != STACK64 && !is_key) || item.size < MATCH_ID)
            continue;
        struct frames frames =
            frames_of(item.data + MATCH_ID, item.size - MATCH_ID, is_narrow ? 4 : 8);
        if (!frames.count)
            continue;
        struct halves h;
        if (is_key)
            h = (struct halves){ 0, key_mentioned(m, source, frame_at(&frames, 0), e->ts) };
        else
            h = halves_of(m, &frames);
        const struct stack *known = generation_at(&m->stack_store.stacks, f->stack);
        if (known && known->halves.user && is_key)
            h = (struct halves){ h.user, 0 };
        m->tally.stacks_inline++;
        f->stack = stack_joined(m, f->stack, h, source, process, f->time);
        if (load_u64(item.data))
            halves_meet(m, load_u64(item.data), source, f);
    }
}

/* ---- the store ------------------------------------------------------------------------ */

static enum generation_use use_of_key(const void *thing, const void *m)
{
    (void)m;
    return ((const struct stack_key *)thing)->until == INT64_MAX ? GENERATION_IN_USE : GENERATION_UNUSED;
}

static enum generation_use use_of_stack(const void *thing, const void *m)
{
    (void)thing, (void)m;
    return GENERATION_UNUSED;
}

void model_stacks_init(struct model *m, size_t facts)
{
    enum { KEYS = 1 << 17, STACKS = 1 << 18 }; /* of 32 bytes */
    struct stack_store *s = &m->stack_store;
    m->epoch_changes = 1;
    s->call_most = model_places(facts, CALLS, 2);
    s->call_room = FIRST_ROOM;
    s->calls = mem_new(s->call_room, sizeof *s->calls);
    s->memo = stack_memo_new(model_places(facts, STACK_MEMO_PLACES, 48));
    s->call_count = 1; /* [0] is where every path begins */
    hash_index_init(&s->call_index, s->call_room);
    generation_init(&s->keys, sizeof(struct stack_key), model_places(facts, KEYS, 4), use_of_key);
    generation_init(&s->stacks, sizeof(struct stack), model_places(facts, STACKS, 3), use_of_stack);
    map_init(&s->key_now);
    map_init(&s->stack_now);
    s->slots = mem_new(STACK_SLOTS, sizeof *s->slots);
    s->matches = mem_new(STACK_MATCHES, sizeof *s->matches);
    s->update_places = model_places(facts, STACK_UPDATES, 4);
    s->updates = mem_new(s->update_places, sizeof *s->updates);
}

void model_stacks_fini(struct model *m)
{
    struct stack_store *s = &m->stack_store;
    free(s->calls);
    stack_memo_free(s->memo);
    hash_index_fini(&s->call_index);
    generation_fini(&s->keys);
    generation_fini(&s->stacks);
    map_fini(&s->key_now);
    map_fini(&s->stack_now);
    free(s->slots);
    free(s->matches);
    free(s->updates);
}

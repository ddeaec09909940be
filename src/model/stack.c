/* Stacks: frames are kept once. stack_match.c finds the events they belong to.
 *
 * A stack has two parts, kernel and user, which may come apart, late and from other processors. A
 * part is a path in a tree of addresses (outermost first, so that stacks of one program share their
 * beginnings), or a key whose frames come later. Facts hold the number of a stack; what its parts
 * mean is looked up when it is read, so a definition that comes at the end of a recording is right
 * for all. */
#include "src/model/stack_inside.h"

#include "src/base/bytes.h"
#include "src/base/mem.h"
#include "src/model/model.h"

#include <stdlib.h>

enum { FIRST_ROOM = 4096 };

/* A part with this bit is a key's number. */
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

static uint32_t path_walked(struct model *m, const struct frames *f, uint32_t first, uint32_t end)
{
    uint32_t path = 0;
    for (uint32_t i = end; i > first; i--) {
        path = call_of(&m->stack_store, path, stack_frame_at(f, i - 1));
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

struct stack_parts stack_parts_of(struct model *m, const struct frames *f)
{
    uint32_t kernel = 0;
    if (f->count && !is_kernel_address(stack_frame_at(f, 0)))
        return (struct stack_parts){0, path_of(m, f, 0, f->count)};
    while (kernel < f->count && is_kernel_address(stack_frame_at(f, kernel)))
        kernel++;
    return (struct stack_parts){path_of(m, f, 0, kernel), path_of(m, f, kernel, f->count)};
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

uint32_t stack_key_mentioned(struct model *m, source_id source, uint64_t key, int64_t ts)
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
        m->stack_store.learned++;
    k->path = path;
    k->until = ts;
}

void model_stack_defined(struct model *m, const struct event *e, source_id source, uint64_t key)
{
    enum { KEY_CREATE = 0x22 };
    if (m->ignores_stacks)
        return;
    const struct frames f =
        stack_frames_of(e->payload + e->pointer, e->payload_bytes - e->pointer, e->pointer);
    stack_make_room(m);
    const uint32_t path = path_of(m, &f, 0, f.count);
    if (e->opcode == KEY_CREATE)
        key_created(m, key_name(source, key), path);
    else
        key_ended(m, key_name(source, key), path, e->ts);
}

/* ---- stacks ------------------------------------------------------------------------ */

static uint64_t stack_name(const struct stack *s)
{
    const uint64_t parts = (uint64_t)s->parts.kernel << 32 | s->parts.user;
    const uint64_t whose = (uint64_t)s->process << 32 | s->epoch;
    return hash_mix(hash_mix(parts) * 0xff51afd7ed558ccdu ^ whose) ^ s->source;
}

static bool same_stack(const struct stack *a, const struct stack *b)
{
    return a->parts.kernel == b->parts.kernel && a->parts.user == b->parts.user &&
           a->process == b->process && a->epoch == b->epoch && a->source == b->source;
}

static void forget_stack(void *thing, void *arg)
{
    const struct stack *s = thing;
    struct model *m = arg;
    const uint64_t name = stack_name(s);
    if (map_get(&m->stack_store.stack_now, name) == s->number)
        map_remove(&m->stack_store.stack_now, name);
}

/* Where the stack that came last with these parts stands: what comes again is known by it, without
 * a search. Parts by key share [0]. */
static uint32_t *stack_before(const struct stack_store *s, const struct stack_parts *h)
{
    const uint32_t part = h->user ? h->user : h->kernel;
    return &s->calls[part & BY_KEY ? 0 : part].stack;
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
    uint32_t *const before = stack_before(&m->stack_store, &wanted->parts);
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

uint32_t stack_add_parts(struct model *m, uint32_t old, struct stack_parts h, source_id source,
                         uint32_t process, int64_t time)
{
    const struct stack *known = generation_at(&m->stack_store.stacks, old);
    const struct stack_parts k = known ? known->parts : (struct stack_parts){0, 0};
    const struct stack wanted = {
        .parts = {k.kernel ? k.kernel : h.kernel, k.user ? k.user : h.user},
        .process = process,
        .source = source,
        .epoch = epoch_of(m, source, process),
        .time = time,
    };
    return wanted.parts.kernel || wanted.parts.user ? stack_number(m, &wanted) : old;
}

/* The path behind a part; 0 while it is unknown. */
static uint32_t path_behind(const struct model *m, uint32_t part)
{
    if (!(part & BY_KEY))
        return part;
    const struct stack_key *k = generation_at(&m->stack_store.keys, part & ~BY_KEY);
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
    uint32_t inner = path_behind(m, s->parts.kernel), outer = path_behind(m, s->parts.user);
    /* Events say of some keys not which part they are. */
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
        keep_path(k, path_behind(k->m, s->parts.kernel));
        keep_path(k, path_behind(k->m, s->parts.user));
    }
}

/* Keys that may still be mentioned. */
static void keep_keys(struct keeping *k, uint32_t most)
{
    const struct generation_table *keys = &k->m->stack_store.keys;
    for (uint32_t place = 0; place < keys->end && k->count < most; place++) {
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

static uint32_t part_now(const uint32_t *now, uint32_t part)
{
    return part & BY_KEY ? part : now[part];
}

static void move_stacks(struct keeping *k, const uint32_t *now)
{
    struct stack_store *s = &k->m->stack_store;
    map_fini(&s->stack_now);
    map_init(&s->stack_now);
    for (uint32_t place = 0; place < s->stacks.end; place++) {
        struct stack *stack = generation_place(&s->stacks, place);
        if (stack && !k->stacks[place]) {
            stack->number = 0; /* a free place; who still holds the number finds nobody */
            s->stacks.evicted++;
        } else if (stack) {
            stack->parts.kernel = part_now(now, stack->parts.kernel);
            stack->parts.user = part_now(now, stack->parts.user);
            map_put(&s->stack_now, stack_name(stack), stack->number);
        }
    }
    for (uint32_t place = 0; place < s->keys.end; place++) {
        struct stack_key *key = generation_place(&s->keys, place);
        if (key)
            key->path = now[key->path];
    }
}

void stack_make_room(struct model *m)
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

/* Call chains → StackWalk 0x1820: u64 time of the event, u32 process, u32 thread, then the
 * frames, innermost first, the kernel's before the user's.
 *
 * The kernel's chain is addresses with markers between: what follows -128 is the kernel's,
 * what follows -512 is the user's; other parts (guests, hypervisors) are passed over. */
#include "collectors/linux/stack.h"

#include "src/mem.h"

#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

enum {
    HOOK_STACK = 0x1820,
    FRAMES = 192, /* what readers of .etl take; the system's limit is 127 by default */
    KEPT_WAYS = 4,
    KEPT_SETS = 1024, /* 4096 threads, 6 MiB: those that switched least recently go */
};

struct frames {
    uint64_t at[FRAMES];
    uint32_t count;
};

struct kept {
    uint32_t tid, pid;
    uint64_t used; /* 0: free */
    struct frames frames;
};

struct stacks {
    struct frames now;
    uint64_t clock;
    struct kept *kept;
};

static struct stacks *state(const struct translator *t)
{
    return t->state[DOMAIN_STACK];
}

static void collect(const struct sample *s, struct frames *out)
{
    bool is_ours = false;
    out->count = 0;
    for (uint32_t i = 0; i < s->chain_count && out->count < FRAMES; i++) {
        const uint64_t address = s->chain[i];
        if (address >= PERF_CONTEXT_MAX)
            is_ours =
                address == (uint64_t)PERF_CONTEXT_KERNEL || address == (uint64_t)PERF_CONTEXT_USER;
        else if (is_ours)
            out->at[out->count++] = address;
    }
}

static void put(struct translator *t, const struct frames *f, uint32_t pid, uint32_t tid,
                unsigned cpu, int64_t time)
{
    if (!f->count)
        return;
    struct pen *const p =
        record_begin(t, HEADER_PERFINFO, HOOK_STACK, 2, EVENT_NO_ID, EVENT_NO_ID, cpu, time);
    put_u64(p, (uint64_t)time);
    put_u32(p, pid);
    put_u32(p, tid);
    put_bytes(p, f->at, f->count * sizeof *f->at);
    record_end(t);
}

void stack_put(struct translator *t, const struct sample *s, uint32_t pid, uint32_t tid,
               int64_t time)
{
    if (!s->chain_count || !state(t))
        return;
    struct frames *const f = &state(t)->now;
    collect(s, f);
    put(t, f, pid, tid, s->cpu, time);
}

/* ---- where threads left ------------------------------------------------------------------- */

static struct kept *set_of(const struct stacks *st, uint32_t tid)
{
    return &st->kept[(tid * 0x9e3779b1u >> 16) % KEPT_SETS * KEPT_WAYS];
}

static struct kept *find(const struct stacks *st, uint32_t tid)
{
    struct kept *const set = set_of(st, tid);
    for (unsigned i = 0; i < KEPT_WAYS; i++)
        if (set[i].used && set[i].tid == tid)
            return &set[i];
    return NULL;
}

static struct kept *place_for(const struct stacks *st, uint32_t tid)
{
    struct kept *const known = find(st, tid);
    if (known)
        return known;
    struct kept *const set = set_of(st, tid);
    struct kept *oldest = set;
    for (unsigned i = 1; i < KEPT_WAYS; i++)
        if (set[i].used < oldest->used)
            oldest = &set[i];
    return oldest;
}

/* Idle has no stack worth keeping, and one thread id on all processors. */
void stack_keep(struct translator *t, const struct sample *s, uint32_t pid, uint32_t tid)
{
    struct stacks *const st = state(t);
    if (!s->chain_count || !st || !tid)
        return;
    struct kept *const k = place_for(st, tid);
    k->tid = tid;
    k->pid = pid;
    k->used = ++st->clock;
    collect(s, &k->frames);
}

void stack_put_kept(struct translator *t, uint32_t tid, unsigned cpu, int64_t time)
{
    const struct stacks *const st = state(t);
    const struct kept *const k = st && st->clock ? find(st, tid) : NULL;
    if (k)
        put(t, &k->frames, k->pid, tid, cpu, time);
}

/* ---- the domain ------------------------------------------------------------------------------ */

static void start(struct translator *t)
{
    struct stacks *const st = mem_new(1, sizeof *st);
    st->kept = mem_new((size_t)KEPT_SETS * KEPT_WAYS, sizeof *st->kept);
    t->state[DOMAIN_STACK] = st;
}

static void stop(struct translator *t)
{
    struct stacks *const st = state(t);
    if (!st)
        return;
    free(st->kept);
    free(st);
    t->state[DOMAIN_STACK] = NULL;
}

const struct linux_domain domain_stack = {.id = "stack", .start = start, .stop = stop};

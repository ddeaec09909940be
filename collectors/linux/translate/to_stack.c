/* Call chains → StackWalk 0x1820: u64 time of the event, u32 process, u32 thread, then the
 * frames, innermost first, the kernel's before the user's.
 *
 * The kernel's chain is addresses with markers between: what follows -128 is the kernel's,
 * what follows -512 is the user's; other parts (guests, hypervisors) are passed over.
 *
 * Where a sample has a copy of the user's stack, the unwinder finds the user's frames: the
 * kernel's are put at once, the user's in a walk of their own when they are known. Those of a
 * switch are for when the thread comes in again, which may be before or after. */
#include "collectors/linux/translate/stack.h"

#include "collectors/linux/translate/reason.h"
#include "collectors/linux/unwind/unwinder.h"
#include "src/base/mem.h"
#include "src/os/rights_linux.h"

#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

enum {
    HOOK_STACK = 0x1820,
    FRAMES = 192, /* what readers of .etl take; the system's limit is 127 by default */
    KEPT_WAYS = 4,
    FEW_SETS = 64,    /* 256 threads, 0.4 MiB; they double where a set is full … */
    SOME_SETS = 256,  /* … up to 1024 threads, 1.6 MiB, or, where the ring of events is large, … */
    KEPT_SETS = 1024, /* … 4096 threads, 6 MiB; then who switched least recently goes */
    KEPT_PART = 12,   /* of the ring of events */
    PENDING = 4096,   /* switches whose users' frames are being found */
};

struct frames {
    uint64_t at[FRAMES];
    uint32_t count;
};

struct kept {
    uint32_t tid, pid;
    uint64_t used;   /* 0: free */
    uint64_t ticket; /* of the user's frames, which are to come; 0: all are there */
    struct frames frames;
};

/* A switch that was put before the user's frames were known. */
struct pending {
    uint64_t ticket;
    int64_t time; /* 0: it has not been */
    uint16_t cpu;
};

struct stacks {
    struct frames now;
    uint64_t clock;
    struct kept *kept;
    uint32_t kept_sets, most_sets;
    struct pending *pending; /* by ticket */
    uint64_t tickets;
};

static struct stacks *state(const struct translator *t)
{
    return t->state[DOMAIN_STACK];
}

const struct reasons *stack_reasons(const struct translator *t)
{
    return atomic_load_explicit(&t->reasons, memory_order_acquire);
}

/* Takes out who looks on, before the user's frames are there. */
static void leave_out_tracer(const struct translator *t, struct frames *f)
{
    const struct reasons *const reasons = stack_reasons(t);
    const uint32_t leading = reasons ? reason_tracer_frames(reasons, f->at, f->count) : 0;
    f->count -= leading;
    memmove(f->at, f->at + leading, f->count * sizeof *f->at);
}

static void collect(const struct translator *t, const struct sample *s, bool has_user,
                    struct frames *out)
{
    bool is_ours = false;
    out->count = 0;
    for (uint32_t i = 0; i < s->chain_count && out->count < FRAMES; i++) {
        const uint64_t address = s->chain[i];
        if (address >= PERF_CONTEXT_MAX)
            is_ours = address == (uint64_t)PERF_CONTEXT_KERNEL ||
                      (has_user && address == (uint64_t)PERF_CONTEXT_USER);
        else if (is_ours)
            out->at[out->count++] = address;
    }
    if (s->layout && s->layout->is_bpf)
        leave_out_tracer(t, out);
}

/* `now`: of the record; `time`: of the event that it is about. */
static void put_at(struct translator *t, const struct frames *f, uint32_t pid, uint32_t tid,
                   unsigned cpu, int64_t now, int64_t time)
{
    if (!f->count)
        return;
    struct payload_writer *const p =
        record_begin(t, HEADER_PERFINFO, HOOK_STACK, 2, EVENT_NO_ID, EVENT_NO_ID, cpu, now);
    put_u64(p, (uint64_t)time);
    put_u32(p, pid);
    put_u32(p, tid);
    put_bytes(p, f->at, f->count * sizeof *f->at);
    record_end(t);
}

static void put(struct translator *t, const struct frames *f, uint32_t pid, uint32_t tid,
                unsigned cpu, int64_t time)
{
    put_at(t, f, pid, tid, cpu, time, time);
}

/* Of an event that was put before: records stay in order. */
static void put_late(struct translator *t, const struct frames *f, uint32_t pid, uint32_t tid,
                     unsigned cpu, int64_t time)
{
    put_at(t, f, pid, tid, cpu, t->time > time ? t->time : time, time);
}

void stack_put(struct translator *t, const struct sample *s, uint32_t pid, uint32_t tid,
               int64_t time)
{
    if (!s->chain_count || !state(t))
        return;
    struct frames *const f = &state(t)->now;
    collect(t, s, !unwinder_ask(t->unwinder, s, 0), f);
    put(t, f, pid, tid, s->cpu, time);
}

void stack_put_kernel(struct translator *t, const struct sample *s, uint32_t pid, uint32_t tid,
                      int64_t time)
{
    if (!s->chain_count || !state(t))
        return;
    struct frames *const f = &state(t)->now;
    collect(t, s, false, f);
    put(t, f, pid, tid, s->cpu, time);
}

/* ---- where threads left ------------------------------------------------------------------- */

static struct kept *set_of(const struct stacks *st, uint32_t tid)
{
    return &st->kept[(size_t)((tid * 0x9e3779b1u >> 16) % st->kept_sets) * KEPT_WAYS];
}

static struct kept *find(const struct stacks *st, uint32_t tid)
{
    struct kept *const set = set_of(st, tid);
    for (unsigned i = 0; i < KEPT_WAYS; i++)
        if (set[i].used && set[i].tid == tid)
            return &set[i];
    return NULL;
}

static struct kept *least_recent(const struct stacks *st, uint32_t tid)
{
    struct kept *const set = set_of(st, tid), *oldest = set;
    for (unsigned i = 1; i < KEPT_WAYS; i++)
        if (set[i].used < oldest->used)
            oldest = &set[i];
    return oldest;
}

static void double_sets(struct stacks *st)
{
    struct kept *const old = st->kept;
    const size_t count = (size_t)st->kept_sets * KEPT_WAYS;
    st->kept_sets *= 2;
    st->kept = mem_new(2 * count, sizeof *st->kept);
    for (size_t i = 0; i < count; i++)
        if (old[i].used)
            *least_recent(st, old[i].tid) = old[i];
    free(old);
}

static struct kept *place_for(struct stacks *st, uint32_t tid)
{
    struct kept *const known = find(st, tid);
    if (known)
        return known;
    while (least_recent(st, tid)->used && st->kept_sets < st->most_sets)
        double_sets(st);
    return least_recent(st, tid);
}

void stack_forget(struct translator *t, uint32_t tid)
{
    struct kept *const k = state(t) ? find(state(t), tid) : NULL;
    if (k)
        k->used = 0;
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
    k->ticket = unwinder_ask(t->unwinder, s, st->tickets + 1) ? ++st->tickets : 0;
    if (k->ticket)
        st->pending[k->ticket % PENDING] = (struct pending){.ticket = k->ticket};
    collect(t, s, !k->ticket, &k->frames);
}

void stack_put_kept(struct translator *t, uint32_t tid, unsigned cpu, int64_t time)
{
    struct stacks *const st = state(t);
    struct kept *const k = st && st->clock ? find(st, tid) : NULL;
    if (!k)
        return;
    put(t, &k->frames, k->pid, tid, cpu, time);
    struct pending *const p = &st->pending[k->ticket % PENDING];
    if (!k->ticket || p->ticket != k->ticket)
        return;
    p->time = time;
    p->cpu = (uint16_t)cpu;
}

/* ---- users' frames that were unwound -------------------------------------------------------- */

static void copy_frames(struct frames *to, const struct unwound *u)
{
    const uint32_t room = FRAMES - to->count, used = u->count < room ? u->count : room;
    memcpy(to->at + to->count, u->frames, used * sizeof *to->at);
    to->count += used;
}

/* The thread has come in already, or it will find its whole stack when it does. */
static void take_switch(struct translator *t, const struct unwound *u)
{
    struct stacks *const st = state(t);
    struct pending *const p = &st->pending[u->ticket % PENDING];
    struct kept *const k = find(st, u->tid);
    if (p->ticket == u->ticket && p->time) {
        st->now.count = 0;
        copy_frames(&st->now, u);
        put_late(t, &st->now, u->pid, u->tid, p->cpu, p->time);
    }
    if (p->ticket == u->ticket)
        p->ticket = 0;
    if (k && k->ticket == u->ticket) {
        copy_frames(&k->frames, u);
        k->ticket = 0;
    }
}

bool stack_take_unwound(struct translator *t)
{
    struct stacks *const st = state(t);
    struct unwound u;
    const bool is_busy = t->unwinder && unwinder_is_busy(t->unwinder);
    while (st && t->unwinder && unwinder_take(t->unwinder, &u)) {
        if (u.ticket) {
            take_switch(t, &u);
            continue;
        }
        st->now.count = 0;
        copy_frames(&st->now, &u);
        put_late(t, &st->now, u.pid, u.tid, u.cpu, u.time);
    }
    return is_busy;
}

/* ---- the domain ------------------------------------------------------------------------------ */

static void start(struct translator *t)
{
    struct stacks *const st = mem_new(1, sizeof *st);
    st->kept_sets = FEW_SETS;
    st->most_sets =
        translator_places(t, KEPT_WAYS * sizeof *st->kept, KEPT_PART, SOME_SETS, KEPT_SETS);
    st->kept = mem_new((size_t)st->kept_sets * KEPT_WAYS, sizeof *st->kept);
    st->pending = mem_new(PENDING, sizeof *st->pending);
    t->state[DOMAIN_STACK] = st;
}

/* Reading the kernel's names takes a tenth of a second: only where stacks are recorded. */
static void prepare(struct translator *t, uint32_t stacks)
{
    if (t->has_tried_reasons || !stacks)
        return;
    t->has_tried_reasons = true;
    FILE *const f = os_rights_kernel_names();
    if (!f)
        return;
    atomic_store_explicit(&t->reasons, reasons_read(f), memory_order_release);
    fclose(f);
}

static void stop(struct translator *t)
{
    struct stacks *const st = state(t);
    reasons_free(atomic_exchange_explicit(&t->reasons, NULL, memory_order_relaxed));
    if (!st)
        return;
    free(st->kept);
    free(st->pending);
    free(st);
    t->state[DOMAIN_STACK] = NULL;
}

static size_t held_bytes(const struct translator *t)
{
    const struct stacks *const st = state(t);
    return st ? st->kept_sets * KEPT_WAYS * sizeof *st->kept + PENDING * sizeof *st->pending : 0;
}

static void side_band(struct translator *t, const struct sample *s)
{
    if (t->unwinder)
        unwinder_side_band(t->unwinder, s);
}

static void report_left_out(struct translator *t)
{
    const struct unwinder_figures f = unwinder_figures(t->unwinder);
    if (f.over || f.refused)
        feed_notice(t->feed,
                    "of %llu stacks of programs %llu were not unwound for lack of time and %llu "
                    "for lack of room: these end where frame pointers end",
                    (unsigned long long)(f.asked + f.refused), (unsigned long long)f.over,
                    (unsigned long long)f.refused);
}

static void finish(struct translator *t, int64_t now)
{
    (void)now;
    if (!t->unwinder)
        return;
    unwinder_wait(t->unwinder);
    stack_take_unwound(t);
    report_left_out(t);
}

const struct linux_domain domain_stack = {
    .id = "stack",
    .side_band = side_band,
    .start = start,
    .prepare = prepare,
    .stop = stop,
    .bytes = held_bytes,
    .finish = finish,
};

/* Context switches and wake-ups:
 *   sched_switch               → CSwitch 36, version 4
 *   sched_waking, _wakeup_new  → ReadyThread 50
 * The sample of a switch is the leaving thread's: its ids, its stack. */
#include "collectors/linux/bpf/process_scope.h"
#include "collectors/linux/kernel/tracefs.h"
#include "collectors/linux/translate/gauge.h"
#include "collectors/linux/translate/reason.h"
#include "collectors/linux/translate/stack.h"
#include "collectors/linux/translate/switch.h"
#include "collectors/linux/translate/task.h"
#include "collectors/linux/translate/unseen.h"
#include "collectors/linux/translate/wait_calls.h"

#include "src/base/mem.h"
#include "src/model/fact.h"

#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

enum { HOOK_SWITCH = 0x0524, HOOK_READY = 0x0532 };

struct switches {
    struct switch_masks masks;
    struct unseen *unseen;
    bool has_reported_hidden;
    uint64_t first; /* time of the first switch; 0: none yet */
};

/* ---- states ------------------------------------------------------------------------------ */

static const struct switch_masks usual = {
    .interruptible = 1,
    .uninterruptible = 2,
    .stopped = 4,
    .traced = 8,
    .dead = 0x10,
    .zombie = 0x20,
    .parked = 0x40,
    .idle = 0x80,
    .preempted = 0x100,
};

static uint64_t *mask_named(struct switch_masks *m, char letter)
{
    switch (letter) {
    case 'S':
        return &m->interruptible;
    case 'D':
        return &m->uninterruptible;
    case 'T':
        return &m->stopped;
    case 't':
        return &m->traced;
    case 'X':
        return &m->dead;
    case 'Z':
        return &m->zombie;
    case 'P':
        return &m->parked;
    case 'I':
        return &m->idle;
    default:
        return NULL;
    }
}

/* "R+" is the bit above the highest of those that are reported, listed or not: the format
 * masks with (highest + 1) << 1 all in one. */
struct switch_masks switch_masks_of(const char *format)
{
    struct switch_masks m = {0};
    uint64_t value, all = 0;
    char name[8];
    for (unsigned i = 0; format && format_flag(format, i, &value, name, sizeof name); i++) {
        uint64_t *const mask = mask_named(&m, name[0]);
        if (mask && !name[1])
            *mask = value;
        all |= value;
    }
    if (!m.interruptible || !m.uninterruptible)
        return usual;
    m.preempted = 1;
    while (m.preempted <= all)
        m.preempted *= 2;
    return m;
}

enum { READY = 1, TERMINATED = 4, WAITING = 5 };
struct switch_end switch_end_of(const struct switch_masks *m, int64_t prev_state)
{
    const uint64_t s = (uint64_t)prev_state;
    if (s & m->preempted)
        return (struct switch_end){READY, REASON_PREEMPTED};
    if (s & (m->dead | m->zombie))
        return (struct switch_end){TERMINATED, REASON_TERMINATED};
    if (s & (m->stopped | m->traced))
        return (struct switch_end){WAITING, REASON_SUSPENDED};
    if (s & m->parked)
        return (struct switch_end){WAITING, REASON_EXECUTIVE};
    if (s & m->idle)
        return (struct switch_end){WAITING, REASON_QUEUE};
    if (s & m->uninterruptible)
        return (struct switch_end){WAITING, REASON_EXECUTIVE};
    if (s & m->interruptible)
        return (struct switch_end){WAITING, REASON_USER_REQUEST};
    return (struct switch_end){READY, REASON_QUANTUM_END};
}

/* Nice 0 (120) is Windows' 8, nice -20 its 15, nice 19 its 1; real time takes 16 … 31. */
uint8_t switch_priority(int32_t prio, bool is_idle)
{
    enum { REAL_TIME = 100, NORMAL = 120, LOWEST = 139 };
    if (is_idle || prio < -1 || prio > LOWEST)
        return 0;
    if (prio < REAL_TIME)
        return (uint8_t)(16 + (REAL_TIME - 1 - (prio < 0 ? 0 : prio)) * 15 / (REAL_TIME - 1));
    return (uint8_t)(8 - (prio - NORMAL) * 7 / 19);
}

/* ---- switches ------------------------------------------------------------------------------ */

enum { PREV_PID, PREV_PRIO, PREV_STATE, NEXT_PID, NEXT_PRIO, PREV_CALL, PREV_FILE };

/* The call chain knows best, then the system call (BPF only). Yields and what sleeps or waits
 * for the disk are refined; the other states say it themselves. */
static uint8_t refine(const struct translator *t, const struct sample *s, struct switch_end end)
{
    const bool has_call = sample_has(s, PREV_CALL);
    const int64_t call = sample_i64(s, PREV_CALL);
    if (end.reason == REASON_QUANTUM_END)
        return has_call && reason_is_yield(call) ? REASON_YIELD : REASON_QUANTUM_END;
    if (end.reason != REASON_USER_REQUEST && end.reason != REASON_EXECUTIVE)
        return end.reason;
    const struct reasons *const reasons = stack_reasons(t);
    enum wait_reason better = REASON_UNKNOWN;
    if (reasons && s->chain_count)
        better = reason_of_chain(reasons, s->chain, s->chain_count);
    if (better == REASON_UNKNOWN && has_call && end.reason == REASON_USER_REQUEST)
        better = reason_of_call(call);
    return better == REASON_UNKNOWN ? end.reason : (uint8_t)better;
}

/* The call in which it waits (BPF only). */
static enum wait_call call_of_wait(const struct sample *s, struct switch_end end)
{
    if (end.state != WAITING || end.reason == REASON_SUSPENDED || !sample_has(s, PREV_CALL))
        return WAIT_NOT_KNOWN;
    const unsigned file = sample_has(s, PREV_FILE) ? sample_u32(s, PREV_FILE) : 0;
    return wait_of_call(sample_i64(s, PREV_CALL), file);
}

/* User mode waits: asleep, and there is a user half of the stack. */
static uint8_t mode_of(const struct sample *s, struct switch_end end)
{
    if (end.reason != REASON_USER_REQUEST || !s->chain_count)
        return 0;
    for (uint32_t i = 0; i < s->chain_count; i++)
        if (s->chain[i] == (uint64_t)PERF_CONTEXT_USER)
            return 1;
    return 0;
}

/* What the record says of the time before it: whose it was, nothing else does. */
enum { SPARE_NONE, SPARE_UNSEEN, SPARE_FIRST };

/* The first switch of a processor, soon after that of another: nobody left it in between. One that
 * came later was off. */
static uint8_t spare_of_first(struct switches *st, uint64_t time)
{
    static const uint64_t SOON_NS = 1000000000;
    st->first = st->first ? st->first : time;
    return time - st->first < SOON_NS ? SPARE_FIRST : SPARE_NONE;
}

/* Where only some threads' switches come, the chain is broken by right. */
static uint8_t follow_chain(struct translator *t, const struct sample *s, uint32_t old,
                            uint32_t new)
{
    struct switches *const st = t->state[DOMAIN_SWITCH];
    uint32_t hidden;
    if (t->scope && t->scope->processes)
        return SPARE_NONE;
    const enum chain chain = unseen_switch(st->unseen, s->cpu, old, new, s->chain != NULL, &hidden);
    t->unpaired += chain == CHAIN_BROKEN;
    if (hidden && !st->has_reported_hidden) {
        st->has_reported_hidden = true;
        feed_notice(
            t->feed,
            "the kernel hides the events of thread %u of process %u: its CPU time, and interrupts "
            "during it, are missing",
            hidden, task_process(t, hidden));
    }
    if (chain == CHAIN_BEGINS)
        return spare_of_first(st, (uint64_t)s->time);
    return chain == CHAIN_WHOLE ? SPARE_NONE : SPARE_UNSEEN;
}

static void translate_switch(struct translator *t, const struct sample *s)
{
    const struct switches *const st = t->state[DOMAIN_SWITCH];
    gauge_touch(t->touched, s->pid, false);
    const uint32_t old = sample_u32(s, PREV_PID), new = sample_u32(s, NEXT_PID);
    const uint8_t spare = follow_chain(t, s, old, new);
    const struct switch_end end = switch_end_of(&st->masks, sample_i64(s, PREV_STATE));
    if (end.state != TERMINATED && s->tid == old)
        task_met(t, s);
    struct payload_writer *const p =
        record_begin(t, HEADER_PERFINFO, HOOK_SWITCH, 4, EVENT_NO_ID, EVENT_NO_ID, s->cpu, s->time);
    put_u32(p, new);
    put_u32(p, old);
    put_u8(p, switch_priority((int32_t)sample_i64(s, NEXT_PRIO), new == 0));
    put_u8(p, switch_priority((int32_t)sample_i64(s, PREV_PRIO), old == 0));
    put_u8(p, 0);
    put_u8(p, spare); /* "SpareByte" */
    put_u8(p, refine(t, s, end));
    put_u8(p, mode_of(s, end));
    put_u8(p, end.state);
    put_u8(p, s->cpu & 0xff);
    put_u32(p, 0); /* how long the new thread waited: computed from events */
    put_u32(p, call_of_wait(s, end)); /* "Reserved" */
    record_end(t);
    stack_put_kept(t, new, s->cpu, s->time);
    if (end.state == TERMINATED)
        stack_forget(t, old);
    else
        stack_keep(t, s, s->pid, old);
}

static void side_band(struct translator *t, const struct sample *s)
{
    struct switches *const st = t->state[DOMAIN_SWITCH];
    if (s->type == PERF_RECORD_LOST)
        unseen_lost(st->unseen, s->cpu);
}

/* ---- wake-ups ------------------------------------------------------------------------------- */

enum { WOKEN_PID, WOKEN_FLAGS };

/* In an interrupt the waker is only the thread that was interrupted. */
static bool is_interrupt(const struct sample *s)
{
    enum { HARD = 0x08, SOFT = 0x10 };
    return sample_u32(s, WOKEN_FLAGS) & (HARD | SOFT);
}

static void translate_waking(struct translator *t, const struct sample *s)
{
    enum { UNWAIT = 1, FROM_DPC = 1 };
    struct payload_writer *const p = record_begin_at(t, HEADER_SYSTEM, HOOK_READY, 2, s);
    put_u32(p, sample_u32(s, WOKEN_PID));
    put_u8(p, UNWAIT);
    put_u8(p, 0);
    put_u8(p, is_interrupt(s) ? FROM_DPC : 0);
    put_u8(p, 0);
    record_end(t);
    if (is_interrupt(s))
        stack_put_kernel(t, s, s->pid, s->tid, s->time); /* whose program it was does not matter */
    else
        stack_put(t, s, s->pid, s->tid, s->time);
}

/* ---- the domain ------------------------------------------------------------------------------ */

/* Those with a copy of the user's stack come another way, as many as there is a budget for
 * (bpf/output.h); their first frames are the program's own words for why it waits or wakes. */
enum { COPIED = 8192 };

static bool is_unwinding(const struct translator *t)
{
    return t->unwinds;
}

static const struct linux_event events[] = {
    {
        .group = "sched",
        .name = "sched_switch",
        .fields = {"prev_pid", "prev_prio", "prev_state", "next_pid", "next_prio", "?prev_call",
                   "?prev_file"},
        .translate = translate_switch,
        .program = "sched_switch",
        .prefers_bpf = true, /* which knows the system call, and so why a thread waits */
        .classes = 1u << FACT_SWITCH,
        .other_thread = 1 + NEXT_PID,
        .serves = "time on processors, context switches, waiting",
    },
    {
        .group = "sched",
        .name = "sched_waking",
        .fields = {"pid", "common_flags"},
        .translate = translate_waking,
        .program = "sched_waking",
        .prefers_bpf = true,
        .classes = 1u << FACT_READY,
        .other_thread = 1 + WOKEN_PID,
        .serves = "ready time of threads, and their wakers",
    },
    {
        .group = "sched",
        .name = "sched_switch (user's stack)",
        .fields = {"prev_pid", "prev_prio", "prev_state", "next_pid", "next_prio", "?prev_call",
                   "?prev_file"},
        .translate = translate_switch,
        .program = "sched_switch_deep",
        .needs_bpf = true,
        .classes = 1u << FACT_SWITCH,
        .with_stacks = true,
        .stack_bytes = COPIED,
        .is_needed = is_unwinding,
        .other_thread = 1 + NEXT_PID,
        .serves = "where programs without frame pointers wait",
    },
    {
        .group = "sched",
        .name = "sched_waking (user's stack)",
        .fields = {"pid", "common_flags"},
        .translate = translate_waking,
        .program = "sched_waking_deep",
        .needs_bpf = true,
        .classes = 1u << FACT_READY,
        .with_stacks = true,
        .stack_bytes = COPIED,
        .is_needed = is_unwinding,
        .other_thread = 1 + WOKEN_PID,
        .serves = "where programs without frame pointers wake others",
    },
    {
        .group = "sched",
        .name = "sched_wakeup_new",
        .fields = {"pid", "common_flags"},
        .translate = translate_waking,
        .program = "sched_wakeup_new",
        .prefers_bpf = true,
        .classes = 1u << FACT_READY,
        .other_thread = 1 + WOKEN_PID,
        .serves = "ready time of new threads",
    },
};

static void start(struct translator *t)
{
    struct switches *const st = mem_new(1, sizeof *st);
    char *const format =
        t->tracefs ? tracefs_format(t->tracefs, "sched", "sched_switch", NULL) : NULL;
    st->masks = switch_masks_of(format);
    st->unseen = unseen_new();
    free(format);
    t->state[DOMAIN_SWITCH] = st;
}

static void stop(struct translator *t)
{
    struct switches *const st = t->state[DOMAIN_SWITCH];
    if (!st)
        return;
    unseen_free(st->unseen);
    free(st);
    t->state[DOMAIN_SWITCH] = NULL;
}

const struct linux_domain domain_switch = {
    .id = "switch",
    .events = events,
    .event_count = sizeof events / sizeof *events,
    .side_band = side_band,
    .start = start,
    .stop = stop,
};

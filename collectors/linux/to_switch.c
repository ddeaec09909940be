/* Context switches and wake-ups:
 *   sched_switch               → CSwitch 36, version 4
 *   sched_waking, _wakeup_new  → ReadyThread 50
 * The sample of a switch is the leaving thread's: its ids, its stack. */
#include "collectors/linux/stack.h"
#include "collectors/linux/switch.h"
#include "collectors/linux/tracefs.h"

#include "src/fact.h"
#include "src/mem.h"

#include <stdlib.h>
#include <string.h>

enum { HOOK_SWITCH = 0x0524, HOOK_READY = 0x0532 };

struct switches {
    struct switch_masks masks;
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
enum {
    EXECUTIVE = 0,
    SUSPENDED = 5,
    USER_REQUEST = 6,
    QUEUE = 15,
    REASON_TERMINATED = 22,
    QUANTUM_END = 30,
    PREEMPTED = 32,
};

struct switch_end switch_end_of(const struct switch_masks *m, int64_t prev_state)
{
    const uint64_t s = (uint64_t)prev_state;
    if (s & m->preempted)
        return (struct switch_end){READY, PREEMPTED, 0};
    if (s & (m->dead | m->zombie))
        return (struct switch_end){TERMINATED, REASON_TERMINATED, 0};
    if (s & (m->stopped | m->traced))
        return (struct switch_end){WAITING, SUSPENDED, 0};
    if (s & m->parked)
        return (struct switch_end){WAITING, EXECUTIVE, 0};
    if (s & m->idle)
        return (struct switch_end){WAITING, QUEUE, 0};
    if (s & m->uninterruptible)
        return (struct switch_end){WAITING, EXECUTIVE, 0};
    if (s & m->interruptible)
        return (struct switch_end){WAITING, USER_REQUEST, 0};
    return (struct switch_end){READY, QUANTUM_END, 0};
}

/* Nice 0 (120) is Windows' 8, nice -20 its 15, nice 19 its 1; real time takes 16 … 31. */
uint8_t switch_priority(int32_t prio, bool is_idle)
{
    enum { REAL_TIME = 100, NORMAL = 120, LOWEST = 139 };
    if (is_idle || prio < -1 || prio > LOWEST)
        return 0;
    if (prio < REAL_TIME)
        return (uint8_t)(16 + (REAL_TIME - 1 - (prio < 0 ? 0 : prio)) * 15 / (REAL_TIME - 1));
    return (uint8_t)(8 - (prio - NORMAL) * 7 / 19 + (prio - NORMAL == -20));
}

/* ---- switches ------------------------------------------------------------------------------ */

enum { PREV_PID, PREV_PRIO, PREV_STATE, NEXT_PID, NEXT_PRIO };

static void translate_switch(struct translator *t, const struct sample *s)
{
    const struct switches *const st = t->state[DOMAIN_SWITCH];
    const uint32_t old = sample_u32(s, PREV_PID), new = sample_u32(s, NEXT_PID);
    const struct switch_end end = switch_end_of(&st->masks, sample_i64(s, PREV_STATE));
    struct pen *const p =
        record_begin(t, HEADER_PERFINFO, HOOK_SWITCH, 4, EVENT_NO_ID, EVENT_NO_ID, s->cpu, s->time);
    put_u32(p, new);
    put_u32(p, old);
    put_u8(p, switch_priority((int32_t)sample_i64(s, NEXT_PRIO), new == 0));
    put_u8(p, switch_priority((int32_t)sample_i64(s, PREV_PRIO), old == 0));
    put_u8(p, 0);
    put_u8(p, 0);
    put_u8(p, end.reason);
    put_u8(p, end.mode);
    put_u8(p, end.state);
    put_u8(p, s->cpu & 0xff);
    put_u32(p, 0); /* how long the new thread waited: computed from events */
    put_u32(p, 0);
    record_end(t);
    stack_put_kept(t, new, s->cpu, s->time);
    stack_keep(t, s, s->pid, old);
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
    struct pen *const p = record_begin_at(t, HEADER_SYSTEM, HOOK_READY, 2, s);
    put_u32(p, sample_u32(s, WOKEN_PID));
    put_u8(p, UNWAIT);
    put_u8(p, 0);
    put_u8(p, is_interrupt(s) ? FROM_DPC : 0);
    put_u8(p, 0);
    record_end(t);
    stack_put(t, s, s->pid, s->tid, s->time);
}

/* ---- the domain -------------------------------------------------------------------------------
 */

static const struct linux_event events[] = {
    {
        .group = "sched",
        .name = "sched_switch",
        .fields = {"prev_pid", "prev_prio", "prev_state", "next_pid", "next_prio"},
        .translate = translate_switch,
        .program = "sched_switch",
        .classes = 1u << FACT_SWITCH,
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
        .serves = "time that threads stood ready, and who woke them",
    },
    {
        .group = "sched",
        .name = "sched_wakeup_new",
        .fields = {"pid", "common_flags"},
        .translate = translate_waking,
        .program = "sched_wakeup_new",
        .classes = 1u << FACT_READY,
        .serves = "time that new threads stood ready",
    },
};

static void start(struct translator *t)
{
    struct switches *const st = mem_new(1, sizeof *st);
    char *const format =
        t->tracefs ? tracefs_format(t->tracefs, "sched", "sched_switch", NULL) : NULL;
    st->masks = switch_masks_of(format);
    free(format);
    t->state[DOMAIN_SWITCH] = st;
}

static void stop(struct translator *t)
{
    free(t->state[DOMAIN_SWITCH]);
    t->state[DOMAIN_SWITCH] = NULL;
}

const struct linux_domain domain_switch = {
    .id = "switch",
    .events = events,
    .event_count = sizeof events / sizeof *events,
    .start = start,
    .stop = stop,
};

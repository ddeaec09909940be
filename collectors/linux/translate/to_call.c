/* System calls: entry and return, on demand only. SysCallAddress is the call's number, and an event
 * Routine has its name, once; SysCallNtStatus is the status nearest to the error. Programs of 32
 * bits number theirs differently: BPF programs set bit 32 for them; perf cannot, and they count as
 * the machine's own. Our own calls are counted but not reported, since reporting each batch would
 * cause the next. */
#include "collectors/linux/translate/call_names.h"
#include "collectors/linux/translate/routine.h"
#include "collectors/linux/translate/status.h"
#include "src/base/mem.h"
#include "src/model/fact.h"

#include <stdio.h>
#include <stdlib.h>

enum { HOOK_ENTER = 0x0f33, HOOK_EXIT, VERSION = 2, CALLS = 1024 };

#define CALL_OF_32 ((uint64_t)1 << 32)

struct calls {
    uint64_t reported[2][CALLS / 64]; /* a bit per number; of the machine's own, of 32 bits */
};

static struct calls *calls_of(const struct translator *t)
{
    return t->state[DOMAIN_CALL];
}

static void report_name(struct translator *t, const struct sample *s, uint64_t number)
{
    struct calls *const c = calls_of(t);
    const bool is_32 = number & CALL_OF_32;
    const uint64_t own = number & ~CALL_OF_32;
    if (own >= CALLS || c->reported[is_32][own / 64] >> own % 64 & 1)
        return;
    c->reported[is_32][own / 64] |= 1ull << own % 64;
    const char *const name = is_32 ? call_name_32((unsigned)own) : call_name((unsigned)own);
    char text[64];
    snprintf(text, sizeof text, "%s%s", name ? name : "", is_32 ? " (32-bit)" : "");
    if (name)
        routine_report(t, s, "call", number, 0, text);
}

enum { CALL_NUMBER, CALL_RESULT, CALL_IS_32 = CALL_RESULT /* of an entry */ };

/* A debugger or filter may have made it no call at all. */
static bool is_call(const struct sample *s)
{
    return sample_i64(s, CALL_NUMBER) >= 0;
}

static void take_enter(struct translator *t, const struct sample *s)
{
    const bool is_32 = sample_has(s, CALL_IS_32) && sample_u32(s, CALL_IS_32);
    const uint64_t number = sample_u64(s, CALL_NUMBER) | (is_32 ? CALL_OF_32 : 0);
    if (!is_call(s))
        return;
    if (s->pid == t->self)
        return; /* telling it would cause more of it */
    report_name(t, s, number);
    put_u64(record_begin_at(t, HEADER_SYSTEM, HOOK_ENTER, VERSION, s), number);
    record_end(t);
    stack_put(t, s, s->pid, s->tid, s->time);
}

static void take_exit(struct translator *t, const struct sample *s)
{
    if (!is_call(s) || s->pid == t->self)
        return;
    put_u32(record_begin_at(t, HEADER_SYSTEM, HOOK_EXIT, VERSION, s),
            status_of_result(sample_i64(s, CALL_RESULT)));
    record_end(t);
}

static void start(struct translator *t)
{
    t->state[DOMAIN_CALL] = mem_new(1, sizeof(struct calls));
}

static void stop(struct translator *t)
{
    free(calls_of(t));
    t->state[DOMAIN_CALL] = NULL;
}

static const struct linux_event events[] = {
    {.group = "raw_syscalls",
     .name = "sys_enter",
     .fields = {"id", "?is_compat"},
     .translate = take_enter,
     .program = "sys_enter",
     .prefers_bpf = true, /* it is cheaper, and knows whose the numbers are */
     .classes = 1u << FACT_SYSCALL,
     .serves = "system calls"},
    {.group = "raw_syscalls",
     .name = "sys_exit",
     .fields = {"id", "ret"},
     .translate = take_exit,
     .program = "sys_exit",
     .prefers_bpf = true,
     .classes = 1u << FACT_SYSCALL,
     .serves = "results and time of system calls"},
};

const struct linux_domain domain_call = {
    .id = "call",
    .events = events,
    .event_count = sizeof events / sizeof *events,
    .start = start,
    .stop = stop,
};

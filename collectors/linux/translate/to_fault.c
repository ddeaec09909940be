/* Page faults.
 *
 *   page-faults-min, page-faults-maj   the kernel's own counters as events, when a fault has been
 *                                      served: address and instruction, in the thread's context
 *   exceptions:page_fault_user, _kernel   before it is served, with the processor's error code:
 *                                      while the memory pane is open, they say what kind of
 *                                      fault it was and when it began
 *   signal:signal_generate             a fault that could not be served: SIGSEGV
 *
 *   the same two with a copy of the user's stack, by BPF programs behind the counters (bpf/
 *   scope.bpf.c), within a budget: for programs without frame pointers
 *
 * With an error code a minor fault is a DemandZeroFault, a CopyOnWrite or a TransitionFault (the page
 * was in memory); without one it is a FAULTADDR_WITH_IP, which names no kind. A major one is a
 * HardPageFault and a HardFault: Windows reports it twice, too. Faults that the kernel takes for a
 * process without running it (pinning pages for direct I/O, arguments of a new program) are in
 * the process's own count and cause no event. */
#include "collectors/linux/translate/gauge.h"
#include "collectors/linux/translate/translate.h"
#include "src/base/map.h"
#include "src/base/mem.h"
#include "src/model/fact.h"

#include <linux/perf_event.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

enum {
    HOOK_TRANSITION = 0x020a,
    HOOK_ZERO,
    HOOK_COPY,
    HOOK_GUARD,
    HOOK_HARD_PAGE,
    HOOK_VIOLATION,
    HOOK_HARD = 0x0220,
    HOOK_UNKNOWN = 0x0245 /* FAULTADDR_WITH_IP */
};

/* Threads in the middle of a fault: at most as many as wait for a disk, and one per processor. */
enum { SETS = 1024, WAYS = 4 };

struct trap {
    uint32_t tid; /* 0 = free */
    uint32_t code;
    uint64_t address;
    int64_t time;
};

struct fault {
    struct trap *traps; /* SETS × WAYS */
    uint32_t page;      /* bytes */
    bool tells_codes;   /* they are the processor's; elsewhere they mean other things */
};

static struct fault *fault_of(const struct translator *t)
{
    return t->state[DOMAIN_FAULT];
}

static struct trap *traps_of(const struct fault *f, uint32_t tid)
{
    return &f->traps[(hash_mix(tid) >> 32) % SETS * WAYS];
}

/* A thread may trap again before the first one is served: each address has its own. */
static void put_trap(const struct fault *f, const struct trap *now)
{
    struct trap *const set = traps_of(f, now->tid), *place = set;
    for (unsigned i = 0; i < WAYS; i++) {
        if (set[i].tid == now->tid && set[i].address == now->address) {
            place = &set[i];
            break;
        }
        if (!set[i].tid || (place->tid && set[i].time < place->time))
            place = &set[i];
    }
    *place = *now;
}

/* The trap of this thread at this address, taken out; tid 0 where there is none. */
static struct trap take_trap(const struct fault *f, uint32_t tid, uint64_t address)
{
    struct trap *const set = traps_of(f, tid);
    for (unsigned i = 0; i < WAYS; i++) {
        if (set[i].tid != tid || set[i].address != address)
            continue;
        const struct trap found = set[i];
        set[i].tid = 0;
        return found;
    }
    return (struct trap){0};
}

/* The newest trap of a thread. */
static struct trap last_trap(const struct fault *f, uint32_t tid)
{
    const struct trap *const set = traps_of(f, tid), *newest = NULL;
    for (unsigned i = 0; i < WAYS; i++)
        if (set[i].tid == tid && (!newest || set[i].time > newest->time))
            newest = &set[i];
    return newest ? *newest : (struct trap){0};
}

/* ---- records -------------------------------------------------------------------------- */

static void report_soft(struct translator *t, const struct sample *s, unsigned hook,
                        uint64_t address, uint64_t ip)
{
    enum { VERSION = 2 };
    struct payload_writer *const p = record_begin_at(t, HEADER_SYSTEM, hook, VERSION, s);
    put_u64(p, address);
    put_u64(p, ip);
    record_end(t);
}

static void report_hard(struct translator *t, const struct sample *s, int64_t since)
{
    enum { VERSION = 2 };
    const struct fault *const f = fault_of(t);
    struct payload_writer *const p = record_begin_at(t, HEADER_SYSTEM, HOOK_HARD, VERSION, s);
    put_u64(p, (uint64_t)since);
    put_u64(p, 0); /* ReadOffset: what was read is in the disk's own record */
    put_u64(p, s->addr & ~(uint64_t)(f->page - 1));
    put_u64(p, 0); /* FileObject: not known here */
    put_u32(p, s->tid);
    put_u32(p, f->page);
    record_end(t);
}

/* ---- events ---------------------------------------------------------------------------- */

enum { CODE_PRESENT = 1, CODE_WRITE = 2 };

/* A page that was not there and is written to is new, as a rule; one that is read was in the
 * cache. A page that was there and could not be written to is copied. */
static unsigned hook_of(const struct fault *f, const struct trap *trap)
{
    if (!trap->tid || !f->tells_codes)
        return HOOK_UNKNOWN;
    if (!(trap->code & CODE_WRITE))
        return HOOK_TRANSITION;
    return trap->code & CODE_PRESENT ? HOOK_COPY : HOOK_ZERO;
}

static void take_minor(struct translator *t, const struct sample *s)
{
    const struct trap trap = take_trap(fault_of(t), s->tid, s->addr);
    gauge_touch(t->touched, s->pid, true);
    report_soft(t, s, hook_of(fault_of(t), &trap), s->addr, s->ip);
    stack_put(t, s, s->pid, s->tid, s->time);
}

static void take_major(struct translator *t, const struct sample *s)
{
    const struct trap trap = take_trap(fault_of(t), s->tid, s->addr);
    gauge_touch(t->touched, s->pid, true);
    report_soft(t, s, HOOK_HARD_PAGE, s->addr, s->ip);
    report_hard(t, s, trap.time);
    stack_put(t, s, s->pid, s->tid, s->time);
}

enum { DEEP_ADDRESS };

static struct sample faulted(const struct sample *s)
{
    struct sample fault = *s;
    fault.addr = sample_u64(s, DEEP_ADDRESS);
    return fault;
}

static void take_minor_deep(struct translator *t, const struct sample *s)
{
    const struct sample fault = faulted(s);
    take_minor(t, &fault);
}

static void take_major_deep(struct translator *t, const struct sample *s)
{
    const struct sample fault = faulted(s);
    take_major(t, &fault);
}

enum { TRAP_ADDRESS, TRAP_CODE };

static void take_exception(struct translator *t, const struct sample *s)
{
    if (!s->tid)
        return;
    put_trap(fault_of(t), &(struct trap){.tid = s->tid,
                                         .time = s->time,
                                         .address = sample_u64(s, TRAP_ADDRESS),
                                         .code = sample_u32(s, TRAP_CODE)});
}

enum { SIGNAL_NUMBER, SIGNAL_CODE, SIGNAL_TO };

static void take_signal(struct translator *t, const struct sample *s)
{
    const bool is_own = sample_u32(s, SIGNAL_TO) == s->tid; /* not sent by somebody */
    const bool is_fault = sample_i64(s, SIGNAL_CODE) > 0;   /* but by the kernel */
    if (sample_u32(s, SIGNAL_NUMBER) != SIGSEGV || !is_own || !is_fault)
        return;
    const struct trap trap = last_trap(fault_of(t), s->tid);
    report_soft(t, s, HOOK_VIOLATION, trap.address, 0);
    stack_put(t, s, s->pid, s->tid, s->time);
}

/* x86's error codes; other machines' traps mean something else. */
static bool are_codes_known(void)
{
    struct utsname u;
    return uname(&u) == 0 && strstr(u.machine, "86");
}

/* ---- the domain -------------------------------------------------------------------------- */

static void start(struct translator *t)
{
    struct fault *const f = mem_new(1, sizeof *f);
    const long page = sysconf(_SC_PAGESIZE);
    f->traps = mem_new((size_t)SETS * WAYS, sizeof *f->traps);
    f->page = page > 0 ? (uint32_t)page : 4096;
    f->tells_codes = are_codes_known();
    t->state[DOMAIN_FAULT] = f;
}

static void stop(struct translator *t)
{
    struct fault *const f = fault_of(t);
    if (f)
        free(f->traps);
    free(f);
    t->state[DOMAIN_FAULT] = NULL;
}

enum { COPIED = 8192 }; /* as of switches (to_switch.c) */

static bool is_unwinding(const struct translator *t)
{
    return t->unwinds;
}

static const struct linux_event events[] = {
    {.perf_type = PERF_TYPE_SOFTWARE,
     .perf_config = PERF_COUNT_SW_PAGE_FAULTS_MIN,
     .translate = take_minor,
     .chooser = "scope_soft_faults",
     .goes_deep = true,
     .classes = 1u << FACT_FAULT,
     .serves = "soft page faults"},
    {.perf_type = PERF_TYPE_SOFTWARE,
     .perf_config = PERF_COUNT_SW_PAGE_FAULTS_MAJ,
     .translate = take_major,
     .chooser = "scope_hard_faults",
     .goes_deep = true,
     .classes = 1u << FACT_FAULT,
     .serves = "hard page faults"},
    {.group = "faults",
     .name = "minor-faults (user's stack)",
     .fields = {"address"},
     .translate = take_minor_deep,
     .program = "scope_soft_faults_deep",
     .needs_bpf = true,
     .classes = 1u << FACT_FAULT,
     .with_stacks = true,
     .stack_bytes = COPIED,
     .is_needed = is_unwinding,
     .serves = "unwound user stacks of soft page faults"},
    {.group = "faults",
     .name = "major-faults (user's stack)",
     .fields = {"address"},
     .translate = take_major_deep,
     .program = "scope_hard_faults_deep",
     .needs_bpf = true,
     .classes = 1u << FACT_FAULT,
     .with_stacks = true,
     .stack_bytes = COPIED,
     .is_needed = is_unwinding,
     .serves = "unwound user stacks of hard page faults"},
    {.group = "exceptions",
     .name = "page_fault_user",
     .fields = {"address", "error_code"},
     .translate = take_exception,
     .classes = 1u << FACT_MEMORY,
     .serves = "kinds of page faults and the time of hard ones"},
    {.group = "exceptions",
     .name = "page_fault_kernel",
     .fields = {"address", "error_code"},
     .translate = take_exception,
     .classes = 1u << FACT_MEMORY,
     .serves = "page faults of the kernel on behalf of a process"},
    {.group = "signal",
     .name = "signal_generate",
     .fields = {"sig", "code", "pid"},
     .translate = take_signal,
     .classes = 1u << FACT_FAULT,
     .serves = "access violations"},
};

const struct linux_domain domain_fault = {
    .id = "fault",
    .events = events,
    .event_count = sizeof events / sizeof *events,
    .start = start,
    .stop = stop,
};

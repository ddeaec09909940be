/* The live collector of Windows: real-time ETW sessions. */
#include "collectors/collectors.h"
#include "collectors/windows/cycles.h"
#include "collectors/windows/live.h"
#include "collectors/windows/owned.h"
#include "collectors/windows/privilege.h"
#include "collectors/windows/provider.h"
#include "collectors/windows/selftest.h"
#include "collectors/windows/system.h"

#include "src/base/mem.h"
#include "src/command/command.h"

#include <stdio.h>
#include <stdlib.h>

/* ---- what the source is ------------------------------------------------------------------ */

/* Pairs the performance counter with the wall: the closest of a few tries, since the thread
 * may be interrupted between the two. */
static struct trace_clock anchor_clock(void)
{
    LARGE_INTEGER frequency, before, after;
    QueryPerformanceFrequency(&frequency);
    struct trace_clock c = {.frequency = frequency.QuadPart, .kind = CLOCK_QPC};
    int64_t best = INT64_MAX;
    for (int i = 0; i < 8; i++) {
        QueryPerformanceCounter(&before);
        const int64_t wall = os_wall_now();
        QueryPerformanceCounter(&after);
        if (after.QuadPart - before.QuadPart >= best)
            continue;
        best = after.QuadPart - before.QuadPart;
        c.anchor_raw = before.QuadPart + best / 2;
        c.anchor_ns = wall;
    }
    return c;
}

/* A session of somebody else has the clock that it was given. */
static void take_clock(struct windows_live *l)
{
    enum { MHZ = 1000000 };
    const TRACE_LOGFILE_HEADER *const h = &l->kernel.consumer.header;
    if (!l->kernel.is_attached)
        return;
    if (h->ReservedFlags == ETW_CLOCK_SYSTEM)
        l->clock = trace_clock_make(CLOCK_SYSTEM, FILETIME_UNIX_EPOCH, FILETIME_UNIX_EPOCH, 0);
    else if (h->ReservedFlags == ETW_CLOCK_CYCLES && h->CpuSpeedInMHz)
        l->clock = (struct trace_clock){.anchor_raw = cycles_now(),
                                        .anchor_ns = os_wall_now(),
                                        .frequency = (int64_t)h->CpuSpeedInMHz * MHZ,
                                        .kind = CLOCK_CYCLES};
}

/* What ETW says of machine and session; zeros where it did not. */
static const TRACE_LOGFILE_HEADER *header_of(const struct windows_live *l)
{
    const TRACE_LOGFILE_HEADER *const h = &l->kernel.consumer.header;
    return h->BufferSize ? h : &l->events.consumer.header;
}

static void publish(struct windows_live *l)
{
    struct collector *const c = l->collector;
    struct source *const s = &c->sources[0];
    const struct system_version version = system_version();
    const TRACE_LOGFILE_HEADER *const h = header_of(l);
    const int64_t booted = clock_of_filetime((uint64_t)h->BootTime.QuadPart);
    *s = (struct source){
        .clock = l->clock,
        .cpus = l->processors,
        .build = version.build,
        .version = version.version,
        .timer_resolution = h->TimerResolution,
        .mhz = h->CpuSpeedInMHz ? h->CpuSpeedInMHz : system_mhz(),
        .boot_ns = booted ? booted : system_boot(),
        .bias_minutes = os_zone_bias(),
        .pointer = sizeof(void *),
    };
    os_machine_name(s->name, sizeof s->name);
    atomic_store_explicit(&c->source_count, 1, memory_order_release);
}

/* ---- start and stop -------------------------------------------------------------------------- */

static int status_of(enum session_trouble trouble)
{
    return trouble == TROUBLE_RIGHTS  ? EXIT_PRIVILEGE
           : trouble == TROUBLE_LIMIT ? EXIT_LIMIT
                                      : EXIT_ERROR;
}

/* Bytes of each intake; the kernel's holds half a second of what a busy machine logs. */
static size_t intake_bytes(unsigned id)
{
    enum { MIB = 1 << 20 };
    static const size_t bytes[INTAKES] = {
        [INTAKE_EVENTS] = 16 * MIB, [INTAKE_STATE] = 4 * MIB, [INTAKE_RUNDOWN] = 32 * MIB};
    const uint64_t gigabyte = 1ull << 30;
    return id != INTAKE_KERNEL ? bytes[id] : os_memory() < 4 * gigabyte ? 32 * MIB : 128 * MIB;
}

static bool make_intakes(struct windows_live *l, struct err *err)
{
    l->order = order_new(l->processors);
    for (unsigned i = 0; i < INTAKES; i++) {
        if (i == INTAKE_EVENTS && !l->provider_count)
            continue;
        l->intakes[i] = intake_new(intake_bytes(i));
        if (!l->intakes[i])
            return fail(err, "no memory for event buffers (%zu MiB)", intake_bytes(i) >> 20);
        order_add(l->order, l->intakes[i]);
    }
    l->kernel.consumer.intake = l->intakes[INTAKE_KERNEL];
    l->events.consumer.intake = l->intakes[INTAKE_EVENTS];
    l->kernel.consumer.wakeup = l->events.consumer.wakeup = l->drain_wakeup;
    return true;
}

static struct windows_live *make(struct collector *c, const struct collector_options *o)
{
    struct windows_live *const l = mem_new(1, sizeof *l);
    l->collector = c;
    l->options = *o;
    l->feed = (struct feed){.collector = c};
    l->clock = anchor_clock();
    l->processors = os_processors();
    l->drain_wakeup = os_wakeup_new();
    l->control_wakeup = os_wakeup_new();
    l->kernel.session.slot = l->events.session.slot = -1;
    atomic_store(&l->window, LIVE_LATE_MS * LIVE_MS);
    atomic_store_explicit(&c->wanted, o->wanted, memory_order_relaxed);
    atomic_store_explicit(&c->wanted_stacks, o->wanted_stacks, memory_order_relaxed);
    return l;
}

static void unmake(struct windows_live *l)
{
    for (unsigned i = 0; i < INTAKES; i++)
        intake_free(l->intakes[i]);
    order_free(l->order);
    scope_free(l->scope);
    os_wakeup_free(l->drain_wakeup);
    os_wakeup_free(l->control_wakeup);
    free(l->providers);
    free(l);
}

static bool begin(struct windows_live *l, enum session_trouble *trouble, struct err *err)
{
    *trouble = TROUBLE_OTHER;
    return providers_read(&l->options, &l->providers, &l->provider_count, err) &&
           sampling_read(&l->options, &l->sampling, err) && make_intakes(l, err) &&
           control_open(l, trouble, err);
}

static void report_absent(struct windows_live *l)
{
    for (size_t i = 0; i < l->options.scope.pid_count; i++) {
        const HANDLE process =
            OpenProcess(PROCESS_QUERY_LIMITED_INFORMATION, FALSE, l->options.scope.pids[i]);
        if (!process && GetLastError() == ERROR_INVALID_PARAMETER)
            message_write(&l->messages,
                          "process %u does not exist", (unsigned)l->options.scope.pids[i]);
        if (process)
            CloseHandle(process);
    }
}

static bool start(struct collector *c, const struct collector_options *o, struct err *err)
{
    enum session_trouble trouble;
    struct windows_live *const l = make(c, o);
    if (!begin(l, &trouble, err)) {
        atomic_store_explicit(&c->exit_status, status_of(trouble), memory_order_relaxed);
        unmake(l);
        return false;
    }
    c->state = l;
    l->scope = scope_new(&o->scope, l->processors);
    c->watched = o->scope;
    report_absent(l);
    take_clock(l);
    publish(l);
    l->drain_thread = os_thread_start("collector", drain_run, l);
    l->control_thread = os_thread_start("etw control", control_run, l);
    l->state_thread = os_thread_start("etw state", state_run, l);
    return true;
}

static void stop(struct collector *c)
{
    struct windows_live *const l = c->state;
    if (!l)
        return;
    atomic_store_explicit(&c->stop, true, memory_order_relaxed);
    atomic_store_explicit(&l->is_stopping, true, memory_order_release);
    os_wakeup_signal(l->control_wakeup);
    os_thread_join(l->state_thread);
    os_thread_join(l->control_thread);
    os_thread_join(l->drain_thread);
    unmake(l);
    c->state = NULL;
}

static int64_t now(const struct collector *c)
{
    (void)c;
    return os_wall_now(); /* as its records are stamped */
}

const struct collector_kind collector_live = {
    .id = "etw",
    .title = "this machine",
    .help = "live, by ETW sessions of the kernel and of providers (-e)",
    .is_live = true,
    .help_out = owned_watch,
    .start = start,
    .stop = stop,
    .now = now,
    .is_permitted = live_is_permitted,
    .examine = live_examine,
    .probes = selftest_probes,
};

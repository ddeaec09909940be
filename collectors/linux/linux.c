/* The live collector of Linux: kernel events (perf rings), translated into ETW records. */
#include "collectors/collectors.h"
#include "collectors/linux/kernel/machine.h"
#include "collectors/linux/kernel/perf_opener.h"
#include "collectors/linux/kernel/privilege.h"
#include "collectors/linux/kernel/tracefs_own.h"
#include "collectors/linux/live.h"
#include "collectors/linux/translate/function.h"
#include "collectors/linux/translate/tracepoint.h"
#include "collectors/linux/proc/proc.h"
#include "collectors/linux/translate/task_record.h"
#include "collectors/linux/unwind/unwinder.h"
#include "src/base/mem.h"
#include "src/os/rights.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

/* ---- what the source is ------------------------------------------------------------------ */

/* Pairs the monotonic clock with the wall: the closest of a few tries, since the thread may
 * be interrupted between the two. */
static struct trace_clock anchor_clock(void)
{
    struct trace_clock c = {.frequency = 1000000000, .kind = CLOCK_QPC};
    int64_t best = INT64_MAX;
    for (int i = 0; i < 8; i++) {
        const int64_t before = os_now(), wall = os_wall_now(), after = os_now();
        if (after - before >= best)
            continue;
        best = after - before;
        c.anchor_raw = before + best / 2;
        c.anchor_ns = wall;
    }
    return c;
}

static int64_t boot_time(const struct trace_clock *c)
{
    struct timespec running; /* asleep, too */
    if (clock_gettime(CLOCK_BOOTTIME, &running) != 0)
        return 0;
    const int64_t since = (int64_t)running.tv_sec * 1000000000 + running.tv_nsec;
    return trace_clock_ns(c, os_now()) - since;
}

static void publish(struct linux_live *l)
{
    struct collector *const c = l->collector;
    struct source *const s = &c->sources[0];
    *s = (struct source){.clock = l->clock,
                         .cpus = l->cpu_count,
                         .mhz = l->machine.mhz,
                         .boot_ns = boot_time(&l->clock),
                         .pointer = sizeof(void *),
                         .bias_minutes = os_zone_bias(),
                         .is_linux = true};
    struct utsname u;
    const bool is_reported = uname(&u) == 0;
    snprintf(s->name, sizeof s->name, "%s", is_reported ? u.nodename : "this machine");
    s->build = is_reported ? machine_kernel(u.release) : 0;
    atomic_store_explicit(&c->source_count, 1, memory_order_release);
}

/* ---- start and stop -------------------------------------------------------------------------- */

static void start_domains(struct linux_live *l)
{
    for (unsigned d = 0; d < DOMAINS; d++)
        if (linux_domains[d] && linux_domains[d]->start)
            linux_domains[d]->start(&l->translator);
}

static void stop_domains(struct linux_live *l)
{
    for (unsigned d = DOMAINS; d-- > 0;)
        if (linux_domains[d] && linux_domains[d]->stop)
            linux_domains[d]->stop(&l->translator);
}

/* Processes that we start are our user's, and run what we run until they call exec. */
static void start_domains_with_ourselves(struct linux_live *l)
{
    char command[2 * TASK_COMMAND_BYTES];
    struct proc proc;
    if (proc_open(&proc, "/", NULL)) {
        if (proc_command(&proc, l->translator.self, command, sizeof command))
            l->translator.self_command = command;
        proc_close(&proc);
    }
    start_domains(l);
    l->translator.self_command = NULL;
}

static struct linux_live *make(struct collector *c, const struct collector_options *o)
{
    struct linux_live *const l = mem_new(1, sizeof *l);
    l->collector = c;
    l->options = *o;
    if (o->buffer_count)
        l->options.kernel_bytes = o->kernel_bytes * o->buffer_count / os_processors();
    l->epoll = l->nudge = -1;
    l->clock = anchor_clock();
    l->feed = (struct feed){.collector = c};
    l->translator.feed = &l->feed;
    l->translator.self = (uint32_t)getpid();
    prctl(PR_GET_NAME, l->translator.self_name); /* 16 bytes with their NUL */
    l->translator.self_uid = (uint32_t)geteuid();
    l->translator.scope = &l->scope;
    l->translator.unwinds = !o->no_unwinding && unwinder_is_possible();
    l->wakeup = c->request ? c->request : os_wakeup_new();
    if (tracefs_find(&l->tracefs, NULL, &l->no_tracefs))
        l->translator.tracefs = &l->tracefs;
    atomic_store_explicit(&c->wanted, o->wanted, memory_order_relaxed);
    atomic_store_explicit(&c->wanted_stacks, o->wanted_stacks, memory_order_relaxed);
    return l;
}

static void unmake(struct linux_live *l)
{
    visit_end(l->visit);
    control_close(l);
    scope_fini(&l->scope);
    user_threads_fini(&l->user_threads);
    tracepoints_free(l->translator.tracepoints);
    functions_free(l->functions);
    if (l->wakeup != l->collector->request)
        os_wakeup_free(l->wakeup);
    free(l);
}

/* What the rights allow and what more they could, in the one sentence that helps. */
static void report_rights(struct linux_live *l)
{
    struct rights *const r = mem_new(1, sizeof *r);
    struct privilege *const p = mem_new(1, sizeof *p);
    rights_find(r);
    privilege_assess(r, p);
    if (!p->is_complete) {
        snprintf(l->collector->lack_why, sizeof l->collector->lack_why, "%s", p->why);
        snprintf(l->collector->lack_fix, sizeof l->collector->lack_fix, "%.*s",
                 (int)sizeof l->collector->lack_fix - 1, p->fix);
    }
    if (!p->is_complete)
        l->has_reported_rights = message_write(
            &l->messages, "%s%s: %s", p->why,
            p->situation == SITUATION_BPF ? " (tracetop doctor lists them)" : "", p->fix);
    if (!l->perf.pid && machine_ids() == MACHINE_IDS_OWN)
        message_write(
            &l->messages,
            "this container has its own process ids, and kernel events carry those of the "
            "host: process names will not match the events; start the container with "
            "--pid=host");
    if (l->user_threads.left_out)
        message_write(&l->messages, "%u of your threads are not watched: the limit is %u",
                      l->user_threads.left_out, (unsigned)USER_THREADS_MAX);
    free(p);
    free(r);
}

/* Without rights for the whole system: our user's processes. */
static void find_scope(struct linux_live *l)
{
    if (!rights_are_for_own())
        return;
    l->perf.pid = (uint32_t)getpid();
    user_threads_find(&l->user_threads);
}

static bool refuse(struct err *err)
{
    struct rights *const r = mem_new(1, sizeof *r);
    struct privilege *const p = mem_new(1, sizeof *p);
    rights_find(r);
    privilege_assess(r, p);
    if (p->situation == SITUATION_NOTHING)
        fail(err, "%s: %s", p->why, p->fix);
    free(p);
    free(r);
    return false;
}

/* Chooses the processes to report, and the part of that which the kernel filters already. */
static void choose_scope(struct linux_live *l, uint32_t absent)
{
    const struct collector_scope *const request = &l->options.scope;
    scope_init(&l->scope, request, "/proc", l->bpf);
    l->collector->watched = *request;
    l->collector->watched.pids = l->scope.chosen;
    if (absent)
        message_write(&l->messages, "process %u does not exist: the others are watched", absent);
    if (scope_is_requested(request) && !l->scope.is_in_kernel)
        message_write(&l->messages, "the kernel delivers events of all processes (no BPF programs "
                                    "to filter them); tracetop drops those of other processes");
}

/* Limits and mounts belong to the process: they outlast the rights that made them. */
static void prepare(void)
{
    struct tracefs fs;
    perf_opener_start(false);
    const uint64_t before = os_rights_raise(OS_MAY_RAISE_LIMITS);
    os_permit_boost();
    perf_raise_limits();
    os_rights_return(before);
    if (!tracefs_find(&fs, NULL, NULL))
        tracefs_own_mount(); /* else the sentence about rights shows the command */
}

/* Sessions and providers are ETW's. */
static bool check(const struct collector_options *o, struct err *err)
{
    if (o->attach || o->session_name || o->stops_existing)
        return fail(err, "there are no ETW sessions on Linux to read, name or stop");
    return true;
}

/* What this kernel says of those tracepoints. */
static bool find_tracepoints(struct linux_live *l, const char *const *names, size_t count,
                             struct err *err)
{
    if (!l->translator.tracefs)
        return fail(err, "tracepoints cannot be collected: %s; run it as root", l->no_tracefs.text);
    l->translator.tracepoints = tracepoints_new(names, count, l->translator.tracefs, &l->perf, err);
    return l->translator.tracepoints != NULL;
}

/* -e: functions of programs, else tracepoints. */
static bool find_by_name(struct linux_live *l, struct err *err)
{
    const struct collector_options *const o = &l->options;
    const char **const names = mem_new(o->enable_count + 1, sizeof *names);
    size_t functions = 0, others = o->enable_count;
    for (size_t i = 0; i < o->enable_count; i++) {
        if (function_is_named(o->enable[i]))
            names[functions++] = o->enable[i];
        else
            names[--others] = o->enable[i];
    }
    const bool is_found = (!functions || functions_begin(l, names, functions, err)) &&
                          (others == o->enable_count ||
                           find_tracepoints(l, names + others, o->enable_count - others, err));
    free(names);
    return is_found;
}

static bool start(struct collector *c, const struct collector_options *o, struct err *err)
{
    uint32_t absent;
    if (!check(o, err) || !scope_check(&o->scope, "/proc", &absent, err))
        return false;
    struct linux_live *const l = make(c, o);
    c->state = l;
    find_scope(l);
    if (!find_by_name(l, err)) {
        unmake(l);
        c->state = NULL;
        return false;
    }
    if (!control_open(l, err)) {
        unmake(l);
        c->state = NULL;
        return refuse(err);
    }
    if (!functions_are_possible(l, err)) {
        unmake(l);
        c->state = NULL;
        return false;
    }
    start_domains_with_ourselves(l);
    choose_scope(l, absent);
    l->machine = machine_read(l->cpu_count);
    report_rights(l);
    if (o->boosts_priority)
        live_hurry(NICE_REST);
    publish(l);
    control_begin(l);
    l->translator.tells_last = row_is_on(l, "sched_process_exit", true);
    l->translator.tells_exec = row_is_on(l, "sched_process_exec", false);
    l->translator.helper = helper_start(&l->translator);
    l->translator.touched = helper_touched(l->translator.helper);
    l->translator.unwinder = l->translator.unwinds ? unwinder_start(ring_capacity(c->hot)) : NULL;
    atomic_store_explicit(&c->unwind_percent, l->translator.unwinder ? UNWIND_SHARE : 0,
                          memory_order_relaxed);
    atomic_store_explicit(&c->is_naming, l->translator.helper != NULL, memory_order_relaxed);
    l->collector_thread = os_thread_start("linux", drain_run, l);
    l->control_thread = os_thread_start("linux control", control_run, l);
    return true;
}

/* On a busy machine a short session may end before the kernel's code was listed: then its addresses
 * in stacks would have no names. */
static void await_kernel_code(const struct linux_live *l)
{
    const struct helper *const h = l->translator.helper;
    const bool has_stacks =
        atomic_load_explicit(&l->collector->wanted_stacks, memory_order_relaxed) != 0;
    const int64_t until = os_now() + 2 * (int64_t)LIVE_SECOND;
    while (h && has_stacks && !helper_has_kernel(h) && os_now() < until)
        os_sleep(LIVE_SOON);
}

static void stop(struct collector *c)
{
    struct linux_live *const l = c->state;
    if (!l)
        return;
    await_kernel_code(l);
    atomic_store_explicit(&c->stop, true, memory_order_relaxed);
    atomic_store_explicit(&l->is_stopping, true, memory_order_release);
    eventfd_write(l->nudge, 1);
    os_wakeup_signal(l->wakeup);
    os_thread_join(l->control_thread);
    os_thread_join(l->collector_thread);
    helper_stop(l->translator.helper);
    unwinder_stop(l->translator.unwinder);
    stop_domains(l);
    unmake(l);
    c->state = NULL;
}

static int64_t now(const struct collector *c)
{
    return trace_clock_ns(&c->sources[0].clock, os_now());
}

const struct collector_kind collector_live = {
    .id = "linux",
    .title = "this machine",
    .help = "live, by perf events and BPF",
    .is_live = true,
    .calls_reader = true,
    .prepare = prepare,
    .start = start,
    .stop = stop,
    .now = now,
    .is_permitted = live_is_permitted,
    .examine = live_examine,
    .describe = live_describe,
};

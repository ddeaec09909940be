/* Gauges, about once a second: the machine's from a few files of /proc, and what processes have of
 * memory, from their status files. Cost, measured on a virtual machine of 2 processors: 0.2 ms for
 * the machine and 35 µs a process, which is 0.1 % of a processor with 200 idle processes and 0.2 %
 * at most. Processes that were given pages are read first, then those that ran, then the others by
 * turns, each within some thirty seconds (what did not run changes only when the kernel takes pages
 * from it); all of them within a budget of processor time. A process gets a record only if what it
 * has changed. */
#include "collectors/linux/proc/usage.h"
#include "collectors/linux/translate/gauge.h"
#include "collectors/linux/translate/job.h"

#include "src/base/mem.h"
#include "src/model/gauge_record.h"
#include "src/os/os.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    TEXT = 256 * 1024,         /* of a file; /proc/stat has a number for each interrupt */
    KNOWN = 4096,              /* processes whose last reading is remembered, by pid */
    TURNS = 30,                /* seconds in which each process has its turn */
    RECORDS_MOST = 128,        /* of processes, a second … */
    FIRST_RECORDS_MOST = 8192, /* … but in the first one */
    DISKS_AGAIN = 60,          /* seconds */
};
/* What is read each second. */
enum file {
    STAT,
    DISK_STATS,
    NET_DEV,
    MEMORY,
    LOAD,
    PRESSURE_CPU,
    PRESSURE_MEMORY,
    PRESSURE_IO,
    FILES
};
static const char *const paths[FILES] = {
    "proc/stat",    "proc/diskstats",    "proc/net/dev",         "proc/meminfo",
    "proc/loadavg", "proc/pressure/cpu", "proc/pressure/memory", "proc/pressure/io",
};
/* Of the thread's processor time for processes: a second, and in the first one. */
static const int64_t BUDGET_NS = 1500000, FIRST_BUDGET_NS = 100000000;

struct job_gauges {
    struct usage_cpus cpus;
    struct usage_traffic traffic;
    int64_t traffic_ns; /* when it was read; 0: not yet */
    struct proc_disk *disks;
    size_t disk_count;
    unsigned seconds;        /* questions answered */
    uint32_t *turns;         /* the processes that are read by turns … */
    size_t turn_count, turn; /* … and the next one */
    size_t turns_each;       /* a second */
    unsigned records;        /* in this second */
    struct known {
        uint32_t pid;
        bool is_kernel;
        struct memory_reading reading;
    } known[KNOWN];
    struct proc_kept files[FILES];
    char text[TEXT];
};

void job_gauges_free(struct job_gauges *g)
{
    if (!g)
        return;
    for (unsigned i = 0; i < FILES; i++)
        proc_kept_close(&g->files[i]);
    free(g->disks);
    free(g->turns);
    free(g);
}

/* ---- the machine ------------------------------------------------------------------------------ */

static const char *text_of(struct job *e, enum file file)
{
    struct job_gauges *const g = e->gauges;
    const int64_t bytes = proc_read_kept(&e->proc, &g->files[file], paths[file], g->text, TEXT);
    return bytes > 0 ? g->text : NULL;
}

/* Samples make room for others when they are old, unlike names. */
static void end_sample(struct job *e)
{
    e->out.head.form = RECORD_SAMPLED;
    record_end(&e->out);
}

static void report_processor(struct job *e, unsigned cpu, const struct gauge_cpu *c)
{
    struct payload_writer *const p = record_begin_tracetop(&e->out, "Processor", GAUGE_RECORD_CPU,
                                                           e->out.self, e->out.self, 0, job_now());
    gauge_record_put_cpu(p, cpu, c);
    end_sample(e);
}

static void read_processors(struct job *e, double values[GAUGES])
{
    struct job_gauges *const g = e->gauges;
    struct usage_cpus *const now = mem_new(1, sizeof *now);
    const char *const text = text_of(e, STAT);
    if (text)
        usage_parse_stat(text, now);
    const struct gauge_cpu all = usage_between(&g->cpus.total, &now->total);
    values[GAUGE_CPU_USER] = (double)all.user;
    values[GAUGE_CPU_SYSTEM] = (double)all.system;
    values[GAUGE_CPU_IRQ] = (double)all.irq;
    values[GAUGE_CPU_STEAL] = (double)all.steal;
    values[GAUGE_CPU] = (double)all.busy;
    for (unsigned cpu = 0; cpu < now->count; cpu++) {
        const struct gauge_cpu c = usage_between(&g->cpus.each[cpu], &now->each[cpu]);
        if (!isnan(c.busy))
            report_processor(e, cpu, &c);
    }
    g->cpus = *now;
    free(now);
}

static void find_disks(struct job *e)
{
    struct job_gauges *const g = e->gauges;
    if (g->seconds % DISKS_AGAIN)
        return;
    free(g->disks);
    g->disk_count = proc_disks(&e->proc, &g->disks);
    g->traffic_ns = 0; /* their places may have changed */
}

static double rate_of(uint64_t before, uint64_t now, double seconds)
{
    return now > before ? (double)(now - before) / seconds : 0;
}

static void read_traffic(struct job *e, double values[GAUGES])
{
    struct job_gauges *const g = e->gauges;
    struct usage_traffic now = {0};
    const int64_t ns = os_now();
    const char *text = text_of(e, DISK_STATS);
    const bool has_disks = text && g->disk_count;
    if (has_disks)
        usage_parse_diskstats(text, g->disks, g->disk_count, &now);
    text = text_of(e, NET_DEV);
    if (text)
        usage_parse_net(text, &now);
    const double seconds = (double)(ns - g->traffic_ns) / 1e9;
    double busy = 0;
    for (unsigned i = 0; i < USAGE_DISKS; i++) {
        const double one = rate_of(g->traffic.busy_ms[i], now.busy_ms[i], seconds) / 10;
        busy = one > busy ? one : busy;
    }
    if (g->traffic_ns && has_disks) {
        values[GAUGE_DISK_BUSY] = busy < 100 ? busy : 100;
        values[GAUGE_DISK_READ] = rate_of(g->traffic.read, now.read, seconds);
        values[GAUGE_DISK_WRITE] = rate_of(g->traffic.written, now.written, seconds);
    }
    if (g->traffic_ns && text) {
        values[GAUGE_NET_IN] = rate_of(g->traffic.received, now.received, seconds);
        values[GAUGE_NET_OUT] = rate_of(g->traffic.sent, now.sent, seconds);
    }
    g->traffic = now;
    g->traffic_ns = ns;
}

static void read_levels(struct job *e, double values[GAUGES])
{
    static const struct {
        enum file file;
        enum gauge of;
    } pressures[] = {{PRESSURE_CPU, GAUGE_PRESSURE_CPU},
                     {PRESSURE_MEMORY, GAUGE_PRESSURE_MEMORY},
                     {PRESSURE_IO, GAUGE_PRESSURE_IO}};
    const char *text = text_of(e, MEMORY);
    if (text)
        usage_parse_meminfo(text, values);
    text = text_of(e, LOAD);
    if (text)
        usage_parse_loadavg(text, values);
    for (size_t i = 0; i < sizeof pressures / sizeof *pressures; i++) {
        text = text_of(e, pressures[i].file);
        if (text)
            usage_parse_pressure(text, pressures[i].of, values);
    }
}

static void report_machine(struct job *e)
{
    double values[GAUGES];
    char fields[GAUGE_FIELDS];
    for (unsigned i = 0; i < GAUGES; i++)
        values[i] = NAN;
    read_processors(e, values);
    find_disks(e);
    read_traffic(e, values);
    read_levels(e, values);
    gauge_record_fields(values, fields);
    if (!fields[0])
        return;
    struct payload_writer *const p =
        record_begin_tracetop(&e->out, "Gauges", fields, e->out.self, e->out.self, 0, job_now());
    gauge_record_put(p, values);
    end_sample(e);
}

/* ---- processes -------------------------------------------------------------------------------- */

static void report_process(struct job *e, uint32_t pid, const struct memory_reading *r)
{
    char fields[GAUGE_FIELDS];
    gauge_record_memory_fields(r, fields);
    struct payload_writer *const p =
        record_begin_tracetop(&e->out, "ProcessMemory", fields, pid, pid, 0, job_now());
    gauge_record_put_memory(p, pid, r);
    end_sample(e);
    e->gauges->records++;
}

static void read_process(struct job *e, uint32_t pid)
{
    struct known *const k = &e->gauges->known[pid % KNOWN];
    struct memory_reading now;
    const enum usage_of_process usage = usage_process(&e->proc, pid, &now);
    const bool is_same = usage == USAGE_READ && k->pid == pid && !k->is_kernel &&
                         memcmp(&k->reading, &now, sizeof now) == 0;
    k->pid = pid;
    k->is_kernel = usage == USAGE_OF_KERNEL;
    if (usage == USAGE_READ && !is_same)
        report_process(e, pid, &now);
    if (usage == USAGE_READ)
        k->reading = now;
}

static bool has_budget(const struct job *e, int64_t until)
{
    const unsigned most = e->gauges->seconds ? RECORDS_MOST : FIRST_RECORDS_MOST;
    return e->gauges->records < most && !job_is_stopped(e) && os_thread_cpu_time() < until;
}

/* Those that were noted: first those with new pages. What there is no budget for stays noted. */
static void read_touched(struct job *e, bool has_faulted, int64_t until)
{
    /* Another place to begin at, each time: who comes late is not always the same. */
    const unsigned begin = e->gauges->seconds * 1021;
    for (unsigned i = 0; i < GAUGE_TOUCHED; i++) {
        _Atomic uint32_t *const at = &e->touched.pids[(begin + i) % GAUGE_TOUCHED];
        const uint32_t noted = atomic_load_explicit(at, memory_order_relaxed);
        if (!noted || (has_faulted && !(noted & GAUGE_HAS_FAULTED)))
            continue;
        if (!has_budget(e, until))
            return;
        const uint32_t pid =
            atomic_exchange_explicit(at, 0, memory_order_relaxed) & ~GAUGE_HAS_FAULTED;
        const struct known *const k = &e->gauges->known[pid % KNOWN];
        if (!(k->pid == pid && k->is_kernel))
            read_process(e, pid);
    }
}

/* Threads of the kernel are asked once in a round, too: their ids are given to others later. */
static void read_by_turns(struct job *e, int64_t until)
{
    struct job_gauges *const g = e->gauges;
    if (g->turn == g->turn_count) {
        free(g->turns);
        g->turn_count = proc_pids(&e->proc, &g->turns);
        g->turns_each = g->turn_count / TURNS + 1;
        g->turn = 0;
    }
    const size_t end = g->turn + (g->seconds ? g->turns_each : g->turn_count);
    while (g->turn < g->turn_count && g->turn < end && has_budget(e, until))
        read_process(e, g->turns[g->turn++]);
}

void job_gauges(struct job *e, const struct help *question)
{
    const struct reply done = {.domain = question->domain, .kind = HELP_GAUGES};
    if (!e->gauges)
        e->gauges = mem_new(1, sizeof *e->gauges);
    struct job_gauges *const g = e->gauges;
    report_machine(e);
    g->records = 0;
    const int64_t until = os_thread_cpu_time() + (g->seconds ? BUDGET_NS : FIRST_BUDGET_NS);
    read_touched(e, true, until);
    read_by_turns(e, until);
    read_touched(e, false, until);
    g->seconds++;
    job_reply(e, &done);
}

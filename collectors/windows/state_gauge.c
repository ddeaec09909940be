/* Gauges, once a second: memory of the machine, processors' time, and what processes have of memory
 * and handles. One call returns all processes; those whose figures have changed get a record, at
 * most so many a second, by turns. */
#include "collectors/windows/state.h"

#include "src/base/mem.h"
#include "src/model/gauge_record.h"
#include "src/os/os.h"

#include <math.h>
#include <psapi.h>
#include <stdlib.h>
#include <string.h>

typedef LONG(WINAPI *query_system)(int, PVOID, ULONG, PULONG);

enum {
    QUERY_PROCESSES = 5,
    QUERY_PROCESSORS = 8,
    QUERY_MEMORY_LIST = 80,    /* needs a right that few have */
    PROCESSORS_MOST = 64,      /* of a group: ours */
    KNOWN = 4096,              /* processes whose last reading is remembered, by id */
    RECORDS_MOST = 128,        /* of processes, a second … */
    FIRST_RECORDS_MOST = 8192, /* … but in the first one */
    LIST_BYTES = 256 * 1024,
    LIST_BYTES_MOST = 64 << 20,
    STATE_READY = 1,
    STATE_RUNNING = 2,
    STATE_STANDBY = 3,
    STATE_DEFERRED = 7,
};
static const int64_t SECOND_NS = 1000000000;
static const LONG TOO_SMALL = (LONG)0xc0000004;

/* As the kernel returns them; reserved parts are what nobody here reads. */
struct listed_thread {
    LARGE_INTEGER times[3];
    ULONG wait;
    PVOID start;
    HANDLE ids[2];
    LONG priority, base;
    ULONG switches, state, reason;
};

struct listed_process {
    ULONG next, threads;
    LARGE_INTEGER reserved[3], times[3];
    struct {
        USHORT bytes, room;
        WCHAR *text;
    } name;
    LONG priority;
    HANDLE pid, parent;
    ULONG handles, session;
    ULONG_PTR key;
    SIZE_T peak_virtual, virtual;
    ULONG faults;
    SIZE_T peak_working_set, working_set, pools[4], page_file, peak_page_file, private_bytes;
    LARGE_INTEGER io[6];
};

struct listed_processor {
    LARGE_INTEGER idle, kernel, user, dpc, interrupt; /* kernel: idle and the last two are in it */
    ULONG interrupts;
};

struct listed_memory {
    SIZE_T zero, unused, modified, unwritten, bad, standby[8], repurposed[8];
};

struct state_gauges {
    query_system query;
    int64_t next; /* os_now() */
    unsigned seconds;
    void *list;
    ULONG list_bytes;
    struct listed_processor processors[PROCESSORS_MOST];
    unsigned processor_count; /* that are known */
    struct known {
        uint32_t pid;
        struct memory_reading reading;
    } known[KNOWN];
    unsigned records; /* in this second */
    unsigned skipped; /* processes with a change that had no room … */
    unsigned first;   /* … the next second begins behind so many */
};

void state_gauges_free(struct state_gauges *g)
{
    if (!g)
        return;
    free(g->list);
    free(g);
}

/* ---- the machine ------------------------------------------------------------------------------ */

static BOOL CALLBACK add_page_file(void *to, PENUM_PAGE_FILE_INFORMATION info, const WCHAR *name)
{
    (void)name;
    *(SIZE_T *)to += info->TotalInUse;
    return TRUE;
}

static void read_memory(const struct state_gauges *g, double values[GAUGES])
{
    PERFORMANCE_INFORMATION info = {.cb = sizeof info};
    struct listed_memory list;
    SIZE_T paged_out = 0;
    ULONG got;
    if (!GetPerformanceInfo(&info, sizeof info))
        return;
    const double page = (double)info.PageSize, available = (double)info.PhysicalAvailable * page;
    values[GAUGE_MEMORY_TOTAL] = (double)info.PhysicalTotal * page;
    values[GAUGE_MEMORY_USED] = values[GAUGE_MEMORY_TOTAL] - available;
    values[GAUGE_MEMORY_FREE] = available;
    values[GAUGE_COMMIT] = (double)info.CommitTotal * page;
    values[GAUGE_COMMIT_LIMIT] = (double)info.CommitLimit * page;
    values[GAUGE_POOL_PAGED] = (double)info.KernelPaged * page;
    values[GAUGE_POOL_NONPAGED] = (double)info.KernelNonpaged * page;
    if (info.CommitLimit > info.PhysicalTotal)
        values[GAUGE_SWAP_TOTAL] = (double)(info.CommitLimit - info.PhysicalTotal) * page;
    if (EnumPageFilesW(add_page_file, &paged_out))
        values[GAUGE_SWAP_USED] = (double)paged_out * page;
    if (!g->query || g->query(QUERY_MEMORY_LIST, &list, sizeof list, &got) != 0)
        return;
    double standby = 0;
    for (unsigned i = 0; i < 8; i++)
        standby += (double)list.standby[i] * page;
    values[GAUGE_STANDBY] = values[GAUGE_MEMORY_CACHE] = standby;
    values[GAUGE_MEMORY_FREE] = available > standby ? available - standby : 0;
}

static double part(const LARGE_INTEGER *before, const LARGE_INTEGER *now, double all)
{
    const double percent = (double)(now->QuadPart - before->QuadPart) / all * 100;
    return percent < 0 ? 0 : percent > 100 ? 100 : percent;
}

/* False where no time has passed. */
static bool between(const struct listed_processor *a, const struct listed_processor *b,
                    struct gauge_cpu *out)
{
    const double all = (double)(b->kernel.QuadPart - a->kernel.QuadPart) +
                       (double)(b->user.QuadPart - a->user.QuadPart);
    if (!(all > 0))
        return false;
    const double irq = part(&a->dpc, &b->dpc, all) + part(&a->interrupt, &b->interrupt, all),
                 system = part(&a->kernel, &b->kernel, all) - part(&a->idle, &b->idle, all) - irq;
    *out = (struct gauge_cpu){.user = (float)part(&a->user, &b->user, all),
                              .system = (float)(system > 0 ? system : 0),
                              .irq = (float)(irq < 100 ? irq : 100)};
    return true;
}

static void read_processors(struct state *s, double values[GAUGES])
{
    struct state_gauges *const g = s->gauges;
    struct listed_processor now[PROCESSORS_MOST];
    double user = 0, system = 0, irq = 0;
    unsigned counted = 0;
    ULONG got = 0;
    if (!g->query || g->query(QUERY_PROCESSORS, now, sizeof now, &got) != 0)
        return;
    const unsigned count = (unsigned)(got / sizeof *now);
    for (unsigned cpu = 0; cpu < count && cpu < g->processor_count; cpu++) {
        struct gauge_cpu c;
        if (!between(&g->processors[cpu], &now[cpu], &c))
            continue;
        gauge_record_put_cpu(
            writer_begin_tracetop(&s->writer, "Processor", GAUGE_RECORD_CPU, EVENT_NO_ID), cpu, &c);
        writer_end(&s->writer);
        user += (double)c.user;
        system += (double)c.system;
        irq += (double)c.irq;
        counted++;
    }
    memcpy(g->processors, now, count * sizeof *now);
    g->processor_count = count;
    if (!counted)
        return;
    values[GAUGE_CPU_USER] = user / counted;
    values[GAUGE_CPU_SYSTEM] = system / counted;
    values[GAUGE_CPU_IRQ] = irq / counted;
    values[GAUGE_CPU] =
        (user + system + irq) / counted < 100 ? (user + system + irq) / counted : 100;
}

/* ---- processes -------------------------------------------------------------------------------- */

static bool read_list(struct state_gauges *g)
{
    LONG status = TOO_SMALL;
    ULONG got;
    if (!g->query)
        return false;
    g->list_bytes = g->list_bytes ? g->list_bytes : LIST_BYTES;
    for (; g->list_bytes <= LIST_BYTES_MOST; g->list_bytes *= 2) {
        g->list = mem_grow(g->list, g->list_bytes, 1);
        status = g->query(QUERY_PROCESSES, g->list, g->list_bytes, &got);
        if (status != TOO_SMALL)
            break;
    }
    return status == 0;
}

static void report_process(struct state *s, const struct listed_process *p)
{
    struct state_gauges *const g = s->gauges;
    const unsigned most = g->seconds ? RECORDS_MOST : FIRST_RECORDS_MOST;
    const uint32_t pid = (uint32_t)(uintptr_t)p->pid;
    struct known *const k = &g->known[pid / 4 % KNOWN];
    const struct memory_reading now = {.rss = p->working_set,
                                       .own = p->private_bytes,
                                       .shared = READING_UNKNOWN,
                                       .swap = READING_UNKNOWN,
                                       .threads = p->threads,
                                       .files = p->handles};
    if (!pid || (k->pid == pid && memcmp(&k->reading, &now, sizeof now) == 0))
        return;
    if (g->records == most || g->first) {
        g->skipped += g->records == most;
        g->first -= g->first > 0;
        return;
    }
    char fields[GAUGE_FIELDS];
    gauge_record_memory_fields(&now, fields);
    gauge_record_put_memory(writer_begin_tracetop(&s->writer, "ProcessMemory", fields, pid), pid,
                            &now);
    writer_end(&s->writer);
    g->records++;
    *k = (struct known){pid, now};
}

static unsigned ready_threads(const struct listed_process *p)
{
    const struct listed_thread *const threads = (const void *)(p + 1);
    unsigned count = 0;
    for (ULONG i = 0; p->pid && i < p->threads; i++)
        count += threads[i].state == STATE_READY || threads[i].state == STATE_RUNNING ||
                 threads[i].state == STATE_STANDBY || threads[i].state == STATE_DEFERRED;
    return count;
}

static void read_processes(struct state *s, double values[GAUGES])
{
    struct state_gauges *const g = s->gauges;
    unsigned ready = 0;
    g->records = g->skipped = 0;
    if (!read_list(g))
        return;
    const char *at = g->list;
    for (const struct listed_process *p; (p = (const void *)at); at += p->next) {
        ready += ready_threads(p);
        report_process(s, p);
        if (!p->next)
            break;
    }
    /* Who changes all the time is not to keep the others out. */
    g->first = g->skipped > RECORDS_MOST / 2 ? RECORDS_MOST / 2 : 0;
    values[GAUGE_READY] = ready;
}

void state_gauge(struct state *s)
{
    double values[GAUGES];
    char fields[GAUGE_FIELDS];
    if (!s->gauges) {
        s->gauges = mem_new(1, sizeof *s->gauges);
        const HMODULE ntdll = GetModuleHandleW(L"ntdll.dll");
        if (ntdll)
            s->gauges->query =
                (query_system)(void (*)(void))GetProcAddress(ntdll, "NtQuerySystemInformation");
    }
    struct state_gauges *const g = s->gauges;
    if (os_now() < g->next)
        return;
    g->next = os_now() + SECOND_NS;
    for (unsigned i = 0; i < GAUGES; i++)
        values[i] = NAN;
    read_memory(g, values);
    read_processors(s, values);
    read_processes(s, values);
    g->seconds++;
    gauge_record_fields(values, fields);
    if (!fields[0])
        return;
    gauge_record_put(writer_begin_tracetop(&s->writer, "Gauges", fields, EVENT_NO_ID), values);
    writer_end(&s->writer);
}

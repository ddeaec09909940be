#include "collectors/linux/proc/usage.h"

#include <ctype.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* The number behind "NAME:" at the beginning of a line; false where there is none. */
static bool number_of(const char *text, const char *name, uint64_t *out)
{
    const size_t length = strlen(name);
    for (const char *line = text; line && *line;) {
        if (strncmp(line, name, length) == 0 && line[length] == ':') {
            char *end;
            *out = strtoull(line + length + 1, &end, 10);
            return end != line + length + 1;
        }
        line = strchr(line, '\n');
        line = line ? line + 1 : NULL;
    }
    return false;
}

/* The line behind this one; NULL: there is none. */
static const char *next_line(const char *line)
{
    const char *const feed = strchr(line, '\n');
    return feed ? feed + 1 : NULL;
}

/* ---- processors ------------------------------------------------------------------------------- */

/* user nice system idle iowait irq softirq steal; guests are part of user and nice. */
static struct usage_times times_of(const char *at)
{
    enum { USER, NICE, SYSTEM, IDLE, IOWAIT, IRQ, SOFTIRQ, STEAL, TIMES };
    uint64_t t[TIMES] = {0};
    for (unsigned i = 0; i < TIMES; i++) {
        char *end;
        while (*at == ' ')
            at++;
        t[i] = isdigit((unsigned char)*at) ? strtoull(at, &end, 10) : 0;
        at = isdigit((unsigned char)*at) ? end : at;
    }
    struct usage_times out = {t[USER] + t[NICE], t[SYSTEM], t[IRQ] + t[SOFTIRQ], t[STEAL], 0};
    out.all = out.user + out.system + out.irq + out.steal + t[IDLE] + t[IOWAIT];
    return out;
}

void usage_parse_stat(const char *text, struct usage_cpus *out)
{
    *out = (struct usage_cpus){0};
    for (const char *line = text; line && strncmp(line, "cpu", 3) == 0; line = next_line(line)) {
        if (line[3] == ' ') {
            out->total = times_of(line + 3);
            continue;
        }
        char *end;
        const unsigned long number = strtoul(line + 3, &end, 10);
        if (end == line + 3 || number >= USAGE_CPUS)
            continue;
        out->each[number] = times_of(end);
        out->count = number >= out->count ? (unsigned)number + 1 : out->count;
    }
}

/* Counters of a processor may step back a little. */
static float part(uint64_t before, uint64_t now, uint64_t all)
{
    const double percent = now > before ? (double)(now - before) / (double)all * 100 : 0;
    return (float)(percent < 100 ? percent : 100);
}

struct gauge_cpu usage_between(const struct usage_times *before, const struct usage_times *now)
{
    if (!before->all || now->all <= before->all)
        return (struct gauge_cpu){NAN, NAN, NAN, NAN, NAN};
    const uint64_t all = now->all - before->all;
    struct gauge_cpu c = {part(before->user, now->user, all),
                          part(before->system, now->system, all), part(before->irq, now->irq, all),
                          part(before->steal, now->steal, all), 0};
    c.busy = c.user + c.system + c.irq + c.steal;
    c.busy = c.busy < 100 ? c.busy : 100;
    return c;
}

/* ---- memory, load, pressure ------------------------------------------------------------------ */

static double kib(const char *text, const char *name)
{
    uint64_t value;
    return number_of(text, name, &value) ? (double)value * 1024 : NAN;
}

static double or_none(double value)
{
    return isnan(value) ? 0 : value;
}

/* As free(1) has it: cache with what the kernel's slabs can give back; the rest of what is not free
 * is used. */
void usage_parse_meminfo(const char *text, double values[GAUGES])
{
    const double total = kib(text, "MemTotal"), unused = kib(text, "MemFree"),
                 buffers = or_none(kib(text, "Buffers")),
                 cache = or_none(kib(text, "Cached")) + or_none(kib(text, "SReclaimable")),
                 used = total - unused - buffers - cache, swap = kib(text, "SwapTotal"),
                 swap_free = kib(text, "SwapFree");
    if (isnan(total) || isnan(unused))
        return;
    values[GAUGE_MEMORY_TOTAL] = total;
    values[GAUGE_MEMORY_FREE] = unused;
    values[GAUGE_MEMORY_BUFFERS] = buffers;
    values[GAUGE_MEMORY_CACHE] = cache;
    values[GAUGE_MEMORY_USED] = used > 0 ? used : 0;
    values[GAUGE_SWAP_TOTAL] = swap;
    values[GAUGE_SWAP_USED] = swap > swap_free ? swap - swap_free : swap - swap;
}

void usage_parse_loadavg(const char *text, double values[GAUGES])
{
    double load[3];
    unsigned running;
    if (sscanf(text, "%lf %lf %lf %u/", &load[0], &load[1], &load[2], &running) != 4)
        return;
    values[GAUGE_LOAD_1] = load[0];
    values[GAUGE_LOAD_5] = load[1];
    values[GAUGE_LOAD_15] = load[2];
    values[GAUGE_READY] = running ? running - 1 : 0;
}

void usage_parse_pressure(const char *text, enum gauge of, double values[GAUGES])
{
    double percent;
    if (sscanf(text, "some avg10=%lf", &percent) == 1)
        values[of] = percent;
}

/* ---- traffic ---------------------------------------------------------------------------------- */

void usage_parse_diskstats(const char *text, const struct proc_disk *disks, size_t count,
                           struct usage_traffic *out)
{
    enum { SECTOR = 512 }; /* of the kernel's counters, whatever the disk has */
    for (const char *line = text; line && *line; line = next_line(line)) {
        char name[64];
        uint64_t read, written, busy;
        if (sscanf(line,
                   " %*u %*u %63s %*u %*u %" SCNu64 " %*u %*u %*u %" SCNu64 " %*u %*u %" SCNu64,
                   name, &read, &written, &busy) != 4)
            continue;
        for (size_t i = 0; i < count && i < USAGE_DISKS; i++) {
            if (strcmp(disks[i].name, name) != 0)
                continue;
            out->read += read * SECTOR;
            out->written += written * SECTOR;
            out->busy_ms[i] = busy;
        }
    }
}

void usage_parse_net(const char *text, struct usage_traffic *out)
{
    for (const char *line = text; line && *line; line = next_line(line)) {
        char name[64];
        uint64_t received, sent;
        if (sscanf(line, " %63[^:]: %" SCNu64 " %*u %*u %*u %*u %*u %*u %*u %" SCNu64, name,
                   &received, &sent) != 3 ||
            strcmp(name, "lo") == 0)
            continue;
        out->received += received;
        out->sent += sent;
    }
}

/* ---- processes -------------------------------------------------------------------------------- */

static uint64_t bytes_of(const char *text, const char *name)
{
    uint64_t value;
    return number_of(text, name, &value) && value < READING_UNKNOWN / 1024 ? value * 1024
                                                                           : READING_UNKNOWN;
}

bool usage_parse_status(const char *text, struct memory_reading *out)
{
    const uint64_t files = bytes_of(text, "RssFile"), others = bytes_of(text, "RssShmem");
    uint64_t threads;
    *out = (struct memory_reading){
        .rss = bytes_of(text, "VmRSS"),
        .own = bytes_of(text, "RssAnon"),
        .shared = files == READING_UNKNOWN || others == READING_UNKNOWN ? READING_UNKNOWN
                                                                        : files + others,
        .swap = bytes_of(text, "VmSwap"),
        .threads = number_of(text, "Threads", &threads) ? (uint32_t)threads : UINT32_MAX,
        .files = UINT32_MAX,
    };
    return out->rss != READING_UNKNOWN;
}

/* The kernel counts them since 6.2; before, the folder has no size. */
static uint32_t files_of(const struct proc *p, uint32_t pid)
{
    char path[64];
    struct stat s;
    snprintf(path, sizeof path, "proc/%u/fd", pid);
    return fstatat(p->root, path, &s, 0) == 0 && s.st_size > 0 && s.st_size < UINT32_MAX
               ? (uint32_t)s.st_size
               : UINT32_MAX;
}

enum usage_of_process usage_process(struct proc *p, uint32_t pid, struct memory_reading *out)
{
    char path[64], text[4096];
    snprintf(path, sizeof path, "proc/%u/status", pid);
    if (proc_read(p, path, text, sizeof text) <= 0)
        return USAGE_GONE;
    if (!usage_parse_status(text, out))
        return USAGE_OF_KERNEL;
    out->files = files_of(p, pid);
    return USAGE_READ;
}

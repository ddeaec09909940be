/* What /proc says of the use of the machine and of processes: figures that no event has. Parsers
 * take the text of a file; the others read it. */
#ifndef COLLECTORS_LINUX_PROC_USAGE_H
#define COLLECTORS_LINUX_PROC_USAGE_H

#include "collectors/linux/proc/proc.h"
#include "src/model/gauge.h"
#include "src/model/memory_history.h"

enum { USAGE_CPUS = 1024 }; /* with figures of their own */

/* Since the machine was started, in ticks. */
struct usage_times {
    uint64_t user, system, irq, steal, all;
};

struct usage_cpus {
    struct usage_times total, each[USAGE_CPUS]; /* .all = 0: not there */
    unsigned count;                             /* the highest number + 1 */
};

void usage_parse_stat(const char *text, struct usage_cpus *out);

/* The part of the time between two looks; all NaN where none has passed. */
struct gauge_cpu usage_between(const struct usage_times *before, const struct usage_times *now);

/* These set the gauges that they know: memory and swap; load and running threads, without the one
 * that reads; one kind of pressure. */
void usage_parse_meminfo(const char *text, double values[GAUGES]);
void usage_parse_loadavg(const char *text, double values[GAUGES]);
void usage_parse_pressure(const char *text, enum gauge of, double values[GAUGES]);

/* Bytes and busy time since the machine was started, of disks (those named in the list) and of
 * networks (all but loopback). */
enum { USAGE_DISKS = 64 };
struct usage_traffic {
    uint64_t read, written, received, sent;
    uint64_t busy_ms[USAGE_DISKS]; /* by place in the list */
};
void usage_parse_diskstats(const char *text, const struct proc_disk *disks, size_t count,
                           struct usage_traffic *out);
void usage_parse_net(const char *text, struct usage_traffic *out);

/* The text of a status file. False where it is of a thread of the kernel, which has no memory. */
bool usage_parse_status(const char *text, struct memory_reading *out);

enum usage_of_process { USAGE_GONE, USAGE_OF_KERNEL, USAGE_READ };
/* What the process has now, but for the time. */
enum usage_of_process usage_process(struct proc *p, uint32_t pid, struct memory_reading *out);

#endif

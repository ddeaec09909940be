/* Figures of the whole machine: those of one interval that events give (processor time, disks,
 * network), and those that no event gives and that a collector reads now and then (memory, swap,
 * load, pressure). The header, the time strip and exports take them from one table. */
#ifndef SRC_MODEL_GAUGE_H
#define SRC_MODEL_GAUGE_H

#include <stdbool.h>

enum gauge {
    /* Percent of all processors together. */
    GAUGE_CPU,
    GAUGE_CPU_USER,
    GAUGE_CPU_SYSTEM,
    GAUGE_CPU_IRQ,
    GAUGE_CPU_STEAL,
    /* Bytes. Used, buffers, cache and free are parts of the total. */
    GAUGE_MEMORY_TOTAL,
    GAUGE_MEMORY_USED,
    GAUGE_MEMORY_BUFFERS,
    GAUGE_MEMORY_CACHE,
    GAUGE_MEMORY_FREE,
    GAUGE_SWAP_TOTAL,
    GAUGE_SWAP_USED,
    /* Bytes, Windows alone. */
    GAUGE_COMMIT,
    GAUGE_COMMIT_LIMIT,
    GAUGE_STANDBY,
    GAUGE_POOL_PAGED,
    GAUGE_POOL_NONPAGED,
    /* Threads: averages of the system over one, five and fifteen minutes; ready to run or running
     * now. */
    GAUGE_LOAD_1,
    GAUGE_LOAD_5,
    GAUGE_LOAD_15,
    GAUGE_READY,
    /* Percent of the time that the busiest disk had something to do; bytes a second. */
    GAUGE_DISK_BUSY,
    GAUGE_DISK_READ,
    GAUGE_DISK_WRITE,
    GAUGE_NET_IN,
    GAUGE_NET_OUT,
    /* Percent of the time that some task waited for it (the system's average of 10 s). */
    GAUGE_PRESSURE_CPU,
    GAUGE_PRESSURE_MEMORY,
    GAUGE_PRESSURE_IO,
    /* Events a second; events lost in the interval, whatever the cause. */
    GAUGE_EVENTS,
    GAUGE_LOST,
    GAUGES
};

enum gauge_unit { GAUGE_PERCENT, GAUGE_BYTES, GAUGE_BYTE_RATE, GAUGE_COUNT, GAUGE_EVENT_RATE };

struct gauge_info {
    const char *id; /* the name of its field in records */
    enum gauge_unit unit;
    bool is_sampled; /* read now and then by a collector, not counted from events */
};

extern const struct gauge_info gauge_infos[GAUGES];

/* Parts of one processor's time, in percent of the interval, NaN where they are not known. What is
 * left is idle. */
struct gauge_cpu {
    float user, system, irq, steal;
    float busy; /* in all: their sum, or what switches of threads say */
};

/* Is it a level, which holds until the next sample? Others are amounts of an interval. */
static inline bool gauge_is_level(enum gauge g)
{
    return (g >= GAUGE_MEMORY_TOTAL && g <= GAUGE_READY) ||
           (g >= GAUGE_PRESSURE_CPU && g <= GAUGE_PRESSURE_IO);
}

#endif

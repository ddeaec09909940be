/* Processors, and what is known of each source of events. */
#ifndef SRC_MODEL_PROCESSOR_H
#define SRC_MODEL_PROCESSOR_H

#include "src/base/clock.h"
#include "src/base/map.h"
#include "src/model/disk.h"
#include "src/model/fact.h"
#include "src/model/types.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* One processor of one source. */
struct processor {
    uint32_t thread;      /* running now; 0 = not known */
    int64_t since_ns;     /* since when */
    int64_t ready_ns;     /* how long it had been ready before; -1 = not known */
    int64_t credited_ns;  /* of this time slice, already counted in the running tables */
    bool has_run;         /* it switched, or was sampled */
    int64_t unseen_ns;    /* somebody's whom nobody knows, and not counted yet */
};

/* Who recorded events of a class that the kernel logger and providers both record. A source may
 * have both: then each thing counts once. Operations do as the one recorded them whose events came
 * first; what both say about a process is put together. */
#define RECORDED_ONCE /* bits of classes: the other one's events are left out */                   \
    (1u << FACT_DISK | 1u << FACT_FILE | 1u << FACT_NETWORK | 1u << FACT_REGISTRY)
enum recorded_by { RECORDED_BY_NONE, RECORDED_BY_KERNEL_LOGGER, RECORDED_BY_PROVIDER };

struct model_source {
    uint8_t recorded_by[FACT_CLASSES]; /* enum recorded_by */
    uint32_t recorded_by_both;         /* bits of classes */
    struct trace_clock clock;
    uint64_t sample_ns;   /* what one profile sample stands for */
    bool is_live;         /* this machine, as it runs now */
    bool is_linux;        /* fork and exec instead of Start; names are no identity */
    bool has_winsock, has_http; /* AFD, HttpService and the like are recorded */
    uint32_t connects;          /* of sockets that go on, as AFD reports … */
    int64_t connect_ns;         /* … and when the newest began */
    int64_t first_switch_ns;    /* of any processor; 0 = none yet */
    bool has_process_provider; /* Kernel-Process records it, perhaps beside the kernel logger */
    uint32_t drives;        /* letters of its logical disks, 'A' = 1 */
    uint16_t system_volume; /* number of the volume that its system lies on; 0 = not known */
    struct watched *watched; /* watched.h: whom a live session is about; NULL = everybody */
    struct processor *processors;
    uint32_t processor_count; /* room */
    uint32_t processors_seen; /* highest number met + 1 */
    uint32_t processors_run;  /* so many of them have run */
    struct map disks;         /* disk number → index + 1 of … */
    struct disk_state *disk_states; /* disk.h */
};

struct processor *model_processor_new(struct model *m, source_id source, uint32_t cpu);

#endif

/* What the machine is, as the SystemConfig CPU record of ETW has it (machine_record.h). */
#ifndef COLLECTORS_LINUX_KERNEL_MACHINE_H
#define COLLECTORS_LINUX_KERNEL_MACHINE_H

#include <stdbool.h>
#include <stdint.h>

struct machine {
    uint32_t mhz, cpus, memory_mb; /* 0: unknown */
    uint16_t architecture;         /* PROCESSOR_ARCHITECTURE_* */
    bool has_threads;              /* several per core */
    char name[65];                 /* host */
};

/* By what numbers we know processes: those that the kernel's events have, or those of a namespace
 * of our own, as containers have it: then what events say and what /proc says do not meet. */
enum machine_ids { MACHINE_IDS_UNKNOWN, MACHINE_IDS_FIRST, MACHINE_IDS_OWN };
enum machine_ids machine_ids(void);

/* "6.1.0-13-amd64" as in LINUX_VERSION_CODE: 0x060100; 0 where it begins with no version. */
uint32_t machine_kernel(const char *release);

/* Reads files; not the collector's thread. */
struct machine machine_read(uint32_t cpus);

#endif

/* Events of perf_event_open(2), which perf_opener.c calls. They are opened system-wide, one
 * descriptor per processor, disabled. Not for the collector's thread: opening and closing
 * wait for the kernel.
 *
 * Newer features that the running kernel refuses are left out one by one and remembered. */
#ifndef COLLECTORS_LINUX_KERNEL_PERF_H
#define COLLECTORS_LINUX_KERNEL_PERF_H

#include "collectors/linux/kernel/ring.h"
#include "src/base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum perf_lack { PERF_NO_LOST = 1, PERF_NO_KSYMBOL = 2, PERF_NO_EXEC = 4, PERF_NO_BUILD_ID = 8 };

struct perf {
    uint32_t lacks;     /* enum perf_lack: what this kernel turned out not to have */
    uint32_t pid;       /* 0: all processes; else only this one (own processes, no rights) */
    uint16_t max_stack; /* frames of a call chain; 0 = the system's limit */
};

struct perf_request {
    uint32_t type;
    uint64_t config;
    uint64_t period;    /* 1: every event; more: every so many */
    uint64_t frequency; /* instead of a period: of so many per second */
    uint32_t watermark; /* bytes that wake the reader; 0 for what is not a ring's owner */
    uint32_t stack_bytes; /* of the user's stack, to be copied with the registers; a multiple of 8 */
    bool has_chain, has_raw;
    bool is_urgent;    /* each one wakes the reader */
    bool is_owner;     /* a ring's: no event by itself */
    bool is_side_band; /* fork, exit, comm, mmap, ksymbol */
    bool exclude_kernel;
};

/* A descriptor, or -1 with errno in *error (0 is fine) and a sentence. */
int perf_open(struct perf *p, const struct perf_request *w, int cpu, int *error, struct err *err);
void perf_close(int fd); /* -1 is fine */

/* Closes events that are disabled, without waiting for the kernel: see perf.c. */
enum { PERF_LET_GO = 250 }; /* at most so many at once */
void perf_let_go(const int *fds, size_t count);

bool perf_redirect(int fd, int owner, struct err *err); /* PERF_EVENT_IOC_SET_OUTPUT */
bool perf_filter(int fd, const char *text, struct err *err); /* of a tracepoint's fields */
bool perf_enable(int fd);
bool perf_disable(int fd);

struct perf_counts {
    uint64_t fired; /* times the event happened since it was opened, while enabled */
    uint64_t id;
    uint64_t lost; /* records for want of room; 0 where the kernel does not count them */
};
bool perf_read(const struct perf *p, int fd, struct perf_counts *out);

/* ---- the ring of an owner ---------------------------------------------------------------- */

struct perf_map {
    void *base;   /* NULL: not mapped */
    size_t bytes; /* of the data, a power of two */
    uint8_t *bounce;
};

enum { PERF_MAP_LEAST = 128 * 1024 };

/* Maps a ring of `bytes` (a power of two of pages). Where the system refuses so much, half of
 * it, down to `least`. False with a sentence. */
bool perf_map(int fd, size_t bytes, size_t least, struct perf_map *out, struct err *err);
void perf_unmap(struct perf_map *m);
void perf_map_ring(const struct perf_map *m, struct kernel_ring *out);

/* Lets this process have as many descriptors as it may; as root, as many as it needs. */
void perf_raise_limits(void);

#endif

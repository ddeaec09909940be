/* The scope of a live collector (-p, -n, -c): whose events are translated. A bit per thread id;
 * threads that start and processes that run another program are followed by the side band.
 *
 * An interrupt is in scope when it interrupted a thread that is. What no thread of its own stands
 * for (requests of disks, states of connections) is translated whoever runs, and its domain asks
 * scope_has() whose it was before it tells it. Who exists and what it is called is told of all,
 * since they wake each other. */
#ifndef COLLECTORS_LINUX_SCOPE_H
#define COLLECTORS_LINUX_SCOPE_H

#include "collectors/linux/sample.h"
#include "src/collector.h"

struct scope {
    uint64_t *threads; /* bits by thread id; NULL: everything is in scope */
    bool has_children;
    char name[64]; /* pattern; empty: any */
};

/* Reads who is there from /proc (`proc`, for tests); not the collector's thread. */
void scope_init(struct scope *s, const struct collector_scope *wish, const char *proc);
void scope_fini(struct scope *s);

/* The collector's thread. */
void scope_side_band(struct scope *s, const struct sample *sample);
bool scope_takes(const struct scope *s, const struct sample *sample);

/* Whether this thread's events are told; of a process: its first thread's. `s` may be NULL:
 * everything is. */
bool scope_has(const struct scope *s, uint32_t tid);

/* '*' any characters, '?' one; upper and lower case differ. */
bool scope_matches(const char *pattern, const char *name);

#endif

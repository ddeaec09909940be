/* The scope of a live collector (-p, -n, -c): whose events are translated. A bit per process;
 * processes that start, or take another name, are followed by the side band.
 *
 * An interrupt is in scope when it interrupted a thread that is. What no thread of its own stands
 * for (requests of disks, states of connections) is translated whoever runs, and its domain asks
 * scope_has() whose it was before it tells it. Who exists and what it is called is told of all,
 * since they wake each other.
 *
 * What a thread does itself need not even be recorded when it is nobody's in scope: where BPF
 * programs record it, they choose (bpf_scope_*() in bpf.h), by the same rules, so that nothing is
 * missed of a child before this side has heard of it. */
#ifndef COLLECTORS_LINUX_BPF_PROCESS_SCOPE_H
#define COLLECTORS_LINUX_BPF_PROCESS_SCOPE_H

#include "collectors/linux/kernel/sample.h"
#include "src/base/err.h"
#include "src/collect/collector.h"

struct bpf;

struct scope {
    uint64_t *processes;  /* bits by process id; NULL: everything is in scope */
    uint32_t *process_of; /* by thread id; 0: not known, or it is its process's first */
    bool has_children;
    bool is_in_kernel; /* the programs choose, too */
    char name[64];     /* pattern; empty: any */
};

static inline bool scope_is_requested(const struct collector_scope *request)
{
    return request->pid_count || request->name;
}

/* Whether any of the processes that are asked for is there; *absent is the first that is not
 * (0: all are). False, with a sentence, where nobody is there and no name is waited for. */
bool scope_check(const struct collector_scope *request, const char *proc, uint32_t *absent,
                 struct err *err);

/* Reads who is there from /proc (`proc`, for tests), and has the programs of `b` choose, where
 * there are any; not the collector's thread. */
void scope_init(struct scope *s, const struct collector_scope *request, const char *proc,
                struct bpf *b);
void scope_fini(struct scope *s);

/* The collector's thread. */
void scope_side_band(struct scope *s, const struct sample *sample);
bool scope_takes(const struct scope *s, const struct sample *sample);

/* Whether this thread's events are told; of a process: its first thread's. `s` may be NULL:
 * everything is. */
bool scope_has(const struct scope *s, uint32_t tid);

#endif

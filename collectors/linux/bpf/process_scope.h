/* The scope of a live collector (-p, -n, -c): the processes whose events are translated. A bit per
 * process; the side band adds processes that start, or take another name.
 *
 * An interrupt is in scope when it interrupted a thread that is. Events outside of their own thread
 * (requests of disks, states of connections) are always translated; their domain checks the real
 * process with scope_has() before it reports them. Starts, ends and names of all processes are
 * reported, since processes wake each other.
 *
 * Events of a thread out of scope need not be recorded at all: BPF programs check the scope
 * themselves (bpf_scope_*() in bpf.h), by the same rules, so that a child's first events are not
 * missed before this side knows it. */
#ifndef COLLECTORS_LINUX_BPF_PROCESS_SCOPE_H
#define COLLECTORS_LINUX_BPF_PROCESS_SCOPE_H

#include "collectors/linux/kernel/sample.h"
#include "src/base/err.h"
#include "src/collect/collector.h"

struct bpf;

struct scope {
    uint64_t *processes;  /* bits by process id; NULL: everything is in scope */
    uint32_t *process_of; /* by thread id; 0: not known, or it is its process's first */
    uint32_t *chosen;     /* the processes that were asked for by number, of threads their own */
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

/* Are this thread's events reported? Of a process: its first thread's. `s` may be NULL: everything
 * is. */
bool scope_has(const struct scope *s, uint32_t tid);

#endif

/* Which rights this process has to see the kernel's events, and what follows from them. Keeping
 * and raising them: src/os/rights.h.
 *
 * Rights are found out by trying: capabilities in a container, a security module, a seccomp
 * filter or an old kernel all say one thing and mean another. Nothing is left behind. */
#ifndef COLLECTORS_LINUX_KERNEL_PRIVILEGE_H
#define COLLECTORS_LINUX_KERNEL_PRIVILEGE_H

#include "src/base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum tracefs_state { TRACEFS_MISSING, TRACEFS_REFUSED, TRACEFS_READABLE };

/* What was found. */
struct rights {
    uint64_t capabilities; /* permitted; bit per CAP_* */
    int paranoid;          /* kernel.perf_event_paranoid; PARANOID_UNKNOWN */
    uint8_t tracefs;       /* enum tracefs_state */
    bool has_types;        /* the kernel's type information (BTF) */
    bool can_system;       /* events of all processes on a processor … */
    bool can_kernel;       /* … in the kernel as well */
    bool can_trace;        /* tracepoints, system-wide */
    bool can_bpf;          /* loading tracing programs */
    bool can_own;          /* events of our own processes */
    bool is_filtered;      /* a seccomp filter is on: a container, as a rule */
    char program[4096];    /* path of this program, for the command to show */
};

enum { PARANOID_UNKNOWN = -100 };

/* From most to least (collectors/linux/README.md, Rights). */
enum linux_access {
    SITUATION_ALL,
    SITUATION_PERF,     /* tracepoints, no BPF */
    SITUATION_BPF,      /* BPF, no tracefs */
    SITUATION_SOFTWARE, /* system-wide, but neither tracepoints nor BPF */
    SITUATION_OWN,      /* own processes only */
    SITUATION_NOTHING,
};

struct privilege {
    uint8_t situation; /* enum linux_access */
    bool is_complete;  /* nothing that rights could change is missing */
    char works[160];   /* "all events" */
    char why[256];     /* a sentence; empty where nothing is missing */
    char fix[4352];    /* the one command that changes it; may be empty */
};

void rights_find(struct rights *r);

/* Our own processes' events can be had, and not all of the system's. */
bool rights_are_for_own(void);

/* Pure: what follows from `r`. */
void privilege_assess(const struct rights *r, struct privilege *p);

/* This thread may look into all processes that do not guard themselves even from root. */
bool rights_to_look_in(void);

/* Bit per capability that we need. */
uint64_t privilege_needed(void);

#endif

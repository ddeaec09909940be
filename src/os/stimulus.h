/* Real activity of one kind each: what `tracetop selftest` makes to see whether its
 * events come. Everything that it creates is gone when the call returns. */
#ifndef SRC_OS_STIMULUS_H
#define SRC_OS_STIMULUS_H

#include "src/base/err.h"

#include <stdbool.h>
#include <stdint.h>

enum stimulus {
    STIMULUS_PROCESS,  /* a program is started and ends */
    STIMULUS_THREAD,   /* a thread begins and ends */
    STIMULUS_FILE,     /* a file is created, written, read and deleted */
    STIMULUS_DISK,     /* 1 MiB is written through to its medium */
    STIMULUS_REGISTRY, /* a key is created, a value set and read, the key deleted; Windows only */
    STIMULUS_NETWORK,  /* a TCP connection of the loopback interface, 64 KiB through it */
    STIMULUS_MEMORY,   /* memory of 8 MiB is reserved, committed and freed; Windows has events of it
                        */
    STIMULUS_FAULT,    /* each of 2048 fresh pages is written once */
    STIMULUS_SWITCH,   /* this thread sleeps 20 times */
    STIMULUS_SAMPLE,   /* this thread calculates for 200 ms */
    STIMULUS_SYSCALL,  /* 1000 calls of the system */
    STIMULI,
};

struct stimulus_ids {
    uint32_t pid, tid; /* of whoever does it: the calling thread, or on Linux a child's */
    uint32_t child;    /* the process that was started; 0: none was */
};

/* Does this kind of system have it, and events of it? */
bool stimulus_exists(enum stimulus s);

/* The calling thread's; no child. */
void stimulus_ids(struct stimulus_ids *ids);

/* Makes it happen, and returns when it is over. False with a sentence: it did
 * not happen, or not all of it. Any thread. */
bool stimulus_run(enum stimulus s, struct stimulus_ids *ids, struct err *err);

#endif

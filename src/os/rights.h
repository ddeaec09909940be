/* The rights of this program, and the moment when it gives up those it does not need.
 *
 * It starts with the rights of root (by sudo or not) or with capabilities on its file. From its
 * first instruction on none of them is in effect. os_rights_settle() opens the files that the
 * command line names, becomes the user who called sudo, and keeps only what the live collector
 * needs; all else is gone for good, before a byte of a trace is read, an endpoint is opened, a
 * file is created or a command is run. What is kept is raised by the thread that needs it, for
 * the call that needs it. See THREATS in src/README.md.
 *
 * Linux: capabilities. Windows has none of this; there the functions do nothing. */
#ifndef SRC_OS_RIGHTS_H
#define SRC_OS_RIGHTS_H

#include "src/base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What a thread may raise. */
enum os_right {
    OS_MAY_TRACE = 1 << 0,         /* the kernel's events and BPF programs */
    OS_MAY_READ = 1 << 1,          /* files of others: tracefs, programs that run */
    OS_MAY_LOOK_IN = 1 << 2,       /* /proc of others' processes */
    OS_MAY_SEE_ADDRESSES = 1 << 3, /* /proc/kallsyms */
    OS_MAY_LOCK = 1 << 4,          /* memory beyond the limit */
    OS_MAY_HURRY = 1 << 5,         /* to go before other threads */
    OS_MAY_RAISE_LIMITS = 1 << 6,  /* of this process; never kept */
    OS_MAY_WRITE = 1 << 7,         /* in others' folders; kept for root without sudo alone */
    OS_MAY_MOUNT = 1 << 8,         /* a file system, for this process; never kept */
    OS_MAY_WATCH = OS_MAY_TRACE | OS_MAY_READ | OS_MAY_LOOK_IN | OS_MAY_SEE_ADDRESSES | OS_MAY_LOCK,
};

/* First of all in main(), while there is one thread: nothing is in effect from here on. Without
 * this call (tests of parts) raising changes nothing. */
void os_rights_start(void);

struct os_rights_request {
    const char *const *files; /* to be read: os_open() finds them opened */
    size_t file_count;
    bool reads_kernel_names; /* Linux: os_rights_kernel_names() is opened as well */
    unsigned kept;     /* of enum os_right, where they are had */
    bool runs_commands; /* else no program that is started can gain rights */
};

/* Once, while there is one thread. False with a sentence: then the program must end. */
bool os_rights_settle(const struct os_rights_request *w, struct err *err);

/* Gives up what was kept, for the calling thread and those that it starts. */
void os_rights_drop(void);

/* For this thread, until os_rights_return() gets what this call returned. Rights that the process
 * does not have are left out, without a word: the call that needs them says so. Calls nest; no
 * thread may be started in between. */
uint64_t os_rights_raise(unsigned rights);
void os_rights_return(uint64_t before);

/* A descriptor of this file, opened by os_rights_settle(); -1: there is none. It stays ours. */
int os_rights_opened(const char *path);

#endif

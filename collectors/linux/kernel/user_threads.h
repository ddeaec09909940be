/* Without rights the kernel gives events of one's own processes only, and asks for each thread
 * by itself. Then what is one descriptor per event and processor otherwise, on our own process
 * here, has an *fd group* beside it: one descriptor per thread of the user's other processes.
 * Threads and processes that these start are followed by the kernel (inherit).
 *
 * Control's thread, as perf.h. */
#ifndef COLLECTORS_LINUX_KERNEL_USER_THREADS_H
#define COLLECTORS_LINUX_KERNEL_USER_THREADS_H

#include "collectors/linux/kernel/perf.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { USER_THREADS_MAX = 1024 }; /* beyond that many descriptors are not worth it: counted */

struct user_threads {
    uint32_t *tids; /* of the other processes of our user */
    uint32_t count, left_out;
};

/* An fd group of one event on one processor; all zero: none. */
struct fd_group {
    int *fds;
    uint64_t *ids;
    uint32_t count;
};

void user_threads_find(struct user_threads *o);
void user_threads_fini(struct user_threads *o);

/* Opens `w` for each thread into the ring of `owner`; threads that have gone are left out. */
void fd_group_open(struct fd_group *f, struct perf *p, const struct user_threads *o,
                   const struct perf_request *w, int cpu, int owner);
void fd_group_enable(const struct fd_group *f);
void fd_group_disable(const struct fd_group *f);
bool fd_group_redirect(const struct fd_group *f, int owner, struct err *err);
void fd_group_count(const struct fd_group *f, const struct perf *p,
                    struct perf_counts *sum); /* adds */
void fd_group_close(struct fd_group *f);

#endif

/* perf_event_open(2), also where the kernel gives events to CAP_SYS_ADMIN alone: Debian's kernels
 * do as long as kernel.perf_event_paranoid is above 2, which is their default.
 *
 * This process gives that capability up with all others. Where it is needed and had, a second
 * process keeps it from before that moment on: it opens events on request and can do nothing else,
 * under a seccomp filter, with no files, and ends with this one. It never sees a byte of a trace.
 */
#ifndef COLLECTORS_LINUX_KERNEL_PERF_OPENER_H
#define COLLECTORS_LINUX_KERNEL_PERF_OPENER_H

#include <linux/perf_event.h>
#include <stdbool.h>

/* Once, while there is one thread, before rights are given up: starts it if events cannot be opened
 * without it, and can with it. `is_tested`: in any case. False: it was not started. */
bool perf_opener_start(bool is_tested);

/* As the system call for an event without a group; -1 with errno. With `file`, the event's path is
 * what that descriptor is of; -1: it has none, or its own. Any thread. */
int perf_opener_open(const struct perf_event_attr *a, int pid, int cpu, int file);

#endif

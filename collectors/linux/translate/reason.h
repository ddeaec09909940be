/* Why a thread waits: from the system call it is in, or better from the kernel function that
 * sent it to sleep. Nearest meanings of KWAIT_REASON, nothing more. */
#ifndef COLLECTORS_LINUX_TRANSLATE_REASON_H
#define COLLECTORS_LINUX_TRANSLATE_REASON_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum wait_reason {
    REASON_EXECUTIVE = 0,
    REASON_FREE_PAGE = 1,
    REASON_PAGE_IN = 2,
    REASON_DELAY = 4,
    REASON_SUSPENDED = 5,
    REASON_USER_REQUEST = 6,
    REASON_QUEUE = 15,
    REASON_RECEIVE = 16,
    REASON_REPLY = 17,
    REASON_TERMINATED = 22,
    REASON_RATE_CONTROL = 24,
    REASON_RESOURCE = 27,
    REASON_MUTEX = 29,
    REASON_QUANTUM_END = 30,
    REASON_PREEMPTED = 32,
    REASON_YIELD = 33,
    REASON_ALERT = 37,
    REASON_UNKNOWN = 255,
};

/* By the number of the system call of a thread that sleeps; UNKNOWN where that says nothing.
 * -1: the thread is in none. */
enum wait_reason reason_of_call(int64_t call);
bool reason_is_yield(int64_t call);

/* For tests. By a function's name: UNKNOWN where no row matches; *is_passed: it belongs to the
 * scheduler or to tracing; try the next frame. */
enum wait_reason reason_of_function(const char *name, bool *is_passed);

/* What is known of the kernel's functions, by address. */
struct reasons;

/* Reads a text like /proc/kallsyms; NULL where there is none or addresses are hidden. */
struct reasons *reasons_read(FILE *kallsyms);
void reasons_free(struct reasons *r);

/* By the kernel's part of a call chain (with its markers). */
enum wait_reason reason_of_chain(const struct reasons *r, const uint64_t *chain, uint32_t count);

/* How many of the innermost frames are of those who look on: a BPF program that took the chain and
 * what called it. The next is the kernel's function that the event is of. */
uint32_t reason_tracer_frames(const struct reasons *r, const uint64_t *frames, uint32_t count);

#endif

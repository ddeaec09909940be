/* The unwinder: a thread that turns copies of users' stacks into the frames of those who called,
 * for programs that keep no frame pointers. The collector hands it the copy with the call chain
 * that the kernel made, and goes on; what comes back joins the event as a stack walk of its own, a
 * little later. What comes back is always an answer: where unwinding leads no further than the
 * kernel's chain, that chain.
 *
 * Budget: UNWIND_SHARE of a processor's time. What goes beyond it, and what finds the queue full,
 * keeps the kernel's chain and is counted.
 *
 * Threads: all functions here are the collector thread's, but start, stop and figures. */
#ifndef COLLECTORS_LINUX_UNWIND_UNWINDER_H
#define COLLECTORS_LINUX_UNWIND_UNWINDER_H

#include "collectors/linux/kernel/sample.h"

enum { UNWIND_SHARE = 10, /* percent */ UNWOUND_MOST = 192 /* frames of an answer */ };

struct unwinder;

/* Whether stacks can be unwound on this machine, by this build. */
bool unwinder_is_possible(void);

/* NULL where they cannot be. The queue takes a part of what the ring of events does. */
struct unwinder *unwinder_start(size_t ring_bytes);
void unwinder_stop(struct unwinder *u); /* NULL is fine */

/* Asks for the user's frames of a sample; `ticket` comes back with them. False: there is nothing
 * to unwind, or no room (then it is counted): the kernel's chain must do. */
bool unwinder_ask(struct unwinder *u, const struct sample *s, uint64_t ticket);

/* News of processes and their code. */
void unwinder_side_band(struct unwinder *u, const struct sample *s);

struct unwound {
    uint64_t ticket;
    int64_t time; /* of the sample */
    uint32_t pid, tid;
    uint16_t cpu;
    uint16_t count;
    const uint64_t *frames; /* innermost first; good until the next one is taken */
};

/* The next answer; false where there is none (yet). */
bool unwinder_take(struct unwinder *u, struct unwound *out);

/* Whether there are answers to come. */
bool unwinder_is_busy(const struct unwinder *u);

/* Waits, for the last answers; half a second at most. */
void unwinder_wait(struct unwinder *u);

struct unwinder_figures {
    uint64_t asked, rooted; /* questions; answers that reached the beginning of the thread … */
    uint64_t cut, kept;     /* … or the end of the copy; that are the kernel's chain */
    uint64_t over, refused; /* beyond the budget; for want of room in the queue */
    uint64_t ns;            /* of processor time */
};
/* Bytes by now, those of the tables about a second old. Any thread; NULL: 0. */
size_t unwinder_queue_bytes(const struct unwinder *u);
size_t unwinder_table_bytes(const struct unwinder *u);

struct unwinder_figures unwinder_figures(const struct unwinder *u);

#endif

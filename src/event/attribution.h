/* Whose event it is: process, thread and the process's name.
 *
 * A trace has lifetimes late: rundown may come only at its end, and perfinfo headers carry no ids.
 * So a trace is read twice. The first pass, in any order, collects the lifetimes; the second uses
 * them, in time order. Thread and process ids are used again: answers go by time. */
#ifndef SRC_EVENT_ATTRIBUTION_H
#define SRC_EVENT_ATTRIBUTION_H

#include "src/event/event.h"

struct attribution;

struct attribution *attribution_new(void);

/* For events without an end, in one pass and with bounded memory: each is learned a while before it
 * is asked about, and both go on in about the order of time. Who has gone is forgotten later. There
 * is nothing to settle. */
struct attribution *attribution_new_live(void);

void attribution_free(struct attribution *a);

/* First pass: takes note of process and thread lifetimes. */
void attribution_learn(struct attribution *a, const struct event *e);

/* Between the passes. */
void attribution_settle(struct attribution *a);

struct owner {
    uint32_t pid, tid; /* EVENT_NO_ID where nobody knows */
    const char *name;  /* image name of the process, UTF-8, unsanitized, or NULL; of the
                          attribution, live: until the next event is learned */
};

/* Second pass. The payload answers first, then the header, then, for kinds that a running
 * thread causes, the last context switch of that processor. */
struct owner attribution_of(struct attribution *a, const struct event *e);

/* Lifetimes that found no room (see LIFETIMES_MOST): events of theirs stay without a name. */
uint64_t attribution_forgotten(const struct attribution *a);

#endif

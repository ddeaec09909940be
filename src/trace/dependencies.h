/* Which events of a trace go into a part of it. What lies in the stretch and passes the filter
 * is wanted; other events are kept because those need them:
 *
 *   - what describes the machine, the session and the events themselves, wherever it lies,
 *   - who lived and what had which name, within the stretch, whatever the filter says
 *     (the ends of the stretch are the rundown's business),
 *   - stacks of events that are kept, though they come later, and the frames they refer to. */
#ifndef SRC_TRACE_DEPENDENCIES_H
#define SRC_TRACE_DEPENDENCIES_H

#include "src/base/clock.h"
#include "src/trace/rundown.h"
#include "src/trace/select.h"

struct dependencies;

struct dependencies_options {
    int64_t from, to;                 /* ns since 1970 UTC, both belong to it */
    struct select *select;            /* NULL: all pass */
    struct attribution *owners;       /* settled; asked where there is a select */
    const struct rundown *rundown;    /* of the whole trace */
    const struct trace_clock *clocks; /* by source */
};

struct dependencies *dependencies_new(const struct dependencies_options *o);
void dependencies_free(struct dependencies *k);

enum dependency_answer {
    DEPENDENCY_NOT,
    DEPENDENCY_WANTED,
    DEPENDENCY_NEEDED, /* by others */
    DEPENDENCY_DESCRIPTION, /* of machine, session, events or stacks: needed, and as true at the
                             * stretch's nearer end as at its own time */
};

/* Events come in time order. */
enum dependency_answer dependencies_event(struct dependencies *k, const struct event *e,
                                          int64_t ns);

#endif

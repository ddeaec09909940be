/* Which events a filter selects, where there is no model: it is asked about what a record
 * carries itself — time, processor, ids, class and name, level, keywords and task, the process,
 * the fields and texts of its payload, and the file or registry key it is about. What takes
 * several events to know (latency, wait, connection …) is refused with a sentence. */
#ifndef SRC_TRACE_SELECT_H
#define SRC_TRACE_SELECT_H

#include "src/event/attribution.h"
#include "src/event/schema.h"
#include "src/filter/filter.h"
#include "src/trace/rundown.h"

struct select;

/* Where names are found that other records carry. All of it stays the caller's. */
struct select_names {
    const struct rundown *rundown;
    struct schemas *schemas;
    const bool *is_linux; /* by source; NULL: none is */
};

/* `span` is what times refer to. NULL with a sentence when the filter is none, or not one for
 * records. */
struct select *select_new(const char *filter, const struct select_names *names,
                          const struct filter_span *span, struct err *err);
void select_free(struct select *s);
const struct filter *select_filter(const struct select *s);

/* `ns` is the event's time since 1970 UTC. */
bool select_passes(struct select *s, const struct event *e, const struct owner *owner, int64_t ns);

#endif

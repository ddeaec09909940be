/* Selects events by fields that depend on several events: latency, status, class, connection, …
 * They have the same values as in the panes; the models are its own.
 *
 * A file is read twice: names that come late hold for earlier events, too. The same events in the
 * same order become the same facts; those of the second pass use the model of the first. */
#ifndef SRC_TRACE_SELECT_FACT_H
#define SRC_TRACE_SELECT_FACT_H

#include "src/base/clock.h"
#include "src/event/schema.h"
#include "src/filter/filter.h"

struct fact_select;

/* What records do not have. All of it stays the caller's. */
struct fact_select_options {
    const char *filter;
    const struct filter_span *span; /* what times refer to */
    struct schemas *schemas;
    const bool *is_linux; /* by source */
    bool is_live;         /* one pass: events are asked about as they come */
};

/* Does the filter ask for more than a record knows (src/trace/select.h)? */
bool fact_select_is_for(const char *filter);

/* NULL with a sentence when the filter is none, or asks for stacks or tags. */
struct fact_select *fact_select_new(const struct fact_select_options *o, struct err *err);
void fact_select_free(struct fact_select *s); /* NULL is fine */
const struct filter *fact_select_filter(const struct fact_select *s);

/* The first pass, not where it is live; then the second, both with every event, in time order. `ns`
 * is the event's time since 1970 UTC. */
void fact_select_learn(struct fact_select *s, const struct event *e,
                       const struct trace_clock *clock, int64_t ns);
bool fact_select_passes(struct fact_select *s, const struct event *e,
                        const struct trace_clock *clock, int64_t ns);

#endif

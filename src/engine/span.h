/* Spans: the time from one event to a later one, as an event of its own that can be counted,
 * filtered and watched like all others (class "span", its latency is the time between them).
 *
 *   NAME = from EVENT to EVENT by KEY [max TIME]
 *   gc = from GC/SuspendEEStart to GC/RestartEEStop by pid max 1m
 *   answer = from class=network op=receive to class=network op=send by connection
 *
 * EVENT is a filter, or the name of an event with "where FILTER" behind it. KEY says which ends
 * belong together: pid, tid or any field that both events have, of the registry (src/field/field.h)
 * or of their payload. A span that has not ended after TIME (10 s by default) has failed. A second
 * beginning with the same key takes the place of the first. */
#ifndef SRC_ENGINE_SPAN_H
#define SRC_ENGINE_SPAN_H

#include "src/base/err.h"
#include "src/model/model.h"

#include <stdint.h>

enum { SPANS_MOST = 16, SPAN_NAME = 48, SPAN_FILTER = 512 };

/* One that was read. */
struct span {
    char name[SPAN_NAME];
    char from[SPAN_FILTER], to[SPAN_FILTER]; /* filters for records */
    char by[SPAN_NAME];
    int64_t max_ns;
};

/* A definition as above, or the name of one that is shipped. False with a sentence. */
bool span_parse(const char *text, struct span *out, struct err *err);

/* Those that are shipped, by number: their definition; NULL behind the last. */
const char *span_shipped(unsigned number);

/* ---- following them in an engine (span_follow.c) ---------------------------------------------- */

struct span_set;

/* Follows the spans in events of the model. Definitions that cannot be read are left out: whoever
 * asks for them has read them before. NULL where there are none. Engine's thread, as all here. */
struct span_set *span_set_new(const char *const *texts, size_t count, struct model *m);
void span_set_free(struct span_set *s); /* NULL is fine */

/* The classes that a live collector has to collect for them (bits of enum fact_class): those that
 * their filters name. */
uint32_t span_set_classes(const struct span_set *s);

/* Looks at an event and its fact; calls `ended` with a fact of each span that ends by it, or whose
 * time is over. */
void span_set_take(struct span_set *s, const struct event *e, source_id source,
                   const struct fact *f, void (*ended)(void *of, const struct fact *f), void *of);

#endif

/* Events that describe themselves (TraceLogging): beside their payload they carry the name of
 * their provider, their own, and names and types of their fields. */
#ifndef SRC_EVENT_TRACELOGGING_H
#define SRC_EVENT_TRACELOGGING_H

#include "src/event/decode.h"

struct tracelogging {
    const char *provider, *event; /* in the record; never NULL */
    struct layout layout;         /* of `fields` */
    struct field fields[DECODE_FIELDS];
};

/* What the event says of itself; false when it says nothing. Good as long as the record is.
 * Fields beyond DECODE_FIELDS are left out: their bytes are trailing bytes. */
bool tracelogging_read(const struct event *e, struct tracelogging *out);

/* Its description as one number, equal for equal ones; 0 when there is none. */
uint32_t tracelogging_hash(const struct event *e);

/* The layout of any event: of its kind, or else its own, which is put into `room`; or NULL. */
const struct layout *tracelogging_layout(const struct event *e, struct tracelogging *room);

#endif

/* Events that describe themselves (TraceLogging): beside their payload they carry the name of
 * their provider, their own, and names and types of their fields. */
#ifndef SRC_EVENT_TRACELOGGING_H
#define SRC_EVENT_TRACELOGGING_H

#include "src/event/decode.h"

struct tracelogging {
    const char *provider, *event; /* in the record; never NULL */
    struct payload_layout layout; /* of `fields` */
    struct field fields[DECODE_FIELDS];
};

/* What the event says of itself; false when it says nothing. Good as long as the record is.
 * Fields beyond DECODE_FIELDS are left out: their bytes are trailing bytes. */
bool tracelogging_read(const struct event *e, struct tracelogging *out);

/* The description alone: names, types and fields as the record has them. */
struct tracelogging_description {
    const uint8_t *at;
    uint32_t bytes;
    uint32_t hash; /* equal for equal ones, never 0 */
};

/* False when the event has none. */
bool tracelogging_describe(const struct event *e, struct tracelogging_description *out);

/* The same as tracelogging_read() from a description; the provider is "". */
bool tracelogging_read_description(const uint8_t *at, size_t bytes, struct tracelogging *out);

/* The hash of its description; 0 when there is none. */
uint32_t tracelogging_hash(const struct event *e);

/* The field type (enum field_type) of an in type's number, FIELD_UNKNOWN where there is none. */
unsigned tracelogging_type(unsigned in);

/* Changes type and role of a field so that it is shown as an out type asks for. */
void tracelogging_show_as(struct field *f, unsigned out);

#endif

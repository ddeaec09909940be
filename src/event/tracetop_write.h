/* Writing events that describe themselves (TraceLogging): of tracetop's provider
 * (src/event/tracetop_provider.h), and of others. */
#ifndef SRC_EVENT_TRACETOP_WRITE_H
#define SRC_EVENT_TRACETOP_WRITE_H

#include "src/base/guid.h"
#include "src/base/payload_writer.h"

#include <stdint.h>

/* An event of a provider. `fields` is a list "name:type,…" with the types u8 … u64, i8 … i64, f64,
 * hex32, hex64, text (UTF-8, NUL-terminated) and bytes (a u16 says how many), of which N elements
 * of one size are type[N]. */
struct event_description {
    struct guid provider;
    const char *provider_name, *event, *fields;
};

/* Header, name and description of an event at the payload writer, which has room for them; `time`
 * is raw. The payload follows in the order of the fields. */
void described_write_begin(struct payload_writer *p, const struct event_description *d,
                           uint32_t pid, uint32_t tid, int64_t time);

/* Where the header, which comes first, has these. */
enum {
    DESCRIBED_TID = 8,
    DESCRIBED_PID = 12,
    DESCRIBED_TIME = 16,
    DESCRIBED_PROVIDER = 24,
    DESCRIBED_LEVEL = 44
};

/* The same of tracetop's provider. */
void tracetop_write_begin(struct payload_writer *p, const char *event, const char *fields,
                          uint32_t pid, uint32_t tid, int64_t time);

/* The record ends at the payload writer: its size goes into its header. */
void tracetop_write_end(struct payload_writer *p);

#endif

/* Writing events of tracetop's provider (src/event/tracetop_provider.h). */
#ifndef SRC_EVENT_TRACETOP_WRITE_H
#define SRC_EVENT_TRACETOP_WRITE_H

#include "src/base/payload_writer.h"

#include <stdint.h>

/* Header, name and description of an event at the payload writer, which has room for them; `time`
 * is raw. `fields` is a list "name:type,…" with the types u8 u16 u32 u64 f64 hex32 hex64 text
 * (UTF-8, NUL-terminated); the payload follows in that order. */
void tracetop_write_begin(struct payload_writer *p, const char *event, const char *fields,
                          uint32_t pid, uint32_t tid, int64_t time);

/* The record ends at the payload writer: its size goes into its header. */
void tracetop_write_end(struct payload_writer *p);

#endif

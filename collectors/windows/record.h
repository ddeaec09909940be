/* An event as ETW hands it over becomes the record that ETW would have written into a file.
 *
 * Kernel classes come with their class GUID and opcode; back to the hook they go, with the
 * header that they had (events without a process and a thread: the short one). Events of
 * manifests and TraceLogging keep their extended items, WPP messages their options. */
#ifndef COLLECTORS_WINDOWS_RECORD_H
#define COLLECTORS_WINDOWS_RECORD_H

#include "collectors/windows/etw_event.h"

#include <stdbool.h>
#include <stdint.h>

/* What the record will be: filled by record_plan(), which looks at no payload. */
struct record_plan {
    const EVENT_RECORD *event;
    uint32_t bytes;   /* of the record, at most 65535 */
    uint32_t items;   /* bytes of extended items as they will stand there */
    uint16_t payload; /* bytes */
    uint16_t hook;    /* of kernel classes */
    uint16_t cpu;
    uint8_t kind; /* enum header_kind */
    uint8_t pointer;
    uint8_t counters; /* values of processor counters before the payload */
    bool has_pebs;    /* in front of these the index of a processor's own sample */
    bool is_cut;      /* items or payload had to be left out: they exceed a record's size */
    bool is_lost;     /* ETW says that events were lost here */
};

/* Once, before the first plan. Any thread. */
void record_prepare(void);

/* Collector path: no system calls, no allocation. */
void record_plan(const EVENT_RECORD *r, struct record_plan *out);

/* Writes p->bytes bytes. */
void record_write(const struct record_plan *p, uint8_t *to);

#endif

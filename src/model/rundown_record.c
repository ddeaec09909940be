/* The records of a rundown, begun and ended. See rundown.h. */
#include "src/base/payload_writer.h"
#include "src/base/text.h"
#include "src/event/tracetop_write.h"
#include "src/model/rundown.h"
#include "src/model/rundown_append.h"
#include "src/model/rundown_inside.h"
#include "src/ring/ring.h"

#include <string.h>

int64_t rundown_raw_time(const struct model_rundown *r, unsigned source)
{
    return trace_clock_raw(&r->o.model->sources[source].clock, r->o.at_ns);
}

/* The room for one record, empty; its time is the source's clock. */
static struct payload_writer *begin(struct model_rundown *r, source_id source)
{
    struct rundown_record *const d = &r->made;
    d->head = (struct record_head){.form = RECORD_ETW,
                                   .source = (uint8_t)(source % SOURCE_MAX),
                                   .ts = rundown_raw_time(r, source)};
    uint8_t *const start = (uint8_t *)d->room;
    d->payload_writer = (struct payload_writer){start, start, start + RECORD_MOST};
    return &d->payload_writer;
}

struct payload_writer *rundown_begin(struct model_rundown *r, source_id source, unsigned hook,
                                     unsigned version)
{
    struct payload_writer *const p = begin(r, source);
    put_u16(p, version);
    put_u8(p, TYPE_PERFINFO64);
    put_u8(p, HEADER_FLAGS);
    put_u16(p, 0);
    put_u8(p, hook & 0xff);
    put_u8(p, hook >> 8);
    put_u64(p, (uint64_t)r->made.head.ts);
    return p;
}

void rundown_end(struct model_rundown *r)
{
    struct rundown_record *const d = &r->made;
    const uint16_t size = (uint16_t)(d->payload_writer.at - d->payload_writer.start);
    memcpy(d->payload_writer.start + 4, &size, sizeof size);
    d->head.bytes = (uint32_t)sizeof d->head + size;
    rundown_append(&r->bytes, &r->used, &r->room, &d->head, d->payload_writer.start);
}

struct payload_writer *rundown_begin_tracetop(struct model_rundown *r, source_id source,
                                              const char *event, const char *fields)
{
    struct payload_writer *const p = begin(r, source);
    tracetop_write_begin(p, event, fields, EVENT_NO_ID, EVENT_NO_ID, r->made.head.ts);
    return p;
}

void rundown_end_tracetop(struct model_rundown *r)
{
    struct rundown_record *const d = &r->made;
    tracetop_write_end(&d->payload_writer);
    d->head.bytes =
        (uint32_t)(sizeof d->head + (size_t)(d->payload_writer.at - d->payload_writer.start));
    rundown_append(&r->bytes, &r->used, &r->room, &d->head, d->payload_writer.start);
}

void rundown_put_wide(struct payload_writer *p, const char *text)
{
    enum { LEFT_FOR_OTHERS = 64 };
    if (text && payload_room(p) > LEFT_FOR_OTHERS)
        p->at += text_to_utf16(p->at, payload_room(p) - LEFT_FOR_OTHERS, text, strlen(text));
    put_u16(p, 0);
}

void rundown_put_narrow(struct payload_writer *p, const char *text)
{
    enum { LONGEST = 1024 };
    if (text)
        put_bytes(p, text, strnlen(text, LONGEST));
    put_u8(p, 0);
}

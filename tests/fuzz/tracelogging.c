/* Any bytes as the description and the payload of a TraceLogging event, each in memory of exactly
 * its size. The first two bytes are the size of the description, the third chooses the size of
 * pointers. */
#include "src/base/bytes.h"
#include "src/event/tracelogging.h"
#include "src/export/line.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

enum { ITEM_HEAD = 8, SCHEMA_TL = 11, MOST = 32 << 10 };

static void must(bool holds)
{
    if (!holds)
        abort();
}

static uint8_t *copy_of(struct bytes *b, size_t bytes, size_t head)
{
    uint8_t *const copy = calloc(1, head + bytes);
    must(copy);
    memcpy(copy + head, b->at, bytes);
    bytes_skip(b, bytes);
    return copy;
}

static void check_text(const struct decoded *d, size_t room)
{
    static char text[LINE_VALUE];
    const size_t n = decode_format(d, text, room);
    must(n < room && text[n] == '\0');
}

static void check_field(const struct event *e, const struct decoded *d)
{
    check_text(d, LINE_VALUE);
    check_text(d, 9);
    if (!d->is_present)
        return;
    must(d->end <= e->payload_bytes);
    if (d->bytes)
        must(d->data >= e->payload && d->data + d->bytes <= e->payload + e->payload_bytes);
    struct decoded element;
    size_t cursor = 0;
    uint32_t elements = 0;
    while (d->members ? decode_structure(d, &cursor) : decode_element(d, &cursor, &element))
        elements++;
    must(!d->is_list || elements == d->elements);
}

static void check_lines(const struct event *e, const struct tracelogging *t)
{
    static char text[LINE_ROOM], value[LINE_VALUE];
    const struct line_event le = {.event = e,
                                  .layout = &t->layout,
                                  .class_name = t->provider,
                                  .event_name = t->event,
                                  .owner = {EVENT_NO_ID, EVENT_NO_ID, NULL}};
    struct line line = {.at = text, .value = value};
    line_jsonl(&line, &le);
    must(line.at[-1] == '\n' && line.at < text + LINE_ROOM);
    line.at = text;
    line_text(&line, &le);
    must(line.at[-1] == '\n' && line.at < text + LINE_ROOM);
}

static void check_event(const struct event *e)
{
    struct tracelogging t;
    struct decoded fields[DECODE_FIELDS];
    if (!tracelogging_read(e, &t))
        return;
    must(tracelogging_hash(e) != 0);
    const unsigned count = decode_fields(&t.layout, e, fields, DECODE_FIELDS);
    must(count == t.layout.field_count);
    for (unsigned i = 0; i < count; i++)
        if (!fields[i].is_member)
            check_field(e, &fields[i]);
    check_lines(e, &t);
    decode_fields(&t.layout, e, fields, count / 2);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    struct bytes b = bytes_of(data, bytes < MOST ? bytes : MOST);
    const uint16_t wanted = bytes_u16(&b);
    const uint8_t how = bytes_u8(&b);
    const size_t schema = wanted < b.left ? wanted : b.left;
    uint8_t *const items = copy_of(&b, schema, ITEM_HEAD);
    const size_t payload_bytes = b.left;
    uint8_t *const payload = copy_of(&b, payload_bytes, 0);
    store_u16(items, (uint16_t)(ITEM_HEAD + schema));
    items[2] = SCHEMA_TL;
    store_u16(items + 6, (uint16_t)schema);
    const struct event e = {.kind = HEADER_MANIFEST,
                            .pointer = how & 1 ? 4 : 8,
                            .extended = items,
                            .extended_bytes = (uint32_t)(ITEM_HEAD + schema),
                            .payload = payload,
                            .payload_bytes = (uint32_t)payload_bytes};
    check_event(&e);
    free(items);
    free(payload);
    return 0;
}

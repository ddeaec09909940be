/* Any bytes as the description and the payload of a TraceLogging event, each in memory of exactly
 * its size. The first two bytes are the size of the description, the third chooses the size of
 * pointers. */
#include "tests/fuzz/fields.h"

#include "src/event/tracelogging.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

enum { ITEM_HEAD = 8, SCHEMA_TL = 11, MOST = 32 << 10 };

static void check_event(const struct event *e)
{
    struct tracelogging t;
    if (!tracelogging_read(e, &t))
        return;
    must(tracelogging_hash(e) != 0);
    check_fields(e, &t.layout);
    check_lines(&(struct line_event){.event = e,
                                     .layout = &t.layout,
                                     .class_name = t.provider,
                                     .event_name = t.event,
                                     .owner = {EVENT_NO_ID, EVENT_NO_ID, NULL}});
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

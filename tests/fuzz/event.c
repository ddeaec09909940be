/* Any bytes as one record: what the parser accepts lies in the span, and the cheap look
 * at its time agrees with the full one. */
#include "src/event/event.h"

#include <assert.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

static void check_items(const struct event *e)
{
    struct event_item item;
    uint32_t count = 0;
    for (uint32_t at = 0; event_item_next(e, &at, &item); count++) {
        assert(at <= e->extended_bytes);
        assert(item.data >= e->extended && item.data + item.size <= e->payload);
    }
    assert((count > 0) == (e->extended_bytes > 0));
}

static void check_event(const struct event *e, const uint8_t *data, size_t bytes)
{
    assert(e->kind < HEADER_KINDS && (e->pointer == 4 || e->pointer == 8));
    assert(e->record == data && e->record_bytes >= 8 && e->record_bytes <= bytes);
    assert(e->payload >= data && e->payload + e->payload_bytes <= data + e->record_bytes);
    assert(!e->pmc || e->pmc + 8 * e->counters == e->payload);
    check_items(e);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    struct event e;
    int64_t ts = 0;
    const enum event_parsed parsed = event_parse(data, bytes, &e);
    const bool has_time = event_time(data, bytes, &ts);
    if (parsed != EVENT_OK)
        return 0;
    check_event(&e, data, bytes);
    assert(has_time == event_has_time(&e));
    assert(!has_time || ts == e.ts);
    event_class_guid(e.id);
    return 0;
}

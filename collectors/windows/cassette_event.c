#include "collectors/windows/cassette_event.h"

bool cassette_event_of(const EVENT_RECORD *r, int64_t arrived, struct cassette_event *out)
{
    out->arrived = arrived;
    out->header = (const uint8_t *)&r->EventHeader;
    out->context = (const uint8_t *)&r->BufferContext;
    out->user = r->UserData;
    out->user_bytes = r->UserDataLength;
    out->item_count = r->ExtendedData ? r->ExtendedDataCount : 0;
    if (out->item_count > CASSETTE_ITEMS)
        return false;
    for (unsigned i = 0; i < out->item_count; i++) {
        const EVENT_HEADER_EXTENDED_DATA_ITEM *const item = &r->ExtendedData[i];
        out->items[i] = (struct cassette_item){
            .reserved = item->Reserved1,
            .type = item->ExtType,
            .linkage = (uint16_t)(item->Linkage | item->Reserved2 << 1),
            .bytes = item->DataSize,
            .data = (const uint8_t *)(uintptr_t)item->DataPtr,
        };
    }
    return true;
}

/* Between events of a cassette and EVENT_RECORDs: the one that is recorded, the one that is played. */
#ifndef TESTS_CASSETTE_PLAY_H
#define TESTS_CASSETTE_PLAY_H

#include "tests/cassette/deliver.h"

#include "src/etl/cassette.h"

#include <string.h>

/* An EVENT_RECORD as it was recorded, with pointers into the cassette. */
struct played {
    EVENT_RECORD record;
    EVENT_HEADER_EXTENDED_DATA_ITEM items[CASSETTE_ITEMS];
};

static inline void play_event(struct played *p, const struct cassette_event *e, void *context)
{
    EVENT_RECORD *const r = &p->record;
    memset(r, 0, sizeof *r);
    memcpy(&r->EventHeader, e->header, sizeof r->EventHeader);
    memcpy(&r->BufferContext, e->context, sizeof r->BufferContext);
    r->ExtendedDataCount = e->item_count;
    r->ExtendedData = e->item_count ? p->items : NULL;
    r->UserDataLength = e->user_bytes;
    r->UserData = (void *)(uintptr_t)e->user;
    r->UserContext = context;
    for (unsigned i = 0; i < e->item_count; i++) {
        EVENT_HEADER_EXTENDED_DATA_ITEM *const item = &p->items[i];
        memset(item, 0, sizeof *item);
        item->Reserved1 = e->items[i].reserved;
        item->ExtType = e->items[i].type;
        item->Linkage = e->items[i].linkage & 1;
        item->Reserved2 = e->items[i].linkage >> 1;
        item->DataSize = e->items[i].bytes;
        item->DataPtr = (ULONGLONG)(uintptr_t)e->items[i].data;
    }
}

#endif

#include "tests/cassette/deliver.h"

#include "src/base/bytes.h"
#include "src/event/event.h"

#include <string.h>

enum { ITEM_HEAD = 8, COUNTER = 8, INSTANCE_BYTES = 24 };

static void add_item(struct delivery *d, unsigned type, const uint8_t *data, size_t bytes)
{
    EVENT_RECORD *const r = &d->record;
    if (r->ExtendedDataCount == DELIVER_ITEMS)
        return;
    if (r->ExtendedDataCount)
        d->items[r->ExtendedDataCount - 1].Linkage = 1;
    d->items[r->ExtendedDataCount++] =
        (EVENT_HEADER_EXTENDED_DATA_ITEM){.ExtType = (USHORT)type,
                                          .DataSize = (USHORT)bytes,
                                          .DataPtr = (ULONGLONG)(uintptr_t)data};
}

static void set_user(EVENT_RECORD *r, const uint8_t *record, size_t from, size_t size)
{
    r->UserDataLength = (USHORT)(size - from);
    r->UserData = size > from ? (void *)(uintptr_t)(record + from) : NULL;
}

/* ---- one function per kind of header -------------------------------------------------------- */

/* The version's high bits count what stands between header and payload. */
static bool set_kernel(struct delivery *d, const uint8_t *at, size_t header, size_t size)
{
    EVENT_HEADER *const h = &d->record.EventHeader;
    const unsigned word = load_u16(at), values = word >> 8 & 7;
    const struct guid *const class = event_class_guid(load_u16(at + 6));
    const struct guid none = {{0}};
    if (memcmp(class, &none, sizeof none) == 0)
        return false;
    h->Flags |= EVENT_HEADER_FLAG_CLASSIC_HEADER;
    h->EventProperty = EVENT_HEADER_PROPERTY_LEGACY_EVENTLOG;
    h->EventDescriptor.Version = (UCHAR)word;
    h->EventDescriptor.Opcode = at[6];
    memcpy(&h->ProviderId, class, sizeof h->ProviderId);
    if (word & 0x8000 && size >= header + COUNTER) {
        add_item(d, EVENT_HEADER_EXT_TYPE_PEBS_INDEX, at + header, COUNTER);
        header += COUNTER;
    }
    if (size < header + COUNTER * (size_t)values)
        return false;
    if (values)
        add_item(d, EVENT_HEADER_EXT_TYPE_PMC_COUNTERS, at + header, COUNTER * (size_t)values);
    set_user(&d->record, at, header + COUNTER * (size_t)values, size);
    return true;
}

static bool set_system(struct delivery *d, const uint8_t *at, size_t header, size_t size)
{
    enum { WITH_TIMES = 32, TIMES_AT = 24 };
    EVENT_HEADER *const h = &d->record.EventHeader;
    h->ThreadId = load_u32(at + 8);
    h->ProcessId = load_u32(at + 12);
    h->TimeStamp.QuadPart = (int64_t)load_u64(at + 16);
    if (header == WITH_TIMES)
        h->ProcessorTime = load_u64(at + TIMES_AT);
    return set_kernel(d, at, header, size);
}

static bool set_perfinfo(struct delivery *d, const uint8_t *at, size_t header, size_t size)
{
    EVENT_HEADER *const h = &d->record.EventHeader;
    h->ThreadId = h->ProcessId = EVENT_NO_ID;
    h->TimeStamp.QuadPart = (int64_t)load_u64(at + 8);
    return set_kernel(d, at, header, size);
}

static bool set_full(struct delivery *d, const uint8_t *at, size_t header, size_t size)
{
    enum { INSTANCE = 72, INSTANCE_AT = 48 };
    EVENT_HEADER *const h = &d->record.EventHeader;
    h->Flags |= EVENT_HEADER_FLAG_CLASSIC_HEADER;
    h->EventProperty = EVENT_HEADER_PROPERTY_LEGACY_EVENTLOG;
    h->EventDescriptor.Opcode = at[4];
    h->EventDescriptor.Level = at[5];
    h->EventDescriptor.Version = (UCHAR)load_u16(at + 6);
    h->ThreadId = load_u32(at + 8);
    h->ProcessId = load_u32(at + 12);
    h->TimeStamp.QuadPart = (int64_t)load_u64(at + 16);
    memcpy(&h->ProviderId, at + 24, sizeof h->ProviderId);
    h->ProcessorTime = load_u64(at + 40);
    if (header == INSTANCE)
        add_item(d, EVENT_HEADER_EXT_TYPE_INSTANCE_INFO, at + INSTANCE_AT, INSTANCE_BYTES);
    set_user(&d->record, at, header, size);
    return true;
}

/* Extended items end with the first one that says so. */
static bool set_items(struct delivery *d, const uint8_t *at, size_t *used, size_t size)
{
    enum { ANOTHER = 1 };
    for (bool goes_on = true; goes_on;) {
        const uint8_t *const item = at + *used;
        if (size - *used < ITEM_HEAD)
            return false;
        const unsigned bytes = load_u16(item), data = load_u16(item + 6);
        if (bytes < ITEM_HEAD || bytes % 8 || bytes > size - *used || data > bytes - ITEM_HEAD)
            return false;
        add_item(d, load_u16(item + 2), item + ITEM_HEAD, data);
        goes_on = load_u16(item + 4) & ANOTHER;
        *used += bytes;
    }
    return true;
}

static bool set_event(struct delivery *d, const uint8_t *at, size_t header, size_t size)
{
    EVENT_HEADER *const h = &d->record.EventHeader;
    size_t used = header;
    h->Flags |= load_u16(at + 4);
    h->EventProperty = load_u16(at + 6);
    h->ThreadId = load_u32(at + 8);
    h->ProcessId = load_u32(at + 12);
    h->TimeStamp.QuadPart = (int64_t)load_u64(at + 16);
    memcpy(&h->ProviderId, at + 24, sizeof h->ProviderId);
    memcpy(&h->EventDescriptor, at + 40, sizeof h->EventDescriptor);
    h->ProcessorTime = load_u64(at + 56);
    memcpy(&h->ActivityId, at + 64, sizeof h->ActivityId);
    if (h->Flags & EVENT_HEADER_FLAG_EXTENDED_INFO && !set_items(d, at, &used, size))
        return false;
    set_user(&d->record, at, used, size);
    return true;
}

/* A message of WPP; optional fields come in this order. */
static bool set_message(struct delivery *d, const uint8_t *at, size_t size, int64_t ts)
{
    enum { SEQUENCE = 1, CLASS = 2, COMPONENT = 4, TIME = 8, IDS = 0x20, POINTER32 = 0x40 };
    EVENT_HEADER *const h = &d->record.EventHeader;
    const unsigned options = load_u16(at + 6);
    struct bytes b = bytes_of(at + 8, size - 8);
    h->Flags = EVENT_HEADER_FLAG_TRACE_MESSAGE | (options & POINTER32 ? EVENT_HEADER_FLAG_32_BIT_HEADER
                                                                      : EVENT_HEADER_FLAG_64_BIT_HEADER);
    h->EventDescriptor.Id = load_u16(at + 4);
    h->ThreadId = h->ProcessId = EVENT_NO_ID;
    if (options & SEQUENCE)
        bytes_skip(&b, 4);
    const uint8_t *const class = options & CLASS ? bytes_take(&b, sizeof h->ProviderId) : NULL;
    if (class)
        memcpy(&h->ProviderId, class, sizeof h->ProviderId);
    if ((options & (CLASS | COMPONENT)) == COMPONENT)
        bytes_skip(&b, 4);
    h->TimeStamp.QuadPart = options & TIME ? (int64_t)bytes_u64(&b) : ts;
    if (options & IDS) {
        h->ThreadId = bytes_u32(&b);
        h->ProcessId = bytes_u32(&b);
    }
    set_user(&d->record, at, size - b.left, size);
    return !b.bad;
}

/* ---- the table --------------------------------------------------------------------------------- */

static const struct header {
    uint8_t bytes, size_at; /* 0 bytes: there is no such type */
    bool is_32;
    bool (*set)(struct delivery *d, const uint8_t *at, size_t header, size_t size);
} headers[22] = {
    [1] = {32, 4, true, set_system},    [2] = {32, 4, false, set_system},
    [3] = {24, 4, true, set_system},    [4] = {24, 4, false, set_system},
    [10] = {48, 0, true, set_full},     [11] = {72, 0, true, set_full},
    [16] = {16, 4, true, set_perfinfo}, [17] = {16, 4, false, set_perfinfo},
    [18] = {80, 0, true, set_event},    [19] = {80, 0, false, set_event},
    [20] = {48, 0, false, set_full},    [21] = {72, 0, false, set_full},
};

static bool set_typed(struct delivery *d, const uint8_t *at, size_t bytes)
{
    const unsigned type = at[2];
    const struct header *const h = type < sizeof headers / sizeof *headers ? &headers[type] : NULL;
    if (!h || !h->bytes || bytes < h->bytes)
        return false;
    const size_t size = load_u16(at + h->size_at);
    if (size < h->bytes || size > bytes)
        return false;
    d->record.EventHeader.Size = (USHORT)size;
    d->record.EventHeader.HeaderType = load_u16(at + 2);
    d->record.EventHeader.Flags =
        h->is_32 ? EVENT_HEADER_FLAG_32_BIT_HEADER : EVENT_HEADER_FLAG_64_BIT_HEADER;
    return h->set(d, at, h->bytes, size);
}

bool deliver_record(struct delivery *d, const uint8_t *record, size_t bytes,
                    const struct delivery_place *place)
{
    enum { MARK = 0xc0, MESSAGE_MARK = 0x90, LEAST = 8 };
    EVENT_RECORD *const r = &d->record;
    memset(r, 0, sizeof *r);
    if (bytes < LEAST)
        return false;
    const size_t size = load_u16(record);
    const bool is_message = record[3] == MESSAGE_MARK && size >= LEAST && size <= bytes;
    if (!(is_message ? set_message(d, record, size, place->ts)
                     : record[3] == MARK && set_typed(d, record, bytes)))
        return false;
    r->BufferContext.ProcessorIndex = place->client_context;
    r->BufferContext.LoggerId = place->logger;
    if (place->has_index)
        r->EventHeader.Flags |= EVENT_HEADER_FLAG_PROCESSOR_INDEX;
    r->ExtendedData = r->ExtendedDataCount ? d->items : NULL;
    return true;
}

void deliver_choose(struct delivery *d, bool (*wants)(void *of, unsigned type), void *of)
{
    EVENT_RECORD *const r = &d->record;
    unsigned kept = 0;
    for (unsigned i = 0; i < r->ExtendedDataCount; i++)
        if (wants(of, d->items[i].ExtType))
            d->items[kept++] = d->items[i];
    for (unsigned i = 0; i < kept; i++)
        d->items[i].Linkage = i + 1 < kept;
    r->ExtendedDataCount = (USHORT)kept;
    r->ExtendedData = kept ? d->items : NULL;
    if (!kept)
        r->EventHeader.Flags &= (USHORT)~EVENT_HEADER_FLAG_EXTENDED_INFO;
}

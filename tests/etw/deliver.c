/* From records as they lie in buffers to EVENT_RECORDs, as Windows shows them to consumers:
 * kernel events by the GUID of their class, with their type as opcode and no process or thread
 * where the record has none. */
#include "tests/etw/fake.h"

#include "src/base/bytes.h"

#include <string.h>

enum {
    EXT_SID = 2,
    EXT_TS_ID = 3,
    EXT_STACK32 = 5,
    EXT_STACK64 = 6,
    EXT_PMC = 8,
    COUNTER = 8, /* bytes */
};

static void add_item(struct delivery *d, unsigned type, const uint8_t *data, uint16_t bytes)
{
    EVENT_RECORD *const r = &d->record;
    if (r->ExtendedDataCount == DELIVER_ITEMS)
        return;
    if (r->ExtendedDataCount)
        d->items[r->ExtendedDataCount - 1].Linkage = 1;
    d->items[r->ExtendedDataCount++] = (EVENT_HEADER_EXTENDED_DATA_ITEM){
        .ExtType = (USHORT)type, .DataSize = bytes, .DataPtr = (ULONGLONG)(uintptr_t)data};
}

/* Items that come only where EnableProperty asks for them. */
static bool is_asked_for(unsigned type, const struct enabled *p)
{
    static const struct {
        uint8_t type;
        ULONG property;
    } asked[] = {{EXT_SID, 1},
                 {EXT_TS_ID, 2},
                 {EXT_STACK32, 4},
                 {EXT_STACK64, 4},
                 {ETW_EXT_PSM_KEY, ETW_PROPERTY_PSM_KEY},
                 {ETW_EXT_EVENT_KEY, ETW_PROPERTY_EVENT_KEY},
                 {ETW_EXT_PROCESS_START_KEY, ETW_PROPERTY_PROCESS_START_KEY}};
    for (size_t i = 0; i < sizeof asked / sizeof *asked; i++)
        if (asked[i].type == type)
            return p && p->property & asked[i].property;
    return true;
}

static void add_items(struct delivery *d, const struct event *e, const struct fake_session *s)
{
    const struct enabled *const p = provider_enabled(s, &e->provider);
    struct event_item item;
    for (uint32_t at = 0; event_item_next(e, &at, &item);)
        if (is_asked_for(item.type, p))
            add_item(d, item.type, item.data, item.size);
}

static USHORT flags_of(const struct event *e)
{
    const USHORT width =
        e->pointer == 4 ? EVENT_HEADER_FLAG_32_BIT_HEADER : EVENT_HEADER_FLAG_64_BIT_HEADER;
    if (e->kind == HEADER_MANIFEST)
        return (USHORT)((e->flags &
                         ~(EVENT_HEADER_FLAG_32_BIT_HEADER | EVENT_HEADER_FLAG_64_BIT_HEADER)) |
                        width);
    return (USHORT)(width | (e->kind == HEADER_MESSAGE ? EVENT_HEADER_FLAG_TRACE_MESSAGE
                                                       : EVENT_HEADER_FLAG_CLASSIC_HEADER));
}

static void fill_header(EVENT_HEADER *h, const struct event *e)
{
    const bool is_kernel = header_is_kernel((enum header_kind)e->kind);
    h->Size = (USHORT)e->record_bytes;
    h->Flags = flags_of(e);
    h->ThreadId = e->tid;
    h->ProcessId = e->pid;
    memcpy(&h->ProviderId, is_kernel ? event_class_guid(e->id) : &e->provider,
           sizeof h->ProviderId);
    h->EventDescriptor.Id = is_kernel ? 0 : e->id;
    h->EventDescriptor.Version = (UCHAR)e->version;
    h->EventDescriptor.Channel = e->channel;
    h->EventDescriptor.Level = e->level;
    h->EventDescriptor.Opcode = e->opcode;
    h->EventDescriptor.Task = e->task;
    h->EventDescriptor.Keyword = e->keyword;
    if (e->activity)
        memcpy(&h->ActivityId, e->activity, sizeof h->ActivityId);
    if (e->kind == HEADER_SYSTEM)
        h->ProcessorTime = load_u64(e->record + 24);
    else if (e->kind == HEADER_CLASSIC || e->kind == HEADER_INSTANCE)
        h->ProcessorTime = load_u64(e->record + 40);
    else if (e->kind == HEADER_MANIFEST)
        h->ProcessorTime = load_u64(e->record + 56);
}

bool deliver_make(struct delivery *d, const struct record_head *head, const uint8_t *record,
                  const struct fake_session *s)
{
    struct event e;
    if (event_parse(record, head->bytes - sizeof *head, &e) != EVENT_OK)
        return false;
    if (header_is_kernel((enum header_kind)e.kind))
        report_hook(e.id);
    EVENT_RECORD *const r = &d->record;
    memset(r, 0, sizeof *r);
    fill_header(&r->EventHeader, &e);
    r->EventHeader.TimeStamp.QuadPart = head->ts;
    r->BufferContext.ProcessorIndex = head->cpu;
    if (head->cpu > UCHAR_MAX)
        r->EventHeader.Flags |= EVENT_HEADER_FLAG_PROCESSOR_INDEX;
    r->BufferContext.LoggerId = (USHORT)(s->index + 1);
    if (e.counters)
        add_item(d, EXT_PMC, e.pmc, (uint16_t)(e.counters * COUNTER));
    if (e.extended)
        add_items(d, &e, s);
    r->ExtendedData = r->ExtendedDataCount ? d->items : NULL;
    if (!r->ExtendedDataCount)
        r->EventHeader.Flags &= (USHORT)~EVENT_HEADER_FLAG_EXTENDED_INFO;
    r->UserDataLength = (USHORT)e.payload_bytes;
    r->UserData = e.payload_bytes ? (void *)(uintptr_t)e.payload : NULL;
    return true;
}

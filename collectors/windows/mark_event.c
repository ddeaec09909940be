/* Marks as events of a provider of ETW, so that sessions of other programs have them. */
#include "collectors/collectors.h"

#include "collectors/windows/etw_api.h"

#include "src/base/bytes.h"
#include "src/event/mark.h"
#include "src/event/tracetop_provider.h"

#include <string.h>

/* ETW calls back within EventRegister() where a session has the provider enabled already. */
static void NTAPI see_state(LPCGUID source, ULONG is_enabled, UCHAR level, ULONGLONG any,
                            ULONGLONG all, PEVENT_FILTER_DESCRIPTOR filter, PVOID context)
{
    (void)source, (void)level, (void)any, (void)all, (void)filter;
    *(volatile bool *)context = is_enabled != 0;
}

/* The record of a mark has its items as TraceLogging takes them, each behind its own header: what
 * the event's fields are, what the provider is called. ETW makes the record itself. */
static ULONG write_record(REGHANDLE handle, const struct event *e)
{
    enum { ITEMS_AT = 80, HEAD = 8, BYTES_AT = 6, CHANNEL_TL = 11 };
    const uint8_t *const schema = e->record + ITEMS_AT, *const traits = schema + load_u16(schema);
    const EVENT_DESCRIPTOR d = {.Channel = CHANNEL_TL, .Level = e->level};
    EVENT_DATA_DESCRIPTOR parts[] = {
        {.Ptr = (uintptr_t)(traits + HEAD),
         .Size = load_u16(traits + BYTES_AT),
         .Reserved = ETW_DATA_PROVIDER_METADATA},
        {.Ptr = (uintptr_t)(schema + HEAD),
         .Size = load_u16(schema + BYTES_AT),
         .Reserved = ETW_DATA_EVENT_METADATA},
        {.Ptr = (uintptr_t)e->payload, .Size = e->payload_bytes},
    };
    return etw_api()->EventWrite(handle, &d, sizeof parts / sizeof *parts, parts);
}

static bool write_mark(REGHANDLE handle, const struct new_mark *m)
{
    enum { INFORMATION = 4 };
    struct new_mark described = *m;
    struct mark_record r;
    struct event e;
    described.level = m->level ? m->level : INFORMATION;
    mark_record_make(&r, 0, &described);
    return event_of_record(&r.head, &e) == EVENT_OK && write_record(handle, &e) == ERROR_SUCCESS;
}

bool etw_mark(const struct new_mark *m)
{
    const struct etw_api *const api = etw_api();
    volatile bool is_enabled = false;
    GUID provider;
    REGHANDLE handle;
    memcpy(&provider, &tracetop_provider, sizeof provider);
    if (!api->EventRegister || !api->EventWrite || !api->EventUnregister ||
        api->EventRegister(&provider, see_state, (void *)(uintptr_t)&is_enabled, &handle))
        return false;
    const bool is_done = is_enabled && (!m || write_mark(handle, m));
    api->EventUnregister(handle);
    return is_done;
}

#include "collectors/windows/record.h"

#include "src/base/payload_writer.h"
#include "src/event/event.h"

#include <string.h>

enum {
    MARK = 0xc0,
    MESSAGE_MARK = 0x90,
    RECORD_MOST = UINT16_MAX,
    COUNTERS_MOST = 7,   /* three bits say how many */
    PEBS_INDEX = 0x8000, /* in the version: an index stands before the counters */
    VALUE = 8,
    ITEM_HEAD = 8,
    GROUP_IMAGE = 0x14,
    TYPE_IMAGE_LOAD = 0x0a,
    HOOK_IMAGE_LOAD = 0x030a,
    GROUPS = 0x1f,
    NOT_KERNEL = 0xffff,
    INSTANCE_BYTES = 24, /* both ids and the parent's class */
};

/* Header types by pointer size, 32 and 64 bit. */
static const uint8_t types[HEADER_KINDS][2] = {
    [HEADER_SYSTEM] = {1, 2},     [HEADER_PERFINFO] = {16, 17}, [HEADER_CLASSIC] = {10, 20},
    [HEADER_INSTANCE] = {11, 21}, [HEADER_MANIFEST] = {18, 19},
};

static const uint8_t header_bytes[HEADER_KINDS] = {
    [HEADER_SYSTEM] = 32,   [HEADER_PERFINFO] = 16, [HEADER_CLASSIC] = 48,
    [HEADER_INSTANCE] = 72, [HEADER_MANIFEST] = 80, [HEADER_MESSAGE] = 8 + 16 + 8 + 8,
};

/* ---- classes ----------------------------------------------------------------------------- */

/* Groups by the first four bytes of their class GUIDs, which are all different: sorted,
 * made from src/event/event.c's table by record_prepare(). */
struct class_entry {
    uint32_t start;
    uint16_t group;
};

static struct class_entry classes[GROUPS];

static void sort_classes(void)
{
    for (uint16_t g = 0; g < GROUPS; g++) {
        struct class_entry e = {.group = g};
        memcpy(&e.start, event_class_guid((uint16_t)(g << 8)), sizeof e.start);
        unsigned at = g;
        for (; at && classes[at - 1].start > e.start; at--)
            classes[at] = classes[at - 1];
        classes[at] = e;
    }
}

static BOOL CALLBACK sort_once(PINIT_ONCE once, PVOID parameter, PVOID *context)
{
    (void)once, (void)parameter, (void)context;
    sort_classes();
    return TRUE;
}

void record_prepare(void)
{
    static INIT_ONCE once = INIT_ONCE_STATIC_INIT;
    InitOnceExecuteOnce(&once, sort_once, NULL, NULL);
}

static unsigned group_of(const GUID *class)
{
    unsigned low = 0, high = GROUPS;
    while (low < high) {
        const unsigned middle = (low + high) / 2;
        if (classes[middle].start < class->Data1)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == GROUPS || classes[low].start != class->Data1)
        return NOT_KERNEL;
    const unsigned group = classes[low].group;
    return memcmp(class, event_class_guid((uint16_t)(group << 8)), sizeof *class) == 0 ? group
                                                                                       : NOT_KERNEL;
}

/* The one exception: loading an image is an event of the Process group. */
static uint16_t hook_of(unsigned group, uint8_t type)
{
    return group == GROUP_IMAGE && type == TYPE_IMAGE_LOAD ? HOOK_IMAGE_LOAD
                                                           : (uint16_t)(group << 8 | type);
}

static bool is_lost_event(const EVENT_RECORD *r)
{
    static const GUID lost = {
        0x6a399ae0, 0x4bc6, 0x4de9, {0x87, 0x0b, 0x36, 0x57, 0xf8, 0x94, 0x7e, 0x7e}};
    return memcmp(&r->EventHeader.ProviderId, &lost, sizeof lost) == 0;
}

/* ---- planning ------------------------------------------------------------------------------ */

static const EVENT_HEADER_EXTENDED_DATA_ITEM *find_item(const EVENT_RECORD *r, uint16_t type)
{
    for (unsigned i = 0; r->ExtendedData && i < r->ExtendedDataCount; i++)
        if (r->ExtendedData[i].ExtType == type && r->ExtendedData[i].DataPtr)
            return &r->ExtendedData[i];
    return NULL;
}

static uint32_t item_bytes(const EVENT_HEADER_EXTENDED_DATA_ITEM *item)
{
    return ITEM_HEAD + ((item->DataSize + 7u) & ~7u);
}

/* Those of an EVENT_HEADER record travel with it, as many as fit. */
static void plan_items(const EVENT_RECORD *r, struct record_plan *out)
{
    for (unsigned i = 0; r->ExtendedData && i < r->ExtendedDataCount; i++) {
        if (!r->ExtendedData[i].DataPtr)
            continue;
        const uint32_t bytes = item_bytes(&r->ExtendedData[i]);
        if (header_bytes[HEADER_MANIFEST] + out->items + bytes + out->payload > RECORD_MOST) {
            out->is_cut = true;
            return;
        }
        out->items += bytes;
    }
}

static void plan_kernel(const EVENT_RECORD *r, struct record_plan *out)
{
    const EVENT_HEADER *const h = &r->EventHeader;
    const bool is_bare = h->ThreadId == EVENT_NO_ID && h->ProcessId == EVENT_NO_ID;
    out->kind = is_bare ? HEADER_PERFINFO : HEADER_SYSTEM;
    if (!r->ExtendedDataCount)
        return;
    const EVENT_HEADER_EXTENDED_DATA_ITEM *const pmc =
        find_item(r, EVENT_HEADER_EXT_TYPE_PMC_COUNTERS);
    const EVENT_HEADER_EXTENDED_DATA_ITEM *const pebs =
        find_item(r, EVENT_HEADER_EXT_TYPE_PEBS_INDEX);
    const unsigned values = pmc ? pmc->DataSize / VALUE : 0;
    out->counters = (uint8_t)(values < COUNTERS_MOST ? values : COUNTERS_MOST);
    out->has_pebs = pebs && pebs->DataSize >= VALUE;
}

static void plan_kind(const EVENT_RECORD *r, struct record_plan *out)
{
    const EVENT_HEADER *const h = &r->EventHeader;
    if (h->Flags & EVENT_HEADER_FLAG_TRACE_MESSAGE) {
        out->kind = HEADER_MESSAGE;
    } else if (!(h->Flags & EVENT_HEADER_FLAG_CLASSIC_HEADER)) {
        out->kind = HEADER_MANIFEST;
        if (r->ExtendedDataCount)
            plan_items(r, out);
    } else {
        const unsigned group = group_of(&h->ProviderId);
        out->is_lost = group == NOT_KERNEL && is_lost_event(r);
        out->kind =
            find_item(r, EVENT_HEADER_EXT_TYPE_INSTANCE_INFO) ? HEADER_INSTANCE : HEADER_CLASSIC;
        if (group != NOT_KERNEL) {
            out->hook = hook_of(group, h->EventDescriptor.Opcode);
            plan_kernel(r, out);
        }
    }
}

void record_plan(const EVENT_RECORD *r, struct record_plan *out)
{
    const uint16_t flags = r->EventHeader.Flags;
    *out = (struct record_plan){
        .event = r,
        .payload = r->UserData ? r->UserDataLength : 0,
        .pointer = flags & EVENT_HEADER_FLAG_32_BIT_HEADER ? 4 : 8,
        .cpu = flags & EVENT_HEADER_FLAG_PROCESSOR_INDEX ? r->BufferContext.ProcessorIndex
                                                         : r->BufferContext.ProcessorNumber,
        .is_cut = !r->UserData && r->UserDataLength,
    };
    plan_kind(r, out);
    const uint32_t before =
        header_bytes[out->kind] + out->items + (uint32_t)VALUE * (out->counters + out->has_pebs);
    if (before + out->payload > RECORD_MOST) {
        out->payload = (uint16_t)(RECORD_MOST - before);
        out->is_cut = true;
    }
    out->bytes = before + out->payload;
}

/* ---- writing ------------------------------------------------------------------------------- */

static void put_mark(struct payload_writer *p, const struct record_plan *plan)
{
    put_u8(p, types[plan->kind][plan->pointer == 8]);
    put_u8(p, MARK);
}

static void put_values(struct payload_writer *p, const EVENT_RECORD *r, uint16_t type,
                       unsigned count)
{
    put_bytes(p, (const void *)(uintptr_t)find_item(r, type)->DataPtr, (size_t)VALUE * count);
}

static void put_kernel(struct payload_writer *p, const struct record_plan *plan)
{
    const EVENT_HEADER *const h = &plan->event->EventHeader;
    put_u16(p, h->EventDescriptor.Version | (unsigned)plan->counters << 8 |
                   (plan->has_pebs ? PEBS_INDEX : 0u));
    put_mark(p, plan);
    put_u16(p, plan->bytes);
    put_u16(p, plan->hook);
    if (plan->kind == HEADER_SYSTEM) {
        put_u32(p, h->ThreadId);
        put_u32(p, h->ProcessId);
    }
    put_u64(p, (uint64_t)h->TimeStamp.QuadPart);
    if (plan->kind == HEADER_SYSTEM)
        put_u64(p, h->ProcessorTime);
    if (plan->has_pebs)
        put_values(p, plan->event, EVENT_HEADER_EXT_TYPE_PEBS_INDEX, 1);
    if (plan->counters)
        put_values(p, plan->event, EVENT_HEADER_EXT_TYPE_PMC_COUNTERS, plan->counters);
}

static void put_instance(struct payload_writer *p, const EVENT_RECORD *r)
{
    const EVENT_HEADER_EXTENDED_DATA_ITEM *const item =
        find_item(r, EVENT_HEADER_EXT_TYPE_INSTANCE_INFO);
    const size_t bytes = item->DataSize < INSTANCE_BYTES ? item->DataSize : INSTANCE_BYTES;
    put_bytes(p, (const void *)(uintptr_t)item->DataPtr, bytes);
    put_zeros(p, INSTANCE_BYTES - bytes);
}

static void put_classic(struct payload_writer *p, const struct record_plan *plan)
{
    const EVENT_HEADER *const h = &plan->event->EventHeader;
    put_u16(p, plan->bytes);
    put_mark(p, plan);
    put_u8(p, h->EventDescriptor.Opcode);
    put_u8(p, h->EventDescriptor.Level);
    put_u16(p, h->EventDescriptor.Version);
    put_u32(p, h->ThreadId);
    put_u32(p, h->ProcessId);
    put_u64(p, (uint64_t)h->TimeStamp.QuadPart);
    put_bytes(p, &h->ProviderId, sizeof h->ProviderId);
    put_u64(p, h->ProcessorTime);
    if (plan->kind == HEADER_INSTANCE)
        put_instance(p, plan->event);
}

static void put_items(struct payload_writer *p, const struct record_plan *plan)
{
    const EVENT_RECORD *const r = plan->event;
    for (uint32_t i = 0, left = plan->items; left; i++) {
        const EVENT_HEADER_EXTENDED_DATA_ITEM *const item = &r->ExtendedData[i];
        if (!item->DataPtr)
            continue;
        const uint32_t bytes = item_bytes(item);
        left -= bytes;
        put_u16(p, bytes);
        put_u16(p, item->ExtType);
        put_u16(p, left != 0); /* another one follows */
        put_u16(p, item->DataSize);
        put_bytes(p, (const void *)(uintptr_t)item->DataPtr, item->DataSize);
        put_zeros(p, bytes - ITEM_HEAD - item->DataSize);
    }
}

/* Keeps what a provider or session has set; in a file the header's type and the buffer stand for
 * the other flags. */
static void put_manifest(struct payload_writer *p, const struct record_plan *plan)
{
    enum { KEPT = 0x9e }; /* private session, string, message, no processor time, decode GUID */
    const EVENT_HEADER *const h = &plan->event->EventHeader;
    put_u16(p, plan->bytes);
    put_mark(p, plan);
    put_u16(p, (h->Flags & KEPT) | (plan->items ? EVENT_FLAG_EXTENDED : 0u));
    put_u16(p, h->EventProperty);
    put_u32(p, h->ThreadId);
    put_u32(p, h->ProcessId);
    put_u64(p, (uint64_t)h->TimeStamp.QuadPart);
    put_bytes(p, &h->ProviderId, sizeof h->ProviderId);
    put_bytes(p, &h->EventDescriptor, sizeof h->EventDescriptor);
    put_u64(p, h->ProcessorTime);
    put_bytes(p, &h->ActivityId, sizeof h->ActivityId);
    put_items(p, plan);
}

static void put_message(struct payload_writer *p, const struct record_plan *plan)
{
    enum { CLASS = 2, TIME = 8, IDS = 0x20, POINTER32 = 0x40, POINTER64 = 0x80 };
    const EVENT_HEADER *const h = &plan->event->EventHeader;
    put_u16(p, plan->bytes);
    put_u8(p, 0);
    put_u8(p, MESSAGE_MARK);
    put_u16(p, h->EventDescriptor.Id);
    put_u16(p, CLASS | TIME | IDS | (plan->pointer == 4 ? POINTER32 : POINTER64));
    put_bytes(p, &h->ProviderId, sizeof h->ProviderId);
    put_u64(p, (uint64_t)h->TimeStamp.QuadPart);
    put_u32(p, h->ThreadId);
    put_u32(p, h->ProcessId);
}

void record_write(const struct record_plan *p, uint8_t *to)
{
    static void (*const headers[HEADER_KINDS])(struct payload_writer *,
                                               const struct record_plan *) = {
        [HEADER_SYSTEM] = put_kernel,     [HEADER_PERFINFO] = put_kernel,
        [HEADER_CLASSIC] = put_classic,   [HEADER_INSTANCE] = put_classic,
        [HEADER_MANIFEST] = put_manifest, [HEADER_MESSAGE] = put_message,
    };
    struct payload_writer payload_writer = {.start = to, .at = to, .end = to + p->bytes};
    headers[p->kind](&payload_writer, p);
    if (p->payload)
        put_bytes(&payload_writer, p->event->UserData, p->payload);
}

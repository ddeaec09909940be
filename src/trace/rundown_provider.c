/* From version 2 on a ProcessStart has the layout of a ProcessRundown two versions below; of
 * earlier ones, and of a ProcessStop, the fields of version 0 are written. */
#include "src/trace/rundown_provider.h"

#include "src/base/bytes.h"
#include "src/base/payload_writer.h"
#include "src/event/decode.h"
#include "src/event/providers.h"

#include <string.h>

enum { HEADER_BYTES = 80, LIKE_RUNDOWN = 2, NAME_MOST = 2048 };

/* Places in EVENT_HEADER. */
enum {
    AT_SIZE = 0,
    AT_FLAGS = 4,
    AT_ID = 0x28,
    AT_VERSION = 0x2a,
    AT_OPCODE = 0x2d,
    AT_TASK = 0x2e
};

bool rundown_provider_is(const struct event *e)
{
    const bool is_process = e->id == KERNEL_PROCESS_START || e->id == KERNEL_PROCESS_STOP ||
                            e->id == KERNEL_PROCESS_RUNDOWN;
    return e->kind == HEADER_MANIFEST && is_process && e->payload_bytes >= 4 &&
           guid_equal(&e->provider, &kernel_process_provider);
}

/* NULL: the event has no such field. */
static const struct decoded *find(const struct decoded *fields, unsigned count, const char *name)
{
    for (unsigned i = 0; i < count; i++)
        if (fields[i].is_present && strcmp(fields[i].field->name, name) == 0)
            return &fields[i];
    return NULL;
}

static uint64_t number(const struct decoded *fields, unsigned count, const char *name)
{
    const struct decoded *const d = find(fields, count, name);
    return d ? d->number : 0;
}

/* UTF-16 of a start, bytes of a stop. */
static void put_name(struct payload_writer *p, const struct event *e, const struct decoded *name)
{
    const size_t bytes = !name ? 0 : name->bytes < NAME_MOST ? name->bytes & ~(size_t)1 : NAME_MOST;
    if (name && e->id == KERNEL_PROCESS_STOP)
        put_utf16(p, (const char *)name->data, name->bytes < NAME_MOST ? name->bytes : NAME_MOST);
    else {
        if (bytes)
            put_bytes(p, name->data, bytes);
        put_u16(p, 0);
    }
}

static void put_payload(struct payload_writer *p, const struct event *e,
                        const struct decoded *fields, unsigned count)
{
    put_u32(p, load_u32(e->payload));
    put_u64(p, number(fields, count, "CreateTime"));
    put_u32(p, (uint32_t)number(fields, count, "ParentProcessID"));
    put_u32(p, (uint32_t)number(fields, count, "SessionID"));
    put_u32(p, (uint32_t)number(fields, count, "Flags"));
    put_name(p, e, find(fields, count, "ImageName"));
    put_u32(p, (uint32_t)number(fields, count, "ImageChecksum"));
    put_u32(p, (uint32_t)number(fields, count, "TimeDateStamp"));
    put_u16(p, 0); /* PackageFullName */
    put_u16(p, 0); /* PackageRelativeAppId */
}

static void set_header(uint8_t *out, unsigned version, uint32_t bytes)
{
    store_u16(out + AT_SIZE, (uint16_t)bytes);
    store_u16(out + AT_FLAGS, (uint16_t)(load_u16(out + AT_FLAGS) & ~EVENT_FLAG_EXTENDED));
    store_u16(out + AT_ID, KERNEL_PROCESS_RUNDOWN);
    out[AT_VERSION] = (uint8_t)version;
    out[AT_OPCODE] = 0;
    store_u16(out + AT_TASK, KERNEL_PROCESS_RUNDOWN);
}

uint32_t rundown_provider_record(struct schemas *schemas, const struct event *e,
                                 uint8_t out[RUNDOWN_PROVIDER_ROOM])
{
    struct schema schema;
    struct payload_writer p = {out, out, out + RUNDOWN_PROVIDER_ROOM};
    struct decoded fields[DECODE_FIELDS];
    put_bytes(&p, e->record, HEADER_BYTES); /* extended items tell of the moment, and stay behind */
    const bool is_start = e->id == KERNEL_PROCESS_START, is_same = e->id == KERNEL_PROCESS_RUNDOWN;
    if (is_same || (is_start && e->version >= LIKE_RUNDOWN)) {
        if (e->payload_bytes > payload_room(&p))
            return 0;
        put_bytes(&p, e->payload, e->payload_bytes);
        set_header(out, is_same ? e->version : e->version - LIKE_RUNDOWN, (uint32_t)(p.at - out));
        return (uint32_t)(p.at - out);
    }
    if (!schema_find(schemas, e->source, e, &schema) || !schema.layout)
        return 0;
    put_payload(&p, e, fields, decode_fields(schema.layout, e, fields, DECODE_FIELDS));
    set_header(out, 0, (uint32_t)(p.at - out));
    return (uint32_t)(p.at - out);
}

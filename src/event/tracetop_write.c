/* An event of our own is an EVENT_HEADER record with two extended items: the metadata of
 * TraceLogging (size, tags, name, then per field name, in type and out type) and the traits
 * of the provider (size, name). Any reader of .etl files can show it. */
#include "src/event/tracetop_write.h"

#include "src/event/tracetop_provider.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { TYPE_HEADER64 = 19, MARK = 0xc0 };

static const struct {
    const char *name;
    uint8_t in, out; /* 0 = no out type */
} types[] = {
    {"u8", 4, 0},    {"u16", 6, 0},  {"u32", 8, 0},    {"u64", 10, 0},   {"i8", 3, 0},
    {"i16", 5, 0},   {"i32", 7, 0},  {"i64", 9, 0},    {"hex32", 20, 0}, {"hex64", 21, 0},
    {"text", 2, 35}, {"f64", 12, 0}, {"bytes", 14, 0},
};

/* "name:type" or "name:type[N]" up to a comma or the end; the rest of the list. */
static const char *put_field(struct payload_writer *p, const char *field)
{
    enum { CONSTANT_COUNT = 0x20, HAS_OUT_TYPE = 0x80 };
    const size_t name = strcspn(field, ":"), all = strcspn(field, ",");
    assert(name < all);
    put_bytes(p, field, name);
    put_u8(p, 0);
    const char *const type = field + name + 1;
    const size_t word = strcspn(type, ",[");
    const unsigned long count = type[word] == '[' ? strtoul(type + word + 1, NULL, 10) : 0;
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        if (strlen(types[i].name) != word || memcmp(types[i].name, type, word) != 0)
            continue;
        put_u8(p, types[i].in | (types[i].out ? HAS_OUT_TYPE : 0u) | (count ? CONSTANT_COUNT : 0u));
        if (types[i].out)
            put_u8(p, types[i].out);
        if (count)
            put_u16(p, (unsigned)count);
        return field + all + (field[all] == ',');
    }
    assert(!"a type of tracetop_write_begin()");
    return field + all;
}

/* Begins an extended item; its sizes are filled in by end_item(). */
static uint8_t *begin_item(struct payload_writer *p, unsigned type, bool has_next)
{
    uint8_t *const item = p->at;
    put_u16(p, 0);
    put_u16(p, type);
    put_u16(p, has_next);
    put_u16(p, 0);
    put_u16(p, 0); /* both our items begin with their own size */
    return item;
}

static void end_item(struct payload_writer *p, uint8_t *item)
{
    enum { HEAD = 8 };
    const uint16_t data = (uint16_t)(p->at - item - HEAD), all = (uint16_t)((HEAD + data + 7) & ~7);
    memcpy(item, &all, 2);
    memcpy(item + 6, &data, 2);
    memcpy(item + HEAD, &data, 2);
    put_zeros(p, (size_t)(all - HEAD - data));
}

static void put_schema(struct payload_writer *p, const struct event_description *d)
{
    enum { EVENT_SCHEMA_TL = 11, PROV_TRAITS = 12 };
    uint8_t *const schema = begin_item(p, EVENT_SCHEMA_TL, true);
    put_u8(p, 0); /* tags */
    put_bytes(p, d->event, strlen(d->event) + 1);
    const char *fields = d->fields;
    while (*fields)
        fields = put_field(p, fields);
    end_item(p, schema);
    uint8_t *const traits = begin_item(p, PROV_TRAITS, false);
    put_bytes(p, d->provider_name, strlen(d->provider_name) + 1);
    end_item(p, traits);
}

void described_write_begin(struct payload_writer *p, const struct event_description *d,
                           uint32_t pid, uint32_t tid, int64_t time)
{
    enum { CHANNEL_TL = 11, LEVEL_INFORMATION = 4 };
    put_u16(p, 0); /* size: when it is known */
    put_u8(p, TYPE_HEADER64);
    put_u8(p, MARK);
    put_u16(p, EVENT_FLAG_EXTENDED);
    put_u16(p, 0);
    put_u32(p, tid);
    put_u32(p, pid);
    put_u64(p, (uint64_t)time);
    put_bytes(p, &d->provider, sizeof d->provider);
    put_u16(p, 0); /* id */
    put_u8(p, 0);  /* version */
    put_u8(p, CHANNEL_TL);
    put_u8(p, LEVEL_INFORMATION);
    put_u8(p, 0);                      /* opcode */
    put_u16(p, 0);                     /* task */
    put_u64(p, 0);                     /* keyword */
    put_u64(p, 0);                     /* kernel and user ticks */
    put_zeros(p, sizeof(struct guid)); /* activity */
    put_schema(p, d);
}

void tracetop_write_begin(struct payload_writer *p, const char *event, const char *fields,
                          uint32_t pid, uint32_t tid, int64_t time)
{
    const struct event_description d = {tracetop_provider, "tracetop-linux", event, fields};
    described_write_begin(p, &d, pid, tid, time);
}

void tracetop_write_end(struct payload_writer *p)
{
    const size_t bytes = (size_t)(p->at - p->start);
    assert(p->at <= p->end && bytes <= UINT16_MAX);
    const uint16_t size = (uint16_t)bytes;
    memcpy(p->start, &size, sizeof size);
}

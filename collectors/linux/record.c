/* Writing ETW records: headers as in src/event.c, payloads by the caller's pen.
 *
 * An event of our own is an EVENT_HEADER record with two extended items: the metadata of
 * TraceLogging (size, tags, name, then per field name, in type and out type) and the traits
 * of the provider (size, name). Any reader of .etl files can show it. */
#include "collectors/linux/translate.h"

#include "src/own.h"

#include <assert.h>
#include <string.h>

static const char provider_name[] = "tracetop-linux";

enum {
    TYPE_SYSTEM64 = 2,
    TYPE_PERFINFO64 = 17,
    TYPE_HEADER64 = 19,
    MARK = 0xc0,
    KERNEL_SIZE_AT = 4,
    OWN_SIZE_AT = 0,
};

static struct pen *begin(struct translator *t, unsigned cpu, int64_t time)
{
    uint8_t *const room = (uint8_t *)t->room;
    t->pen = (struct pen){.start = room, .at = room, .end = room + sizeof t->room};
    t->head = (struct record_head){
        .form = RECORD_ETW, .source = t->source, .cpu = (uint16_t)cpu, .ts = time};
    return &t->pen;
}

struct pen *record_begin(struct translator *t, enum header_kind header, unsigned hook,
                         unsigned version, uint32_t pid, uint32_t tid, unsigned cpu, int64_t time)
{
    struct pen *const p = begin(t, cpu, time);
    put_u16(p, version);
    put_u8(p, header == HEADER_SYSTEM ? TYPE_SYSTEM64 : TYPE_PERFINFO64);
    put_u8(p, MARK);
    put_u16(p, 0); /* size: when it is known */
    put_u8(p, hook & 0xff);
    put_u8(p, hook >> 8);
    if (header == HEADER_SYSTEM) {
        put_u32(p, tid);
        put_u32(p, pid);
    }
    put_u64(p, (uint64_t)time);
    if (header == HEADER_SYSTEM)
        put_u64(p, 0); /* kernel and user ticks: Linux counts them otherwise */
    return p;
}

struct pen *record_begin_at(struct translator *t, enum header_kind header, unsigned hook,
                            unsigned version, const struct sample *s)
{
    return record_begin(t, header, hook, version, s->pid, s->tid, s->cpu, s->time);
}

/* ---- events of our own ------------------------------------------------------------------ */

static const struct {
    const char *name;
    uint8_t in, out; /* 0 = no out type */
} types[] = {
    {"u8", 4, 0},     {"u16", 6, 0},    {"u32", 8, 0},   {"u64", 10, 0},
    {"hex32", 20, 0}, {"hex64", 21, 0}, {"text", 2, 35},
};

/* "name:type" up to a comma or the end; the rest of the list. */
static const char *put_field(struct pen *p, const char *field)
{
    const size_t name = strcspn(field, ":"), all = strcspn(field, ",");
    assert(name < all);
    put_bytes(p, field, name);
    put_u8(p, 0);
    const char *const type = field + name + 1;
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        if (strlen(types[i].name) != all - name - 1 ||
            memcmp(types[i].name, type, all - name - 1) != 0)
            continue;
        put_u8(p, types[i].in | (types[i].out ? 0x80 : 0));
        if (types[i].out)
            put_u8(p, types[i].out);
        return field + all + (field[all] == ',');
    }
    assert(!"a type of record_begin_own()");
    return field + all;
}

/* Begins an extended item; its sizes are filled in by end_item(). */
static uint8_t *begin_item(struct pen *p, unsigned type, bool has_next)
{
    uint8_t *const item = p->at;
    put_u16(p, 0);
    put_u16(p, type);
    put_u16(p, has_next);
    put_u16(p, 0);
    put_u16(p, 0); /* both our items begin with their own size */
    return item;
}

static void end_item(struct pen *p, uint8_t *item)
{
    enum { HEAD = 8 };
    const uint16_t data = (uint16_t)(p->at - item - HEAD), all = (uint16_t)((HEAD + data + 7) & ~7);
    memcpy(item, &all, 2);
    memcpy(item + 6, &data, 2);
    memcpy(item + HEAD, &data, 2);
    put_zeros(p, (size_t)(all - HEAD - data));
}

static void put_schema(struct pen *p, const char *event, const char *fields)
{
    enum { EVENT_SCHEMA_TL = 11, PROV_TRAITS = 12 };
    uint8_t *const schema = begin_item(p, EVENT_SCHEMA_TL, true);
    put_u8(p, 0); /* tags */
    put_bytes(p, event, strlen(event) + 1);
    while (*fields)
        fields = put_field(p, fields);
    end_item(p, schema);
    uint8_t *const traits = begin_item(p, PROV_TRAITS, false);
    put_bytes(p, provider_name, sizeof provider_name);
    end_item(p, traits);
}

struct pen *record_begin_own(struct translator *t, const char *event, const char *fields,
                             uint32_t pid, uint32_t tid, unsigned cpu, int64_t time)
{
    enum { CHANNEL_TL = 11, LEVEL_INFORMATION = 4 };
    struct pen *const p = begin(t, cpu, time);
    put_u16(p, 0);
    put_u8(p, TYPE_HEADER64);
    put_u8(p, MARK);
    put_u16(p, EVENT_FLAG_EXTENDED);
    put_u16(p, 0);
    put_u32(p, tid);
    put_u32(p, pid);
    put_u64(p, (uint64_t)time);
    put_bytes(p, &own_provider, sizeof own_provider);
    put_u16(p, 0); /* id */
    put_u8(p, 0);  /* version */
    put_u8(p, CHANNEL_TL);
    put_u8(p, LEVEL_INFORMATION);
    put_u8(p, 0);                      /* opcode */
    put_u16(p, 0);                     /* task */
    put_u64(p, 0);                     /* keyword */
    put_u64(p, 0);                     /* kernel and user ticks */
    put_zeros(p, sizeof(struct guid)); /* activity */
    put_schema(p, event, fields);
    return p;
}

/* ---- the end ---------------------------------------------------------------------------- */

void record_end(struct translator *t)
{
    const uint8_t *const start = t->pen.start;
    const size_t bytes = (size_t)(t->pen.at - start);
    assert(t->pen.at <= t->pen.end && bytes <= UINT16_MAX);
    const bool is_own = start[2] == TYPE_HEADER64;
    const uint16_t size = (uint16_t)bytes;
    memcpy(t->pen.start + (is_own ? OWN_SIZE_AT : KERNEL_SIZE_AT), &size, sizeof size);
    t->head.bytes = (uint32_t)(sizeof t->head + bytes);
    /* What names things lasts. */
    const bool is_rare = is_own || feed_is_rare_hook((uint16_t)(start[6] | start[7] << 8));
    feed_put(t->feed, &t->head, start, is_rare);
}

#include "src/event/tracelogging.h"

#include "src/base/bytes.h"
#include "src/base/map.h"

#include <string.h>

enum { ITEM_SCHEMA = 11, ITEM_TRAITS = 12 };

/* In types by number: what they are here, and how many where that is not one. */
static const struct {
    uint8_t type;
    uint8_t count; /* 0 = no type of ours */
} in_types[] = {
    [1] = {FIELD_WSTR, 1},   [2] = {FIELD_ASTR, 1},    [3] = {FIELD_I8, 1},
    [4] = {FIELD_U8, 1},     [5] = {FIELD_I16, 1},     [6] = {FIELD_U16, 1},
    [7] = {FIELD_I32, 1},    [8] = {FIELD_U32, 1},     [9] = {FIELD_I64, 1},
    [10] = {FIELD_U64, 1},   [11] = {FIELD_BYTES, 4},  [12] = {FIELD_BYTES, 8},
    [13] = {FIELD_U32, 1},   [15] = {FIELD_GUID, 1},   [16] = {FIELD_POINTER, 1},
    [17] = {FIELD_U64, 1},   [18] = {FIELD_BYTES, 16}, [20] = {FIELD_HEX32, 1},
    [21] = {FIELD_HEX64, 1},
};

enum { TYPE = 0x1f, LIST = 0x60, HAS_MORE = 0x80, STRUCT = 24, OUT_HEX = 4 };

static bool find_item(const struct event *e, unsigned type, struct event_item *out)
{
    uint32_t at = 0;
    if (e->kind != HEADER_MANIFEST || !e->extended)
        return false;
    while (event_item_next(e, &at, out))
        if (out->type == type)
            return true;
    return false;
}

/* A text up to its NUL, which must be there. */
static const char *take_text(struct bytes *b)
{
    const uint8_t *const nul = b->left ? memchr(b->at, 0, b->left) : NULL;
    const size_t length = nul ? (size_t)(nul - b->at) + 1 : b->left + 1;
    return (const char *)bytes_take(b, length);
}

/* Groups of seven bits; the last one has no eighth. */
static void skip_tags(struct bytes *b)
{
    enum { GROUPS = 4 };
    for (unsigned i = 0; i < GROUPS; i++) {
        const uint8_t *const group = bytes_take(b, 1);
        if (!group || !(*group & HAS_MORE))
            return;
    }
}

static uint8_t hex_of(uint8_t type)
{
    return type == FIELD_U32 ? FIELD_HEX32 : type == FIELD_U64 ? FIELD_HEX64 : type;
}

enum taken { TAKEN, TAKEN_LAST, TAKEN_NONE };

static enum taken take_field(struct bytes *b, struct field *f)
{
    const char *const name = take_text(b);
    const uint8_t *const in = bytes_take(b, 1);
    const uint8_t *const out = in && *in & HAS_MORE ? bytes_take(b, 1) : NULL;
    if (!name || !in || b->bad)
        return TAKEN_NONE;
    const unsigned type = *in & TYPE;
    if (type == STRUCT && !(*in & LIST))
        return TAKEN; /* its members follow in the list and in the payload */
    if (out && *out & HAS_MORE)
        skip_tags(b);
    *f = (struct field){.name = name, .count = 1, .offset32 = -1, .offset64 = -1};
    const bool is_known = type < sizeof in_types / sizeof *in_types && in_types[type].count;
    if (!is_known || *in & LIST) {
        f->type = FIELD_BYTES;
        f->count = 0;
        return TAKEN_LAST;
    }
    f->type = in_types[type].type;
    f->count = in_types[type].count;
    if (out && (*out & ~HAS_MORE) == OUT_HEX)
        f->type = hex_of(f->type);
    return TAKEN;
}

static void take_fields(struct bytes *b, struct tracelogging *out)
{
    unsigned count = 0;
    enum taken taken = TAKEN;
    while (b->left && taken == TAKEN && count < DECODE_FIELDS) {
        out->fields[count].name = NULL;
        taken = take_field(b, &out->fields[count]);
        count += taken != TAKEN_NONE && out->fields[count].name;
    }
    out->layout = (struct layout){.fields = out->fields, .field_count = (uint16_t)count};
}

bool tracelogging_read(const struct event *e, struct tracelogging *out)
{
    enum { SIZE = 2 };
    struct event_item schema, traits;
    if (!find_item(e, ITEM_SCHEMA, &schema))
        return false;
    struct bytes b = bytes_of(schema.data, schema.size);
    bytes_skip(&b, SIZE);
    skip_tags(&b);
    out->event = take_text(&b);
    if (b.bad)
        return false;
    take_fields(&b, out);
    out->provider = "";
    if (!find_item(e, ITEM_TRAITS, &traits))
        return true;
    b = bytes_of(traits.data, traits.size);
    bytes_skip(&b, SIZE);
    const char *const provider = take_text(&b);
    if (provider)
        out->provider = provider;
    return true;
}

uint32_t tracelogging_hash(const struct event *e)
{
    struct event_item schema;
    if (!find_item(e, ITEM_SCHEMA, &schema))
        return 0;
    uint64_t hash = schema.size;
    size_t at = 0;
    for (; schema.size - at >= 8; at += 8)
        hash = hash_mix(hash ^ load_u64(schema.data + at));
    for (; at < schema.size; at++)
        hash = hash_mix(hash ^ schema.data[at]);
    return (uint32_t)(hash >> 16) | 1;
}

const struct layout *tracelogging_layout(const struct event *e, struct tracelogging *room)
{
    const struct layout *const l = decode_layout(e);
    return l ? l : tracelogging_read(e, room) ? &room->layout : NULL;
}

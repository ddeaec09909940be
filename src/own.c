#include "src/own.h"

#include "src/bytes.h"

#include <string.h>

/* Made from the name as providers of TraceLogging make theirs. */
const struct guid own_provider = {{0xae, 0x59, 0x12, 0x09, 0x0a, 0x74, 0xdc, 0x5b, 0x86, 0xe5,
                                   0xc5, 0xdd, 0x89, 0xb2, 0x04, 0x81}};

/* In types of TraceLogging. */
enum { IN_TEXT = 2, IN_U8 = 4, IN_U16 = 6, IN_U32 = 8, IN_U64 = 10, IN_HEX32 = 20, IN_HEX64 };

/* Steps over a text and its NUL; NULL where that is missing. */
static const char *take_text(struct bytes *b)
{
    const uint8_t *const end = b->left ? memchr(b->at, 0, b->left) : NULL;
    const char *const text = (const char *)b->at;
    if (!end)
        return NULL;
    bytes_skip(b, (size_t)(end - b->at) + 1);
    return text;
}

enum { GOES_ON = 0x80 };

static void skip_tags(struct bytes *b)
{
    while (bytes_u8(b) & GOES_ON)
        ;
}

/* What describes the event: u16 size, tags (bytes with the highest bit set go on), name,
 * then per field its name, in type and, where that has the highest bit set, out type. */
static const char *open_schema(const struct event *e, struct bytes *fields)
{
    enum { SCHEMA = 11 };
    struct event_item item;
    uint32_t at = 0;
    if (e->kind != HEADER_MANIFEST || !e->extended || !guid_equal(&e->provider, &own_provider))
        return NULL;
    do {
        if (!event_item_next(e, &at, &item))
            return NULL;
    } while (item.type != SCHEMA);
    *fields = bytes_of(item.data, item.size);
    bytes_skip(fields, 2);
    skip_tags(fields);
    return fields->bad ? NULL : take_text(fields);
}

const char *own_name(const struct event *e)
{
    struct bytes fields;
    return open_schema(e, &fields);
}

struct found {
    bool is_number, is_text;
    uint64_t number;
    const char *text;
};

static struct found take_value(struct bytes *payload, unsigned type)
{
    struct found v = {.is_number = true};
    switch (type) {
    case IN_TEXT:
        v.text = take_text(payload);
        v.is_number = false;
        v.is_text = v.text != NULL;
        return v;
    case IN_U8:
        v.number = bytes_u8(payload);
        break;
    case IN_U16:
        v.number = bytes_u16(payload);
        break;
    case IN_U32:
    case IN_HEX32:
        v.number = bytes_u32(payload);
        break;
    case IN_U64:
    case IN_HEX64:
        v.number = bytes_u64(payload);
        break;
    default:
        v.is_number = false;
        break;
    }
    v.is_number &= !payload->bad;
    return v;
}

static struct found find(const struct event *e, const char *field)
{
    enum { HAS_OUT = 0x80, IN_MASK = 0x1f, IN_MORE = 0x60 }; /* IN_MORE: arrays */
    struct bytes fields, payload = bytes_of(e->payload, e->payload_bytes);
    const struct found none = {0};
    if (!open_schema(e, &fields))
        return none;
    while (fields.left) {
        const char *const name = take_text(&fields);
        const unsigned type = bytes_u8(&fields);
        if (type & HAS_OUT && bytes_u8(&fields) & GOES_ON)
            skip_tags(&fields);
        if (!name || fields.bad || type & IN_MORE)
            return none;
        const struct found v = take_value(&payload, type & IN_MASK);
        if ((!v.is_number && !v.is_text) || strcmp(name, field) == 0)
            return v;
    }
    return none;
}

bool own_number(const struct event *e, const char *field, uint64_t *out)
{
    const struct found v = find(e, field);
    *out = v.number;
    return v.is_number;
}

bool own_text(const struct event *e, const char *field, const char **out)
{
    const struct found v = find(e, field);
    *out = v.is_text ? v.text : "";
    return v.is_text;
}

#include "src/event/tracelogging.h"

#include "src/base/bytes.h"
#include "src/base/map.h"
#include "src/event/error_names.h"

#include <limits.h>
#include <string.h>

enum { ITEM_SCHEMA = 11, ITEM_TRAITS = 12 };

/* In types by number. */
static const uint8_t in_types[] = {
    FIELD_NULL,         FIELD_WSTR,         FIELD_ASTR,          FIELD_I8,
    FIELD_U8,           FIELD_I16,          FIELD_U16,           FIELD_I32,
    FIELD_U32,          FIELD_I64,          FIELD_U64,           FIELD_F32,
    FIELD_F64,          FIELD_BOOL32,       FIELD_COUNTED_BYTES, FIELD_GUID,
    FIELD_POINTER,      FIELD_FILETIME,     FIELD_SYSTEMTIME,    FIELD_BARE_SID,
    FIELD_HEX32,        FIELD_HEX64,        FIELD_COUNTED_WSTR,  FIELD_COUNTED_ASTR,
    FIELD_STRUCT,       FIELD_COUNTED_BYTES,
};

/* Out types that change how a value is shown. All others follow from the in type. */
enum {
    OUT_STRING = 2, OUT_BOOLEAN, OUT_HEX, OUT_PORT = 7, OUT_IPV4, OUT_IPV6, OUT_SOCKET_ADDRESS,
    OUT_WIN32_ERROR = 13, OUT_NTSTATUS, OUT_HRESULT, OUT_FILETIME, OUT_SIGNED, OUT_UNSIGNED, OUT_CODE_POINTER = 37,
    OUT_UTC,
};

static const struct shown_as {
    uint8_t out, type, shown;
} shown_as[] = {
    {OUT_STRING, FIELD_U8, FIELD_CHAR8},        {OUT_STRING, FIELD_I8, FIELD_CHAR8},
    {OUT_STRING, FIELD_U16, FIELD_CHAR16},      {OUT_STRING, FIELD_I16, FIELD_CHAR16},
    {OUT_BOOLEAN, FIELD_U8, FIELD_BOOL8},       {OUT_BOOLEAN, FIELD_I8, FIELD_BOOL8},
    {OUT_BOOLEAN, FIELD_U32, FIELD_BOOL32},     {OUT_BOOLEAN, FIELD_I32, FIELD_BOOL32},
    {OUT_HEX, FIELD_U8, FIELD_HEX8},            {OUT_HEX, FIELD_I8, FIELD_HEX8},
    {OUT_HEX, FIELD_U16, FIELD_HEX16},          {OUT_HEX, FIELD_I16, FIELD_HEX16},
    {OUT_HEX, FIELD_U32, FIELD_HEX32},          {OUT_HEX, FIELD_I32, FIELD_HEX32},
    {OUT_HEX, FIELD_U64, FIELD_HEX64},          {OUT_HEX, FIELD_I64, FIELD_HEX64},
    {OUT_HRESULT, FIELD_U32, FIELD_HEX32},      {OUT_HRESULT, FIELD_I32, FIELD_HEX32},
    {OUT_NTSTATUS, FIELD_U32, FIELD_HEX32},     {OUT_NTSTATUS, FIELD_I32, FIELD_HEX32},
    {OUT_CODE_POINTER, FIELD_U32, FIELD_HEX32}, {OUT_CODE_POINTER, FIELD_U64, FIELD_HEX64},
    {OUT_PORT, FIELD_U16, FIELD_PORT},          {OUT_IPV4, FIELD_U32, FIELD_IPV4},
    {OUT_FILETIME, FIELD_U64, FIELD_FILETIME},  {OUT_FILETIME, FIELD_I64, FIELD_FILETIME},
    {OUT_SIGNED, FIELD_U8, FIELD_I8},           {OUT_SIGNED, FIELD_U16, FIELD_I16},
    {OUT_SIGNED, FIELD_U32, FIELD_I32},         {OUT_SIGNED, FIELD_U64, FIELD_I64},
    {OUT_UNSIGNED, FIELD_I8, FIELD_U8},         {OUT_UNSIGNED, FIELD_I16, FIELD_U16},
    {OUT_UNSIGNED, FIELD_I32, FIELD_U32},       {OUT_UNSIGNED, FIELD_I64, FIELD_U64},
};

/* The bits of an in type. */
enum {
    TYPE = 0x1f,
    COUNT = 0x60, CONSTANT_COUNT = 0x20, VARIABLE_COUNT = 0x40, CUSTOM = 0x60,
    HAS_MORE = 0x80,
};

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

unsigned tracelogging_type(unsigned in)
{
    return in < sizeof in_types ? in_types[in] : FIELD_UNKNOWN;
}

void tracelogging_show_as(struct field *f, unsigned out)
{
    const bool is_binary = f->type == FIELD_COUNTED_BYTES || f->type == FIELD_BYTES;
    for (size_t i = 0; i < sizeof shown_as / sizeof *shown_as; i++)
        if (shown_as[i].out == out && shown_as[i].type == f->type) {
            f->type = shown_as[i].shown;
            break;
        }
    if (out == OUT_NTSTATUS && f->type == FIELD_HEX32)
        f->role = FIELD_IS_STATUS;
    if (out == OUT_HRESULT && f->type == FIELD_HEX32)
        f->map = &map_hresult;
    if (out == OUT_WIN32_ERROR && (f->type == FIELD_U32 || f->type == FIELD_I32))
        f->map = &map_win32_error;
    if (out == OUT_UTC)
        f->role = FIELD_IS_UTC;
    if (is_binary && (out == OUT_IPV4 || out == OUT_IPV6))
        f->role = FIELD_IS_ADDRESS;
    if (is_binary && out == OUT_SOCKET_ADDRESS)
        f->role = FIELD_IS_SOCKET_ADDRESS;
}

/* The metadata of one event on its way into a layout. */
struct reader {
    struct bytes b;
    struct field *fields;
    unsigned count, depth;
};

static void take_fields(struct reader *r, unsigned wanted);

/* One field and, of a structure, its members. False where the metadata ends or is not known: the
 * fields behind it are not found then. */
static bool take_field(struct reader *r)
{
    enum { DEPTH = 8 };
    const char *const name = take_text(&r->b);
    const unsigned in = bytes_u8(&r->b);
    const unsigned out = in & HAS_MORE ? bytes_u8(&r->b) : 0;
    const unsigned type = in & TYPE, count = in & COUNT;
    if (out & HAS_MORE)
        skip_tags(&r->b);
    const unsigned elements = count == CONSTANT_COUNT ? bytes_u16(&r->b) : 1;
    if (!name || r->b.bad || r->count == DECODE_FIELDS)
        return false;
    struct field *const f = &r->fields[r->count++];
    *f = (struct field){.name = name, .count = 1, .offset32 = -1, .offset64 = -1};
    const bool is_known = type < sizeof in_types && count != CUSTOM;
    const bool is_too_deep = is_known && in_types[type] == FIELD_STRUCT && r->depth == DEPTH;
    if (!is_known || is_too_deep) {
        f->type = FIELD_UNKNOWN;
        f->count = (uint16_t)type;
        return !is_too_deep && (count != CUSTOM || bytes_skip(&r->b, bytes_u16(&r->b)));
    }
    f->type = elements ? in_types[type] : FIELD_NULL;
    f->count = (uint16_t)(elements ? elements : 1);
    f->has_prefix = count == VARIABLE_COUNT;
    tracelogging_show_as(f, out & ~(unsigned)HAS_MORE);
    if (in_types[type] == FIELD_STRUCT) {
        const unsigned first = r->count;
        r->depth++;
        take_fields(r, out & ~(unsigned)HAS_MORE);
        r->depth--;
        if (f->type == FIELD_STRUCT)
            f->members = (uint8_t)(r->count - first);
        else
            r->count = first;
    }
    return true;
}

static void take_fields(struct reader *r, unsigned wanted)
{
    while (wanted-- && r->b.left)
        if (!take_field(r))
            r->b.left = 0;
}

bool tracelogging_read_description(const uint8_t *at, size_t bytes, struct tracelogging *out)
{
    enum { SIZE = 2 };
    struct reader r = {.b = bytes_of(at, bytes), .fields = out->fields};
    bytes_skip(&r.b, SIZE);
    skip_tags(&r.b);
    out->provider = "";
    out->event = take_text(&r.b);
    if (r.b.bad)
        return false;
    take_fields(&r, UINT_MAX);
    out->layout = (struct payload_layout){.fields = out->fields, .field_count = (uint16_t)r.count};
    return true;
}

bool tracelogging_read(const struct event *e, struct tracelogging *out)
{
    enum { SIZE = 2 };
    struct event_item schema, traits;
    if (!find_item(e, ITEM_SCHEMA, &schema) ||
        !tracelogging_read_description(schema.data, schema.size, out))
        return false;
    if (!find_item(e, ITEM_TRAITS, &traits))
        return true;
    struct bytes b = bytes_of(traits.data, traits.size);
    bytes_skip(&b, SIZE);
    const char *const provider = take_text(&b);
    if (provider)
        out->provider = provider;
    return true;
}

bool tracelogging_describe(const struct event *e, struct tracelogging_description *out)
{
    struct event_item schema;
    if (!find_item(e, ITEM_SCHEMA, &schema))
        return false;
    uint64_t hash = schema.size;
    size_t at = 0;
    for (; schema.size - at >= 8; at += 8)
        hash = hash_mix(hash ^ load_u64(schema.data + at));
    for (; at < schema.size; at++)
        hash = hash_mix(hash ^ schema.data[at]);
    *out = (struct tracelogging_description){schema.data, schema.size, (uint32_t)(hash >> 16) | 1};
    return true;
}

uint32_t tracelogging_hash(const struct event *e)
{
    struct tracelogging_description description;
    return tracelogging_describe(e, &description) ? description.hash : 0;
}

/* Values as text. No stdio but for floating point: exporters format some ten values per event. */
#include "src/base/bytes.h"
#include "src/base/clock.h"
#include "src/base/text.h"
#include "src/event/decode.h"
#include "src/event/decode/format_out.h"
#include "src/event/decode_value.h"
#include "src/event/status.h"

#include <stdio.h>
#include <stdlib.h>

/* ---- a bounded place to write to ------------------------------------------------- */

/* ---- text ------------------------------------------------------------------------ */

static void put_latin1(struct out *o, const uint8_t *p, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++) {
        const char pair[2] = {(char)(0xc0 | p[i] >> 6), (char)(0x80 | (p[i] & 0x3f))};
        if (p[i] < 0x80)
            put(o, (char)p[i]);
        else
            put_all(o, pair, sizeof pair);
    }
}

/* 8-bit strings are UTF-8 where they can be; otherwise Latin-1, the closest to a code page
 * that nobody recorded. */
static void put_8bit(struct out *o, const uint8_t *p, size_t bytes)
{
    const char *text = (const char *)p;
    if (text_is_valid(text, bytes))
        o->at += text_repair(o->at, room_of(o), text, bytes);
    else
        put_latin1(o, p, bytes);
}

/* ---- times and floating point ------------------------------------------------------ */

/* Beyond the years that nanoseconds can say (1677 to 2262) the number itself. */
static void put_filetime(struct out *o, uint64_t n)
{
    enum { NS = 100 };
    char text[CLOCK_TEXT];
    int64_t ns;
    const bool is_time =
        n <= INT64_MAX &&
        !__builtin_mul_overflow((int64_t)n - FILETIME_UNIX_EPOCH, (int64_t)NS, &ns);
    if (is_time)
        put_text(o, clock_format_iso(ns, text));
    else
        put_decimal(o, n);
}

static void put_padded(struct out *o, unsigned n, unsigned digits)
{
    for (unsigned scale = digits == 4 ? 1000 : digits == 3 ? 100 : 10; scale > n && scale > 1;
         scale /= 10)
        put(o, '0');
    put_decimal(o, n);
}

/* Year, month, day of the week, day, hour, minute, second, millisecond. */
static void put_systemtime(struct out *o, const struct decoded *d)
{
    static const struct {
        uint8_t at, digits;
        char before;
    } parts[] = {{0, 4, 0}, {2, 2, '-'}, {6, 2, '-'}, {8, 2, 'T'}, {10, 2, ':'}, {12, 2, ':'},
                 {14, 3, '.'}};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        if (parts[i].before)
            put(o, parts[i].before);
        put_padded(o, load_u16(d->data + parts[i].at), parts[i].digits);
    }
    if (d->field->role == FIELD_IS_UTC)
        put(o, 'Z');
}

/* The shortest text that reads back as the same number. */
static void put_double(struct out *o, double n)
{
    char text[32];
    int digits = 15;
    do
        snprintf(text, sizeof text, "%.*g", digits, n);
    while (++digits <= 17 && strtod(text, NULL) != n);
    put_text(o, text);
}

static void put_float(struct out *o, float n)
{
    char text[32];
    int digits = 6;
    do
        snprintf(text, sizeof text, "%.*g", digits, (double)n);
    while (++digits <= 9 && strtof(text, NULL) != n);
    put_all(o, text, strlen(text));
}

static void put_floating(struct out *o, const struct decoded *d)
{
    double wide;
    float narrow;
    const uint32_t bits = (uint32_t)d->number;
    if (d->field->type == FIELD_F64) {
        memcpy(&wide, &d->number, sizeof wide);
        put_double(o, wide);
    } else {
        memcpy(&narrow, &bits, sizeof narrow);
        put_float(o, narrow);
    }
}

static void put_unknown(struct out *o, const struct decoded *d)
{
    put_text(o, "unknown type ");
    put_decimal(o, d->field->count);
    if (d->bytes)
        put_text(o, ": ");
    format_put_bytes(o, d->data, d->bytes);
}

/* ---- names of numbers -------------------------------------------------------------- */

static const char *name_of(const struct value_map *m, uint64_t value)
{
    uint32_t low = 0, high = m->count;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (m->entries[middle].value < value)
            low = middle + 1;
        else
            high = middle;
    }
    return low < m->count && m->entries[low].value == value ? m->entries[low].name : NULL;
}

static bool put_bits(struct out *o, const struct value_map *m, uint64_t left, bool has_name)
{
    enum { MOST = 64 }; /* a value has no more bits; further entries are ignored */
    const uint32_t count = m->count < MOST ? m->count : MOST;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t bits = m->entries[i].value;
        if (!bits || (left & bits) != bits)
            continue;
        if (has_name)
            put(o, '|');
        put_text(o, m->entries[i].name);
        left &= ~(uint64_t)bits;
        has_name = true;
    }
    if (has_name && left) {
        put_text(o, "|0x");
        put_hex(o, left);
    }
    return has_name;
}

/* Its number as the map has them: of its own width. */
static uint64_t mapped_number(const struct decoded *d)
{
    return d->bytes < sizeof(uint32_t)    ? d->number & ((1u << 8 * d->bytes) - 1)
           : d->bytes == sizeof(uint32_t) ? (uint32_t)d->number
                                          : d->number;
}

static bool has_names(const struct decoded *d)
{
    return d->field->map && d->bytes <= sizeof d->number;
}

/* The name of a part of the bits. */
static bool put_part(struct out *o, const struct value_map *m, uint64_t value)
{
    const char *const name =
        m->part_mask ? name_of(m->part, (value & m->part_mask) / (m->part_mask & -m->part_mask))
                     : NULL;
    if (name)
        put_text(o, name);
    return name && *name;
}

static bool put_name(struct out *o, const struct decoded *d)
{
    const struct value_map *const m = d->field->map;
    if (!has_names(d))
        return false;
    const uint64_t value = mapped_number(d);
    const char *name = m->count ? name_of(m, value) : NULL;
    if (!name && m->low && (value & ~(uint64_t)UINT16_MAX) == m->low_of)
        name = name_of(m->low, value & UINT16_MAX);
    if (name) {
        put_text(o, name);
        return *name != '\0';
    }
    const bool has_part = put_part(o, m, value);
    return m->is_bits &&
           put_bits(o, m, has_part ? value & ~(uint64_t)m->part_mask : value, has_part);
}

size_t decode_part_name(const struct decoded *d, char *out, size_t room)
{
    struct out o = {.at = out, .end = out + room - 1};
    if (has_names(d))
        put_part(&o, d->field->map, mapped_number(d));
    *o.at = '\0';
    return (size_t)(o.at - out);
}

size_t decode_value_name(const struct decoded *d, char *out, size_t room)
{
    struct out o = {.at = out, .end = out + room - 1};
    if (!put_name(&o, d))
        o.at = out;
    *o.at = '\0';
    return (size_t)(o.at - out);
}

/* ---- one value ----------------------------------------------------------------------- */

/* False: it is of no type of integers. */
static bool put_integer(struct out *o, unsigned type, uint64_t n)
{
    switch (type) {
    case FIELD_U8:
    case FIELD_U16:
    case FIELD_U32:
    case FIELD_U64:
    case FIELD_PORT:
        put_decimal(o, n);
        return true;
    case FIELD_I8:
    case FIELD_I16:
    case FIELD_I32:
    case FIELD_I64:
        put_signed(o, (int64_t)n);
        return true;
    case FIELD_POINTER:
    case FIELD_SIZE:
    case FIELD_HEX8:
    case FIELD_HEX16:
    case FIELD_HEX32:
    case FIELD_HEX64:
        put_all(o, "0x", 2);
        put_hex(o, n);
        return true;
    default:
        return false;
    }
}

static void put_value(struct out *o, const struct decoded *d)
{
    if ((d->field->map && put_name(o, d)) || put_integer(o, d->field->type, d->number))
        return;
    switch (d->field->type) {
    case FIELD_GUID:
        format_put_guid(o, d->data);
        break;
    case FIELD_IPV4:
        format_put_ipv4(o, d->data);
        break;
    case FIELD_IPV6:
        format_put_ipv6(o, d->data);
        break;
    case FIELD_SID:
    case FIELD_BARE_SID:
        format_put_sid(o, d->data, d->bytes);
        break;
    case FIELD_ASTR:
    case FIELD_ACHARS:
    case FIELD_CHAR8:
    case FIELD_COUNTED_ASTR:
        put_8bit(o, d->data, d->bytes);
        break;
    case FIELD_WSTR:
    case FIELD_WCHARS:
    case FIELD_CHAR16:
    case FIELD_COUNTED_WSTR:
        o->at += text_from_utf16(o->at, room_of(o), d->data, d->bytes);
        break;
    case FIELD_BOOL8:
    case FIELD_BOOL32:
        put_text(o, d->number ? "true" : "false");
        break;
    case FIELD_F32:
    case FIELD_F64:
        put_floating(o, d);
        break;
    case FIELD_FILETIME:
        put_filetime(o, d->number);
        break;
    case FIELD_SYSTEMTIME:
        put_systemtime(o, d);
        break;
    case FIELD_NULL:
        put_text(o, "null");
        break;
    case FIELD_UNKNOWN:
        put_unknown(o, d);
        break;
    default:
        format_put_address_or_bytes(o, d);
        break;
    }
}

bool decode_is_text(const struct decoded *d)
{
    switch (d->field->type) {
    case FIELD_ASTR:
    case FIELD_WSTR:
    case FIELD_WCHARS:
    case FIELD_ACHARS:
    case FIELD_CHAR8:
    case FIELD_CHAR16:
    case FIELD_COUNTED_ASTR:
    case FIELD_COUNTED_WSTR:
    case FIELD_UNKNOWN:
        return true;
    default:
        return false;
    }
}

static void put_field(struct out *o, const struct decoded *d);

static void put_structure(struct out *o, const struct decoded *d)
{
    const char *before = "";
    put(o, '{');
    for (unsigned i = 0; i < d->field->members; i += 1u + d->members[i].field->members) {
        if (!d->members[i].is_present)
            continue;
        put_text(o, before);
        put_text(o, d->members[i].field->name);
        put(o, '=');
        put_field(o, &d->members[i]);
        before = " ";
    }
    put(o, '}');
}

static void put_structures(struct out *o, const struct decoded *d)
{
    size_t cursor = 0;
    for (const char *before = ""; room_of(o) && decode_structure(d, &cursor); before = ",") {
        put_text(o, before);
        put_structure(o, d);
    }
}

bool decode_is_numbers(const struct decoded *d)
{
    const unsigned type = d->field->type;
    const bool is_integer =
        type <= FIELD_SIZE || type == FIELD_PORT || (type >= FIELD_HEX32 && type <= FIELD_HEX16);
    return d->is_list && is_integer && !d->field->map;
}

/* With quotes around each. */
static void put_quoted_numbers(struct out *o, const struct decoded *d)
{
    const unsigned type = d->field->type;
    for (uint32_t i = 0; i < d->elements && room_of(o); i++) {
        put_all(o, &",\""[!i], 2u - !i);
        put_integer(o, type, decode_number_at(d, i));
        put(o, '"');
    }
}

static void put_numbers(struct out *o, const struct decoded *d)
{
    const unsigned type = d->field->type;
    for (uint32_t i = 0; i < d->elements && room_of(o); i++) {
        if (i)
            put(o, ',');
        put_integer(o, type, decode_number_at(d, i));
    }
}

static void put_list(struct out *o, const struct decoded *d)
{
    struct decoded element;
    size_t cursor = 0;
    if (decode_is_numbers(d)) {
        put_numbers(o, d);
        return;
    }
    for (const char *before = ""; room_of(o) && decode_element(d, &cursor, &element);
         before = ",") {
        put_text(o, before);
        put_value(o, &element);
    }
}

static void put_field(struct out *o, const struct decoded *d)
{
    if (!d->is_present)
        return;
    if (d->members)
        (d->is_list ? put_structures : put_structure)(o, d);
    else
        (d->is_list ? put_list : put_value)(o, d);
}

size_t decode_format(const struct decoded *d, char *out, size_t room)
{
    if (room == 0)
        return 0;
    struct out o = {.at = out, .end = out + room - 1};
    put_field(&o, d);
    *o.at = '\0';
    return (size_t)(o.at - out);
}

size_t decode_format_numbers(const struct decoded *d, bool quotes, char *out, size_t room)
{
    struct out o = {.at = out, .end = out + room - 1};
    (quotes ? put_quoted_numbers : put_numbers)(&o, d);
    *o.at = '\0';
    return (size_t)(o.at - out);
}

bool decode_status(const struct decoded *d, bool is_linux, uint32_t *marked)
{
    *marked = d->field->role == FIELD_IS_STATUS ? status_mark((uint32_t)d->number, is_linux) : 0;
    return *marked != 0;
}

bool decode_is_time(const struct decoded *d)
{
    return d->field->role == FIELD_IS_FILETIME && !d->is_list && d->number >= FILETIME_UNIX_EPOCH;
}

size_t decode_show(const struct decoded *d, bool is_linux, char *out, size_t room)
{
    uint32_t marked;
    char text[STATUS_TEXT];
    if (room && decode_is_time(d)) {
        struct out o = {out, out + room - 1};
        put_filetime(&o, d->number);
        *o.at = '\0';
        return (size_t)(o.at - out);
    }
    if (room == 0 || !decode_status(d, is_linux, &marked))
        return decode_format(d, out, room);
    const size_t length = status_format(marked, text), take = length < room ? length : room - 1;
    memcpy(out, text, take);
    out[take] = '\0';
    return take;
}

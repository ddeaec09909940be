/* Values as text. No stdio: exporters format some ten values per event. */
#include "src/base/bytes.h"
#include "src/base/text.h"
#include "src/event/decode.h"
#include "src/event/status.h"

/* ---- a bounded place to write to ------------------------------------------------- */

struct out {
    char *at, *end; /* end leaves room for the NUL */
};

static void put(struct out *o, char c)
{
    if (o->at < o->end)
        *o->at++ = c;
}

static size_t room_of(const struct out *o)
{
    return (size_t)(o->end - o->at);
}

/* All of it or nothing, so that no character is cut in two. */
static void put_all(struct out *o, const char *text, size_t bytes)
{
    if (room_of(o) < bytes) {
        o->end = o->at;
        return;
    }
    memcpy(o->at, text, bytes);
    o->at += bytes;
}

static void put_decimal(struct out *o, uint64_t n)
{
    char digits[20];
    unsigned i = sizeof digits;
    do
        digits[--i] = (char)('0' + n % 10);
    while (n /= 10);
    for (; i < sizeof digits; i++)
        put(o, digits[i]);
}

static void put_signed(struct out *o, int64_t n)
{
    if (n < 0)
        put(o, '-');
    put_decimal(o, n < 0 ? 0 - (uint64_t)n : (uint64_t)n);
}

static void put_digits(struct out *o, uint64_t n, unsigned shift)
{
    static const char digits[] = "0123456789abcdef";
    for (; shift; shift -= 4)
        put(o, digits[n >> shift & 15]);
    put(o, digits[n & 15]);
}

/* Hexadecimal without leading zeros. */
static void put_hex(struct out *o, uint64_t n)
{
    unsigned shift = 0;
    while (shift < 60 && n >> (shift + 4))
        shift += 4;
    put_digits(o, n, shift);
}

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

/* ---- addresses and identities ------------------------------------------------------ */

static void put_ipv4(struct out *o, const uint8_t *p)
{
    for (unsigned i = 0; i < 4; i++) {
        if (i)
            put(o, '.');
        put_decimal(o, p[i]);
    }
}

static uint16_t group_at(const uint8_t *p, unsigned i)
{
    return (uint16_t)(p[2 * i] << 8 | p[2 * i + 1]);
}

/* The first longest run of zero groups; runs of one stay as they are (RFC 5952 §4.2). */
static void longest_zeros(const uint8_t *p, unsigned *from, unsigned *to)
{
    *from = *to = 8;
    for (unsigned i = 0; i < 8; i++) {
        unsigned end = i;
        while (end < 8 && group_at(p, end) == 0)
            end++;
        if (end - i > 1 && end - i > *to - *from) {
            *from = i;
            *to = end;
        }
        if (end > i)
            i = end - 1;
    }
}

static void put_ipv6(struct out *o, const uint8_t *p)
{
    static const uint8_t mapped[12] = {[10] = 0xff, [11] = 0xff};
    if (memcmp(p, mapped, sizeof mapped) == 0) {
        put_all(o, "::ffff:", 7);
        put_ipv4(o, p + 12);
        return;
    }
    unsigned from, to;
    longest_zeros(p, &from, &to);
    for (unsigned i = 0; i < 8; i++) {
        if (i == from) {
            put_all(o, "::", 2);
            i = to - 1;
            continue;
        }
        if (i && i != to)
            put(o, ':');
        put_hex(o, group_at(p, i));
    }
}

/* S-1-authority-sub-…; the authority is six bytes, big-endian. */
static void put_sid(struct out *o, const uint8_t *p, size_t bytes)
{
    if (bytes < 8)
        return;
    uint64_t authority = 0;
    for (unsigned i = 2; i < 8; i++)
        authority = authority << 8 | p[i];
    put_all(o, "S-", 2);
    put_decimal(o, p[0]);
    put(o, '-');
    put_decimal(o, authority);
    for (size_t i = 8; i + 4 <= bytes; i += 4) {
        put(o, '-');
        put_decimal(o, load_u32(p + i));
    }
}

static void put_guid(struct out *o, const uint8_t *p)
{
    struct guid g;
    char text[GUID_TEXT];
    memcpy(g.b, p, sizeof g.b);
    put_all(o, guid_format(&g, text), GUID_TEXT - 1);
}

static void put_bytes(struct out *o, const uint8_t *p, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++)
        put_digits(o, p[i], 4);
}

/* ---- one value ----------------------------------------------------------------------- */

static void put_value(struct out *o, const struct decoded *d)
{
    switch (d->field->type) {
    case FIELD_U8:
    case FIELD_U16:
    case FIELD_U32:
    case FIELD_U64:
    case FIELD_PORT:
        put_decimal(o, d->number);
        break;
    case FIELD_I8:
    case FIELD_I16:
    case FIELD_I32:
    case FIELD_I64:
        put_signed(o, (int64_t)d->number);
        break;
    case FIELD_POINTER:
    case FIELD_SIZE:
    case FIELD_HEX32:
    case FIELD_HEX64:
        put_all(o, "0x", 2);
        put_hex(o, d->number);
        break;
    case FIELD_GUID:
        put_guid(o, d->data);
        break;
    case FIELD_IPV4:
        put_ipv4(o, d->data);
        break;
    case FIELD_IPV6:
        put_ipv6(o, d->data);
        break;
    case FIELD_SID:
        put_sid(o, d->data, d->bytes);
        break;
    case FIELD_ASTR:
        put_8bit(o, d->data, d->bytes);
        break;
    case FIELD_WSTR:
    case FIELD_WCHARS:
        o->at += text_from_utf16(o->at, room_of(o), d->data, d->bytes);
        break;
    default:
        put_bytes(o, d->data, d->bytes);
        break;
    }
}

size_t decode_format(const struct decoded *d, char *out, size_t room)
{
    if (room == 0)
        return 0;
    struct out o = {.at = out, .end = out + room - 1};
    struct decoded element;
    size_t cursor = 0;
    if (!d->is_list && d->is_present)
        put_value(&o, d);
    while (d->is_list && d->is_present && cursor < d->bytes) {
        if (cursor)
            put(&o, ',');
        decode_element(d, &cursor, &element);
        put_value(&o, &element);
    }
    *o.at = '\0';
    return (size_t)(o.at - out);
}

bool decode_status(const struct decoded *d, bool is_linux, uint32_t *marked)
{
    *marked = d->field->role == FIELD_IS_STATUS ? status_mark((uint32_t)d->number, is_linux) : 0;
    return *marked != 0;
}

size_t decode_show(const struct decoded *d, bool is_linux, char *out, size_t room)
{
    uint32_t marked;
    char text[STATUS_TEXT];
    if (room == 0 || !decode_status(d, is_linux, &marked))
        return decode_format(d, out, room);
    const size_t length = status_format(marked, text), take = length < room ? length : room - 1;
    memcpy(out, text, take);
    out[take] = '\0';
    return take;
}

/* Values as text. No stdio: exporters format some ten values per event. */
#include "src/bytes.h"
#include "src/decode.h"

/* ---- a bounded place to write to ------------------------------------------------- */

struct out {
    char *at, *end; /* end leaves room for the NUL */
};

static void put(struct out *o, char c)
{
    if (o->at < o->end)
        *o->at++ = c;
}

/* All of it or nothing, so that no character is cut in two. */
static void put_all(struct out *o, const char *text, size_t bytes)
{
    if ((size_t)(o->end - o->at) < bytes) {
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

static void put_scalar(struct out *o, uint32_t c)
{
    char utf8[4];
    size_t n = 0;
    if (c < 0x80) {
        utf8[n++] = (char)c;
    } else if (c < 0x800) {
        utf8[n++] = (char)(0xc0 | c >> 6);
        utf8[n++] = (char)(0x80 | (c & 63));
    } else if (c < 0x10000) {
        utf8[n++] = (char)(0xe0 | c >> 12);
        utf8[n++] = (char)(0x80 | (c >> 6 & 63));
        utf8[n++] = (char)(0x80 | (c & 63));
    } else {
        utf8[n++] = (char)(0xf0 | c >> 18);
        utf8[n++] = (char)(0x80 | (c >> 12 & 63));
        utf8[n++] = (char)(0x80 | (c >> 6 & 63));
        utf8[n++] = (char)(0x80 | (c & 63));
    }
    put_all(o, utf8, n);
}

enum { REPLACEMENT = 0xfffd };

static bool is_surrogate(uint32_t c)
{
    return c >= 0xd800 && c < 0xe000;
}

/* UTF-16 that nobody vouches for and that need not be aligned; each half of a pair that
 * stands alone becomes U+FFFD. */
static void put_utf16(struct out *o, const uint8_t *p, size_t bytes)
{
    for (size_t i = 0; i + 2 <= bytes; i += 2) {
        uint32_t c = load_u16(p + i);
        if (is_surrogate(c)) {
            const uint32_t low = i + 4 <= bytes ? load_u16(p + i + 2) : 0;
            const bool is_pair = c < 0xdc00 && low >= 0xdc00 && low < 0xe000;
            c = is_pair ? 0x10000 + ((c - 0xd800) << 10 | (low - 0xdc00)) : REPLACEMENT;
            i += is_pair ? 2 : 0;
        }
        put_scalar(o, c);
    }
}

/* Bytes of the well-formed UTF-8 character at p, 0 when it is none. */
static size_t utf8_bytes(const uint8_t *p, size_t left)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    if (p[0] < 0x80)
        return 1;
    const size_t n = p[0] >= 0xf0 ? 4 : p[0] >= 0xe0 ? 3 : 2;
    if (p[0] < 0xc2 || p[0] > 0xf4 || left < n)
        return 0;
    uint32_t c = p[0] & (0x7f >> n);
    for (size_t i = 1; i < n; i++) {
        if ((p[i] & 0xc0) != 0x80)
            return 0;
        c = c << 6 | (p[i] & 63);
    }
    return c < least[n] || c > 0x10ffff || is_surrogate(c) ? 0 : n;
}

/* 8-bit strings are UTF-8 where they can be; otherwise each byte that cannot is taken as
 * Latin-1, the closest to the code page nobody recorded. */
static void put_8bit(struct out *o, const uint8_t *p, size_t bytes)
{
    for (size_t i = 0, n; i < bytes; i += n) {
        n = utf8_bytes(p + i, bytes - i);
        if (n) {
            put_all(o, (const char *)p + i, n);
        } else {
            put_scalar(o, p[i]);
            n = 1;
        }
    }
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
        put_utf16(o, d->data, d->bytes);
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

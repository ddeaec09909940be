/* Addresses and identities as text. */
#include "src/base/bytes.h"
#include "src/event/decode.h"
#include "src/event/decode/format_out.h"

void format_put_ipv4(struct out *o, const uint8_t *p)
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

void format_put_ipv6(struct out *o, const uint8_t *p)
{
    static const uint8_t mapped[12] = {[10] = 0xff, [11] = 0xff};
    if (memcmp(p, mapped, sizeof mapped) == 0) {
        put_all(o, "::ffff:", 7);
        format_put_ipv4(o, p + 12);
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

void format_put_sid(struct out *o, const uint8_t *p, size_t bytes)
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

void format_put_guid(struct out *o, const uint8_t *p)
{
    struct guid g;
    char text[GUID_TEXT];
    memcpy(g.b, p, sizeof g.b);
    put_all(o, guid_format(&g, text), GUID_TEXT - 1);
}

void format_put_bytes(struct out *o, const uint8_t *p, size_t bytes)
{
    char digits[2];
    for (size_t i = 0; i < bytes; i++) {
        hex_put(digits, p + i, 1);
        put_cut(o, digits, sizeof digits);
    }
}

enum { FAMILY_IPV4 = 2, FAMILY_IPV6 = 23 };

static void put_port(struct out *o, const uint8_t *p)
{
    put(o, ':');
    put_decimal(o, (uint64_t)p[0] << 8 | p[1]);
}

/* sockaddr_in and sockaddr_in6: family, port, address. */
static bool put_socket_address(struct out *o, const uint8_t *p, size_t bytes)
{
    enum { BYTES4 = 8, BYTES6 = 24 };
    const unsigned family = bytes >= 4 ? load_u16(p) : 0;
    if (family == FAMILY_IPV4 && bytes >= BYTES4) {
        format_put_ipv4(o, p + 4);
        put_port(o, p + 2);
    } else if (family == FAMILY_IPV6 && bytes >= BYTES6) {
        put(o, '[');
        format_put_ipv6(o, p + 8);
        put(o, ']');
        put_port(o, p + 2);
    } else {
        return false;
    }
    return true;
}

const uint8_t *decode_address(const struct decoded *d, bool *is_v6)
{
    const unsigned role = d->field->role, type = d->field->type;
    const unsigned family =
        role == FIELD_IS_SOCKET_ADDRESS && d->bytes >= 8 ? load_u16(d->data) : 0;
    *is_v6 =
        type == FIELD_IPV6 || family == FAMILY_IPV6 || (role == FIELD_IS_ADDRESS && d->bytes == 16);
    if (family == FAMILY_IPV4)
        return d->data + 4;
    if (family == FAMILY_IPV6)
        return d->bytes >= 24 ? d->data + 8 : NULL;
    if (type == FIELD_IPV4 || type == FIELD_IPV6)
        return d->data;
    return role == FIELD_IS_ADDRESS && (d->bytes == 4 || d->bytes == 16) ? d->data : NULL;
}

void format_put_address_or_bytes(struct out *o, const struct decoded *d)
{
    const unsigned role = d->field->role;
    if (role == FIELD_IS_SOCKET_ADDRESS && put_socket_address(o, d->data, d->bytes))
        return;
    if (role == FIELD_IS_ADDRESS && d->bytes == 4)
        format_put_ipv4(o, d->data);
    else if (role == FIELD_IS_ADDRESS && d->bytes == 16)
        format_put_ipv6(o, d->data);
    else
        format_put_bytes(o, d->data, d->bytes);
}

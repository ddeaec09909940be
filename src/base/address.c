#include "src/base/address.h"

#include "src/base/text.h"

#include <string.h>

bool address_digits(const char **at, unsigned base, unsigned most, unsigned *out)
{
    unsigned value = 0, count = 0;
    for (; count < 4; count++, (*at)++) {
        const char c = text_lower(**at);
        const unsigned d = c >= '0' && c <= '9'   ? (unsigned)(c - '0')
                           : c >= 'a' && c <= 'f' ? (unsigned)(c - 'a') + 10
                                                  : base;
        if (d >= base)
            break;
        value = value * base + d;
    }
    *out = value;
    return count > 0 && value <= most;
}

static bool read_v4(const char **at, uint8_t out[4])
{
    for (unsigned i = 0; i < 4; i++) {
        unsigned part;
        if (i && *(*at)++ != '.')
            return false;
        if (!address_digits(at, 10, 255, &part))
            return false;
        out[i] = (uint8_t)part;
    }
    return true;
}

/* Where an address cannot go on. */
static bool is_end(char c)
{
    return !c || strchr("/;, ", c);
}

/* Groups of 16 bits; one :: stands for as many zeros as are missing. The last 32 bits may be
 * written as of version 4. */
static bool read_v6(const char **at, uint8_t out[16])
{
    uint8_t parts[16];
    unsigned used = 0, gap = 17;
    if (strncmp(*at, "::", 2) == 0) {
        gap = 0;
        *at += 2;
    }
    while (used < 16 && !is_end(**at)) {
        const char *const start = *at;
        unsigned group;
        if (!address_digits(at, 16, 0xffff, &group))
            return false;
        if (**at == '.') {
            *at = start;
            if (used > 12 || !read_v4(at, parts + used))
                return false;
            used += 4;
            break;
        }
        parts[used++] = (uint8_t)(group >> 8);
        parts[used++] = (uint8_t)group;
        if (**at != ':')
            break;
        (*at)++;
        if (**at == ':') {
            if (gap < 17)
                return false;
            gap = used;
            (*at)++;
        } else if (is_end(**at)) {
            return false;
        }
    }
    if (gap > 16 ? used != 16 : used == 16)
        return false;
    const unsigned head = gap < used ? gap : used;
    memset(out, 0, 16);
    memcpy(out, parts, head);
    memcpy(out + 16 - (used - head), parts + head, used - head);
    return true;
}

/* A colon is in the one kind alone. */
static bool has_colon(const char *at)
{
    while (!is_end(*at) && *at != ':')
        at++;
    return *at == ':';
}

bool address_read(const char **at, uint8_t out[16], bool *is_v6)
{
    *is_v6 = has_colon(*at);
    return *is_v6 ? read_v6(at, out) : read_v4(at, out);
}

bool address_is_mapped(const uint8_t address[16])
{
    static const uint8_t before[12] = {[10] = 0xff, [11] = 0xff};
    return memcmp(address, before, sizeof before) == 0;
}

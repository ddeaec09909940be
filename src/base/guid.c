#include "src/base/guid.h"

#include <stdio.h>

/* Where each pair of hex digits of the text form lies in the sixteen bytes. */
static const uint8_t order[16] = {3, 2, 1, 0, 5, 4, 7, 6, 8, 9, 10, 11, 12, 13, 14, 15};

static bool is_dash_before(unsigned pair)
{
    return pair == 4 || pair == 6 || pair == 8 || pair == 10;
}

char *guid_format(const struct guid *g, char *out)
{
    static const char digits[] = "0123456789abcdef";
    char *at = out;
    for (unsigned i = 0; i < 16; i++) {
        if (is_dash_before(i))
            *at++ = '-';
        *at++ = digits[g->b[order[i]] >> 4];
        *at++ = digits[g->b[order[i]] & 15];
    }
    *at = '\0';
    return out;
}

static int hex_digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    if (c >= 'A' && c <= 'F')
        return c - 'A' + 10;
    return -1;
}

bool guid_parse(const char *text, struct guid *out)
{
    const bool braced = *text == '{';
    text += braced;
    for (unsigned i = 0; i < 16; i++) {
        if (is_dash_before(i) && *text++ != '-')
            return false;
        const int high = hex_digit(text[0]);
        const int low = high < 0 ? -1 : hex_digit(text[1]);
        if (low < 0)
            return false;
        out->b[order[i]] = (uint8_t)(high << 4 | low);
        text += 2;
    }
    return braced ? strcmp(text, "}") == 0 : *text == '\0';
}

struct guid guid_of_name(const char first[8], const char *name)
{
    struct guid g;
    uint64_t hash = 0xcbf29ce484222325u;
    for (; *name; name++)
        hash = (hash ^ (unsigned char)*name) * 0x100000001b3u;
    memcpy(g.b, first, 8);
    memcpy(g.b + 8, &hash, sizeof hash);
    return g;
}

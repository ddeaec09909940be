#include "src/json.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* The code point at `at` and its length; U+FFFD and 1 for what is not UTF-8. */
static uint32_t code_point(const uint8_t *at, size_t left, size_t *length)
{
    static const uint32_t least[5] = { 0, 0, 0x80, 0x800, 0x10000 };
    const uint8_t first = *at;
    const size_t want = first < 0x80 ? 1 : first >> 5 == 6 ? 2 : first >> 4 == 14 ? 3 : first >> 3 == 30 ? 4 : 0;
    *length = 1;
    if (want == 0 || want > left)
        return 0xfffd;
    if (want == 1)
        return first;
    uint32_t c = first & (0x7fu >> want);
    for (size_t i = 1; i < want; i++) {
        if (at[i] >> 6 != 2)
            return 0xfffd;
        c = c << 6 | (at[i] & 0x3f);
    }
    if (c < least[want] || c > 0x10ffff || (c >= 0xd800 && c < 0xe000))
        return 0xfffd;
    *length = want;
    return c;
}

/* Would it do something to a terminal, or hide what the text is? */
static bool is_control(uint32_t c)
{
    return c < 0x20 || (c >= 0x7f && c < 0xa0) || c == 0x061c || c == 0x200e || c == 0x200f ||
           (c >= 0x2028 && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069) || c == 0xfeff;
}

static void put_one(FILE *out, uint32_t c, const char *at, size_t length)
{
    if (c == '"' || c == '\\')
        fprintf(out, "\\%c", (int)c);
    else if (c == '\n' || c == '\t')
        fputs(c == '\n' ? "\\n" : "\\t", out);
    else if (is_control(c))
        fprintf(out, "\\u%04x", (unsigned)c);
    else if (c == 0xfffd)
        fputs("\xef\xbf\xbd", out);
    else
        fwrite(at, 1, length, out);
}

void json_string(FILE *out, const char *text, size_t bytes)
{
    putc('"', out);
    for (size_t at = 0; at < bytes;) {
        size_t length;
        const uint32_t c = code_point((const uint8_t *)text + at, bytes - at, &length);
        put_one(out, c, text + at, length);
        at += length;
    }
    putc('"', out);
}

void json_text(FILE *out, const char *text)
{
    json_string(out, text, strlen(text));
}

#include "src/base/json.h"

#include "src/base/bytes.h"
#include "src/base/text.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* The code point at `at` and its length; U+FFFD and 1 for what is not UTF-8. */
static uint32_t code_point(const uint8_t *at, size_t left, size_t *length)
{
    static const uint32_t least[5] = {0, 0, 0x80, 0x800, 0x10000};
    const uint8_t first = *at;
    const size_t want = first < 0x80       ? 1
                        : first >> 5 == 6  ? 2
                        : first >> 4 == 14 ? 3
                        : first >> 3 == 30 ? 4
                                           : 0;
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

static const char hex[] = "0123456789abcdef";

static char *put_hex(char *out, uint32_t c)
{
    for (int shift = 12; shift >= 0; shift -= 4)
        *out++ = hex[c >> shift & 15];
    return out;
}

static char *put_escape(char *out, uint32_t c)
{
    *out++ = '\\';
    if (c == '\n' || c == '\t') {
        *out++ = c == '\n' ? 'n' : 't';
        return out;
    }
    if (c > 0xffff) { /* as two halves */
        *out++ = 'u';
        out = put_hex(out, 0xd800 + ((c - 0x10000) >> 10));
        *out++ = '\\';
        c = 0xdc00 + (c & 0x3ff);
    }
    *out++ = 'u';
    return put_hex(out, c);
}

static char *put_one(char *out, uint32_t c, const char *at, size_t length)
{
    if (c == 0xfffd) {
        memcpy(out, "\xef\xbf\xbd", 3);
        return out + 3;
    }
    if (text_is_hidden(c))
        return put_escape(out, c);
    memcpy(out, at, length);
    return out + length;
}

static const uint64_t EACH = 0x0101010101010101, TOP = 0x8080808080808080;

/* The top bit of each of the eight bytes that is `c`. Of a sum over bytes like those here the lowest bit
 * is right; those above it may be not. */
static inline uint64_t equal_bytes(uint64_t word, uint8_t c)
{
    const uint64_t x = word ^ EACH * c;
    return (x - EACH) & ~x & TOP;
}

/* Likewise those that are not printable ASCII, and in quotes `"` and `\`. */
static inline uint64_t odd_bytes(uint64_t word, bool is_quoted)
{
    const uint64_t odd =
        (((word - EACH * 0x20) & ~word) | word | (word + EACH)) & TOP; /* < 0x20, >= 0x7f */
    return is_quoted ? odd | equal_bytes(word, '"') | equal_bytes(word, '\\') : odd;
}

/* Copies the printable ASCII at the start of `text`, eight bytes at a time. Returns its length;
 * `out` may hold up to seven more bytes behind it. */
static inline size_t copy_plain(char *out, const char *text, size_t bytes, bool is_quoted)
{
    size_t n = 0;
    for (; bytes - n >= 8; n += 8) {
        const uint64_t word = load_u64((const uint8_t *)text + n);
        const uint64_t odd = odd_bytes(word, is_quoted);
        memcpy(out + n, &word, sizeof word);
        if (odd)
            return n + (size_t)__builtin_ctzll(odd) / 8;
    }
    const size_t left = bytes - n;
    if (left && bytes >= 8) { /* the last eight bytes; some of them were copied already */
        const uint64_t word = load_u64((const uint8_t *)text + bytes - 8);
        if (!odd_bytes(word, is_quoted)) {
            memcpy(out + bytes - 8, &word, sizeof word);
            return bytes;
        }
    } else if (left >= 4) {
        const uint32_t low = load_u32((const uint8_t *)text + n),
                       high = load_u32((const uint8_t *)text + bytes - 4);
        if (!odd_bytes((uint64_t)high << 32 | low, is_quoted)) {
            memcpy(out + n, &low, sizeof low);
            memcpy(out + bytes - 4, &high, sizeof high);
            return bytes;
        }
    }
    for (; n < bytes && text[n] >= 0x20 && text[n] < 0x7f &&
           !(is_quoted && (text[n] == '"' || text[n] == '\\'));
         n++)
        out[n] = text[n];
    return n;
}

static char *put_safe(char *out, const char *text, size_t bytes, bool is_quoted)
{
    for (size_t at = 0; at < bytes;) {
        size_t length = copy_plain(out, text + at, bytes - at, is_quoted);
        out += length;
        at += length;
        if (at == bytes)
            break;
        const uint32_t c = code_point((const uint8_t *)text + at, bytes - at, &length);
        if (c == '"' || c == '\\')
            *out++ = '\\';
        out = put_one(out, c, text + at, length);
        at += length;
    }
    return out;
}

size_t json_quote(char *out, const char *text, size_t bytes)
{
    char *const from = out;
    *out++ = '"';
    out = put_safe(out, text, bytes, true);
    *out++ = '"';
    return (size_t)(out - from);
}

size_t json_show(char *out, const char *text, size_t bytes)
{
    return (size_t)(put_safe(out, text, bytes, false) - out);
}

/* Bytes from the front that end with a whole character where there is one. */
static size_t piece(const char *text, size_t bytes, size_t most)
{
    if (bytes <= most)
        return bytes;
    size_t n = most;
    while (n > most - 4 && ((uint8_t)text[n] & 0xc0) == 0x80)
        n--;
    return n;
}

void json_string(FILE *out, const char *text, size_t bytes)
{
    enum { PIECE = 256 };
    char safe[JSON_ROOM(PIECE)];
    putc('"', out);
    for (size_t at = 0, n; at < bytes; at += n) {
        n = piece(text + at, bytes - at, PIECE);
        fwrite(safe, 1, (size_t)(put_safe(safe, text + at, n, true) - safe), out);
    }
    putc('"', out);
}

void json_text(FILE *out, const char *text)
{
    json_string(out, text, strlen(text));
}

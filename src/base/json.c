#include "src/base/json.h"

#include "src/base/bytes.h"
#include "src/base/text.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

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

static bool is_plain(char c, bool is_quoted)
{
    return c >= 0x20 && c < 0x7f && !(is_quoted && (c == '"' || c == '\\'));
}

#ifdef __SSE2__
/* A bit for each of sixteen bytes that is not printable ASCII or, in quotes, is `"` or `\`. Bytes
 * from 0x80 on are negative. */
static inline unsigned odd_bytes(__m128i x, bool is_quoted)
{
    __m128i odd = _mm_or_si128(_mm_cmplt_epi8(x, _mm_set1_epi8(0x20)),
                               _mm_cmpeq_epi8(x, _mm_set1_epi8(0x7f)));
    if (is_quoted)
        odd = _mm_or_si128(odd, _mm_or_si128(_mm_cmpeq_epi8(x, _mm_set1_epi8('"')),
                                             _mm_cmpeq_epi8(x, _mm_set1_epi8('\\'))));
    return (unsigned)_mm_movemask_epi8(odd);
}

/* Copies sixteen bytes; how many of them are plain. */
static inline size_t copy_16(char *out, const char *text, bool is_quoted)
{
    const __m128i x = _mm_loadu_si128((const void *)text);
    _mm_storeu_si128((void *)out, x);
    return (size_t)__builtin_ctz(odd_bytes(x, is_quoted) | 1u << 16);
}

/* Copies eight to fifteen bytes: the first eight and the last eight. */
static inline size_t copy_8(char *out, const char *text, size_t bytes, bool is_quoted)
{
    const uint64_t first = load_u64((const uint8_t *)text),
                   last = load_u64((const uint8_t *)text + bytes - 8);
    const size_t plain = (size_t)__builtin_ctz(
        odd_bytes(_mm_set_epi64x((long long)last, (long long)first), is_quoted) | 1u << 16);
    memcpy(out, &first, sizeof first);
    memcpy(out + bytes - 8, &last, sizeof last);
    return plain < 8 ? plain : bytes - 16 + plain;
}
#endif

/* Copies the printable ASCII at the start of `text` and returns its length; what stands in `out`
 * behind it, `bytes` in all, may have changed. */
static inline size_t copy_plain(char *out, const char *text, size_t bytes, bool is_quoted)
{
    size_t n = 0;
#ifdef __SSE2__
    for (; bytes - n >= 16; n += 16) {
        const size_t plain = copy_16(out + n, text + n, is_quoted);
        if (plain < 16)
            return n + plain;
    }
    if (n) /* the last sixteen bytes, some of them for the second time */
        return bytes - 16 + copy_16(out + bytes - 16, text + bytes - 16, is_quoted);
    if (bytes >= 8)
        return copy_8(out, text, bytes, is_quoted);
#endif
    for (; n < bytes && is_plain(text[n], is_quoted); n++)
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

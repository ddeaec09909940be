/* One character after the other, by libunistring; for text*.c alone. */
#ifndef SRC_BASE_TEXT_CHARACTERS_H
#define SRC_BASE_TEXT_CHARACTERS_H

#include "src/base/bytes.h"

#include <unistr.h>

enum { REPLACEMENT = 0xfffd };

static inline const uint8_t *u8(const char *text)
{
    return (const uint8_t *)text;
}

static inline bool all_ascii(const char *text, size_t bytes)
{
    size_t at = 0;
    for (; bytes - at >= 8; at += 8)
        if (load_u64(u8(text + at)) & 0x8080808080808080u)
            return false;
    for (; at < bytes; at++)
        if ((unsigned char)text[at] >= 0x80)
            return false;
    return true;
}

/* One character and where it ends. Ill-formed bytes are U+FFFD. */
static inline ucs4_t character(const uint8_t **at, const uint8_t *end)
{
    ucs4_t c;
    *at += u8_mbtouc(&c, *at, (size_t)(end - *at));
    return c;
}

#endif

/* Numbers of as many bytes as they need, seven bits each (DWARF's LEB128). Bits beyond 64 are
 * dropped; a number that does not end within what is left marks the cursor. */
#ifndef SRC_BASE_VARINT_H
#define SRC_BASE_VARINT_H

#include "src/base/bytes.h"

static inline uint64_t bytes_varint(struct bytes *b, unsigned *bits)
{
    uint64_t value = 0;
    uint8_t byte = 0x80;
    for (*bits = 0; byte & 0x80 && !b->bad; *bits += *bits < 70 ? 7 : 0) {
        byte = bytes_u8(b);
        if (*bits < 64)
            value |= (uint64_t)(byte & 0x7f) << *bits;
    }
    return value;
}

static inline uint64_t bytes_uleb(struct bytes *b)
{
    unsigned bits;
    return bytes_varint(b, &bits);
}

static inline int64_t bytes_sleb(struct bytes *b)
{
    unsigned bits;
    const uint64_t value = bytes_varint(b, &bits);
    const bool is_negative = bits && bits <= 63 && value >> (bits - 1) & 1;
    return (int64_t)(is_negative ? value | ~(uint64_t)0 << bits : value);
}

#endif

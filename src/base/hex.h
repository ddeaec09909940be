/* Hexadecimal digits, eight at a time. */
#ifndef SRC_BASE_HEX_H
#define SRC_BASE_HEX_H

#include "src/base/bytes.h"

enum { HEX_NUMBER = 16 }; /* digits of 64 bits */

/* Eight digits of four bytes at once: each nibble gets a byte of its own (high one first in
 * memory), then those above nine are raised from '0'… to 'a'…. */
static inline uint64_t hex_of_bytes(uint32_t four)
{
    const uint64_t nibble = 0x000f000f000f000f, ones = 0x0101010101010101;
    uint64_t x = four;
    x = (x | x << 16) & 0x0000ffff0000ffff;
    x = (x | x << 8) & 0x00ff00ff00ff00ff;
    x = (x >> 4 & nibble) | (x & nibble) << 8;
    return x + '0' * ones + ((x + 6 * ones) >> 4 & ones) * ('a' - '0' - 10);
}

/* All digits of a number, leading zeros among them. */
static inline void hex_of_number(uint64_t n, char out[HEX_NUMBER])
{
    const uint64_t high = hex_of_bytes(__builtin_bswap32((uint32_t)(n >> 32))),
                   low = hex_of_bytes(__builtin_bswap32((uint32_t)n));
    memcpy(out, &high, sizeof high);
    memcpy(out + sizeof high, &low, sizeof low);
}

/* How many of them count, at the end: at least one. */
static inline unsigned hex_digits_of(uint64_t n)
{
    return n ? (unsigned)(67 - __builtin_clzll(n)) / 4 : 1;
}

/* Two digits for each byte, without a NUL. */
static inline void hex_put(char *out, const uint8_t *bytes, size_t count)
{
    size_t i = 0;
    for (; i + 4 <= count; i += 4) {
        const uint64_t digits = hex_of_bytes(load_u32(bytes + i));
        memcpy(out + 2 * i, &digits, 8);
    }
    for (; i < count; i++) {
        const uint64_t digits = hex_of_bytes(bytes[i]);
        memcpy(out + 2 * i, &digits, 2);
    }
}

#endif

/* Hashes of words and of text. Not for what somebody hostile may choose to collide where that costs
 * more than time. */
#ifndef SRC_BASE_HASH_H
#define SRC_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

static inline uint64_t hash_mix(uint64_t x)
{
    x *= 0x9e3779b97f4a7c15u;
    return x ^ x >> 29;
}

/* FNV-1a, 64 bits. Its low bits are good as they are; hash_mix() behind it for the high ones. */
#define HASH_START 0xcbf29ce484222325u

static inline uint64_t hash_byte(uint64_t h, uint8_t byte)
{
    return (h ^ byte) * 0x100000001b3u;
}

static inline uint64_t hash_bytes(uint64_t h, const void *bytes, size_t count)
{
    const uint8_t *const at = bytes;
    for (size_t i = 0; i < count; i++)
        h = hash_byte(h, at[i]);
    return h;
}

#endif

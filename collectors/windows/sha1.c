#include "collectors/windows/sha1.h"

#include <string.h>

static uint32_t turned(uint32_t v, unsigned bits)
{
    return v << bits | v >> (32 - bits);
}

static void mix(uint32_t *h, const uint8_t *block)
{
    static const uint32_t constants[] = {0x5a827999, 0x6ed9eba1, 0x8f1bbcdc, 0xca62c1d6};
    uint32_t w[80], a = h[0], b = h[1], c = h[2], d = h[3], e = h[4];
    for (unsigned i = 0; i < 16; i++)
        w[i] = (uint32_t)block[4 * i] << 24 | (uint32_t)block[4 * i + 1] << 16 |
               (uint32_t)block[4 * i + 2] << 8 | block[4 * i + 3];
    for (unsigned i = 16; i < 80; i++)
        w[i] = turned(w[i - 3] ^ w[i - 8] ^ w[i - 14] ^ w[i - 16], 1);
    for (unsigned i = 0; i < 80; i++) {
        const unsigned part = i / 20;
        const uint32_t f = part == 0   ? (b & c) | (~b & d)
                           : part == 2 ? (b & c) | (b & d) | (c & d)
                                       : b ^ c ^ d;
        const uint32_t next = turned(a, 5) + f + e + constants[part] + w[i];
        e = d, d = c, c = turned(b, 30), b = a, a = next;
    }
    h[0] += a, h[1] += b, h[2] += c, h[3] += d, h[4] += e;
}

void sha1(const void *data, size_t bytes, uint8_t *digest)
{
    enum { BLOCK = 64, LENGTH_AT = 56 };
    uint32_t h[] = {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0};
    const uint8_t *at = data;
    uint8_t last[2 * BLOCK] = {0};
    size_t left = bytes;
    for (; left >= BLOCK; left -= BLOCK, at += BLOCK)
        mix(h, at);
    memcpy(last, at, left);
    last[left] = 0x80;
    const size_t end = left < LENGTH_AT ? BLOCK : 2 * BLOCK;
    for (unsigned i = 0; i < 8; i++)
        last[end - 1 - i] = (uint8_t)((uint64_t)bytes * 8 >> (8 * i));
    for (size_t i = 0; i < end; i += BLOCK)
        mix(h, last + i);
    for (unsigned i = 0; i < SHA1_BYTES; i++)
        digest[i] = (uint8_t)(h[i / 4] >> (24 - 8 * (i % 4)));
}

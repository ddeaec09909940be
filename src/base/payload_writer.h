/* A payload writer: packed little-endian fields one after the other. What is written
 * must fit, which the caller knows; texts that came from elsewhere are cut to their room. */
#ifndef SRC_BASE_PAYLOAD_WRITER_H
#define SRC_BASE_PAYLOAD_WRITER_H

#include "src/base/hex.h"

#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct payload_writer {
    uint8_t *start, *at; /* of the record; next byte */
    const uint8_t *end;  /* no byte is written from here on */
};

static inline size_t payload_room(const struct payload_writer *p)
{
    return (size_t)(p->end - p->at);
}

static inline void put_bytes(struct payload_writer *p, const void *from, size_t bytes)
{
    memcpy(p->at, from, bytes);
    p->at += bytes;
}

static inline void put_zeros(struct payload_writer *p, size_t bytes)
{
    memset(p->at, 0, bytes);
    p->at += bytes;
}

static inline void put_u8(struct payload_writer *p, unsigned v)
{
    *p->at++ = (uint8_t)v;
}

static inline void put_u16(struct payload_writer *p, unsigned v)
{
    const uint16_t u = (uint16_t)v;
    put_bytes(p, &u, sizeof u);
}

static inline void put_u32(struct payload_writer *p, uint32_t v)
{
    put_bytes(p, &v, sizeof v);
}

static inline void put_u64(struct payload_writer *p, uint64_t v)
{
    put_bytes(p, &v, sizeof v);
}

static inline void put_f64(struct payload_writer *p, double v)
{
    put_bytes(p, &v, sizeof v);
}

/* Bytes as hexadecimal digits, NUL-terminated. */
static inline void put_hex_text(struct payload_writer *p, const uint8_t *bytes, size_t count)
{
    hex_put((char *)p->at, bytes, count);
    p->at += 2 * count;
    put_u8(p, 0);
}

/* In as many bytes as it needs, at most 10 (see varint.h). */
static inline void put_varint(struct payload_writer *p, uint64_t v)
{
    for (; v > 0x7f; v >>= 7)
        put_u8(p, (unsigned)(v & 0x7f) | 0x80);
    put_u8(p, (unsigned)v);
}

/* ASCII as UTF-16, which is to widen it; without an end. */
static inline void put_ascii16(struct payload_writer *p, const char *text)
{
    for (; *text; text++)
        put_u16(p, (uint8_t)*text);
}

/* UTF-8 (or any bytes: what is no UTF-8 becomes U+FFFD) as NUL-terminated UTF-16, cut to what
 * the record has room for. */
void put_utf16(struct payload_writer *p, const char *text, size_t length);
/* Likewise in a fixed array, the rest zero. */
void put_utf16_field(struct payload_writer *p, const char *text, size_t units);
/* NUL-terminated as it is. */
void put_text(struct payload_writer *p, const char *text, size_t length);

#endif

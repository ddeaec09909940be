/* A pen for payloads: packed little-endian fields one after the other. What is written
 * must fit, which the caller knows; texts that came from elsewhere are cut to their room. */
#ifndef SRC_PEN_H
#define SRC_PEN_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct pen {
    uint8_t *start, *at; /* of the record; next byte */
    const uint8_t *end;  /* no byte is written from here on */
};

static inline size_t pen_room(const struct pen *p)
{
    return (size_t)(p->end - p->at);
}

static inline void put_bytes(struct pen *p, const void *from, size_t bytes)
{
    memcpy(p->at, from, bytes);
    p->at += bytes;
}

static inline void put_zeros(struct pen *p, size_t bytes)
{
    memset(p->at, 0, bytes);
    p->at += bytes;
}

static inline void put_u8(struct pen *p, unsigned v)
{
    *p->at++ = (uint8_t)v;
}

static inline void put_u16(struct pen *p, unsigned v)
{
    const uint16_t u = (uint16_t)v;
    put_bytes(p, &u, sizeof u);
}

static inline void put_u32(struct pen *p, uint32_t v)
{
    put_bytes(p, &v, sizeof v);
}

static inline void put_u64(struct pen *p, uint64_t v)
{
    put_bytes(p, &v, sizeof v);
}

#endif

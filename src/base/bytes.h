/* One cursor for every load from bytes nobody vouches for: bounds, byte order
 * (little-endian) and alignment in one place. A read past the end yields zero
 * and marks the cursor `bad`; a parser reads a whole structure, then asks once. */
#ifndef SRC_BASE_BYTES_H
#define SRC_BASE_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct bytes {
    const uint8_t *at;
    size_t left;
    bool bad;
};

static inline struct bytes bytes_of(const void *data, size_t size)
{
    return (struct bytes){ .at = data, .left = size };
}

/* The next `count` bytes, or NULL (and `bad`) when fewer are left. */
static inline const uint8_t *bytes_take(struct bytes *b, size_t count)
{
    if (count > b->left) {
        b->bad = true;
        b->left = 0;
        return NULL;
    }
    const uint8_t *at = b->at;
    b->at += count;
    b->left -= count;
    return at;
}

static inline bool bytes_skip(struct bytes *b, size_t count)
{
    return bytes_take(b, count) != NULL;
}

/* Unaligned little-endian loads for spans whose bounds are already known. */
static inline uint16_t load_u16(const uint8_t *p)
{
    uint16_t v;
    memcpy(&v, p, sizeof v);
    return v;
}

static inline uint32_t load_u32(const uint8_t *p)
{
    uint32_t v;
    memcpy(&v, p, sizeof v);
    return v;
}

static inline uint64_t load_u64(const uint8_t *p)
{
    uint64_t v;
    memcpy(&v, p, sizeof v);
    return v;
}

/* The same the other way round. */
static inline void store_u16(uint8_t *p, uint16_t v)
{
    memcpy(p, &v, sizeof v);
}

static inline void store_u32(uint8_t *p, uint32_t v)
{
    memcpy(p, &v, sizeof v);
}

static inline void store_u64(uint8_t *p, uint64_t v)
{
    memcpy(p, &v, sizeof v);
}

static inline uint8_t bytes_u8(struct bytes *b)
{
    const uint8_t *p = bytes_take(b, 1);
    return p ? *p : 0;
}

static inline uint16_t bytes_u16(struct bytes *b)
{
    const uint8_t *p = bytes_take(b, 2);
    return p ? load_u16(p) : 0;
}

static inline uint32_t bytes_u32(struct bytes *b)
{
    const uint8_t *p = bytes_take(b, 4);
    return p ? load_u32(p) : 0;
}

static inline uint64_t bytes_u64(struct bytes *b)
{
    const uint8_t *p = bytes_take(b, 8);
    return p ? load_u64(p) : 0;
}

/* A pointer of the record's own size (4 or 8 bytes), widened. */
static inline uint64_t bytes_pointer(struct bytes *b, unsigned pointer)
{
    return pointer == 4 ? bytes_u32(b) : bytes_u64(b);
}

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "tracetop's loads are written for little-endian machines"
#endif

#endif

/* Packing. Places where the same four bytes begin are chained through their hash, newest first; of
 * the first few of a chain the longest match is taken, at once: a packer that looked further would
 * save some percent and take several times as long. Inside of longer matches every fourth place is
 * enough: what repeats does so from the match's beginning on.
 *
 * Flags gather in a word whose place was left when its first item came; the next place is left as
 * soon as a word is full, and what is unused of the last is ones: [MS-XCA] 2.3 does so, and a
 * decoder that is given no length finds the end by it. */
#include "src/etl/xpress.h"

#include "src/base/bytes.h"
#include "src/base/mem.h"

#include <stdlib.h>

enum {
    SHORTEST = 3, /* match that can be written */
    LEAST = 4,    /* … and that is looked for: three bytes save next to nothing */
    LONG = 8,     /* matches beyond this many bytes are noted */
    STEP = 4,     /* … so many bytes apart */
    HASH_BITS = 13,
    LOOKS = 12, /* matches of a chain that are tried */
    FLAGS = 32,
};

/* Places are kept + 1; 0 = none. */
struct xpress_packer {
    uint32_t newest[1 << HASH_BITS];
    uint32_t before[XPRESS_REACH]; /* of each place, by its lowest bits */
};

struct xpress_packer *xpress_packer_new(void)
{
    return mem_new(1, sizeof(struct xpress_packer));
}

void xpress_packer_free(struct xpress_packer *p)
{
    free(p);
}

/* ---- items ------------------------------------------------------------------------------- */

struct out {
    uint8_t *at, *flags_at, *nibble; /* nibble: a byte whose high half is free, or NULL */
    uint32_t flags;
    unsigned count; /* of flags in the word */
};

static void put_flag(struct out *o, bool is_match)
{
    o->flags = o->flags << 1 | is_match;
    if (++o->count < FLAGS)
        return;
    store_u32(o->flags_at, o->flags);
    o->flags_at = o->at;
    o->at += 4;
    o->count = 0;
}

static void put_literal(struct out *o, uint8_t byte)
{
    *o->at++ = byte;
    put_flag(o, false);
}

/* What of a length - 3 the item's three bits do not hold, 7 or more. */
static void put_length(struct out *o, size_t length)
{
    const size_t over = length - 7;
    const uint8_t half = over < 15 ? (uint8_t)over : 15;
    if (o->nibble) {
        *o->nibble |= (uint8_t)(half << 4);
        o->nibble = NULL;
    } else {
        o->nibble = o->at;
        *o->at++ = half;
    }
    if (half < 15)
        return;
    if (over - 15 < 255) {
        *o->at++ = (uint8_t)(over - 15);
        return;
    }
    *o->at++ = 255;
    store_u16(o->at, length <= UINT16_MAX ? (uint16_t)length : 0);
    o->at += 2;
    if (length > UINT16_MAX) {
        store_u32(o->at, (uint32_t)length);
        o->at += 4;
    }
}

static void put_match(struct out *o, size_t distance, size_t length)
{
    const size_t coded = length - SHORTEST;
    store_u16(o->at, (uint16_t)((distance - 1) << 3 | (coded < 7 ? coded : 7)));
    o->at += 2;
    if (coded >= 7)
        put_length(o, coded);
    put_flag(o, true);
}

static size_t finish(struct out *o, const uint8_t *start)
{
    const unsigned unused = FLAGS - o->count; /* 1 .. 32 */
    const uint64_t flags = ((uint64_t)o->flags << unused) | ((UINT64_C(1) << unused) - 1);
    store_u32(o->flags_at, (uint32_t)flags);
    return (size_t)(o->at - start);
}

/* ---- matches ------------------------------------------------------------------------------- */

static unsigned hash_at(const uint8_t *p)
{
    return (load_u32(p) * 0x9e3779b1u) >> (32 - HASH_BITS);
}

static void note(struct xpress_packer *p, const uint8_t *in, size_t at)
{
    uint32_t *const newest = &p->newest[hash_at(in + at)];
    p->before[at % XPRESS_REACH] = *newest;
    *newest = (uint32_t)at + 1;
}

static size_t equal_bytes(const uint8_t *a, const uint8_t *b, size_t most)
{
    size_t n = 0;
    for (; most - n >= 8; n += 8) {
        const uint64_t differ = load_u64(a + n) ^ load_u64(b + n);
        if (differ)
            return n + (size_t)__builtin_ctzll(differ) / 8;
    }
    while (n < most && a[n] == b[n])
        n++;
    return n;
}

/* The longest match of those that are tried; 0 where there is none. From LEAST bytes on. A match
 * that is longer than the best one so far has the same four bytes at the end of that, too. */
static size_t find(const struct xpress_packer *p, const uint8_t *in, size_t at, size_t bytes,
                   size_t *distance)
{
    const size_t most = bytes - at;
    size_t best = LEAST - 1;
    uint32_t place = p->newest[hash_at(in + at)];
    for (unsigned look = 0; look < LOOKS && place && at - (place - 1) <= XPRESS_REACH; look++) {
        const size_t from = place - 1;
        const size_t length = load_u32(in + from + best - 3) == load_u32(in + at + best - 3)
                                  ? equal_bytes(in + from, in + at, most)
                                  : 0;
        if (length > best) {
            best = length;
            *distance = at - from;
        }
        if (best == most)
            break;
        place = p->before[from % XPRESS_REACH];
    }
    return best < LEAST ? 0 : best;
}

size_t xpress_pack(struct xpress_packer *p, const uint8_t *in, size_t bytes, uint8_t *out)
{
    struct out o = {.at = out + 4, .flags_at = out};
    memset(p->newest, 0, sizeof p->newest);
    for (size_t at = 0; at < bytes;) {
        const bool can_match = bytes - at >= LEAST;
        size_t distance = 0, length = can_match ? find(p, in, at, bytes, &distance) : 0;
        if (length) {
            put_match(&o, distance, length);
        } else {
            put_literal(&o, in[at]);
            length = 1;
        }
        for (size_t i = 0; i < length && bytes - at - i >= LEAST; i += length > LONG ? STEP : 1)
            note(p, in, at + i);
        at += length;
    }
    return finish(&o, out);
}

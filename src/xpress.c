/* The stream: 32 flag bits (a u32, most significant first), then one item for each.
 * Flag 0 is a literal byte. Flag 1 is a match, a u16: bits 3..15 the distance - 1,
 * bits 0..2 the length - 3; a length of 7 goes on in a nibble (two matches share a
 * byte: the low half first), a nibble of 15 in a byte, a byte of 255 in a u16, a
 * u16 of 0 in a u32.
 *
 * Speed: flags stand at the top of a 64-bit word with a sentinel bit behind the
 * last one, so that counting leading zeros gives the run of literals before the
 * next match (or the refill) without a branch per literal. While there is slack
 * on both sides, literals and short matches are copied as 16 bytes whatever their
 * length. The last bytes go through the careful loop, which needs no slack. */
#include "src/xpress.h"

#include "src/bytes.h"

enum {
    SHORTEST = 3,
    ITEM_MOST = 10, /* bytes of a match with all its lengths */
    SLACK = 64,     /* in: flags, 32 literals, a match; out: 32 literals, a 16-byte copy */
};

struct stream {
    const uint8_t *in, *in_end;
    uint8_t *out, *out_start, *out_end;
    uint64_t flags;
    uint32_t nibble; /* 16 + value, or 0 */
    struct { size_t distance, pending; } match;
};

static size_t in_left(const struct stream *s)
{
    return (size_t)(s->in_end - s->in);
}

static size_t out_left(const struct stream *s)
{
    return (size_t)(s->out_end - s->out);
}

/* The length of a match whose three bits were all ones, less 3; 0 for one that the
 * encoding forbids or that the input does not hold. */
static size_t long_length(struct stream *s)
{
    struct bytes b = bytes_of(s->in, in_left(s));
    size_t length;
    if (s->nibble) {
        length = s->nibble & 15;
        s->nibble = 0;
    } else {
        const uint8_t both = bytes_u8(&b);
        length = both & 15;
        s->nibble = 16 + (both >> 4);
    }
    if (length == 15) {
        length = bytes_u8(&b);
        if (length == 255) {
            length = bytes_u16(&b);
            if (length == 0)
                length = bytes_u32(&b);
            if (length < 15 + 7)
                return 0;
            length -= 15 + 7;
        }
        length += 15;
    }
    s->in = b.at;
    return b.bad ? 0 : length + 7;
}

/* Reads a match into s->match; false when it is none. */
static bool take_match(struct stream *s)
{
    const unsigned word = load_u16(s->in);
    s->in += 2;
    s->match.distance = (word >> 3) + 1;
    s->match.pending = word & 7;
    if (s->match.pending == 7) {
        s->match.pending = long_length(s);
        if (!s->match.pending)
            return false;
    }
    s->match.pending += SHORTEST;
    return s->match.distance <= (size_t)(s->out - s->out_start);
}

/* As much of the match as there is room for. The ranges may overlap, and then repeat a
 * pattern. */
static void put_match(struct stream *s)
{
    const size_t left = out_left(s);
    size_t length = s->match.pending < left ? s->match.pending : left;
    const uint8_t *from = s->out - s->match.distance;
    s->match.pending -= length;
    while (length--)
        *s->out++ = *from++;
}

/* With 16 bytes of room behind out + length. */
static void copy_fast(uint8_t *out, size_t distance, size_t length)
{
    uint8_t *const end = out + length;
    const uint8_t *from = out - distance;
    /* A pattern shorter than a copy grows with each one until it is long enough. */
    while (distance < 16) {
        memcpy(out, from, 16);
        if (out + distance >= end)
            return;
        out += distance;
        distance *= 2;
    }
    for (; out < end; out += 16, from += 16)
        memcpy(out, from, 16);
}

static void refill(struct stream *s)
{
    s->flags = (uint64_t)load_u32(s->in) << 32 | 0x80000000u;
    s->in += 4;
}

/* Runs while both sides have slack. False: the stream is bad. */
static bool decode_fast(struct stream *s)
{
    while (in_left(s) >= SLACK && out_left(s) >= SLACK) {
        if (!s->flags)
            refill(s);
        const unsigned run = (unsigned)__builtin_clzll(s->flags);
        memcpy(s->out, s->in, 16);
        if (run > 16)
            memcpy(s->out + 16, s->in + 16, 16);
        s->in += run;
        s->out += run;
        s->flags = s->flags << run << 1;
        if (!s->flags)
            continue; /* that was the sentinel */
        if (!take_match(s))
            return false;
        if (s->match.pending + 16 > out_left(s)) {
            put_match(s);
            return true;
        }
        copy_fast(s->out, s->match.distance, s->match.pending);
        s->out += s->match.pending;
        s->match.pending = 0;
    }
    return true;
}

/* One item or one refill. False: the stream is bad, or an item is cut by the end of
 * the input (then nothing was taken). */
enum item { ITEM_TAKEN, ITEM_CUT, ITEM_BAD };

static enum item decode_item(struct stream *s)
{
    if (!s->flags) {
        if (in_left(s) < 4)
            return ITEM_CUT;
        refill(s);
    }
    const struct stream before = *s;
    const bool is_match = s->flags >> 63;
    s->flags <<= 1;
    if (!s->flags)
        return ITEM_TAKEN; /* that was the sentinel */
    if (in_left(s) < (is_match ? 2 : 1)) {
        *s = before;
        return ITEM_CUT;
    }
    if (!is_match) {
        *s->out++ = *s->in++;
        return ITEM_TAKEN;
    }
    if (!take_match(s)) {
        const bool may_be_cut = (size_t)(before.in_end - before.in) < ITEM_MOST;
        *s = before;
        return may_be_cut ? ITEM_CUT : ITEM_BAD;
    }
    put_match(s);
    return ITEM_TAKEN;
}

struct xpress_step xpress_more(struct xpress *x, const uint8_t *in, size_t bytes, uint8_t *out,
                               size_t behind, size_t room)
{
    struct stream s = {
        .in = in,
        .in_end = in + bytes,
        .out = out,
        .out_start = out - behind,
        .out_end = out + room,
        .flags = x->flags,
        .nibble = x->has_nibble ? 16u + x->nibble : 0,
        .match = { x->distance, x->pending },
    };
    put_match(&s);
    enum item item = decode_fast(&s) ? ITEM_TAKEN : ITEM_BAD;
    while (item == ITEM_TAKEN && s.out < s.out_end)
        item = decode_item(&s);
    *x = (struct xpress){
        .flags = s.flags,
        .distance = (uint32_t)s.match.distance,
        .pending = (uint32_t)(s.match.pending < UINT32_MAX ? s.match.pending : UINT32_MAX),
        .nibble = s.nibble & 15,
        .has_nibble = s.nibble != 0,
    };
    return (struct xpress_step){
        .in = (size_t)(s.in - in), .out = (size_t)(s.out - out), .is_bad = item == ITEM_BAD,
    };
}

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
#include "src/etl/xpress.h"

#include "src/base/bytes.h"

enum {
    SHORTEST = 3,
    ITEM_MOST = 10, /* bytes of a match with all its lengths */
    SLACK = 64,     /* in: flags, 32 literals, a match; out: 32 literals, a 16-byte copy */
};

static const size_t NO_LENGTH = SIZE_MAX;

struct stream {
    const uint8_t *in, *in_end;
    uint8_t *out, *out_start, *out_end;
    uint64_t flags;
    uint32_t nibble; /* 16 + value, or 0 */
    struct {
        size_t distance, pending;
    } match;
};

static size_t in_left(const struct stream *s)
{
    return (size_t)(s->in_end - s->in);
}

static size_t out_left(const struct stream *s)
{
    return (size_t)(s->out_end - s->out);
}

/* A length that is more than a nibble, less 10; 0 for one that the encoding forbids. A
 * byte of 255 and its u16 or u32 count from the match's own 10 on. */
static size_t longer_length(struct bytes *b)
{
    size_t length = bytes_u8(b);
    if (length < 255)
        return length + 15;
    length = bytes_u16(b);
    if (length == 0)
        length = bytes_u32(b);
    return length < 15 + 7 ? NO_LENGTH : length - 7;
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
    if (length == 15)
        length = longer_length(&b);
    s->in = b.at;
    return b.bad || length == NO_LENGTH ? 0 : length + 7;
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

/* With 32 bytes of room behind out + length. */
static inline void copy_fast(uint8_t *out, size_t distance, size_t length)
{
    uint8_t *const end = out + length;
    const uint8_t *from = out - distance;
    /* A pattern shorter than a copy grows with each one until it is long enough. */
    while (distance < 16) {
        uint8_t sixteen[16]; /* whole before it is stored: the two places overlap */
        memcpy(sixteen, from, 16);
        memcpy(out, sixteen, 16);
        out += distance;
        distance *= 2;
        if (out >= end)
            return;
    }
    do {
        memcpy(out, from, 16);
        memcpy(out + 16, from + 16, 16);
        out += 32;
        from += 32;
    } while (out < end);
}

static uint64_t flags_of(uint32_t word)
{
    return (uint64_t)word << 32 | 0x80000000u;
}

static void refill(struct stream *s)
{
    s->flags = flags_of(load_u32(s->in));
    s->in += 4;
}

/* Runs while both sides have slack. Everything it changes often is in locals: through
 * the struct each byte stored could be one of its fields. False: the stream is bad. */
static bool decode_fast(struct stream *s)
{
    const uint8_t *in = s->in;
    uint8_t *out = s->out;
    uint64_t flags = s->flags;
    uint32_t nibble = s->nibble;
    bool is_good = true;
    while (s->in_end - in >= SLACK && s->out_end - out >= SLACK) {
        if (!flags) {
            flags = flags_of(load_u32(in));
            in += 4;
        }
        const unsigned run = (unsigned)__builtin_clzll(flags);
        memcpy(out, in, 16);
        if (run > 16)
            memcpy(out + 16, in + 16, 16);
        in += run;
        out += run;
        flags = flags << run << 1;
        if (!flags)
            continue; /* that was the sentinel */
        const unsigned word = load_u16(in);
        const size_t distance = (word >> 3) + 1;
        size_t length = word & 7;
        in += 2;
        if (length == 7) {
            /* Two matches share a byte; whose turn it is no branch could foretell. */
            const uint8_t both = *in;
            length = (nibble ? nibble : both) & 15;
            in += !nibble;
            nibble = nibble ? 0 : 16u + (both >> 4);
            if (length == 15) {
                struct bytes b = bytes_of(in, ITEM_MOST);
                length = longer_length(&b);
                in = b.at;
                is_good = length != NO_LENGTH;
            }
            length += 7;
        }
        is_good &= distance <= (size_t)(out - s->out_start);
        if (!is_good)
            break;
        length += SHORTEST;
        if (length + 32 > (size_t)(s->out_end - out)) {
            s->match.distance = distance;
            s->match.pending = length;
            break; /* the careful loop's */
        }
        copy_fast(out, distance, length);
        out += length;
    }
    s->in = in;
    s->out = out;
    s->flags = flags;
    s->nibble = nibble;
    put_match(s);
    return is_good;
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
        .match = {x->distance, x->pending},
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
        .in = (size_t)(s.in - in),
        .out = (size_t)(s.out - out),
        .is_bad = item == ITEM_BAD,
    };
}

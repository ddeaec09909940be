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
    NONE = 3,          /* shortest match */
    SLACK_IN = 64,     /* 32 literals, the flags, a match with all its lengths */
    SLACK_OUT = 64,    /* 32 literals and a 16-byte copy over the end */
};

struct stream {
    const uint8_t *in, *in_end;
    uint8_t *out, *out_start, *out_end;
    const uint8_t *nibble; /* byte whose high half is the next nibble, or NULL */
    uint64_t flags;        /* at the top; a single 1 behind them; 0 = all used */
};

/* The length of a match whose three bits were all ones, less 3; false at the end of
 * the input or for a length that the encoding forbids. */
static bool long_length(struct stream *s, size_t *length)
{
    struct bytes b = bytes_of(s->in, (size_t)(s->in_end - s->in));
    if (s->nibble) {
        *length = *s->nibble >> 4;
        s->nibble = NULL;
    } else {
        s->nibble = b.at;
        *length = bytes_u8(&b) & 15;
    }
    if (*length == 15) {
        *length = bytes_u8(&b);
        if (*length == 255) {
            *length = bytes_u16(&b);
            if (*length == 0)
                *length = bytes_u32(&b);
            if (*length < 15 + 7)
                return false;
            *length -= 15 + 7;
        }
        *length += 15;
    }
    *length += 7;
    s->in = b.at;
    return !b.bad;
}

/* Copies within the output; the ranges may overlap, and then repeat a pattern. */
static void copy_match(uint8_t *out, size_t distance, size_t length)
{
    const uint8_t *from = out - distance;
    while (length--)
        *out++ = *from++;
}

/* With 16 bytes of slack behind out + length. */
static void copy_match_fast(uint8_t *out, size_t distance, size_t length)
{
    uint8_t *const end = out + length;
    const uint8_t *from = out - distance;
    if (distance >= 16) {
        do {
            memcpy(out, from, 16);
            out += 16;
            from += 16;
        } while (out < end);
    } else if (distance == 1) {
        memset(out, *from, length);
    } else {
        /* Doubling: each pass copies a pattern that is already there, then twice it. */
        while (out < end) {
            const size_t step = distance < (size_t)(end - out) ? distance : (size_t)(end - out);
            memcpy(out, from, 16);
            out += step;
            distance += step;
            if (distance >= 16) {
                copy_match_fast(out, distance, (size_t)(end - out));
                return;
            }
        }
    }
}

/* Runs while both sides have slack. False: the stream is bad. */
static bool decode_fast(struct stream *s)
{
    while (s->in_end - s->in >= SLACK_IN && s->out_end - s->out >= SLACK_OUT) {
        if (!s->flags) {
            s->flags = (uint64_t)load_u32(s->in) << 32 | 0x80000000u;
            s->in += 4;
        }
        const unsigned run = (unsigned)__builtin_clzll(s->flags);
        memcpy(s->out, s->in, 16);
        if (run > 16)
            memcpy(s->out + 16, s->in + 16, 16);
        s->in += run;
        s->out += run;
        s->flags <<= run;
        s->flags <<= 1;
        if (!s->flags)
            continue; /* that was the sentinel */
        const unsigned word = load_u16(s->in);
        const size_t distance = (word >> 3) + 1;
        size_t length = word & 7;
        s->in += 2;
        if (length == 7 && !long_length(s, &length))
            return false;
        length += NONE;
        if (distance > (size_t)(s->out - s->out_start))
            return false;
        if (length > (size_t)(s->out_end - s->out) - 16) {
            const size_t left = (size_t)(s->out_end - s->out);
            length = length < left ? length : left;
            copy_match(s->out, distance, length);
        } else {
            copy_match_fast(s->out, distance, length);
        }
        s->out += length;
    }
    return true;
}

static bool decode_careful(struct stream *s)
{
    while (s->out < s->out_end && s->in < s->in_end) {
        if (!s->flags) {
            if (s->in_end - s->in < 4)
                return true;
            s->flags = (uint64_t)load_u32(s->in) << 32 | 0x80000000u;
            s->in += 4;
            continue;
        }
        const bool is_match = s->flags >> 63;
        s->flags <<= 1;
        if (!s->flags)
            continue; /* that was the sentinel */
        if (!is_match) {
            *s->out++ = *s->in++;
            continue;
        }
        if (s->in_end - s->in < 2)
            return true;
        const unsigned word = load_u16(s->in);
        const size_t distance = (word >> 3) + 1, left = (size_t)(s->out_end - s->out);
        size_t length = word & 7;
        s->in += 2;
        if (length == 7 && !long_length(s, &length))
            return false;
        length += NONE;
        if (distance > (size_t)(s->out - s->out_start))
            return false;
        length = length < left ? length : left;
        copy_match(s->out, distance, length);
        s->out += length;
    }
    return true;
}

struct xpress xpress_decode(const uint8_t *in, size_t bytes, uint8_t *out, size_t room)
{
    struct stream s = {
        .in = in, .in_end = in + bytes, .out = out, .out_start = out, .out_end = out + room,
    };
    const bool is_good = decode_fast(&s) && decode_careful(&s);
    return (struct xpress){ .out = (size_t)(s.out - out), .in = (size_t)(s.in - in), .is_bad = !is_good };
}

/* Inside the formatting of values: a bounded place to write to. */
#ifndef SRC_EVENT_DECODE_FORMAT_OUT_H
#define SRC_EVENT_DECODE_FORMAT_OUT_H

#include "src/base/hex.h"
#include "src/event/decode.h"

struct out {
    char *at, *end; /* end leaves room for the NUL */
};

static inline void put(struct out *o, char c)
{
    if (o->at < o->end)
        *o->at++ = c;
}

static inline size_t room_of(const struct out *o)
{
    return (size_t)(o->end - o->at);
}

/* All of it or nothing, so that no character is cut in two. */
static inline void put_all(struct out *o, const char *text, size_t bytes)
{
    if (room_of(o) < bytes) {
        o->end = o->at;
        return;
    }
    memcpy(o->at, text, bytes);
    o->at += bytes;
}

static inline void put_text(struct out *o, const char *text)
{
    put_all(o, text, strlen(text));
}

/* As much as there is room for. */
static inline void put_cut(struct out *o, const char *text, size_t bytes)
{
    const size_t room = room_of(o), count = bytes < room ? bytes : room;
    memcpy(o->at, text, count);
    o->at += count;
}

/* Digits of a number, behind which FEW bytes may be read and, where there is room, written: copying
 * so many takes no call. */
enum { FEW = 24 };

static inline void put_few(struct out *o, const char *digits, size_t count)
{
    if (room_of(o) < FEW) {
        put_cut(o, digits, count);
        return;
    }
    memcpy(o->at, digits, FEW);
    o->at += count;
}

static inline void put_decimal(struct out *o, uint64_t n)
{
    static const char pairs[] = "00010203040506070809101112131415161718192021222324"
                                "25262728293031323334353637383940414243444546474849"
                                "50515253545556575859606162636465666768697071727374"
                                "75767778798081828384858687888990919293949596979899";
    enum { MOST = 20 };
    char digits[MOST + FEW] = {0};
    unsigned i = MOST;
    for (; n >= 10; n /= 100)
        memcpy(digits + (i -= 2), pairs + n % 100 * 2, 2);
    if (n || i == MOST)
        digits[--i] = (char)('0' + n);
    put_few(o, digits + i, MOST - i);
}

static inline void put_signed(struct out *o, int64_t n)
{
    if (n < 0)
        put(o, '-');
    put_decimal(o, n < 0 ? 0 - (uint64_t)n : (uint64_t)n);
}

/* Hexadecimal without leading zeros. */
static inline void put_hex(struct out *o, uint64_t n)
{
    char digits[HEX_NUMBER + FEW] = {0};
    const unsigned count = hex_digits_of(n);
    hex_of_number(n, digits);
    put_few(o, digits + HEX_NUMBER - count, count);
}

void format_put_ipv4(struct out *o, const uint8_t *p);
void format_put_ipv6(struct out *o, const uint8_t *p);
/* S-1-authority-sub-…; the authority is six bytes, big-endian. */
void format_put_sid(struct out *o, const uint8_t *p, size_t bytes);
void format_put_guid(struct out *o, const uint8_t *p);
void format_put_bytes(struct out *o, const uint8_t *p, size_t bytes);
void format_put_address_or_bytes(struct out *o, const struct decoded *d);

#endif

/* Chance for the synthetic machine: one 64-bit word of state, integers only, so
 * that a seed means the same events on every machine and with every compiler. */
#ifndef COLLECTORS_SYNTHETIC_PRNG_H
#define COLLECTORS_SYNTHETIC_PRNG_H

#include <stdbool.h>
#include <stdint.h>

struct prng {
    uint64_t state;
};

/* SplitMix64 (Steele, Lea, Flood 2014): a Weyl sequence through a mixing function. */
static inline uint64_t prng_next(struct prng *d)
{
    uint64_t z = d->state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

/* 0 … n-1 (n < 2^32); the bias of the multiplication is below n / 2^32. */
static inline uint32_t prng_below(struct prng *d, uint32_t n)
{
    return (uint32_t)(((prng_next(d) >> 32) * n) >> 32);
}

static inline uint32_t prng_between(struct prng *d, uint32_t low, uint32_t high)
{
    return low + prng_below(d, high - low + 1);
}

static inline bool prng_chance(struct prng *d, uint32_t per_mille)
{
    return prng_below(d, 1000) < per_mille;
}

/* About log-normal around a median (< 2^40): median × 2^x, where x is near normal
 * (a sum of four uniforms) with a deviation of `spread` sixteenths. The power of two
 * is a shift and a straight line between powers, at most 6 % off: good enough for
 * latencies, and the same everywhere, which exp() is not. */
static inline int64_t prng_spread(struct prng *d, int64_t median, int32_t spread)
{
    const uint64_t r = prng_next(d);
    const int64_t sum = (int64_t)(r & 0xffff) + (int64_t)(r >> 16 & 0xffff) +
                        (int64_t)(r >> 32 & 0xffff) + (int64_t)(r >> 48) - 2 * 65535;
    const int64_t x = sum * spread * 4096 / 37837; /* 37837 = deviation of the sum */
    const int64_t whole = x >= 0 ? x / 65536 : -((65535 - x) / 65536);
    const int64_t part = x - whole * 65536;
    const int64_t value = median + median * part / 65536;
    return whole >= 0 ? value << whole : value >> -whole;
}

#endif

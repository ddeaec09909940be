/* Standard deviations from whole numbers alone, so that parts in any order are the same as one
 * pass. Values are in units of 2^-64, their squares in units of 2^-128. */
#include "src/aggregate/inside.h"

#include <math.h>

__extension__ typedef unsigned __int128 wide; /* ISO C has no name for it */

enum { VALUE = 2, SPREAD = 7 }; /* words of a value's amount; of the longest product, and a sign */

/* To a number of `count` words; what is beyond them is lost. */
static void add_to(uint64_t *to, const uint64_t *number, unsigned words, unsigned count)
{
    wide sum = 0;
    for (unsigned i = 0; i < count; i++) {
        sum += (wide)to[i] + (i < words ? number[i] : 0);
        to[i] = (uint64_t)sum;
        sum >>= 64;
    }
}

static void negate(uint64_t *number, unsigned words)
{
    const uint64_t one = 1;
    for (unsigned i = 0; i < words; i++)
        number[i] = ~number[i];
    add_to(number, &one, 1, words);
}

/* Adds the product. */
static void multiply(uint64_t *to, unsigned count, const uint64_t *a, unsigned a_words,
                     const uint64_t *b, unsigned b_words)
{
    for (unsigned i = 0; i < a_words; i++)
        for (unsigned n = 0; n < b_words && i + n < count; n++) {
            const wide product = (wide)a[i] * b[n];
            const uint64_t words[2] = {(uint64_t)product, (uint64_t)(product >> 64)};
            add_to(to + i + n, words, 2, count - i - n);
        }
}

void moments_add(void *state, const struct aggregate_input *in)
{
    struct moments *const m = state;
    struct fixed number = in->number ? *in->number : fixed_of_whole(in->value);
    const bool is_negative = fixed_is_negative(number);
    if (is_negative)
        number = fixed_minus(number);
    const uint64_t *const w = number.words;
    const uint64_t size[VALUE] = {w[0] >> 32 | w[1] << 32, w[1] >> 32 | w[2] << 32};
    uint64_t value[MOMENTS_SUM] = {size[0], size[1]};
    if (is_negative)
        negate(value, MOMENTS_SUM);
    m->count++;
    add_to(m->sum, value, MOMENTS_SUM, MOMENTS_SUM);
    multiply(m->squares, MOMENTS_SQUARES, size, VALUE, size, VALUE);
}

void moments_merge(void *to, const void *from, unsigned count)
{
    struct moments *const a = to;
    const struct moments *const b = from;
    for (unsigned i = 0; i < count; i++) {
        a[i].count += b[i].count;
        add_to(a[i].sum, b[i].sum, MOMENTS_SUM, MOMENTS_SUM);
        add_to(a[i].squares, b[i].squares, MOMENTS_SQUARES, MOMENTS_SQUARES);
    }
}

/* count · squares − sum², which is count² times the variance; false where it is below zero. */
static bool spread_of(const struct moments *m, uint64_t out[SPREAD])
{
    uint64_t sum[MOMENTS_SUM], product[SPREAD] = {0};
    for (unsigned i = 0; i < MOMENTS_SUM; i++)
        sum[i] = m->sum[i];
    for (unsigned i = 0; i < SPREAD; i++)
        out[i] = 0;
    if (sum[MOMENTS_SUM - 1] >> 63)
        negate(sum, MOMENTS_SUM);
    multiply(out, SPREAD, m->squares, MOMENTS_SQUARES, &m->count, 1);
    multiply(product, SPREAD, sum, MOMENTS_SUM, sum, MOMENTS_SUM);
    negate(product, SPREAD);
    add_to(out, product, SPREAD, SPREAD);
    return !(out[SPREAD - 1] >> 63);
}

double moments_deviation(const struct moments *m)
{
    uint64_t spread[SPREAD];
    long double all = 0;
    if (!m->count || !spread_of(m, spread))
        return 0;
    for (unsigned i = SPREAD; i-- > 0;)
        all = all * 0x1p64L + (long double)spread[i];
    return (double)(sqrtl(all) * 0x1p-64L / (long double)m->count);
}

uint64_t moments_finish(const void *state)
{
    const double found = moments_deviation(state) + 0.5;
    return found < 0x1p64 ? (uint64_t)found : UINT64_MAX; /* of a state that came as bytes */
}

void moments_encode(const void *state, struct payload_writer *to)
{
    const uint64_t *const words = state;
    for (unsigned i = 0; i < sizeof(struct moments) / sizeof *words && (!i || words[0]); i++)
        put_varint(to, words[i]);
}

bool moments_decode(void *state, struct bytes *from, struct err *err)
{
    uint64_t *const words = state, spread[SPREAD];
    for (unsigned i = 0; i < sizeof(struct moments) / sizeof *words && (!i || words[0]); i++)
        if (!read_number(from, UINT64_MAX, &words[i], err))
            return false;
    return spread_of(state, spread) ||
           fail(err, "no %llu values have these sums", (unsigned long long)words[0]);
}

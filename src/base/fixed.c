#include "src/base/fixed.h"

#include <math.h>

struct fixed fixed_of_whole(uint64_t number)
{
    return (struct fixed){{0, number << 32, number >> 32}};
}

bool fixed_of_real(double number, struct fixed *out)
{
    const double size = fabs(number);
    if (!(size < 0x1p64))
        return false;
    const double whole = floor(size), high = floor((size - whole) * 0x1p32);
    *out = fixed_of_whole((uint64_t)whole);
    out->words[1] |= (uint64_t)high;
    out->words[0] = (uint64_t)(((size - whole) * 0x1p32 - high) * 0x1p64);
    if (number < 0)
        *out = fixed_minus(*out);
    return true;
}

struct fixed fixed_minus(struct fixed f)
{
    struct fixed one = {{1, 0, 0}};
    for (unsigned i = 0; i < FIXED_WORDS; i++)
        f.words[i] = ~f.words[i];
    fixed_add(&f, &one);
    return f;
}

void fixed_add(struct fixed *to, const struct fixed *from)
{
    uint64_t carry = 0;
    for (unsigned i = 0; i < FIXED_WORDS; i++) {
        const uint64_t sum = to->words[i] + from->words[i];
        const bool is_over = sum < from->words[i] || sum + carry < sum;
        to->words[i] = sum + carry;
        carry = is_over;
    }
}

bool fixed_is_negative(struct fixed f)
{
    return f.words[FIXED_WORDS - 1] >> 63;
}

int64_t fixed_floor(struct fixed f)
{
    const int64_t high = (int64_t)f.words[2];
    if (high < INT32_MIN || high > INT32_MAX)
        return high < 0 ? INT64_MIN : INT64_MAX;
    return (int64_t)(f.words[2] << 32 | f.words[1] >> 32);
}

double fixed_real(struct fixed f)
{
    if (fixed_is_negative(f))
        return -fixed_real(fixed_minus(f));
    return (double)f.words[2] * 0x1p32 +
           ((double)f.words[1] * 0x1p-32 + (double)f.words[0] * 0x1p-96);
}

bool fixed_is_whole(struct fixed f, bool *negative, uint64_t *size)
{
    *negative = fixed_is_negative(f);
    if (*negative)
        f = fixed_minus(f);
    *size = f.words[2] << 32 | f.words[1] >> 32;
    return !f.words[0] && !(uint32_t)f.words[1] && !(f.words[2] >> 32);
}

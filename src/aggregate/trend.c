/* Amounts of the last intervals: a ring, at the interval's number modulo its length. */
#include "src/aggregate/inside.h"

#include <math.h>
#include <string.h>

static void move_to(struct trend *t, uint64_t interval)
{
    const uint64_t passed = interval - t->interval;
    for (uint64_t i = 0; i < passed && i < TREND_KEPT; i++)
        t->of[(interval - i) % TREND_KEPT] = 0;
    t->interval = interval;
}

void trend_put(struct trend *t, uint64_t interval, double amount)
{
    if (interval > t->interval)
        move_to(t, interval);
    if (t->interval - interval < TREND_KEPT)
        t->of[interval % TREND_KEPT] += amount;
}

double trend_get(const struct trend *t, uint64_t interval)
{
    const bool is_kept = interval <= t->interval && t->interval - interval < TREND_KEPT;
    return is_kept ? t->of[interval % TREND_KEPT] : 0;
}

void trend_add(void *state, const struct aggregate_input *in)
{
    trend_put(state, (uint64_t)in->time, in->number ? fixed_real(*in->number) : (double)in->value);
}

/* What is too old for the later of the two is in neither any more. */
void trend_merge(void *to, const void *from, unsigned count)
{
    struct trend *const a = to;
    const struct trend *const b = from;
    for (unsigned i = 0; i < count; i++) {
        trend_put(&a[i], b[i].interval, 0);
        for (uint64_t n = 0; n < TREND_KEPT && n <= b[i].interval; n++)
            trend_put(&a[i], b[i].interval - n, trend_get(&b[i], b[i].interval - n));
    }
}

uint64_t trend_finish(const void *state)
{
    static const double most = 0x1p63;
    const struct trend *const t = state;
    const double last = trend_get(t, t->interval);
    return last > 0 && last < most ? (uint64_t)last : last > 0 ? UINT64_MAX : 0;
}

/* The last interval, how many up to the first that has an amount, and these, the last one first. */
void trend_encode(const void *state, struct payload_writer *to)
{
    const struct trend *const t = state;
    uint64_t count = TREND_KEPT;
    while (count && trend_get(t, t->interval - (count - 1)) == 0)
        count--;
    put_varint(to, t->interval);
    put_varint(to, count);
    for (uint64_t i = 0; i < count; i++) {
        uint64_t bits;
        const double amount = trend_get(t, t->interval - i);
        memcpy(&bits, &amount, sizeof bits);
        put_varint(to, bits);
    }
}

bool trend_decode(void *state, struct bytes *from, struct err *err)
{
    struct trend *const t = state;
    uint64_t count, bits = 0;
    double amount = 0;
    if (!read_number(from, UINT64_MAX, &t->interval, err) ||
        !read_number(from, t->interval < TREND_KEPT ? t->interval + 1 : TREND_KEPT, &count, err))
        return false;
    for (uint64_t i = 0; i < count; i++) {
        if (!read_number(from, UINT64_MAX, &bits, err))
            return false;
        memcpy(&amount, &bits, sizeof amount);
        if (!isfinite(amount) || (amount == 0 && bits))
            return fail(err, "amount %u of %u is no number", (unsigned)i + 1, (unsigned)count);
        t->of[(t->interval - i) % TREND_KEPT] = amount;
    }
    return !count || bits || fail(err, "a trend begins with an interval that has no amount");
}

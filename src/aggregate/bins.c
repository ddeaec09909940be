#include "src/aggregate/bins.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum {
    POWERS = 65, /* 0, and each power of two */
    SIDES = 2 * POWERS,
    MOST = LINEAR_LEVELS + 2, /* more than SIDES */
};

unsigned linear_levels(const struct linear *l)
{
    if (l->step < 1 || l->high <= l->low)
        return 0;
    const uint64_t width = (uint64_t)l->high - (uint64_t)l->low, step = (uint64_t)l->step;
    const uint64_t levels = width / step + (width % step != 0);
    return levels <= LINEAR_LEVELS ? (unsigned)levels : 0;
}

static unsigned linear_bin(const struct linear *l, int64_t value)
{
    if (value < l->low)
        return 0;
    if (value >= l->high)
        return linear_levels(l) + 1;
    return 1 + (unsigned)(((uint64_t)value - (uint64_t)l->low) / (uint64_t)l->step);
}

uint64_t linear_place(const struct linear *l, int64_t value)
{
    const unsigned bin = linear_bin(l, value), octave = bin / HISTOGRAM_STEPS;
    return octave ? (uint64_t)(HISTOGRAM_STEPS + bin % HISTOGRAM_STEPS) << (octave - 1) : bin;
}

/* From POWERS on that of a value, below it that of one below zero. */
static unsigned power_bin(const struct bins *b, unsigned octave, unsigned step, bool is_below)
{
    unsigned bits = octave ? octave + 4 : step ? 32 - (unsigned)__builtin_clz(step) : 0;
    if (b->is_real)
        bits = octave > HISTOGRAM_REAL_OCTAVES ? octave - HISTOGRAM_REAL_OCTAVES : 0;
    return bits >= POWERS ? MOST : is_below ? POWERS - bits : POWERS + bits;
}

static void count(const struct bins *b, const struct histogram *h, bool is_below,
                  uint64_t counts[MOST])
{
    for (unsigned i = 0; i < (unsigned)h->octaves * HISTOGRAM_STEPS; i++) {
        const unsigned octave = h->first + i / HISTOGRAM_STEPS, step = i % HISTOGRAM_STEPS;
        const unsigned bin =
            b->linear ? octave * HISTOGRAM_STEPS + step : power_bin(b, octave, step, is_below);
        if (bin < MOST)
            counts[bin] += h->counts[i];
    }
}

static int put_name(const struct bins *b, unsigned bin, char *out, size_t room)
{
    const struct linear *const l = b->linear;
    if (!l && bin >= POWERS)
        return snprintf(out, room, "%" PRIu64,
                        bin > POWERS ? (uint64_t)1 << (bin - POWERS - 1) : 0);
    if (!l)
        return snprintf(out, room, "-%" PRIu64, (uint64_t)1 << (POWERS - bin - 1));
    if (!bin)
        return snprintf(out, room, "<%" PRId64, l->low);
    if (bin > linear_levels(l))
        return snprintf(out, room, ">=%" PRId64, l->high);
    return snprintf(out, room, "%" PRId64,
                    (int64_t)((uint64_t)l->low + (bin - 1) * (uint64_t)l->step));
}

size_t bins_print(const struct bins *b, char out[BINS_TEXT])
{
    uint64_t counts[MOST] = {0};
    unsigned first = 0, end = MOST;
    size_t used = 0;
    for (unsigned i = 0; i < b->of_count; i++)
        count(b, b->of[i], false, counts);
    for (unsigned i = 0; i < b->below_count; i++)
        count(b, b->below[i], true, counts);
    while (end > 0 && !counts[end - 1])
        end--;
    while (first < end && !counts[first])
        first++;
    for (unsigned i = first; i < end; i++) {
        used += (size_t)snprintf(out + used, BINS_TEXT - used, "%s", i > first ? " " : "");
        used += (size_t)put_name(b, i, out + used, BINS_TEXT - used);
        used += (size_t)snprintf(out + used, BINS_TEXT - used, ":%" PRIu64, counts[i]);
    }
    return used;
}

bool bins_read(const char **at, const char *end, struct bin *out)
{
    while (*at < end && **at == ' ')
        ++*at;
    const char *const colon = *at < end ? memchr(*at, ':', (size_t)(end - *at)) : NULL;
    if (!colon)
        return false;
    static const char *const keys[] = {"value", "below",
                                       "from"}; /* by the bytes of "", "<", ">=" */
    const unsigned sign = **at == '<' ? 1 : **at == '>' ? 2 : 0, bytes = (unsigned)(colon - *at);
    *out = (struct bin){.name = *at,
                        .name_bytes = bytes,
                        .number = *at + sign,
                        .number_bytes = bytes > sign ? bytes - sign : 0,
                        .json_key = keys[sign]};
    for (*at = colon + 1; *at < end && **at >= '0' && **at <= '9'; ++*at)
        out->count = out->count * 10 + (uint64_t)(**at - '0');
    return true;
}

double bins_total(const char *text, size_t bytes)
{
    double total = 0;
    struct bin one;
    for (const char *at = text; bins_read(&at, text + bytes, &one);)
        total += (double)one.count;
    return total;
}

#include "src/base/histogram.h"

#include "src/base/mem.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static uint64_t upper_edge(unsigned octave, unsigned step)
{
    return octave ? ((uint64_t)(HISTOGRAM_STEPS + step + 1) << (octave - 1)) - 1 : step;
}

void histogram_fini(struct histogram *h)
{
    free(h->counts);
    *h = (struct histogram){0};
}

void histogram_clear(struct histogram *h)
{
    if (h->counts)
        memset(h->counts, 0, (size_t)h->octaves * HISTOGRAM_STEPS * sizeof *h->counts);
}

/* Makes octaves first … last have their counts. */
static void widen(struct histogram *h, unsigned first, unsigned last)
{
    if (h->octaves) {
        first = first < h->first ? first : h->first;
        last = last > h->first + h->octaves - 1u ? last : h->first + h->octaves - 1u;
        if (first == h->first && last - first + 1 == h->octaves)
            return;
    }
    uint32_t *counts = mem_new((size_t)(last - first + 1) * HISTOGRAM_STEPS, sizeof *counts);
    if (h->octaves)
        memcpy(counts + (size_t)(h->first - first) * HISTOGRAM_STEPS, h->counts,
               (size_t)h->octaves * HISTOGRAM_STEPS * sizeof *counts);
    free(h->counts);
    *h = (struct histogram){(uint8_t)first, (uint8_t)(last - first + 1), counts};
}

void histogram_widen(struct histogram *h, unsigned octave)
{
    widen(h, octave, octave);
}

void histogram_merge(struct histogram *to, const struct histogram *from)
{
    if (!from->octaves)
        return;
    widen(to, from->first, from->first + from->octaves - 1u);
    uint32_t *at = to->counts + (size_t)(from->first - to->first) * HISTOGRAM_STEPS;
    for (size_t i = 0; i < (size_t)from->octaves * HISTOGRAM_STEPS; i++)
        histogram_bump(&at[i], from->counts[i]);
}

struct histogram histogram_copy(const struct histogram *h)
{
    struct histogram copy = *h;
    if (h->counts)
        copy.counts = mem_copy(h->counts, (size_t)h->octaves * HISTOGRAM_STEPS * sizeof *h->counts);
    return copy;
}

/* What the histograms of the list count in one octave, step by step; all of it comes back. */
static uint64_t octave_counts(const struct histogram *const *list, unsigned count, unsigned octave,
                              uint64_t steps[HISTOGRAM_STEPS])
{
    uint64_t all = 0;
    memset(steps, 0, HISTOGRAM_STEPS * sizeof *steps);
    for (unsigned n = 0; n < count; n++) {
        const struct histogram *h = list[n];
        if (octave < h->first || octave >= h->first + (unsigned)h->octaves)
            continue;
        const uint32_t *at = h->counts + (size_t)(octave - h->first) * HISTOGRAM_STEPS;
        for (unsigned i = 0; i < HISTOGRAM_STEPS; i++) {
            steps[i] += at[i];
            all += at[i];
        }
    }
    return all;
}

enum { REAL_OCTAVES = HISTOGRAM_REAL_OCTAVES, REAL_OCTAVE_LAST = 254 };

void histogram_add_real(struct histogram *h, double number)
{
    int power;
    const double part = frexp(number, &power); /* [0.5, 1) */
    if (!(number >= ldexp(1, -REAL_OCTAVES)) || power + REAL_OCTAVES > REAL_OCTAVE_LAST)
        power = -REAL_OCTAVES;
    const unsigned octave = (unsigned)(power + REAL_OCTAVES);
    const unsigned step = octave ? (unsigned)((part * 2 - 1) * HISTOGRAM_STEPS) : 0;
    if (octave - h->first >= h->octaves)
        histogram_widen(h, octave);
    histogram_bump(&h->counts[(octave - h->first) * HISTOGRAM_STEPS + step], 1);
}

static double real_edge(unsigned octave, unsigned step)
{
    const int power = (int)octave - REAL_OCTAVES - 1;
    const double upper = ldexp(1 + (step + 1.0) / HISTOGRAM_STEPS, power);
    return !octave       ? 0
           : upper <= 16 ? ldexp(1 + (double)step / HISTOGRAM_STEPS, power)
                         : ceil(upper) - 1;
}

struct place {
    unsigned octave, step;
};

/* Where that share of the entries ends; false: there are none. */
static bool find_share(const struct histogram *const *list, unsigned count, double share,
                       struct place *out)
{
    uint64_t total = 0, sum = 0, steps[HISTOGRAM_STEPS];
    unsigned first = UINT8_MAX, end = 0;
    for (unsigned n = 0; n < count; n++) {
        const struct histogram *h = list[n];
        const unsigned h_end = h->first + (unsigned)h->octaves;
        for (size_t i = 0; i < (size_t)h->octaves * HISTOGRAM_STEPS; i++)
            total += h->counts[i];
        first = h->octaves && h->first < first ? h->first : first;
        end = h->octaves && h_end > end ? h_end : end;
    }
    const double wanted = share * (double)total;
    for (unsigned octave = first; total && octave < end; octave++) {
        const uint64_t here = octave_counts(list, count, octave, steps);
        if (!here || (double)(sum + here) < wanted) {
            sum += here;
            continue;
        }
        for (unsigned i = 0; i < HISTOGRAM_STEPS; i++) {
            sum += steps[i];
            if (steps[i] && (double)sum >= wanted) {
                *out = (struct place){octave, i};
                return true;
            }
        }
    }
    return false;
}

uint64_t histograms_percentile(const struct histogram *const *list, unsigned count, double share)
{
    struct place at;
    return find_share(list, count, share, &at) ? upper_edge(at.octave, at.step) : 0;
}

double histograms_percentile_real(const struct histogram *const *list, unsigned count, double share)
{
    struct place at;
    return find_share(list, count, share, &at) ? real_edge(at.octave, at.step) : 0;
}

uint64_t histogram_percentile(const struct histogram *h, double share)
{
    return histograms_percentile(&h, 1, share);
}

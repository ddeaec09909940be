/* Log-scaled histograms of latencies: 16 steps per power of two, so a percentile is
 * within 1/16 of the truth. Only the octaves that were met take memory. Mergeable. */
#ifndef SRC_BASE_HISTOGRAM_H
#define SRC_BASE_HISTOGRAM_H

#include <stddef.h>
#include <stdint.h>

enum { HISTOGRAM_STEPS = 16 };

struct histogram {
    uint8_t first, octaves; /* counts cover octaves first … first + octaves - 1 */
    uint32_t *counts;       /* octaves × HISTOGRAM_STEPS; saturate */
};

void histogram_fini(struct histogram *h);
void histogram_clear(struct histogram *h); /* to zero; keeps the memory */

/* Values below HISTOGRAM_STEPS are octave 0, one step each; octave n holds
 * 16·2^(n-1) … 16·2^n - 1 in sixteen steps of 2^(n-1). */
static inline unsigned histogram_octave(uint64_t value)
{
    const unsigned top = 63u - (unsigned)__builtin_clzll(value | 1);
    return top < 4 ? 0 : top - 3;
}

static inline unsigned histogram_step(uint64_t value, unsigned octave)
{
    return (unsigned)(octave ? value >> (octave - 1) : value) & (HISTOGRAM_STEPS - 1);
}

void histogram_widen(struct histogram *h, unsigned octave); /* so that it covers it, too */

static inline void histogram_bump(uint32_t *count, uint32_t by)
{
    *count = *count > UINT32_MAX - by ? UINT32_MAX : *count + by;
}

static inline void histogram_add(struct histogram *h, uint64_t value, uint32_t count)
{
    const unsigned octave = histogram_octave(value);
    if (octave - h->first >= h->octaves) /* or below the first, which wraps */
        histogram_widen(h, octave);
    histogram_bump(
        &h->counts[(octave - h->first) * HISTOGRAM_STEPS + histogram_step(value, octave)], count);
}

/* Of numbers that may be fractions: as many steps per power of two. Those from 2^-64 on have
 * octaves of their own, all smaller ones the first. A histogram is of whole or of real numbers. */
enum { HISTOGRAM_REAL_OCTAVES = 64 }; /* [2^(n-1), 2^n) are octave n + 64 */
void histogram_add_real(struct histogram *h, double number);

void histogram_merge(struct histogram *to, const struct histogram *from);
struct histogram histogram_copy(const struct histogram *h);

/* The value that `share` (0..1) of the entries do not exceed: the upper edge of its
 * step. 0 when there are none. */
uint64_t histogram_percentile(const struct histogram *h, double share);

/* Likewise of the entries of several together. */
uint64_t histograms_percentile(const struct histogram *const *list, unsigned count, double share);

/* Of real numbers: the lower edge below 16, where a step is less than one, so that whole numbers
 * come back as they were; else the largest whole number of the step. */
double histograms_percentile_real(const struct histogram *const *list, unsigned count,
                                  double share);

#endif

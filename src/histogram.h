/* Log-scaled histograms of latencies: 16 steps per power of two, so a percentile is
 * within 1/16 of the truth. Only the octaves that were met take memory. Mergeable. */
#ifndef SRC_HISTOGRAM_H
#define SRC_HISTOGRAM_H

#include <stddef.h>
#include <stdint.h>

enum { HISTOGRAM_STEPS = 16 };

struct histogram {
    uint8_t first, octaves; /* counts cover octaves first … first + octaves - 1 */
    uint32_t *counts;       /* octaves × HISTOGRAM_STEPS; saturate */
};

void histogram_fini(struct histogram *h);
void histogram_clear(struct histogram *h); /* to zero; keeps the memory */
void histogram_add(struct histogram *h, uint64_t value, uint32_t count);
void histogram_merge(struct histogram *to, const struct histogram *from);
struct histogram histogram_copy(const struct histogram *h);

/* The value that `share` (0..1) of the entries do not exceed: the upper edge of its
 * step. 0 when there are none. */
uint64_t histogram_percentile(const struct histogram *h, double share);

/* Likewise of the entries of several together. */
uint64_t histograms_percentile(const struct histogram *const *list, unsigned count, double share);

#endif

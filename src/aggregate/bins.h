/* Histograms as people of DTrace know them: quantize has a bin for each power of two, lquantize
 * bins of one width. Both are counted in a struct histogram: its octaves are the powers of two, and
 * a bin of lquantize has a step of its own there, by its number. */
#ifndef SRC_AGGREGATE_BINS_H
#define SRC_AGGREGATE_BINS_H

#include "src/aggregate/aggregate.h"

enum { LINEAR_LEVELS = 400 }; /* at most */

/* Bins of `step` from `low` up to `high`; what lies below, and from `high` on, has one bin each. */
struct linear {
    int64_t low, high, step;
};

/* The number of bins between the ends, from 1 to LINEAR_LEVELS; 0: there are more, or none. */
unsigned linear_levels(const struct linear *l);

/* What a histogram counts for the value: where its bin has its step. */
uint64_t linear_place(const struct linear *l, int64_t value);

/* Whose values, and of values below zero: quantize counts their amounts. */
struct bins {
    const struct linear *linear; /* NULL: powers of two … */
    bool is_real;                /* … of numbers that may be fractions: those below 1 are 0 */
    const struct histogram *const *of, *const *below;
    unsigned of_count, below_count;
};

/* "0:12 1:0 2:5": each bin from the first to the last that counts anything, by the value in it that
 * is nearest to zero (of lquantize the least), as DTrace names them. "<0:1" is what lies below
 * lquantize's bins, ">=100:1" what lies above. Returns the length. */
enum { BINS_TEXT = 32768 };
size_t bins_print(const struct bins *b, char out[BINS_TEXT]);

/* One of them from a text: its name as it stands there, which is a sign and a number, and its
 * count. False at the end. */
struct bin {
    const char *name, *number;
    unsigned name_bytes, number_bytes;
    const char *json_key; /* of the number: "value"; "below" and "from" beyond lquantize's bins */
    uint64_t count;
};
bool bins_read(const char **at, const char *end, struct bin *out);

/* What they count together. */
double bins_total(const char *text, size_t bytes);

#endif

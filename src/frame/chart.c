#include "src/frame/chart.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_BITS = 4 }; /* octave 0: what has no more bits */

bool chart_look_counts_alike(const struct chart_look *a, const struct chart_look *b)
{
    const bool is_same_row = row_key_equal(a->row, b->row);
    return a->kind == b->kind && a->measure == b->measure && a->of_row == b->of_row &&
           (!a->of_row || is_same_row) && a->columns == b->columns && a->lanes == b->lanes &&
           a->column_ns == b->column_ns;
}

unsigned chart_octave_of(uint64_t ns)
{
    const unsigned top = 63u - (unsigned)__builtin_clzll(ns | 1);
    const unsigned octave = top < FIRST_BITS ? 0 : top - FIRST_BITS + 1;
    return octave < CHART_OCTAVES ? octave : CHART_OCTAVES - 1;
}

uint64_t chart_octave_ns(unsigned octave)
{
    return octave ? 1ull << (octave + FIRST_BITS - 1) : 0;
}

unsigned chart_row_of(uint64_t ns)
{
    const unsigned octave = chart_octave_of(ns);
    const uint64_t begin = chart_octave_ns(octave), step = (octave ? begin : 16) / CHART_STEPS;
    const uint64_t at = (ns - begin) / step;
    return octave * CHART_STEPS +
           (unsigned)(at < CHART_STEPS ? at : CHART_STEPS - 1); /* beyond the last octave */
}

uint64_t chart_row_ns(unsigned row)
{
    const unsigned octave = row / CHART_STEPS;
    const uint64_t begin = chart_octave_ns(octave), step = (octave ? begin : 16) / CHART_STEPS;
    return begin + row % CHART_STEPS * step;
}

void chart_free(struct chart *p)
{
    if (!p)
        return;
    free(p->of_rows);
    free(p->cells);
    free(p->busy);
    free(p->who);
    free(p->pids);
    free(p);
}

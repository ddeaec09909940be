/* Filters are retroactive: what one shows that is typed over a recording that was read already
 * is what it shows of the same recording when it is on from the first event. */
#ifndef TESTS_RETRO_H
#define TESTS_RETRO_H

#include "src/frame/frame.h"

#include <stddef.h>

struct retro_question {
    const char *pane, *filter;
    enum chart_kind chart;
    enum group_by group;
    enum stack_metric metric;
    bool is_inside; /* the process that stands first */
};

/* Asks both ways and fails the test with the first cell that differs. Returns how many rows were
 * compared, over all questions. */
unsigned retro_compare(const char *path, const struct retro_question *asked, size_t count);

/* Asks two engines that have read the file: one that has kept all of it, one that keeps but the
 * least. Fails the test with the first thing that differs; returns how many rows were compared. */
unsigned retro_compare_kept(const char *path, const struct retro_question *asked, size_t count);

#endif

/* Filters are retroactive: what one shows that is typed over a recording that was read already
 * is what it shows of the same recording when it is on from the first event. */
#ifndef TESTS_RETRO_H
#define TESTS_RETRO_H

#include <stddef.h>

struct retro_question {
    const char *pane, *filter;
};

/* Asks both ways and fails the test with the first cell that differs. Returns how many rows were
 * compared, over all questions. */
unsigned retro_compare(const char *path, const struct retro_question *asked, size_t count);

#endif

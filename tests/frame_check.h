/* What a machine can see of a frame by the interface's checklist: whole titles, units, numbers that
 * stay in their columns, one cursor, a key bar that fits. Every failure ends the test. */
#ifndef TESTS_FRAME_CHECK_H
#define TESTS_FRAME_CHECK_H

#include <stdbool.h>
#include <stdint.h>

enum { SCREEN_SIDE = 400, COLUMNS_MOST = 1024 };

/* As `fields` prints them. */
struct column_list {
    struct listed_column {
        char pane[32], id[32], type[24], unit[32], title[48];
    } at[COLUMNS_MOST];
    unsigned count;
};

struct size {
    int columns, rows;
};

/* The characters of what the demo shows take a cell each. */
struct screen {
    int columns, rows;
    uint32_t cells[SCREEN_SIDE][SCREEN_SIDE];
};

/* Takes the frame at *text; behind it is the next. */
void frame_take(struct screen *s, struct size size, const char **text);

/* Checks a frame that shows the pane's table. `what` is for the sentence. */
void frame_check(const struct column_list *columns, const char *pane, const struct screen *s,
                 const char *what);

#endif

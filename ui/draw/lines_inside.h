/* What the files of the lines share: a cursor that writes piece after piece. */
#ifndef UI_DRAW_LINES_INSIDE_H
#define UI_DRAW_LINES_INSIDE_H

#include "ui/state/app.h"

/* A place on a line where the next piece goes. */
struct line_cursor {
    struct grid *g;
    int x, y, end; /* end: first cell that is not the cursor's */
};

void write_text(struct line_cursor *p, enum role role, const char *text);
void write_format(struct line_cursor *p, enum role role, const char *format, ...) PRINTF_LIKE(3, 4);

#endif

/* What the files of the lines share: a pen that writes piece after piece. */
#ifndef UI_DRAW_LINES_INSIDE_H
#define UI_DRAW_LINES_INSIDE_H

#include "ui/state/app.h"

/* A place on a line where the next piece goes. */
struct pen {
    struct grid *g;
    int x, y, end; /* end: first cell that is not the pen's */
};

void write_text(struct pen *p, enum role role, const char *text);
void write_format(struct pen *p, enum role role, const char *format, ...) PRINTF_LIKE(3, 4);

#endif

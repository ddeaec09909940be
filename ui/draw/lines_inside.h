/* What the files of the lines share: a cursor that writes piece after piece. */
#ifndef UI_DRAW_LINES_INSIDE_H
#define UI_DRAW_LINES_INSIDE_H

#include "ui/state/app.h"

/* A place on a line where the next piece goes. */
struct payload_writer {
    struct grid *g;
    int x, y, end; /* end: first cell that is not the cursor's */
};

void write_text(struct payload_writer *p, enum role role, const char *text);
void write_format(struct payload_writer *p, enum role role, const char *format, ...)
    PRINTF_LIKE(3, 4);

#endif

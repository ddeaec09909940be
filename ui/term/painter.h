/* Painting with any color: the bytes that bring a grid to a terminal that said
 * COLORTERM=truecolor, whose description curses can only give 256 colors by. Such
 * terminals all take ISO 6429 sequences. Pure: makes bytes, writes none. */
#ifndef UI_TERM_PAINTER_H
#define UI_TERM_PAINTER_H

#include "ui/term/grid.h"
#include "ui/theme/theme.h"

#include <stdbool.h>
#include <stddef.h>

struct painter {
    char *bytes; /* owned, kept between frames */
    size_t count, room;
};

void painter_fini(struct painter *p);

/* What turns `old` into `now`; everything where `old` is NULL. */
void painter_frame(struct painter *p, const struct look *look, const struct grid *old,
                   const struct grid *now);

#endif

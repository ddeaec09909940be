/* The grid as a picture: SVG with the colors of a look, for screenshots. */
#ifndef UI_TERM_SVG_H
#define UI_TERM_SVG_H

#include "ui/term/grid.h"
#include "ui/theme/theme.h"

#include <stdio.h>

/* One self-contained SVG document. Text stays text; bars are drawn as shapes, so that
 * they join whatever the font does. */
void grid_svg(const struct grid *g, const struct look *l, FILE *out);

#endif

/* The meters of the machine at the top of the screen (ui/state/meters.h says which). */
#ifndef UI_DRAW_METERS_H
#define UI_DRAW_METERS_H

#include "ui/state/app.h"
#include "ui/term/grid.h"

void meters_draw(const struct app *a, struct grid *g, const struct rect *r);

#endif

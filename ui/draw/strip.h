/* The time strip: a line of figures over time, and a line of signs and times below it. */
#ifndef UI_DRAW_STRIP_H
#define UI_DRAW_STRIP_H

#include "ui/state/app.h"

void strip_draw(const struct app *a, struct grid *g, const struct rect *r);

#endif

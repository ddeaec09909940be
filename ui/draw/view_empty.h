/* A table without rows says why, in their place. */
#ifndef UI_DRAW_VIEW_EMPTY_H
#define UI_DRAW_VIEW_EMPTY_H

#include "ui/draw/view.h"

void view_empty(const struct app *a, struct grid *g, const struct rect *body);

#endif

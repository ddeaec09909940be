/* The fields and bytes of one event, or what is known of a process. */
#ifndef UI_DRAW_VIEW_DETAIL_H
#define UI_DRAW_VIEW_DETAIL_H

#include "ui/state/app.h"

/* How many lines there are to scroll; after anything that changes them. */
void view_detail_fit(struct app *a);

#endif

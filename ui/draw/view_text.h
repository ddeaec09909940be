/* Text: help from the key table, an event's fields and bytes. */
#ifndef UI_DRAW_VIEW_TEXT_H
#define UI_DRAW_VIEW_TEXT_H

#include "ui/state/app.h"

/* How many lines there are to scroll; after anything that changes them. */
void view_text_fit_help(struct app *a);
void view_text_fit_detail(struct app *a);

#endif

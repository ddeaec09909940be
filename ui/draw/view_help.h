/* Help of keys, signs, fields and commands, and the pages that explain: losses, notices, memory. */
#ifndef UI_DRAW_VIEW_HELP_H
#define UI_DRAW_VIEW_HELP_H

#include "ui/state/app.h"

/* How many lines there are to scroll; after anything that changes them. */
void view_help_fit(struct app *a);

#endif

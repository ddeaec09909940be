/* Keys and commands that compare moments. */
#ifndef UI_ACTION_COMPARING_H
#define UI_ACTION_COMPARING_H

#include "ui/state/app.h"

/* ":changes 10s 1m": the last 10 s against the minute before; nothing: as is usual. */
void compare_spans(struct app *a, const char *text);

/* Opens the pane that the row of what changed comes from, at those seconds; false where the row
 * is none of those. */
bool compare_open(struct app *a);

#endif

/* Which columns are shown: the chooser of the pane of events, and :columns. Of payloads that pane
 * offers the fields that the trace has, and any whose name is typed in full. */
#ifndef UI_ACTION_COLUMNS_H
#define UI_ACTION_COLUMNS_H

#include "ui/state/chooser.h"

extern const struct chooser_source columns_source;

/* Opens what chooses columns of the pane shown. */
void columns_open(struct app *a);

/* ":columns pid, .Depth": shows or hides each. */
unsigned columns_run(struct app *a, const char *list);

#endif

/* Queries kept as views: files that make a pane of each at the next start. */
#ifndef UI_ACTION_QUERY_FILE_H
#define UI_ACTION_QUERY_FILE_H

#include "ui/state/app.h"

/* Writes the query that is shown to views/NAME.view; from then on :NAME shows it. */
unsigned query_file_save(struct app *a, const char *name);

#endif

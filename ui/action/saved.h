/* Saved views: a pane with its filter, order, columns and way of looking, under a name in the
 * configuration ([views.NAME]); and the columns of panes ([columns.PANE]). The picker of views
 * shows them behind the panes. */
#ifndef UI_ACTION_SAVED_H
#define UI_ACTION_SAVED_H

#include "ui/state/app.h"
#include "ui/state/chooser.h"

/* The i-th saved view as a line of the picker; false behind the last. */
bool saved_item(const struct app *a, unsigned i, struct choice *out);
void saved_take(struct app *a, unsigned i);

/* ":view NAME", ":view save NAME", ":view delete NAME". */
unsigned saved_run(struct app *a, const char *text);

/* Shows and hides columns as the configuration says. */
void saved_columns_begin(struct app *a);

/* Writes the columns that were chosen since into the configuration. */
bool saved_columns_keep(struct app *a, struct err *err);
bool saved_columns_differ(const struct app *a);

/* Warns of views and columns of panes that are not there, of columns they do not have, and of a
 * pane to start with that is none. */
void saved_check(struct config *c);

#endif

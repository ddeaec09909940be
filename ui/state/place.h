/* Places: which pane is shown at which drill level, by what its rows go, and which of its
 * columns are shown. The rest of what a place does is declared in ui/state/app.h. */
#ifndef UI_STATE_PLACE_H
#define UI_STATE_PLACE_H

#include "ui/state/app.h"

/* Shows the pane at the present level, with its last state or from its top. */
void place_open(struct app *a, const struct pane *p);

/* The level at a depth, which begins empty. */
struct level *place_level(struct app *a, unsigned depth);

/* Rows go by the pane's own column, or its other one where nothing was recorded for that,
 * until somebody chooses. */
void place_sort_by_default(struct place *place);

/* The pane with all columns that it has by now; that of events can get more. */
const struct pane *place_pane(const struct app *a, const struct pane *p);

/* A pane has other columns by now: all that shows it shows it as it is. */
void place_renew(struct app *a);

/* Which place of a level is the pane's: index into PANES_MAX. */
unsigned place_index(const struct pane *p);

/* What the app knows of the pane's columns. */
struct pane_columns *place_columns(struct app *a, const struct pane *p);

#endif

/* The list of panes: those that are built in, and behind them the views from files. A new pane is one
 * file in src/pane/ and one row in src/pane/panes.c. */
#ifndef SRC_PANE_PANES_H
#define SRC_PANE_PANES_H

#include "src/table/pane.h"

#include <stdbool.h>

/* NULL-terminated, in order of their digits; behind them the views from files
 * (src/pane/user_view.h). */
extern const struct pane *panes[];

/* Only before any other thread begins. False where there is no room. */
bool panes_add(const struct pane *p);

/* By id, by unambiguous prefix or by digit; or NULL. */
const struct pane *pane_find(const char *id);

#endif

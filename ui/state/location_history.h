/* Going from pane to pane and level to level (app_go_pane(), app_enter(), app_back()), and the way back
 * (C-o): the places that were left. */
#ifndef UI_STATE_LOCATION_HISTORY_H
#define UI_STATE_LOCATION_HISTORY_H

#include "ui/state/app.h"

struct location_history;

void location_history_return(struct app *a); /* says so where there is none */

/* Stacks or events that a key opened (enum began): back to where it was. False: no key did. */
bool location_history_end(struct app *a);

void location_history_free(struct location_history *j); /* NULL is fine */

#endif

/* The filter that is carried along (L), and whose processes are shown (u). */
#ifndef UI_STATE_STICKY_FILTER_H
#define UI_STATE_STICKY_FILTER_H

#include "ui/state/app.h"

/* Makes the request's filter the locked one and the place's together. */
void locking_ask(const struct app *a, struct request *r);

/* Locks the filter of the place shown, or frees the locked one. */
void locking_turn(struct app *a);

/* There is a locked filter, and the pane shown understands it. */
bool locking_holds(const struct app *a);

/* The i-th account or session: the field that filters by it, its name, and how many processes
 * it has; false behind the last, or while they are not known yet. */
struct whose {
    const char *field;
    char name[128], title[128], count[32];
};
bool locking_user(const struct app *a, unsigned i, struct whose *out);

/* Shows only the processes of the i-th; behind the last: of all. */
void locking_take_user(struct app *a, unsigned i);

#endif

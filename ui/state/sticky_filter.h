/* The filter that is carried along (L), and whose processes are shown (u). */
#ifndef UI_STATE_STICKY_FILTER_H
#define UI_STATE_STICKY_FILTER_H

#include "ui/state/app.h"

/* Makes the request's filter the locked one and the place's together. */
void sticky_filter_ask(const struct app *a, struct request *r);

/* Locks the filter of the place shown, or frees the locked one. */
void sticky_filter_toggle(struct app *a);

/* There is a locked filter, and the pane shown understands it. */
bool sticky_filter_holds(const struct app *a);

/* The i-th account or session: the field that filters by it, its name, and how many processes
 * it has; false behind the last, or while they are not known yet. */
struct whose {
    const char *field;
    char name[128], title[128], count[32];
};
bool sticky_filter_user(const struct app *a, unsigned i, struct whose *out);

/* Shows only the processes of the i-th; behind the last: of all. */
void sticky_filter_take_user(struct app *a, unsigned i);

#endif

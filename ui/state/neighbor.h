/* From the details of an event to those of a neighbor: the next or previous event of the list, of
 * the same thread, or of the same kind. The engine looks for it; the cursor goes there. */
#ifndef UI_STATE_NEIGHBOR_H
#define UI_STATE_NEIGHBOR_H

#include "ui/state/app.h"

/* Goes to the neighbor with the next frame, which says so where there is none. */
void neighbor_seek(struct app *a, enum neighbor kind, bool is_backward);

/* Are the details on screen those of the cursor's event, and is no neighbor on its way? Keys that are
 * about the event wait for that. */
bool neighbor_is_settled(const struct app *a);

void neighbor_ask(const struct app *a, struct request *r);
void neighbor_sent(struct app *a, const struct request *r);
void neighbor_take(struct app *a, const struct frame *f);

#endif

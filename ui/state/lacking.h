/* What a pane of a live collector lacks: classes of events that are off, that the collector cannot
 * have, or that cost so much that they wait for a yes; and of a recording, columns without events.
 */
#ifndef UI_STATE_LACKING_H
#define UI_STATE_LACKING_H

#include "ui/state/app.h"

enum lacking {
    LACKING_NOTHING,
    LACKING_CONSENT, /* very costly: Enter starts it */
    LACKING_TIME,    /* it is starting */
    LACKING_RIGHTS,  /* none of it can be had here; the frame says why */
};

/* Of the focused pane, all that it counts. */
enum lacking lacking_of(const struct app *a);

/* Titles of columns that are left out, as the collector cannot have their events, or a recording
 * has none of them: "READ B/s, WRITE B/s". False: there is none, or the whole pane lacks its
 * events. */
bool lacking_columns(const struct app *a, char *out, size_t room);

/* The answer to LACKING_CONSENT, for the rest of the session; false: nothing was asked. */
bool lacking_consent(struct app *a);

/* Requests of a pane that waits for a yes switch nothing on (ui/main/parts.c). */
void lacking_ask(const struct app *a, struct request *r);

#endif

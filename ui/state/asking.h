/* A query while it is typed, in the prompt of filters or of commands: what can be read is shown at
 * once, what cannot leaves the last valid answer and says what is missing. */
#ifndef UI_STATE_ASKING_H
#define UI_STATE_ASKING_H

#include "ui/state/app.h"

/* The prompt opens: Esc goes back to what is shown now. */
void asking_opened(struct app *a);

/* The prompt's text has changed. False where it is no query: then what was shown before is back. */
bool asking_typed(struct app *a);

/* Is a query being typed? */
bool asking_is_on(const struct app *a);

/* Enter: the query's pane stays. Returns whether there was one. */
bool asking_accepted(struct app *a);
void asking_canceled(struct app *a);

/* Shows the answer to a query; false with a message. */
bool asking_show(struct app *a, const char *text);

#endif

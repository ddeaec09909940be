/* Finding rows without hiding others (F3, n, N), and tagging all that a rule fits (*). Both are
 * filters of the place shown, beside the one that decides what is. */
#ifndef UI_STATE_SEARCH_H
#define UI_STATE_SEARCH_H

#include "ui/state/app.h"

/* The prompt was opened, its text changed: the cursor goes to the first row from where it stood. */
void search_opened(struct app *a);
void search_typed(struct app *a);

/* Esc in the prompt: everything as before. */
void search_canceled(struct app *a);

/* Can something be looked for in the place shown? What changed is a list of one page. */
bool search_is_possible(const struct app *a);

/* Goes to a row that fits, on the next frame. */
void search_seek(struct app *a, enum seek how);

/* Is something looked for in the place shown? */
bool search_is_on(const struct app *a);

/* The rows are others: looks for the first that fits. */
void search_restart(struct app *a);

/* Takes back what is found, or the rule that tags; false where there is none. */
bool search_drop(struct app *a);
bool search_drop_rule(struct app *a);

/* Tags all rows that the text fits, now and later; "" none. False with a sentence. */
bool search_tag(struct app *a, const char *text);

/* Makes the request one for what is looked for. */
void search_ask(const struct app *a, struct request *r);
void search_sent(struct app *a, const struct request *r);

/* The frame may bring the row that was looked for: the cursor goes there. */
void search_take(struct app *a, const struct frame *f);

#endif

/* Writing the call tree or the table that is shown to a file (X): the whole of it is asked for once, and its
 * frame is written instead of drawn. */
#ifndef UI_ACTION_EXPORTING_H
#define UI_ACTION_EXPORTING_H

#include "ui/state/app.h"

extern const char *const exporting_formats[]; /* NULL-terminated */

/* "FORMAT [FILE]": asks for all of it. Answers with reactions. */
unsigned exporting_begin(struct app *a, const char *text);

/* Makes a request one for the whole tree, while one is wanted. */
void exporting_ask(const struct app *a, struct request *r);

/* The request was sent with this number. */
void exporting_sent(struct app *a, const struct request *r);

/* Writes the frame if it is the one that was waited for: true, and it is not to be drawn. */
bool exporting_take(struct app *a, const struct frame *f);

#endif

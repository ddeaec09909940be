/* Comparing moments: the difference of two (A), and what changed most in the last seconds (W). */
#ifndef UI_COMPARE_H
#define UI_COMPARE_H

#include "ui/app.h"

/* Makes a request one of the comparison that is shown. */
void compare_ask(const struct app *a, struct request *r);

/* The picture runs again: a difference to its moments ends. */
void compare_end(struct app *a);

/* Is the frame shown a difference? */
bool compare_is_shown(const struct app *a);

/* What is compared with what, for the line above the table; "" where nothing is. */
const char *compare_words(const struct app *a, char *out, size_t room);

/* ":changes 10s 1m": the last 10 s against the minute before; nothing: as is usual. */
void compare_spans(struct app *a, const char *text);

/* Opens the pane that the row of what changed comes from, at those seconds; false where the row
 * is none of those. */
bool compare_open(struct app *a);

#endif

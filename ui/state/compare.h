/* Comparing moments: the difference of two (A), and what changed most in the last seconds (W). */
#ifndef UI_STATE_COMPARE_H
#define UI_STATE_COMPARE_H

#include "ui/state/app.h"

/* Makes a request one of the comparison that is shown. */
void compare_ask(const struct app *a, struct request *r);

/* Neither is there a moment A any more. */
void compare_end(struct app *a);

/* Is the frame shown a difference? */
bool compare_is_shown(const struct app *a);

/* What is compared with what, for the line above the table; "" where nothing is. */
const char *compare_words(const struct app *a, char *out, size_t room);

#endif

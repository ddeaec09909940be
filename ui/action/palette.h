/* Typed commands. */
#ifndef UI_ACTION_PALETTE_H
#define UI_ACTION_PALETTE_H

#include "ui/state/app.h"

/* Completes the word of a command prompt; false: there is nothing more to add. */
bool palette_complete(struct prompt *p);

/* The i-th typed command, panes behind the others: false behind the last. */
bool palette_command(unsigned i, struct typed_command *out);

unsigned app_run(struct app *a, const char *line); /* a typed command */

#endif

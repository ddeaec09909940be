/* Typed commands. */
#ifndef UI_ACTION_PALETTE_H
#define UI_ACTION_PALETTE_H

#include "ui/state/app.h"

/* Completes the word of a command prompt. */
void palette_complete(struct prompt *p);

/* The i-th typed command for the help: false behind the last. */
bool palette_help(unsigned i, const char **name, const char **arguments, const char **help);

unsigned app_run(struct app *a, const char *line); /* a typed command */

#endif

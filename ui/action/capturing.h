/* The capture filter from the prompt (`:capture EXPR`). */
#ifndef UI_ACTION_CAPTURING_H
#define UI_ACTION_CAPTURING_H

#include "ui/state/app.h"

/* `:capture [EXPR|off]`: sets it, removes it, or shows its counts. */
unsigned capturing_run(struct app *a, const char *argument);

#endif

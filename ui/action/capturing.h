/* The capture filter from the prompt (`:capture EXPR`), and how it is told. */
#ifndef UI_ACTION_CAPTURING_H
#define UI_ACTION_CAPTURING_H

#include "ui/state/app.h"

/* `:capture [EXPR|off]`: sets it, takes it away, or tells how it is getting on. */
unsigned capturing_run(struct app *a, const char *argument);

#endif

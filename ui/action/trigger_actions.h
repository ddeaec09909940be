/* What is done when a trigger was hit. */
#ifndef UI_ACTION_TRIGGER_ACTIONS_H
#define UI_ACTION_TRIGGER_ACTIONS_H

#include "ui/state/app.h"

/* A frame tells how they are getting on: acts on what was hit since. Reactions. */
unsigned triggers_hear(struct app *a, const struct frame *f);

#endif

/* What is done when a trigger was hit. */
#ifndef UI_ACTION_TRIGGER_ACTIONS_H
#define UI_ACTION_TRIGGER_ACTIONS_H

#include "ui/state/app.h"

/* Runs the actions of the triggers that were hit since the last frame. Reactions. */
unsigned triggers_hear(struct app *a, const struct frame *f);

#endif

/* Call trees on screen: what keys change about them. */
#ifndef UI_ACTION_STACKS_H
#define UI_ACTION_STACKS_H

#include "ui/state/app.h"

void stacks_set_metric(struct app *a, unsigned metric);

/* A click into a flame graph: selects, again zooms. Answers with reactions. */
unsigned flame_click(struct app *a, const struct rect *body, const struct key *k);

#endif

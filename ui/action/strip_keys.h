#ifndef UI_ACTION_STRIP_KEYS_H
#define UI_ACTION_STRIP_KEYS_H

#include "ui/state/app.h"

/* A click on the time strip, which lies there: the panes show that moment. */
unsigned strip_click(struct app *a, const struct rect *line, const struct key *k);

#endif

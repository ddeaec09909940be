/* Keys in pictures, and clicks into them. */
#ifndef UI_ACTION_CHART_KEYS_H
#define UI_ACTION_CHART_KEYS_H

#include "ui/state/app.h"

/* A click into one: selects the moment, again goes there. Answers with reactions. */
unsigned chart_click(struct app *a, const struct key *k);

#endif

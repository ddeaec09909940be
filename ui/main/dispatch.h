/* What happens to the app: it begins and ends, keys are pressed, frames come, time passes. */
#ifndef UI_MAIN_DISPATCH_H
#define UI_MAIN_DISPATCH_H

#include "ui/state/app.h"

void app_init(struct app *a, const struct app_options *o);
void app_fini(struct app *a);

/* What happened. Each answers with reactions (enum reaction bits), and sends a new
 * request where one is needed. Times are monotonic ns. */
unsigned app_key(struct app *a, const struct key *k, int64_t now);
unsigned app_frame(struct app *a, struct frame *f); /* takes it */
unsigned app_resize(struct app *a, int columns, int rows);
unsigned app_tick(struct app *a, int64_t now); /* time passed: messages end, clocks move */

/* Milliseconds until app_tick() has something to do; -1 = nothing. */
int app_due(const struct app *a);

/* Something has changed: lists fit their rectangles, and what is wanted now is asked for. */
void app_settle(struct app *a);

#endif

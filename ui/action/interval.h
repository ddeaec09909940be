/* How long a sample is (+ - and :interval). */
#ifndef UI_ACTION_INTERVAL_H
#define UI_ACTION_INTERVAL_H

#include "ui/state/app.h"

void interval_set(struct app *a, const char *text); /* "500ms" */

/* The setting may have been changed where settings are: then it holds from now on, or once the
 * picture moves again. */
void interval_keep(struct app *a);

#endif

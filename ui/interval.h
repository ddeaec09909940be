/* How long a sample is (+ - and :interval). */
#ifndef UI_INTERVAL_H
#define UI_INTERVAL_H

#include "ui/app.h"

void interval_set(struct app *a, const char *text); /* "500ms" */

#endif

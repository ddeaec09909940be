/* What there is to choose from: one table of all choosers. */
#ifndef UI_ACTION_CHOICES_H
#define UI_ACTION_CHOICES_H

#include "ui/state/app.h"

extern const struct chooser_source *const choices[CHOOSERS];

#endif

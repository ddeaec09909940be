/* Choosers: a list to pick from; typing narrows it. */
#ifndef UI_CHOOSER_H
#define UI_CHOOSER_H

#include "ui/app.h"

void chooser_open(struct app *a, enum chooser_kind kind);
unsigned chooser_accept(struct app *a);
unsigned chooser_toggle(struct app *a, const struct key *k); /* types where there is nothing to */
bool chooser_has_toggle(const struct app *a);
unsigned chooser_type(struct app *a, const struct key *k);

#endif

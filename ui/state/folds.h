/* Which rows of a tree are folded. */
#ifndef UI_STATE_FOLDS_H
#define UI_STATE_FOLDS_H

#include "ui/state/app.h"

/* Folds a row, or unfolds it; says so where no more rows can be told apart. */
void folds_set(struct app *a, const struct row_key *key, bool is_shut);

/* Unfolds rows; all of them where there are more than can be told apart (then `keys` is not
 * looked at). */
void folds_open(struct app *a, const struct row_key *keys, unsigned count);

#endif

/* Which rows of a tree are folded. */
#ifndef UI_STATE_FOLDS_H
#define UI_STATE_FOLDS_H

#include "ui/state/app.h"

/* Folds a row, or unfolds it; a message says so where there is no room for one more. */
void folds_set(struct app *a, const struct row_key *key, bool is_shut);

/* Unfolds rows; all rows where there is no room for that many (then `keys` is ignored). */
void folds_open(struct app *a, const struct row_key *keys, unsigned count);

#endif

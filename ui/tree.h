/* Trees: folding rows, and moving between a row and what stands above and below it. */
#ifndef UI_TREE_H
#define UI_TREE_H

#include "src/pane.h"

struct app;

/* Folds the cursor's row, or unfolds it; answers with reactions. */
unsigned tree_turn(struct app *a);

/* Unfolds rows; all of them where there are more than can be told apart (then `keys` is not
 * looked at). */
void tree_unfold(struct app *a, const struct row_key *keys, unsigned count);

#endif

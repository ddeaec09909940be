/* Trees: folding rows, and moving between a row and what stands above and below it. */
#ifndef UI_ACTION_TREE_H
#define UI_ACTION_TREE_H

struct app;

/* Folds the cursor's row, or unfolds it; answers with reactions. */
unsigned tree_turn(struct app *a);

#endif

/* Tables: which columns there are room for, and where. */
#ifndef UI_STATE_VIEW_COLUMNS_H
#define UI_STATE_VIEW_COLUMNS_H

#include "ui/state/app.h"

#include <string.h>

enum { SLOTS_MAX = COLUMNS_MAX };

/* Left of the columns: one cell for the row's sign, one free. Between them. Right: the scroll bar.
 * Behind the number of a share there is a bar. */
enum { GUTTER = 2, GAP = 1, MARGIN = 1, SHARE_BAR = 8 };

/* One column on screen. */
struct column_slot {
    unsigned column; /* index into pane->columns */
    int x, width;
};

/* Chooses columns for the width: lower ranks first, those that are shown by default
 * before the others; the sorted one and the cursor's are always there. Where the cursor's
 * does not stand among those, the table is panned: its neighbors stand beside it. Fitting and
 * growing columns take what is left. Columns that were chosen come right after the row's name,
 * those that were hidden are not there. In screen order; returns how many. */
unsigned view_table_layout(const struct place *p, int width, struct column_slot out[SLOTS_MAX]);

/* Learns from a frame how much room its texts need, and what was not recorded. */
void view_columns_learn(struct pane_columns *columns, const struct frame *f);

/* Whether one comes to a pane's column by the cursor: it is not hidden, and something was recorded
 * for it. */
bool view_column_is_there(const struct place *p, unsigned column);

/* Whether there is a slot for a pane's column. */
bool view_table_has(const struct place *p, int width, unsigned column);

static inline bool view_table_is_share(const struct column *c)
{
    return c->type == VALUE_PERCENT && strcmp(c->id, "share") == 0;
}

/* The pane column whose header is at x; -1 = none. */
int view_table_column_at(const struct app *a, int x);

/* The one whose border is at x: the cell behind it; -1 = none. */
int view_table_border_at(const struct app *a, int x);

#endif

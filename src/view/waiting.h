/* Threads that only wait: they have no event in the time that is shown, and so no row of their own.
 * Inside a process they get one, because whoever opens a process that hangs looks for them. */
#ifndef SRC_VIEW_WAITING_H
#define SRC_VIEW_WAITING_H

#include "src/view/rows.h"
#include "src/view/view.h"

/* Adds their rows, with nothing measured, if the view is of one process and its pane has
 * `lists_waiting`. */
void view_add_waiting(const struct view *v, const struct row_context *x, struct row_list *l);

#endif

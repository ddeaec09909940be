/* Threads of a process that wait and do nothing else: no event of them is among those that are
 * shown, and they are what is looked for where a process hangs. */
#ifndef SRC_VIEW_WAITING_H
#define SRC_VIEW_WAITING_H

#include "src/view/rows.h"
#include "src/view/view.h"

/* Adds their rows, with nothing measured, where the view is of one process and its pane lists them.
 */
void view_add_waiting(const struct view *v, const struct row_context *x, struct row_list *l);

#endif

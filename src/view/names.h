/* Panes whose rows are the names of processes, files, kinds of events, stacks: ids with the same
 * name are merged into one row, which has the key of one of them. So names that come later are
 * right. Engine thread only. */
#ifndef SRC_VIEW_NAMES_H
#define SRC_VIEW_NAMES_H

#include "src/table/getters.h"

struct names;

/* As they are known by now; the context's model, dictionary and callbacks are asked, as long as it
 * is there. Of processes of one name that the pane shows, the lowest number is the row's. NULL: the
 * pane joins no parts. */
struct names *names_new(const struct row_context *x, const struct pane *p);
void names_free(struct names *n); /* NULL is fine */

/* The key of the row that shows what a pane with joined_parts counted under this one. */
struct row_key names_key(struct names *n, struct row_key key);

/* Are both shown in one row there? What belongs to no process that is known is one row everywhere.
 */
bool names_are_one(const struct row_context *x, const struct pane *p, struct row_key a,
                   struct row_key b);

#endif

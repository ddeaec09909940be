/* Panes whose rows are made of names of processes: what is counted for each process is one row for
 * all of one name, which stands under the lowest number among them. Engine thread only. */
#ifndef SRC_VIEW_NAMES_H
#define SRC_VIEW_NAMES_H

#include "src/table/table.h"

struct names;

/* Which processes there are by now, by name. */
struct names *names_new(const struct model *m);
void names_free(struct names *n); /* NULL is fine */

/* The key of the row that shows what a pane with joins_names counted under this one. */
struct row_key names_key(struct names *n, const struct pane *p, struct row_key key);

/* Are both shown in one row there? Of processes of one name that is so where the pane joins_names; what
 * belongs to no process that is known is one row everywhere. */
bool names_are_one(const struct model *m, const struct pane *p, struct row_key a, struct row_key b);

#endif

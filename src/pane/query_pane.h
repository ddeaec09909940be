/* A query (src/query/query.h) as a pane: its keys make the rows, its aggregates are the columns
 * behind them. It is bound here: every key, field and aggregate is one that there is, or the
 * sentence names the nearest. Counted from the kept window, or from the whole of a recording, like
 * a view from a file (src/pane/user_view.h). */
#ifndef SRC_PANE_QUERY_PANE_H
#define SRC_PANE_QUERY_PANE_H

#include "src/base/err.h"
#include "src/query/query.h"
#include "src/table/pane.h"

#include <stdint.h>

struct query_pane;

/* NULL with a sentence. Any thread; nobody changes it afterwards. */
struct query_pane *query_pane_new(const struct query *q, struct err *err);
void query_pane_free(struct query_pane *q); /* nobody asks for the pane any more; NULL is fine */

/* Good as long as the query's pane is. Its title is the query's canonical text. */
const struct pane *query_pane_of(const struct query_pane *q);

/* What the query says of the order and the number of its rows. */
unsigned query_pane_sort(const struct query_pane *q, bool *is_ascending); /* index of the column */
uint64_t query_pane_top(const struct query_pane *q);                      /* 0 = all */

/* The id of all such panes. */
#define QUERY_PANE_ID "by"

#endif

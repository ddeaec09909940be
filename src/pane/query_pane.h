/* A query (src/query/query.h) as a pane: its keys make the rows, its aggregates are the columns
 * behind them. It is bound here: every key, field and aggregate is one that there is, or the
 * sentence names the nearest. Counted from the history, or from the whole of a recording, like
 * a view from a file (src/pane/user_view.h). */
#ifndef SRC_PANE_QUERY_PANE_H
#define SRC_PANE_QUERY_PANE_H

#include "src/base/err.h"
#include "src/query/query.h"
#include "src/table/pane.h"

#include <stdint.h>

/* A pane whose title is the query's canonical text; NULL with a sentence. Any thread; nobody
 * changes it afterwards. */
const struct pane *query_pane_new(const struct query *q, struct err *err);
void query_pane_free(const struct pane *p); /* nobody asks for it any more; NULL is fine */

/* Is it made of a query that was typed? */
static inline bool query_pane_is(const struct pane *p)
{
    return p->of && p->user_view;
}

/* Makes a view of the query. What was set of the view before, its name and how its columns look, is
 * the view's; what the columns are is the query's. False with a sentence. */
bool query_pane_bind(const struct query *q, struct user_view *d, struct err *err);

/* What a column of a query or view is: a key, an aggregate of a field, or what the pane adds (a
 * share). */
enum query_role { QUERY_ROLE_KEY, QUERY_ROLE_AGGREGATE, QUERY_ROLE_CELL, QUERY_ROLES };
extern const char *const query_roles[QUERY_ROLES];
struct query_column {
    uint8_t role;                          /* enum query_role */
    const char *field, *aggregate, *error; /* NULL: it has none; error: of an aggregate that is not
                                            * exact, how far it may be off */
};
void query_pane_column(const struct pane *p, unsigned column, struct query_column *out);

/* How far an aggregate may be off, by its word in queries; NULL = it is exact. */
const char *query_aggregate_error(const char *aggregate);

/* The aggregates that there are, by number: of what, with the unit of the result; NULL = not of
 * that. The last number is behind the last one. */
enum query_of {
    QUERY_OF_EVENTS,
    QUERY_OF_SIZE,
    QUERY_OF_LATENCY,
    QUERY_OF_RUN,
    QUERY_OF_NUMBER,
    QUERY_OF_NAME,
    QUERY_OFS
};
extern const char *const query_ofs[QUERY_OFS];
const char *query_aggregate_at(unsigned i,
                               const char *units[QUERY_OFS]); /* NULL: the last number */

/* The words that a query being typed can go on with: the i-th; NULL behind the last. Filters
 * have words of their own. */
const char *query_pane_word(const struct query_end *end, unsigned i);

/* The id of all such panes. */
#define QUERY_PANE_ID "by"

#endif

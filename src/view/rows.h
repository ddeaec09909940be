/* The visible rows of a table: rows of threads without a known process are added up as "(unknown)",
 * and ids with the same name are merged into one row where the pane says so. Engine thread only. */
#ifndef SRC_VIEW_ROWS_H
#define SRC_VIEW_ROWS_H

#include "src/table/row.h"
#include "src/table/row_order.h"
#include "src/view/names.h"

struct row_list {
    struct table_row **rows; /* the table's, and those made */
    size_t count;
    struct table_row **made; /* to be freed */
    size_t made_count, made_room;
    struct row_order ranks; /* of the rows made, by key */
    const struct table *table;
};

/* The table must stay as it is until row_list_fini(). `names`: of its pane, NULL where that joins
 * no parts; lists with the same names have the same keys. */
struct row_list row_list_of(const struct table *t, struct names *names);
void row_list_fini(struct row_list *l);

/* The row of a key among those made so far, made where there is none; it does not stand in
 * `rows`. In constant time. */
struct table_row *row_list_make(struct row_list *l, struct row_key key);

/* Rows with nothing measured for those of the keys that have no row in the list yet. */
void row_list_add_missing(struct row_list *l, const struct row_key *keys, size_t count);

#endif

/* The rows that a table shows, which are not quite those it has: what only stands under a
 * thread is put together as "(unknown)", and processes of one name are one row where the pane says so.
 * Engine thread only. */
#ifndef SRC_VIEW_ROWS_H
#define SRC_VIEW_ROWS_H

#include "src/table/row.h"
#include "src/table/row_order.h"

struct row_list {
    struct table_row **rows; /* the table's, and those made */
    size_t count;
    struct table_row **made; /* to be freed */
    size_t made_count, made_room;
    struct row_order ranks; /* of the rows made, by key */
    const struct table *table;
};

/* The table must stay as it is until row_list_fini(). */
struct row_list row_list_of(const struct table *t, const struct model *m);
void row_list_fini(struct row_list *l);

/* The row of a key among those made so far, made where there is none; it does not stand in
 * `rows`. In constant time. */
struct table_row *row_list_make(struct row_list *l, struct row_key key);

#endif

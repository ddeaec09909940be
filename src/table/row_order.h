/* A row order lock: the ranks that rows had, kept while their values change. */
#ifndef SRC_TABLE_ROW_ORDER_H
#define SRC_TABLE_ROW_ORDER_H

#include "src/table/pane.h"

struct row_order_place {
    struct row_key key;
    uint32_t rank; /* 1, 2, 3 …; 0 = the place is free */
};

/* All zero: no row has a rank. */
struct row_order {
    struct row_order_place *places;
    uint32_t mask, count;
};

void row_order_clear(struct row_order *h);

/* The rank of a row, 0 where it has none yet. */
uint32_t row_order_rank(const struct row_order *h, struct row_key key);

/* Gives a row that has none the next rank. */
uint32_t row_order_add(struct row_order *h, struct row_key key);

#endif

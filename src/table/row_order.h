/* The order that rows had, kept while their values change. */
#ifndef SRC_TABLE_ROW_ORDER_H
#define SRC_TABLE_ROW_ORDER_H

#include "src/table/pane.h"

struct held {
    struct row_key key;
    uint32_t rank; /* 1, 2, 3 …; 0 = the place is free */
};

/* All zero: holds nothing. */
struct hold {
    struct held *places;
    uint32_t mask, count;
};

void hold_clear(struct hold *h);

/* The rank of a row, 0 where it has none yet. */
uint32_t hold_rank(const struct hold *h, struct row_key key);

/* Gives a row that has none the next rank. */
uint32_t hold_add(struct hold *h, struct row_key key);

#endif

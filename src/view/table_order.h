/* The order of a table's rows: sorting no more of them than are shown. */
#ifndef SRC_VIEW_TABLE_ORDER_H
#define SRC_VIEW_TABLE_ORDER_H

#include "src/table/row.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct item {
    struct table_row *row;
    const struct table_row *base; /* differences: what is taken from it; NULL: nothing */
    double number, then;          /* then: where the numbers are equal */
    uint32_t text, text_bytes;
    bool is_absent, is_text;
};

struct order {
    const char *texts;
    bool is_ascending;
};

/* A total order: absent values last, ties by what the pane says, then by key, so that rows do not
 * jump. */
int table_order_compare(const struct order *o, const struct item *a, const struct item *b);

/* Finishes the places first … last - 1 only: the rest is merely on the right side of them. */
void table_order_window(const struct order *o, struct item *items, size_t count, size_t first,
                        size_t last);

static inline void item_swap(struct item *a, struct item *b)
{
    const struct item c = *a;
    *a = *b;
    *b = c;
}

#endif

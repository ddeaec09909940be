/* Rows by their keys: what the files of the table share. */
#ifndef SRC_TABLE_ROW_FIND_H
#define SRC_TABLE_ROW_FIND_H

#include "src/table/getters.h"

#include <string.h>

/* Rows lie all over the memory: have them brought in time. */
static inline void prefetch_row(const struct table *t, uint32_t index)
{
    enum { AHEAD = 12 };
    if (index + AHEAD < t->row_count)
        __builtin_prefetch(t->rows[index + AHEAD]);
}

struct table_row *table_row_of(struct table *t, struct row_key key, uint32_t hash);

#endif

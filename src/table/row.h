/* A row of a table: what it has counted, by measure and age. Rows are made for one table's
 * measures; tables that are copies of one another share them. */
#ifndef SRC_TABLE_ROW_H
#define SRC_TABLE_ROW_H

#include "src/table/table.h"

/* A row and, behind it, its measures (see row.c). Frozen tables share their rows with
 * the live one until either changes them. */
struct table_row {
    struct row_key key;
    uint32_t interval; /* the interval that AGE_CURRENT belongs to */
    uint32_t match;    /* cached_match of a filter on the row's texts; 0 = none (view.c) */
    uint32_t holders;  /* tables that it stands in */
    uint32_t parts;    /* of a history: in how many intervals it is among the rows that are kept */
    int64_t first_ns, last_ns;
};

/* A row outside any table with the pane's shape, and adding one row to another. */
struct table_row *row_new(const struct table *t, struct row_key key);
void row_drop(const struct table *t, struct table_row *r); /* NULL is fine */
void row_add(const struct table *t, struct table_row *to, const struct table_row *from);

/* Adds what a row has counted in the running interval to what another one has. */
void row_add_running(const struct table *t, struct table_row *to, const struct table_row *from);

/* The row at *place for writing: a copy takes its place where others hold it, too. */
struct table_row *row_part_from(const struct table *t, struct table_row **place);
static inline struct table_row *row_own(const struct table *t, struct table_row **place)
{
    return (*place)->holders == 1 ? *place : row_part_from(t, place);
}

/* Trends (src/table/trend.c): which ones there are, once the measures of columns are known; the
 * amounts of the running interval are remembered; what another row remembers is added. */
void trends_place(struct table *t);
void trends_keep(const struct table *t, struct table_row *r);
void trends_add(const struct table *t, struct table_row *to, const struct table_row *from);

/* Nothing happened in the row for two intervals or more: all is over. */
void row_rest(const struct table *t, struct table_row *r);

size_t row_octaves(const struct table *t, const struct table_row *r);

/* Where the measures lie in the row of a table whose measures were placed. */
void table_place_parts(struct table *t);

static inline uint64_t *row_tallies(const struct table *t, const struct table_row *r, enum age age)
{
    return (uint64_t *)(uintptr_t)((const char *)r + t->part_at[age]);
}

static inline struct latency *row_latencies(const struct table *t, const struct table_row *r,
                                            enum age age)
{
    return (struct latency *)(void *)(row_tallies(t, r, age) + t->tallies);
}

static inline struct most *row_mosts(const struct table *t, const struct table_row *r)
{
    return (struct most *)(uintptr_t)((const char *)r + t->mosts_at);
}

/* Rows turn to the running interval when they are next touched, not all at once. */
void row_turn_over(const struct table *t, struct table_row *r);
static inline void row_turn(const struct table *t, struct table_row *r)
{
    if (r->interval != t->interval)
        row_turn_over(t, r);
}

#endif

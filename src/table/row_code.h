/* Rows as bytes: the key, and what the row has counted in one interval (src/aggregate/ has the
 * forms of states). For memory that holds many intervals; the table knows what the bytes mean.
 *
 *   key: four numbers
 *   ns from the interval's begin to the last fact, + 1; 0: not known
 *   bit 0: a part of the row is in "(others)"; from bit 1 on: which measures have counted anything
 *   the states of these
 *
 * The heaviest of many (AGGREGATE_MOST), trends and the time of the first fact are not of one
 * interval, and stay behind. */
#ifndef SRC_TABLE_ROW_CODE_H
#define SRC_TABLE_ROW_CODE_H

#include "src/table/row.h"

struct bytes;
struct payload_writer;

/* Room for any row. */
enum { ROW_ENCODED = 64 + MEASURES_MAX * AGGREGATE_ENCODED };

/* Writes the running interval of a row of the table, which begins at `begin_ns`; at most
 * ROW_ENCODED bytes. */
void row_encode(const struct table *t, const struct table_row *r, int64_t begin_ns, bool is_part,
                struct payload_writer *to);

/* Adds a row that was written for a table of the same pane to the running interval, and to the sums
 * of all rows. Returns the table's row; NULL with a sentence where the bytes are no row of it. */
struct table_row *row_decode(struct table *t, int64_t begin_ns, struct bytes *from, bool *is_part,
                             struct err *err);

/* The columns that rows do not bring back, and those whose values lack what went on at the ends of
 * intervals (measure_is_split()): bit per column. */
uint64_t row_code_lacks(const struct pane *p);
uint64_t row_code_shortens(const struct pane *p);

#endif

/* Differences of values: what one moment has more than another. */
#ifndef SRC_TABLE_DIFFERENCE_H
#define SRC_TABLE_DIFFERENCE_H

#include "src/table/pane.h"

#include <stdbool.h>

/* Is the column's value an amount that can be taken from another? Names, ids and what was met
 * most often are not. */
bool column_has_difference(const struct column *c);

/* b − a, exactly as the two were shown; absent where either is. */
struct value value_difference(struct value b, struct value a);

/* The sum of two counts or real numbers. */
struct value value_sum(struct value a, struct value b);

/* The amount as a number, with its sign where it is a difference. */
double value_signed(struct value v);

#endif

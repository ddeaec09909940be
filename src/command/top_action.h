/* What `top --by` does by the clock and at its end, as DTrace's tick and END do: in one line
 *
 *   [T] print [per s|per op] [top N] [clear]
 *
 * prints what was counted since the start, or since the last `clear`, which ends the count once it
 * is printed. `per s` and `per op` print rates and averages instead of counts and sums. */
#ifndef SRC_COMMAND_TOP_ACTION_H
#define SRC_COMMAND_TOP_ACTION_H

#include "src/base/err.h"
#include "src/query/query.h"

#include <stdint.h>

enum top_per { PER_NOTHING, PER_SECOND, PER_OPERATION, TOP_PERS };

struct top_action {
    int64_t every_ns; /* 0: at the end */
    uint64_t rows;    /* 0: as the query says */
    uint8_t per;      /* enum top_per */
    bool clears;
};

/* Reads --every's line, which begins with a time, or --at-end's. False with a sentence. */
bool top_action_read(const char *text, bool has_time, struct top_action *out, struct err *err);

/* The query whose aggregates are rates or averages instead of counts and sums. Its order follows,
 * which may also be written as for -s: "sum_size:asc". */
void top_action_normalize(struct query *q, enum top_per per);

#endif

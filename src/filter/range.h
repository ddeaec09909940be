/* Stretches of time as people write them: "A..B", where either end may be left out.
 *
 *   -30s                    30 s before the end       5s, 1m     that long after the start
 *   10:15, 10:15:00.5       time of day, local        10:15Z     the same in UTC
 *   2026-05-17T10:20:30Z    an instant                2026-05-17T10:20:30  the same, local */
#ifndef SRC_FILTER_RANGE_H
#define SRC_FILTER_RANGE_H

#include "src/base/err.h"

#include <stdbool.h>
#include <stdint.h>

enum range_form {
    RANGE_OPEN,
    RANGE_BEFORE_END,
    RANGE_AFTER_START,
    RANGE_DAY_LOCAL,
    RANGE_DAY_UTC,
    RANGE_INSTANT,
};

struct range_edge {
    uint8_t form; /* enum range_form */
    int64_t ns;   /* a distance, ns since midnight, or ns since 1970 UTC */
};

struct range {
    struct range_edge from, to;
};

bool range_read(const char *text, struct range *out, struct err *err);

/* One end alone, which must be there; and the instant it means for something that went from `first`
 * to `last`, inside of it or not. */
bool range_edge_read(const char *text, struct range_edge *out, struct err *err);
int64_t range_edge_at(const struct range_edge *e, int64_t first, int64_t last);

/* What it means for something that went from `first` to `last` (ns since 1970 UTC): both
 * ends belong to it. A time of day is that of the first day it comes up in; where it comes up in
 * none, that of the day of `first`, or behind a midnight that the range or the trace goes over.
 * False with a sentence when there is nothing between the ends, or nothing of them in there. */
bool range_resolve(const struct range *r, int64_t first, int64_t last, int64_t *from, int64_t *to,
                   struct err *err);

#endif

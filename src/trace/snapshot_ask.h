/* What a snapshot is asked to hold, as people and other shells say it:
 *
 *   [A..B] [FILE] [FILTER]      -30s.. /tmp/x.etl firefox
 *
 * A range as src/filter/range.h reads it; a FILE has a suffix .etl or a path separator, or stands in
 * double quotes; the rest is a filter. Each may be left out. */
#ifndef SRC_TRACE_SNAPSHOT_ASK_H
#define SRC_TRACE_SNAPSHOT_ASK_H

#include "src/base/err.h"
#include "src/filter/range.h"

#include <stdbool.h>
#include <stddef.h>

struct snapshot_ask {
    bool has_range;
    struct range range;
    char path[1024]; /* "": a name of its own */
    char filter[1024];
};

bool snapshot_ask_read(const char *text, struct snapshot_ask *out, struct err *err);

/* The line that says this; NULL or "" are left out. False with a sentence when it cannot be
 * said. */
bool snapshot_ask_write(const char *range, const char *path, const char *filter, char *out,
                        size_t room, struct err *err);

#endif

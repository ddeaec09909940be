/* A frame as one answer for programs: JSON with the types and units of its columns, what is exact,
 * the span, how long each class was recorded, what was lost by which cause, and what is not in the
 * rows. It is bounded: rows that do not fit are left out, and `others` adds them up. Texts come
 * from traces: they are escaped and cut, and mean nothing but themselves. answer_schema() is its
 * JSON Schema, which tests hold answers against. */
#ifndef SRC_EXPORT_ANSWER_H
#define SRC_EXPORT_ANSWER_H

#include "src/base/json_out.h"
#include "src/frame/frame.h"
#include "src/pane/query_pane.h"

#include <stdint.h>

struct answer {
    const struct frame *frame;
    const char *kind;         /* "file", "live", "demo" … */
    const char *const *names; /* of files; NULL: none */
    size_t name_count;
    size_t most_text;    /* bytes of one text */
    bool is_short;       /* without what only explains, and with the first names of files alone */
    const char *columns; /* their ids, separated by blanks; NULL: all */
};

/* Writes what fits into `to`. Returns how many of the frame's rows that is. Where not even an
 * answer without rows fits, `to` is full, and no JSON. */
unsigned answer_write(const struct answer *a, struct json_out *to);

/* The schema, as JSON in parts; NULL ends it. */
extern const char *const answer_schema[];

/* "count", "bytes", "time" …: the name of an enum value_type. */
const char *answer_type(unsigned type);

#endif

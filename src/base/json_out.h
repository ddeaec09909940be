/* JSON into memory, within a bound: what would not fit is not written, and `is_full` says so.
 * Whoever writes a row notes `used` before it and goes back to that when the row did not fit. */
#ifndef SRC_BASE_JSON_OUT_H
#define SRC_BASE_JSON_OUT_H

#include "src/base/err.h"

#include <stdbool.h>
#include <stddef.h>

struct json_out {
    char *text; /* NUL-terminated once something was written */
    size_t used, room;
    size_t most; /* bytes, without the NUL */
    bool is_full;
};

void json_out_free(struct json_out *o);

/* As printf(): for the JSON of the format itself, numbers, and words of our own tables. */
void json_out_put(struct json_out *o, const char *format, ...) PRINTF_LIKE(2, 3);

/* A quoted string, as json_string() writes it. Of a text longer than `most` bytes the beginning,
 * with "…" behind it. */
void json_out_text(struct json_out *o, const char *text, size_t bytes, size_t most);

/* ,"name": and the text, or null where it is NULL. The name is ours. */
void json_out_member(struct json_out *o, const char *name, const char *text);

/* Forgets what was written behind `used`. */
void json_out_rewind(struct json_out *o, size_t used);

#endif

/* JSON that somebody else wrote, taken apart: no deeper than JSON_DEPTH, valid UTF-8, nothing
 * behind it. Only json_read_linux.c calls json-c. */
#ifndef SRC_BASE_JSON_READ_H
#define SRC_BASE_JSON_READ_H

#include "src/base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { JSON_DEPTH = 16 };

struct json_value;

enum json_kind {
    JSON_NULL,
    JSON_FLAG,
    JSON_NUMBER,
    JSON_INTEGER,
    JSON_TEXT,
    JSON_LIST,
    JSON_OBJECT
};

/* NULL with a sentence; `null` alone is refused, too. */
struct json_value *json_read(const char *text, size_t bytes, struct err *err);
void json_read_free(struct json_value *v); /* of json_read() alone; NULL is fine */

enum json_kind json_read_kind(const struct json_value *v); /* JSON_NULL for NULL */

/* A member of an object; NULL: there is none, it is null, or `v` is no object. Good as long as the
 * whole is. */
const struct json_value *json_read_member(const struct json_value *v, const char *name);

/* The name of an object's member that is none of `known` (NULL ends them); NULL: there is none. */
const char *json_read_unknown(const struct json_value *v, const char *const *known);

/* Of a list: how many elements, 0 where `v` is none; and each, NULL where it is null. */
size_t json_read_count(const struct json_value *v);
const struct json_value *json_read_element(const struct json_value *v, size_t i);

/* NUL-terminated; NULL: it is no text, or has a NUL of its own. */
const char *json_read_text(const struct json_value *v);

/* False where it is no integer between -2^53 and 2^53, which all programs read alike. */
bool json_read_integer(const struct json_value *v, int64_t *out);

#endif

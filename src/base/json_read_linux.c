#include "src/base/json_read.h"

#include <json-c/json_object.h>
#include <json-c/json_object_iterator.h>
#include <json-c/json_tokener.h>

#include <limits.h>
#include <string.h>

static struct json_object *object_of(const struct json_value *v)
{
    return (struct json_object *)(uintptr_t)v;
}

struct json_value *json_read(const char *text, size_t bytes, struct err *err)
{
    struct json_tokener *const t = json_tokener_new_ex(JSON_DEPTH);
    if (!t) {
        fail(err, "JSON cannot be read: not enough memory");
        return NULL;
    }
    if (bytes > INT_MAX) {
        json_tokener_free(t);
        fail(err, "JSON of %zu bytes is too long", bytes);
        return NULL;
    }
    json_tokener_set_flags(t, JSON_TOKENER_STRICT | JSON_TOKENER_VALIDATE_UTF8);
    struct json_object *o = json_tokener_parse_ex(t, text, (int)bytes);
    if (json_tokener_get_error(t) == json_tokener_continue) /* a number ends with what follows it */
        o = json_tokener_parse_ex(t, " ", 1);
    const enum json_tokener_error error = json_tokener_get_error(t);
    const size_t at = json_tokener_get_parse_end(t);
    json_tokener_free(t);
    if (error == json_tokener_success && o)
        return (struct json_value *)o;
    json_object_put(o);
    if (error == json_tokener_success) /* json-c has no object for null */
        fail(err, "JSON is null: expected a value");
    else
        fail(err, "no JSON: %s, at byte %zu", json_tokener_error_desc(error), at);
    return NULL;
}

void json_read_free(struct json_value *v)
{
    json_object_put(object_of(v));
}

enum json_kind json_read_kind(const struct json_value *v)
{
    switch (json_object_get_type(object_of(v))) {
    case json_type_boolean:
        return JSON_FLAG;
    case json_type_double:
        return JSON_NUMBER;
    case json_type_int:
        return JSON_INTEGER;
    case json_type_string:
        return JSON_TEXT;
    case json_type_array:
        return JSON_LIST;
    case json_type_object:
        return JSON_OBJECT;
    case json_type_null:
        break;
    }
    return JSON_NULL;
}

const struct json_value *json_read_member(const struct json_value *v, const char *name)
{
    struct json_object *found = NULL;
    if (json_read_kind(v) == JSON_OBJECT)
        json_object_object_get_ex(object_of(v), name, &found);
    return (const struct json_value *)found;
}

const char *json_read_unknown(const struct json_value *v, const char *const *known)
{
    if (json_read_kind(v) != JSON_OBJECT)
        return NULL;
    struct json_object_iterator at = json_object_iter_begin(object_of(v));
    const struct json_object_iterator end = json_object_iter_end(object_of(v));
    for (; !json_object_iter_equal(&at, &end); json_object_iter_next(&at)) {
        const char *const name = json_object_iter_peek_name(&at);
        const char *const *k = known;
        while (*k && strcmp(*k, name) != 0)
            k++;
        if (!*k)
            return name;
    }
    return NULL;
}

size_t json_read_count(const struct json_value *v)
{
    return json_read_kind(v) == JSON_LIST ? json_object_array_length(object_of(v)) : 0;
}

const struct json_value *json_read_element(const struct json_value *v, size_t i)
{
    return json_read_kind(v) == JSON_LIST
               ? (const struct json_value *)json_object_array_get_idx(object_of(v), i)
               : NULL;
}

const char *json_read_text(const struct json_value *v)
{
    if (json_read_kind(v) != JSON_TEXT)
        return NULL;
    const char *const text = json_object_get_string(object_of(v));
    const int bytes = json_object_get_string_len(object_of(v));
    return strlen(text) == (size_t)bytes ? text : NULL;
}

bool json_read_integer(const struct json_value *v, int64_t *out)
{
    static const int64_t MOST = 1ll << 53;
    *out = json_read_kind(v) == JSON_INTEGER ? json_object_get_int64(object_of(v)) : INT64_MAX;
    return *out >= -MOST && *out <= MOST;
}

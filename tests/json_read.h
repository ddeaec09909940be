/* A strict reader of JSON for tests: RFC 8259, nothing more. Values are found by their path. */
#ifndef TESTS_JSON_READ_H
#define TESTS_JSON_READ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

static inline const char *json_skip(const char *at);

static inline const char *json_blank(const char *at)
{
    return at + strspn(at, " \t\r\n");
}

/* Behind the string that begins at `at`; NULL: it is none. */
static inline const char *json_skip_string(const char *at)
{
    if (*at++ != '"')
        return NULL;
    for (; *at != '"'; at++) {
        if ((unsigned char)*at < ' ')
            return NULL;
        if (*at != '\\')
            continue;
        at++;
        if (*at == 'u') {
            if (strspn(at + 1, "0123456789abcdefABCDEF") < 4)
                return NULL;
            at += 4;
        } else if (!*at || !strchr("\"\\/bfnrt", *at)) {
            return NULL;
        }
    }
    return at + 1;
}

static inline const char *json_skip_number(const char *at)
{
    static const char digits[] = "0123456789";
    at += *at == '-';
    const size_t whole = strspn(at, digits);
    if (!whole || (whole > 1 && *at == '0'))
        return NULL;
    at += whole;
    if (*at == '.') {
        const size_t part = strspn(at + 1, digits);
        if (!part)
            return NULL;
        at += 1 + part;
    }
    if (*at == 'e' || *at == 'E') {
        at += 1 + (at[1] == '+' || at[1] == '-');
        const size_t power = strspn(at, digits);
        if (!power)
            return NULL;
        at += power;
    }
    return at;
}

static inline const char *json_skip_list(const char *at, char end)
{
    at = json_blank(at + 1);
    if (*at == end)
        return at + 1;
    for (;;) {
        if (end == '}') {
            at = json_skip_string(at);
            if (!at || *(at = json_blank(at)) != ':')
                return NULL;
            at = json_blank(at + 1);
        }
        at = json_skip(at);
        if (!at)
            return NULL;
        at = json_blank(at);
        if (*at == end)
            return at + 1;
        if (*at != ',')
            return NULL;
        at = json_blank(at + 1);
    }
}

/* Behind the value that begins at `at`; NULL: it is none. */
static inline const char *json_skip(const char *at)
{
    static const char *const words[] = {"true", "false", "null"};
    if (*at == '{' || *at == '[')
        return json_skip_list(at, *at == '{' ? '}' : ']');
    if (*at == '"')
        return json_skip_string(at);
    for (size_t i = 0; i < 3; i++)
        if (strncmp(at, words[i], strlen(words[i])) == 0)
            return at + strlen(words[i]);
    return json_skip_number(at);
}

static inline bool json_is_valid(const char *text)
{
    const char *const end = json_skip(json_blank(text));
    return end && *json_blank(end) == '\0';
}

/* The member of the object that begins at `at` (in valid JSON); NULL: there is none. */
static inline const char *json_member(const char *at, const char *name)
{
    const size_t bytes = strlen(name);
    if (!at || *at != '{')
        return NULL;
    for (at = json_blank(at + 1); *at == '"';) {
        const char *const key = at + 1;
        at = json_blank(json_skip_string(at));
        const char *const value = json_blank(at + 1);
        if (strncmp(key, name, bytes) == 0 && key[bytes] == '"')
            return value;
        at = json_blank(json_skip(value));
        at = *at == ',' ? json_blank(at + 1) : at;
    }
    return NULL;
}

/* The first value of the list, then the one behind a value; NULL at the end. */
static inline const char *json_first(const char *list)
{
    if (!list || *list != '[')
        return NULL;
    list = json_blank(list + 1);
    return *list == ']' ? NULL : list;
}

static inline const char *json_next(const char *value)
{
    value = json_blank(json_skip(value));
    return *value == ',' ? json_blank(value + 1) : NULL;
}

static inline size_t json_count(const char *list)
{
    size_t count = 0;
    for (const char *v = json_first(list); v; v = json_next(v))
        count++;
    return count;
}

static inline bool json_is(const char *value, const char *text)
{
    const size_t bytes = strlen(text);
    return value && *value == '"' && strncmp(value + 1, text, bytes) == 0 &&
           value[bytes + 1] == '"';
}

#endif

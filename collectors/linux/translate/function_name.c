#include "collectors/linux/translate/function.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

const char *const function_type_words[FUNCTION_TYPES] = {
    [FUNCTION_U8] = "u8",       [FUNCTION_U16] = "u16",      [FUNCTION_U32] = "u32",
    [FUNCTION_U64] = "u64",     [FUNCTION_I8] = "i8",        [FUNCTION_I16] = "i16",
    [FUNCTION_I32] = "i32",     [FUNCTION_I64] = "i64",      [FUNCTION_HEX32] = "hex32",
    [FUNCTION_HEX64] = "hex64", [FUNCTION_OF_TEXT] = "text",
};

unsigned function_type_bytes(enum function_type type)
{
    static const uint8_t bytes[FUNCTION_TYPES] = {
        [FUNCTION_U8] = 1,    [FUNCTION_U16] = 2,   [FUNCTION_U32] = 4, [FUNCTION_U64] = 8,
        [FUNCTION_I8] = 1,    [FUNCTION_I16] = 2,   [FUNCTION_I32] = 4, [FUNCTION_I64] = 8,
        [FUNCTION_HEX32] = 4, [FUNCTION_HEX64] = 8,
    };
    return bytes[type];
}

#define PROBE "usdt:"

bool function_is_named(const char *text)
{
    return strncmp(text, "u:", 2) == 0 || strncmp(text, "p:", 2) == 0 ||
           strncmp(text, PROBE, sizeof PROBE - 1) == 0;
}

static bool read_type(const char *at, size_t bytes, uint8_t *type)
{
    for (uint8_t i = 0; i < FUNCTION_TYPES; i++)
        if (strlen(function_type_words[i]) == bytes &&
            memcmp(function_type_words[i], at, bytes) == 0) {
            *type = i;
            return true;
        }
    return false;
}

/* "NAME:TYPE" up to `end`. */
static bool read_value(const char *at, const char *end, struct function_value *out)
{
    const char *const colon = memchr(at, ':', (size_t)(end - at));
    const size_t bytes = colon ? (size_t)(colon - at) : 0;
    if (!bytes || bytes >= sizeof out->name)
        return false;
    for (size_t i = 0; i < bytes; i++)
        if (!isalnum((unsigned char)at[i]) && at[i] != '_')
            return false;
    memcpy(out->name, at, bytes);
    out->name[bytes] = '\0';
    return read_type(colon + 1, (size_t)(end - colon - 1), &out->type);
}

/* "(NAME:TYPE,…)" or with ":TYPE" behind it, as the end of the text. */
static bool read_signature(const char *at, struct function_signature *out)
{
    const char *const close = strchr(at, ')');
    *out = (struct function_signature){.count = 0};
    if (!close || (close[1] && close[1] != ':'))
        return false;
    for (at++; at < close; at++) {
        const char *const comma = memchr(at, ',', (size_t)(close - at));
        const char *const end = comma ? comma : close;
        if (out->count == FUNCTION_ARGUMENTS || !read_value(at, end, &out->arguments[out->count]))
            return false;
        out->arguments[out->count].place = (uint8_t)out->count;
        out->count++;
        at = end;
    }
    out->has_result = close[1] == ':';
    strcpy(out->result.name, "result");
    return !out->has_result || read_type(close + 2, strlen(close + 2), &out->result.type);
}

/* The end is taken off: a name of C++ may have both parentheses and colons. */
static void take_end(struct function_request *r)
{
    static const char entry[] = ":entry";
    const size_t bytes = strlen(r->pattern), end = sizeof entry - 1;
    r->is_entry_only = bytes > end && strcmp(r->pattern + bytes - end, entry) == 0;
    if (r->is_entry_only)
        r->pattern[bytes - end] = '\0';
    char *const open = strchr(r->pattern, '(');
    r->has_signature = open && open != r->pattern && read_signature(open, &r->signature);
    if (r->has_signature)
        *open = '\0';
}

/* The file, and what it is parted by from the function. */
static const char *read_place(const char *text, struct function_request *out)
{
    const char *at = text + (out->is_probe ? sizeof PROBE - 1 : 2);
    if (text[0] == 'p') {
        char *end;
        const unsigned long pid = strtoul(at, &end, 10);
        if (!isdigit((unsigned char)*at) || *end != ':' || !pid || pid > INT32_MAX)
            return NULL;
        out->pid = (uint32_t)pid;
        at = end + 1;
    }
    const char *const behind = strchr(at, text[0] == 'p' ? '!' : ':');
    const size_t bytes = behind ? (size_t)(behind - at) : 0;
    if (!bytes || bytes >= sizeof out->file)
        return NULL;
    memcpy(out->file, at, bytes);
    out->file[bytes] = '\0';
    return behind + 1;
}

bool function_request_read(const char *text, struct function_request *out, struct err *err)
{
    *out = (struct function_request){.text = text,
                                     .is_probe = strncmp(text, PROBE, sizeof PROBE - 1) == 0};
    const char *const pattern = read_place(text, out);
    if (!pattern || !*pattern || strlen(pattern) >= sizeof out->pattern)
        return fail(
            err,
            "expected a function, u:FILE:FUNCTION, p:PID:MODULE!FUNCTION or usdt:FILE:PROBE, "
            "found '%.200s'",
            text);
    memcpy(out->pattern, pattern, strlen(pattern) + 1);
    take_end(out);
    return true;
}

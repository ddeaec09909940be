/* The older kind of Rust's names: those of C++ with a hash behind. */
#include "src/symbol/demangle_rust.h"

#include <stdint.h>
#include <string.h>

static bool is_hash(const char *part, size_t bytes)
{
    if (bytes != 17 || part[0] != 'h')
        return false;
    for (size_t i = 1; i < bytes; i++)
        if (!strchr("0123456789abcdef", part[i]))
            return false;
    return true;
}

static const struct {
    const char *code, *text;
} escapes[] = {
    {"$SP$", "@"}, {"$BP$", "*"}, {"$RF$", "&"}, {"$LT$", "<"}, {"$GT$", ">"},
    {"$LP$", "("}, {"$RP$", ")"}, {"$C$", ","},  {"..", "::"},
};

/* "$u7e$" is a character by its number: ASCII ones are shown. */
static size_t put_code(struct rust *r, const char *at, size_t left)
{
    unsigned code = 0;
    size_t i = 2;
    for (; i < left && i < 6 && at[i] != '$'; i++) {
        const char *const digits = "0123456789abcdef", *const d = strchr(digits, at[i]);
        if (!d || !*d)
            return 0;
        code = code * 16 + (unsigned)(d - digits);
    }
    if (i == 2 || i >= left || at[i] != '$' || code < 0x20 || code > 0x7e)
        return 0;
    const char c = (char)code;
    put(r, &c, 1);
    return i + 1;
}

static size_t put_escape(struct rust *r, const char *at, size_t left)
{
    for (size_t i = 0; i < sizeof escapes / sizeof *escapes; i++) {
        const size_t bytes = strlen(escapes[i].code);
        if (bytes <= left && memcmp(at, escapes[i].code, bytes) == 0) {
            puts_(r, escapes[i].text);
            return bytes;
        }
    }
    return left > 3 && at[0] == '$' && at[1] == 'u' ? put_code(r, at, left) : 0;
}

static void put_part(struct rust *r, const char *part, size_t bytes)
{
    size_t i = bytes > 1 && part[0] == '_' && part[1] == '$';
    while (i < bytes) {
        const size_t taken =
            part[i] == '$' || part[i] == '.' ? put_escape(r, part + i, bytes - i) : 0;
        if (!taken)
            put(r, part + i, 1);
        i += taken ? taken : 1;
    }
}

/* Length and bytes of the next part; NULL at the end or where there is none. */
static const char *take_part(const char **at, size_t *bytes)
{
    size_t length = 0;
    const char *c = *at;
    for (; *c >= '0' && *c <= '9'; c++)
        if ((length = length * 10 + (size_t)(*c - '0')) > 4096)
            return NULL;
    if (c == *at || !length || strnlen(c, length) < length)
        return NULL;
    *at = c + length;
    *bytes = length;
    return c;
}

bool demangle_rust_older(const char *name, struct rust *r)
{
    size_t bytes = 0, last = 0;
    const char *at = name + 3, *hash = NULL;
    for (const char *part; (part = take_part(&at, &bytes)) != NULL;) {
        hash = part;
        last = bytes;
    }
    if (!hash || !is_hash(hash, last) || *at != 'E')
        return false;
    at = name + 3;
    for (const char *part; (part = take_part(&at, &bytes)) != NULL && part != hash;) {
        if (r->used)
            puts_(r, "::");
        put_part(r, part, bytes);
    }
    return r->used > 0;
}

#include "src/trace/snapshot_ask.h"

#include <stdio.h>
#include <string.h>

static const char *skip_blanks(const char *at)
{
    return at + strspn(at, " \t");
}

static bool take_range(const char **at, struct snapshot_ask *out, struct err *err)
{
    char word[128];
    const size_t length = strcspn(*at, " \t");
    if (length >= sizeof word)
        return true;
    memcpy(word, *at, length);
    word[length] = '\0';
    /* "../x.etl" and "a..b/c" are paths. */
    if (!strstr(word, "..") || strchr(word, '/') || strchr(word, '\\') || strchr(word, '"'))
        return true;
    if (!range_read(word, &out->range, err))
        return false;
    out->has_range = true;
    *at = skip_blanks(*at + length);
    return true;
}

static bool is_file(const char *word, size_t length)
{
    static const char suffix[] = ".etl";
    const size_t end = sizeof suffix - 1;
    return memchr(word, '/', length) || memchr(word, '\\', length) ||
           (length > end && memcmp(word + length - end, suffix, end) == 0);
}

static bool take_file(const char **at, struct snapshot_ask *out, struct err *err)
{
    const bool is_quoted = **at == '"';
    const char *const start = *at + is_quoted;
    const size_t length = strcspn(start, is_quoted ? "\"" : " \t");
    if (is_quoted && start[length] != '"')
        return fail(err, "the name of the file has no closing quote");
    if (!is_quoted && !is_file(start, length))
        return true;
    if (length >= sizeof out->path)
        return fail(err, "the path is longer than %zu bytes", sizeof out->path - 1);
    memcpy(out->path, start, length);
    *at = skip_blanks(start + length + is_quoted);
    return true;
}

bool snapshot_ask_read(const char *text, struct snapshot_ask *out, struct err *err)
{
    const char *at = skip_blanks(text);
    *out = (struct snapshot_ask){.has_range = false};
    if (!take_range(&at, out, err) || !take_file(&at, out, err))
        return false;
    if (snprintf(out->filter, sizeof out->filter, "%s", at) >= (int)sizeof out->filter)
        return fail(err, "the filter is longer than %zu bytes", sizeof out->filter - 1);
    return true;
}

bool snapshot_ask_write(const char *range, const char *path, const char *filter, char *out,
                        size_t room, struct err *err)
{
    const bool has_path = path && *path;
    const char *const quote = has_path ? "\"" : "";
    if (has_path && strpbrk(path, "\"\r\n"))
        return fail(err, "no snapshot can have a name with quotes or line ends in it: '%s'", path);
    const int used = snprintf(out, room, "%s%s%s%s%s %s", range ? range : "", range ? " " : "",
                              quote, has_path ? path : "", quote, filter ? filter : "");
    return (used >= 0 && (size_t)used < room) ||
           fail(err, "the path and the filter are longer than %zu bytes", room - 1);
}

#include "ui/config/item.h"

#include "src/base/mem.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool is_blank(char c)
{
    return isspace((unsigned char)c) != 0;
}

static char *trim(char *text)
{
    while (is_blank(*text))
        text++;
    char *end = text + strlen(text);
    while (end > text && is_blank(end[-1]))
        *--end = '\0';
    return text;
}

/* "#" starts a comment where a color cannot stand: at the start of the line, or
 * behind a blank and before a blank. */
static bool is_comment(const char *line, size_t at, size_t bytes)
{
    const bool is_lonely =
        at > 0 && is_blank(line[at - 1]) && (at + 1 == bytes || is_blank(line[at + 1]));
    return line[at] == '#' && (is_lonely || at == 0);
}

/* Bytes of the line before its comment. */
static size_t reported(const char *line, size_t bytes)
{
    size_t start = 0;
    while (start < bytes && is_blank(line[start]))
        start++;
    for (size_t at = start; at < bytes; at++)
        if (is_comment(line + start, at - start, bytes - start))
            return at;
    return bytes;
}

/* ---- reading ---------------------------------------------------------------------------- */

struct item_reader item_reader(const char *text, size_t bytes)
{
    const bool has_mark = bytes >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0;
    return (struct item_reader){.text = text + (has_mark ? 3 : 0),
                                .bytes = bytes - (has_mark ? 3 : 0)};
}

static enum item_kind wrong(struct item_reader *r, const char *expected, const char *found)
{
    r->expected = expected;
    r->key = (char *)found;
    return ITEM_WRONG;
}

/* What a trimmed line says that is not empty. */
static enum item_kind read_line(struct item_reader *r, char *text)
{
    const size_t length = strlen(text);
    if (text[0] == '[' && text[length - 1] == ']') {
        if (length - 2 >= sizeof r->section)
            return wrong(r, "expected a section name of at most 63 bytes, found", text);
        text[length - 1] = '\0';
        memcpy(r->section, text + 1, length - 1);
        return ITEM_HEAD;
    }
    char *const equals = strchr(text, '=');
    if (!equals || equals == text)
        return wrong(r, "expected \"key = value\", found", text);
    *equals = '\0';
    r->key = trim(text);
    r->value = trim(equals + 1);
    return ITEM_PAIR;
}

enum item_kind item_next(struct item_reader *r)
{
    while (r->bytes > 0) {
        const char *const newline = memchr(r->text, '\n', r->bytes);
        const char *const line = r->text;
        const size_t length = newline ? (size_t)(newline - line) : r->bytes;
        r->line++;
        r->text += length + (newline != NULL);
        r->bytes -= length + (newline != NULL);
        if (length >= sizeof r->copy || memchr(line, '\0', length))
            return wrong(r, "expected a line of at most 2047 bytes in section", r->section);
        const size_t bytes = reported(line, length);
        memcpy(r->copy, line, bytes);
        r->copy[bytes] = '\0';
        char *const text = trim(r->copy);
        if (*text)
            return read_line(r, text);
    }
    return ITEM_END;
}

/* ---- writing ---------------------------------------------------------------------------- */

/* Where in the text something is said: bytes from the start. */
struct place {
    size_t line, line_end; /* of the item; the end is behind its newline */
    size_t value, value_end;
    size_t section_end; /* behind the last line of the section that says something; 0 = no such */
    bool is_found;
};

static struct place find(const char *text, const char *section, const char *key)
{
    struct place p = {0};
    struct item_reader r = item_reader(text, strlen(text));
    size_t from = (size_t)(r.text - text);
    for (enum item_kind kind = item_next(&r); kind != ITEM_END; kind = item_next(&r)) {
        const size_t end = (size_t)(r.text - text);
        if (strcmp(r.section, section) == 0 && kind != ITEM_WRONG)
            p.section_end = end;
        if (kind == ITEM_PAIR && strcmp(r.section, section) == 0 && strcmp(r.key, key) == 0) {
            /* The last one counts where a key stands twice, as it does in reading. */
            p.is_found = true;
            p.line_end = end;
            p.line = end;
            if (p.line > from && text[p.line - 1] == '\n')
                p.line--;
            while (p.line > from && text[p.line - 1] != '\n')
                p.line--;
            p.value = p.line + (size_t)(strchr(text + p.line, '=') - (text + p.line)) + 1;
            const size_t bytes = reported(text + p.line, end - p.line);
            p.value_end = p.line + bytes;
            while (p.value < p.value_end && is_blank(text[p.value]) && text[p.value] != '\n')
                p.value++;
            while (p.value_end > p.value && is_blank(text[p.value_end - 1]))
                p.value_end--;
        }
        from = end;
    }
    return p;
}

/* The text with the bytes from..to replaced by these pieces. */
static char *splice(const char *text, size_t from, size_t to, const char *const *pieces)
{
    size_t more = 0;
    for (const char *const *p = pieces; *p; p++)
        more += strlen(*p);
    const size_t bytes = strlen(text);
    char *const out = mem_new(bytes - (to - from) + more + 1, 1);
    memcpy(out, text, from);
    size_t at = from;
    for (const char *const *p = pieces; *p; p++) {
        memcpy(out + at, *p, strlen(*p));
        at += strlen(*p);
    }
    memcpy(out + at, text + to, bytes - to + 1);
    return out;
}

/* It comes back as it was given. */
static bool is_writable(const char *section, const char *key, const char *value)
{
    const size_t room = strlen(section) + strlen(key) + strlen(value);
    if (room > ITEM_LINE - 16 || strlen(section) >= ITEM_SECTION || strpbrk(value, "\r\n"))
        return false;
    char line[2 * ITEM_LINE];
    const int bytes = snprintf(line, sizeof line, "[%s]\n%s = %s\n", section, key, value);
    struct item_reader r = item_reader(line, (size_t)bytes);
    return item_next(&r) == ITEM_HEAD && strcmp(r.section, section) == 0 &&
           item_next(&r) == ITEM_PAIR && strcmp(r.key, key) == 0 && strcmp(r.value, value) == 0;
}

char *item_set(const char *text, const char *section, const char *key, const char *value,
               struct err *err)
{
    if (value && !is_writable(section, key, value)) {
        fail(err, "[%.63s] %.63s: a file cannot hold \"%.200s\" as one line", section, key, value);
        return NULL;
    }
    const struct place p = find(text, section, key);
    if (p.is_found && !value)
        return splice(text, p.line, p.line_end, (const char *const[]){NULL});
    if (!value)
        return mem_string(text);
    if (p.is_found) {
        const char *const gap = p.value > p.line && text[p.value - 1] == '=' ? " " : "";
        const char *const behind = text[p.value_end] == '#' ? " " : ""; /* where it was empty */
        return splice(text, p.value, p.value_end, (const char *const[]){gap, value, behind, NULL});
    }
    const size_t bytes = strlen(text);
    const size_t at = p.section_end ? p.section_end : bytes;
    const char *const before = at > 0 && text[at - 1] != '\n' ? "\n" : "";
    if (p.section_end)
        return splice(text, at, at, (const char *const[]){before, key, " = ", value, "\n", NULL});
    return splice(text, at, at,
                  (const char *const[]){before, bytes ? "\n[" : "[", section, "]\n", key, " = ",
                                        value, "\n", NULL});
}

char *item_drop_section(const char *text, const char *section)
{
    char *out = mem_string(text);
    for (bool is_found = true; is_found;) {
        struct item_reader r = item_reader(out, strlen(out));
        size_t from = 0, to = 0, end = 0;
        is_found = false;
        for (enum item_kind kind = item_next(&r); kind != ITEM_END; kind = item_next(&r)) {
            end = (size_t)(r.text - out);
            const bool is_it = strcmp(r.section, section) == 0;
            if (kind == ITEM_HEAD && is_it && !is_found) {
                is_found = true;
                from = end;
                from -= from > 0 && out[from - 1] == '\n';
                while (from > 0 && out[from - 1] != '\n')
                    from--;
            }
            if (is_found && !is_it)
                break;
            if (is_found)
                to = end;
        }
        if (is_found) {
            char *const less = splice(out, from, to, (const char *const[]){NULL});
            free(out);
            out = less;
        }
    }
    return out;
}

#include "src/symbol/jit.h"

#include <string.h>

static bool take_hex(const char **at, const char *end, uint64_t *out)
{
    const char *c = *at;
    *out = 0;
    if (end - c > 2 && c[0] == '0' && (c[1] == 'x' || c[1] == 'X'))
        c += 2;
    const char *const first = c;
    for (; c < end; c++) {
        const unsigned digit = *c >= '0' && *c <= '9'   ? (unsigned)(*c - '0')
                               : *c >= 'a' && *c <= 'f' ? (unsigned)(*c - 'a' + 10)
                               : *c >= 'A' && *c <= 'F' ? (unsigned)(*c - 'A' + 10)
                                                        : 16;
        if (digit == 16)
            break;
        if (*out >> 60)
            return false;
        *out = *out << 4 | digit;
    }
    if (c == first || c == end || *c != ' ')
        return false;
    *at = c + 1;
    return true;
}

static bool take_line(struct symbol_table *t, const char *at, const char *end)
{
    uint64_t start, size;
    if (!take_hex(&at, end, &start) || !take_hex(&at, end, &size))
        return false;
    if (end > at && end[-1] == '\r')
        end--;
    if (!size || at == end || size > UINT32_MAX || start + size < start ||
        memchr(at, '\0', (size_t)(end - at)))
        return false;
    symbol_table_add(t, start, size, at, (size_t)(end - at));
    return true;
}

/* Behind the last line feed before `end`. */
static const char *line_before(const char *text, const char *end)
{
    while (end > text && end[-1] != '\n')
        end--;
    return end;
}

/* From the end, so that the later of two is added first. */
struct jit_lines symbol_jit_read(struct symbol_table *t, const char *text, size_t bytes)
{
    struct jit_lines l = {0};
    for (const char *end = text + bytes; end > text;) {
        const char *const from = line_before(text, end);
        if (from < end) {
            l.lines++;
            l.bad += !take_line(t, from, end);
        }
        end = from > text ? from - 1 : text;
    }
    return l;
}

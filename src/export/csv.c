/* Comma-separated values as RFC 4180 has them: CRLF, quotes where needed and doubled
 * inside; units in the header. */
#include "src/base/mem.h"
#include "src/base/show.h"
#include "src/export/csv.h"
#include "src/export/export.h"

#include <stdlib.h>
#include <string.h>

static char separator_of(const struct export_view *v)
{
    return v->separator ? v->separator : ',';
}

/* Safe text holds no line ends, so only separators and quotes ask for quotes. */
static void put_text(const struct export_view *v, FILE *to, const char *text, size_t bytes)
{
    if (!memchr(text, separator_of(v), bytes) && !memchr(text, '"', bytes)) {
        export_safe(to, text, bytes);
        return;
    }
    putc('"', to);
    for (const char *quote; (quote = memchr(text, '"', bytes)); text = quote + 1) {
        const size_t head = (size_t)(quote - text);
        export_safe(to, text, head);
        fputs("\"\"", to);
        bytes -= head + 1;
    }
    export_safe(to, text, bytes);
    putc('"', to);
}

static void put_cell_text(const struct export_view *v, FILE *to, const char *text, size_t bytes)
{
    if (v->is_raw || !csv_is_formula(text, bytes)) {
        put_text(v, to, text, bytes);
        return;
    }
    char *const safe = mem_new(bytes + 2, 1);
    safe[0] = '\'';
    memcpy(safe + 1, text, bytes);
    put_text(v, to, safe, bytes + 1);
    free(safe);
}

static void put_cell(const struct export_view *v, const struct value *x, FILE *to)
{
    char plain[EXPORT_PLAIN];
    if (export_is_text(x))
        put_cell_text(v, to, export_text(v, x), x->text.bytes);
    else
        fputs(export_plain(x, plain), to);
}

static void put_end(const struct export_view *v, unsigned column, FILE *to)
{
    if (column + 1 < v->column_count)
        putc(separator_of(v), to);
    else
        fputs("\r\n", to);
}

static void write_csv(const struct export_view *v, FILE *to)
{
    char head[128];
    for (unsigned i = 0; v->is_first && i < v->column_count; i++) {
        export_header(v, i, head, sizeof head);
        show(to, "%s", head);
        put_end(v, i, to);
    }
    for (unsigned r = 0; r < v->frame->row_count; r++) {
        for (unsigned i = 0; i < v->column_count; i++) {
            put_cell(v, export_cell(v, &v->frame->rows[r], i), to);
            put_end(v, i, to);
        }
    }
}

const struct export_kind export_csv = {.id = "csv", .write = write_csv};

/* Comma-separated values as RFC 4180 has them: CRLF, quotes where needed and doubled
 * inside; units in the header. */
#include "src/export.h"

#include <string.h>

/* Safe text holds no line ends, so only commas and quotes ask for quotes. */
static void put_text(FILE *to, const char *text, size_t bytes)
{
    if (!memchr(text, ',', bytes) && !memchr(text, '"', bytes)) {
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

static void put_cell(const struct export_view *v, const struct value *x, FILE *to)
{
    char plain[EXPORT_PLAIN];
    if (export_is_text(x))
        put_text(to, export_text(v, x), x->text.bytes);
    else
        fputs(export_plain(x, plain), to);
}

static void write_csv(const struct export_view *v, FILE *to)
{
    char head[128];
    for (unsigned i = 0; v->is_first && i < v->column_count; i++) {
        export_header(v, i, head, sizeof head);
        fprintf(to, "%s%s", head, i + 1 < v->column_count ? "," : "\r\n");
    }
    for (unsigned r = 0; r < v->frame->row_count; r++) {
        for (unsigned i = 0; i < v->column_count; i++) {
            put_cell(v, export_cell(v, &v->frame->rows[r], i), to);
            fputs(i + 1 < v->column_count ? "," : "\r\n", to);
        }
    }
}

const struct export_kind export_csv = {.id = "csv", .write = write_csv};

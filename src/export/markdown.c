/* A table in Markdown, for tickets and notes: units in the header, numbers to the right. Texts are
 * safe text; what would end a cell or begin markup is escaped. */
#include "src/base/show.h"
#include "src/export/export.h"

#include <string.h>

static void put_text(const struct export_view *v, const struct value *x, FILE *to)
{
    const char *const text = export_text(v, x);
    size_t from = 0;
    for (size_t i = 0; i < x->text.bytes; i++) {
        if (!text[i] || !strchr("\\|`*_<>[]", text[i]))
            continue;
        export_safe(to, text + from, (uint32_t)(i - from));
        putc('\\', to);
        from = i;
    }
    export_safe(to, text + from, x->text.bytes - (uint32_t)from);
}

static void put_cell(const struct export_view *v, const struct value *x, FILE *to)
{
    char plain[EXPORT_PLAIN];
    fputs(" ", to);
    if (export_is_text(x))
        put_text(v, x, to);
    else
        fputs(export_plain(x, plain), to);
    fputs(" |", to);
}

static void write_header(const struct export_view *v, FILE *to)
{
    char head[128];
    fputs("|", to);
    for (unsigned i = 0; i < v->column_count; i++) {
        export_header(v, i, head, sizeof head);
        show(to, " %s |", head);
    }
    fputs("\n|", to);
    for (unsigned i = 0; i < v->column_count; i++)
        fputs(export_column(v, i)->flags & COLUMN_RIGHT ? " ---: |" : " --- |", to);
    fputs("\n", to);
}

static void write_markdown(const struct export_view *v, FILE *to)
{
    if (v->is_first)
        write_header(v, to);
    for (unsigned r = 0; r < v->frame->row_count; r++) {
        fputs("|", to);
        for (unsigned i = 0; i < v->column_count; i++)
            put_cell(v, export_cell(v, &v->frame->rows[r], i), to);
        fputs("\n", to);
    }
}

const struct export_kind export_markdown = {.id = "markdown", .write = write_markdown};

/* Tab-separated values for cut, sort and awk: units in the header. Texts are safe text,
 * which holds no tabs and no line ends. */
#include "src/base/show.h"
#include "src/export/export.h"

static void put_cell(const struct export_view *v, const struct value *x, FILE *to)
{
    char plain[EXPORT_PLAIN];
    if (export_is_text(x))
        export_safe(to, export_text(v, x), x->text.bytes);
    else
        fputs(export_plain(x, plain), to);
}

static void write_tsv(const struct export_view *v, FILE *to)
{
    char head[128];
    for (unsigned i = 0; v->is_first && i < v->column_count; i++) {
        export_header(v, i, head, sizeof head);
        show(to, "%s%c", head, i + 1 < v->column_count ? '\t' : '\n');
    }
    for (unsigned r = 0; r < v->frame->row_count; r++) {
        for (unsigned i = 0; i < v->column_count; i++) {
            put_cell(v, export_cell(v, &v->frame->rows[r], i), to);
            putc(i + 1 < v->column_count ? '\t' : '\n', to);
        }
    }
}

const struct export_kind export_tsv = {.id = "tsv", .write = write_tsv};

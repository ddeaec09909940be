/* Aligned text for people: titles, numbers with units as on the screen, nothing cut. The
 * last column gets no padding behind it. */
#include "src/export/export.h"

#include "src/aggregate/bins.h"
#include "src/base/show.h"
#include "src/base/text.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { CELL_ROOM = 64 }; /* a number as people write it */

struct sheet {
    const struct export_view *view;
    size_t widths[EXPORT_COLUMNS]; /* cells */
    FILE *to;
};

static bool is_right(const struct sheet *s, unsigned i)
{
    return export_column(s->view, i)->flags & COLUMN_RIGHT;
}

/* ---- measuring -------------------------------------------------------------------- */

static size_t cell_width(const struct export_view *v, const struct value *x)
{
    char room[CELL_ROOM];
    if (export_is_text(x))
        return text_width(export_text(v, x), x->text.bytes);
    return text_width(room, v->people->format(v->people->state, x, room, sizeof room));
}

static void measure(struct sheet *s)
{
    const struct export_view *const v = s->view;
    for (unsigned i = 0; i < v->column_count; i++) {
        const char *const title = export_column(v, i)->title;
        size_t widest = text_width(title, strlen(title));
        for (unsigned r = 0; r < v->frame->row_count; r++) {
            const size_t width = cell_width(v, export_cell(v, &v->frame->rows[r], i));
            if (width > widest)
                widest = width;
        }
        s->widths[i] = widest;
    }
}

/* ---- writing ------------------------------------------------------------------------ */

static void put_cell(const struct sheet *s, unsigned i, bool is_at_right, const char *text,
                     size_t bytes)
{
    const bool is_last = i + 1 == s->view->column_count;
    const size_t width = text_width(text, bytes);
    const size_t blanks = s->widths[i] > width ? s->widths[i] - width : 0;
    if (is_at_right)
        show(s->to, "%*s", (int)blanks, "");
    export_safe(s->to, text, bytes);
    if (!is_at_right && !is_last)
        show(s->to, "%*s", (int)blanks, "");
    fputs(is_last ? "\n" : "  ", s->to);
}

/* Fields of payloads are numbers in one event and texts in another. */
static bool is_number_of_payload(const struct sheet *s, unsigned i, const struct value *x)
{
    return export_column(s->view, i)->flags & COLUMN_OF_PAYLOAD && x->type == VALUE_ID;
}

static void put_value(const struct sheet *s, unsigned i, const struct value *x)
{
    const struct export_view *const v = s->view;
    const bool is_at_right = is_right(s, i) || is_number_of_payload(s, i, x);
    char room[CELL_ROOM];
    if (export_is_text(x))
        put_cell(s, i, is_at_right, export_text(v, x), x->text.bytes);
    else
        put_cell(s, i, is_at_right, room, v->people->format(v->people->state, x, room, sizeof room));
}

/* ---- histograms, row by row --------------------------------------------------------------------- */

static bool is_bins(const struct sheet *s, unsigned i)
{
    return export_column(s->view, i)->type == VALUE_BINS;
}

static bool has_bins(const struct sheet *s)
{
    for (unsigned i = 0; i < s->view->column_count; i++)
        if (is_bins(s, i))
            return true;
    return false;
}

static void put_bar(FILE *to, const char *name, unsigned bytes, uint64_t count, uint64_t whole)
{
    enum { BAR = 40 };
    static const char bar[] = "@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@";
    const unsigned length = (unsigned)((double)count / (double)whole * BAR + 0.5);
    show(to, "%*s%.*s |%.*s%*s %" PRIu64 "\n", bytes < 16 ? (int)(16 - bytes) : 0, "", (int)bytes,
         name, (int)length, bar, (int)(BAR - length), "", count);
}

/* As DTrace prints them. Bars are parts of all that is counted. */
static void put_bins(const struct sheet *s, unsigned i, const struct value *x)
{
    const struct column *const c = export_column(s->view, i);
    const char *at = export_text(s->view, x), *const end = at + x->text.bytes;
    const double whole = bins_total(at, x->text.bytes);
    char unit[32];
    struct bin one;
    snprintf(unit, sizeof unit, c->unit && c->unit[0] ? "value (%s)" : "value", c->unit);
    show(s->to, "  %s\n%16s  ------------- Distribution ------------- count\n", c->id, unit);
    while (bins_read(&at, end, &one))
        put_bar(s->to, one.name, one.name_bytes, one.count, (uint64_t)whole);
}

/* "PROC chrome.exe  COUNT 17", and below it each histogram of the row. */
static void write_blocks(struct sheet *s, const struct frame_row *row)
{
    const struct export_view *const v = s->view;
    char room[CELL_ROOM];
    bool is_later = false;
    for (unsigned i = 0; i < v->column_count; i++) {
        const struct value *const x = export_cell(v, row, i);
        if (is_bins(s, i))
            continue;
        show(s->to, "%s%s ", is_later ? "  " : "", export_column(v, i)->title);
        is_later = true;
        if (export_is_text(x))
            export_safe(s->to, export_text(v, x), x->text.bytes);
        else if (v->people->format(v->people->state, x, room, sizeof room))
            export_safe(s->to, room, strlen(room));
    }
    putc('\n', s->to);
    for (unsigned i = 0; i < v->column_count; i++)
        if (is_bins(s, i) && export_cell(v, row, i)->type == VALUE_BINS)
            put_bins(s, i, export_cell(v, row, i));
}

static void write_table(const struct export_view *v, FILE *to)
{
    struct sheet s = {.view = v, .to = to};
    for (unsigned r = 0; has_bins(&s) && r < v->frame->row_count; r++) {
        fputs(v->is_first && !r ? "" : "\n", to);
        write_blocks(&s, &v->frame->rows[r]);
    }
    if (has_bins(&s))
        return;
    measure(&s);
    if (!v->is_first)
        putc('\n', to);
    for (unsigned i = 0; v->is_first && i < v->column_count; i++) {
        const char *const title = export_column(v, i)->title;
        put_cell(&s, i, is_right(&s, i), title, strlen(title));
    }
    for (unsigned r = 0; r < v->frame->row_count; r++)
        for (unsigned i = 0; i < v->column_count; i++)
            put_value(&s, i, export_cell(v, &v->frame->rows[r], i));
}

const struct export_kind export_table = {
    .id = "table", .write = write_table, .is_for_people = true};

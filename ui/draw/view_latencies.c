/* Latencies or sizes by row: rows of the table down, amounts across by powers of two, lightness how
 * many. */
#include "ui/draw/chart_head.h"
#include "ui/draw/view.h"
#include "ui/state/layout.h"

#include <stdio.h>
#include <string.h>

enum { NAME_MOST = 40, COUNT = 8, MARGIN_LEFT = 2, CELL_MOST = 6, LABEL = 7 };

/* What lies where: a cell stands for one octave, of those that all rows together have. */
struct table {
    unsigned first, end; /* octaves */
    int name_width, x, cell, count_x;
    uint64_t most; /* in a cell */
};

static unsigned octaves_of(const struct table *t)
{
    return t->end - t->first;
}

static void find_octaves(const struct chart *p, struct table *t)
{
    t->first = CHART_OCTAVES;
    for (unsigned i = 0; i < CHART_OCTAVES; i++) {
        if (!p->octaves[i])
            continue;
        t->first = i < t->first ? i : t->first;
        t->end = i + 1;
    }
}

/* The slowest octaves are shown where there is no room for all; names get what is left. */
static struct table lay_out(const struct frame *f, const struct rect *body)
{
    struct table t = {0};
    const struct chart *const p = f->chart;
    const int third = body->width / 3;
    find_octaves(p, &t);
    t.name_width = third < NAME_MOST ? third : NAME_MOST;
    t.x = body->x + MARGIN_LEFT + t.name_width + 1;
    const int room = body->width - t.x - COUNT - 2;
    if (room > 0 && octaves_of(&t) > (unsigned)room)
        t.first = t.end - (unsigned)room;
    t.cell = room / (int)octaves_of(&t);
    t.cell = t.cell < 1 ? 1 : t.cell > CELL_MOST ? CELL_MOST : t.cell;
    const int spare = room - t.cell * (int)octaves_of(&t);
    const int wider = spare < NAME_MOST ? spare : NAME_MOST;
    t.name_width += wider > 0 ? wider : 0;
    t.x += wider > 0 ? wider : 0;
    t.count_x = t.x + t.cell * (int)octaves_of(&t) + 1;
    for (unsigned i = 0; i < f->row_count * CHART_OCTAVES; i++)
        t.most = p->of_rows[i] > t.most ? p->of_rows[i] : t.most;
    return t;
}

/* Where octaves begin, as often as there is room. */
static void draw_scale(const struct app *a, struct grid *g, int y, const struct table *t)
{
    const unsigned apart = (unsigned)((LABEL + 1 + t->cell - 1) / t->cell);
    for (unsigned i = 0; i < octaves_of(t); i += apart) {
        char text[32];
        const int x = t->x + (int)i * t->cell;
        if (x + LABEL > t->count_x)
            break;
        chart_amount(a, chart_octave_ns(t->first + i), text, sizeof text);
        grid_text(g, x, y, LABEL, ROLE_DIM, text);
    }
    grid_right(g, t->count_x, y, COUNT, ROLE_DIM, "COUNT");
}

static void draw_row(const struct app *a, struct grid *g, int y, const struct frame_row *row,
                     const uint64_t *octaves, const struct table *t)
{
    char text[256];
    uint64_t count = 0;
    chart_row_name(a, row, text, sizeof text);
    grid_cut(g, MARGIN_LEFT, y, t->name_width, ROLE_TEXT, text,
             strpbrk(text, "/\\") ? CUT_FRONT : CUT_END); /* the end of a path says most */
    for (unsigned i = 0; i < CHART_OCTAVES; i++) {
        count += octaves[i];
        if (!octaves[i] || i < t->first)
            continue;
        for (int n = 0; n < t->cell; n++)
            chart_cell(g, t->x + (int)(i - t->first) * t->cell + n, y,
                       chart_share(octaves[i], t->most));
    }
    format_count((double)count, text, sizeof text);
    grid_right(g, t->count_x, y, COUNT, count ? ROLE_TEXT : ROLE_ZERO,
               count ? text : a->glyphs->zero);
}

static void draw(const struct app *a, struct grid *g, const struct layout *l)
{
    const struct chart *const p = chart_known(a);
    const struct frame *const f = app_known(a);
    const struct place *const place = app_shown(a);
    char title[CHART_TITLE], count[32], right[64] = "";
    if (p) {
        format_count((double)p->count, count, sizeof count);
        snprintf(right, sizeof right, "%s operations", count);
    }
    chart_header(g, &l->header, chart_title(a, title), right);
    if (!p || !p->count || !p->of_rows) {
        chart_says(g, &l->body, !p ? "gathering" : chart_if_none(a));
        return;
    }
    const struct table t = lay_out(f, &l->body);
    if (l->totals.height)
        draw_scale(a, g, l->totals.y, &t);
    for (int y = 0; y < l->body.height; y++) {
        const uint64_t at = place->list.top + (uint64_t)y;
        const struct frame_row *const row = app_row(a, at);
        if (row)
            draw_row(a, g, l->body.y + y, row, p->of_rows + (at - f->first) * CHART_OCTAVES, &t);
    }
    view_cursor(a, g, &l->body);
    view_scroll_bar(a, g, &l->body);
}

static bool is_shown(const struct app *a)
{
    return !a->focus->is_detail && a->overlay != OVERLAY_HELP && chart_is_by_row(a);
}

const struct screen_view view_latencies = {.id = "latencies", .is_shown = is_shown, .draw = draw};

/* The heat map: time across, latency or size up, lightness how many. */
#include "ui/draw/chart_head.h"
#include "ui/draw/view.h"
#include "ui/state/layout.h"

#include <inttypes.h>
#include <stdio.h>

static uint64_t most_in_cell(const struct chart *p, const struct chart_area *at)
{
    uint64_t most = 0;
    for (unsigned c = 0; c < p->columns; c++)
        for (unsigned i = 0; i < at->groups; i++) {
            const uint64_t n = chart_count(p, at, c, i);
            most = n > most ? n : most;
        }
    return most;
}

static void draw_cells(struct grid *g, const struct chart *p, const struct chart_area *at,
                       uint64_t most)
{
    const struct rect *const r = &at->plot;
    for (int y = r->y; y < r->y + r->height; y++)
        for (int x = r->x; x < r->x + r->width; x++) {
            const uint64_t n =
                chart_count(p, at, chart_column_at(at, p, x), chart_group_at(at, p, y));
            if (n)
                chart_cell(g, x, y, chart_share(n, most));
        }
}

/* ---- around it ----------------------------------------------------------------------------- */

/* A label stands on the lowest line of its group, where there is one to spare below. */
static void draw_scale(const struct app *a, struct grid *g, const struct chart *p,
                       const struct chart_area *at)
{
    const struct rect *const r = &at->plot;
    int last = r->y + r->height + 1;
    for (int y = r->y + r->height - 1; y >= r->y; y--) {
        char text[32];
        const unsigned group = chart_group_at(at, p, y);
        const bool is_lowest =
            y == r->y + r->height - 1 || chart_group_at(at, p, y + 1) != group;
        const unsigned row = at->first + group * at->group;
        grid_text(g, r->x - 1, y, 1, ROLE_BORDER, a->glyphs->divider);
        if (!is_lowest || last - y < 2 || (at->group < CHART_STEPS && row % CHART_STEPS))
            continue;
        chart_amount(a, chart_row_ns(row), text, sizeof text);
        grid_right(g, 0, y, r->x - 1, ROLE_DIM, text);
        last = y;
    }
}

static void draw_side(const struct app *a, struct grid *g, const struct chart *p,
                      const struct chart_area *at)
{
    enum { NUMBER = 7 };
    const struct rect *const r = &at->side;
    uint64_t sums[CHART_OCTAVES * CHART_STEPS] = {0}, most = 1;
    for (unsigned i = 0; i < at->groups && r->width > NUMBER; i++) {
        for (unsigned c = 0; c < p->columns; c++)
            sums[i] += chart_count(p, at, c, i);
        most = sums[i] > most ? sums[i] : most;
    }
    for (int y = r->y; y < r->y + r->height && r->width > NUMBER; y++) {
        char text[32];
        const unsigned group = chart_group_at(at, p, y);
        const bool is_first = y == r->y || chart_group_at(at, p, y - 1) != group;
        if (!is_first || !sums[group])
            continue;
        format_count((double)sums[group], text, sizeof text);
        grid_bar(g, r->x, y, r->width - NUMBER - 1, (double)sums[group] / (double)most,
                 chart_role(a, chart_row_ns(at->first + group * at->group)), GRADIENT_NONE);
        grid_right(g, r->x + r->width - NUMBER, y, NUMBER, ROLE_DIM, text);
    }
}

static void draw_below(struct grid *g, const struct chart *p, const struct chart_area *at)
{
    const struct rect *const r = &at->below;
    uint64_t most = 1;
    for (int pass = 0; pass < 2 && r->height; pass++)
        for (int x = r->x; x < r->x + r->width; x++) {
            uint64_t sum = 0;
            for (unsigned i = 0; i < at->groups; i++)
                sum += chart_count(p, at, chart_column_at(at, p, x), i);
            most = sum > most ? sum : most;
            const float part = (float)((double)sum / (double)most);
            if (pass && sum)
                grid_spark(g, x, r->y, 1, &part, 1, ROLE_KEY, GRADIENT_NONE);
        }
    if (r->height)
        grid_right(g, 0, r->y, r->x - 1, ROLE_DIM, "ops");
}

/* "a column 250ms  1 ░▒▓█ 512" */
static void draw_legend(const struct app *a, struct grid *g, const struct rect *r,
                        const struct chart *p, uint64_t most)
{
    enum { SWATCHES = 10 };
    char text[64], time[32], count[32];
    const struct format format = app_format(a);
    format_time(&format, (double)p->column_ns, time, sizeof time);
    format_count((double)most, count, sizeof count);
    snprintf(text, sizeof text, "column %s   cell 1 ", time);
    int x = r->x + r->width - 2 - grid_width(text) - SWATCHES - 1 - grid_width(count);
    chart_percentiles(a, g, r->x + 2, r->y, x - r->x - 3, p);
    x += grid_text(g, x, r->y, r->width, ROLE_DIM, text);
    for (int i = 0; i < SWATCHES; i++)
        chart_cell(g, x++, r->y, (double)i / (SWATCHES - 1));
    grid_text(g, x + 1, r->y, r->width, ROLE_DIM, count);
}

/* ---- the cursor ---------------------------------------------------------------------------- */

struct cursor {
    unsigned column, group;
};

static bool cursor_of(const struct app *a, const struct chart *p, const struct chart_area *at,
                      struct cursor *out)
{
    const struct chart_place *const place = &app_shown(a)->chart;
    const int64_t column = (place->at_ns - p->begin_ns) / p->column_ns;
    if (!place->has_cursor || !at->groups || column < 0 || column >= (int64_t)p->columns)
        return false;
    const int row = place->at_row < (int)at->first ? (int)at->first : place->at_row;
    out->column = (unsigned)column;
    out->group = ((unsigned)row - at->first) / at->group;
    if (out->group >= at->groups)
        out->group = at->groups - 1;
    return true;
}

static void draw_cursor(struct grid *g, const struct chart *p, const struct chart_area *at,
                        const struct cursor *c)
{
    int x;
    const int width = chart_column_width(at, p, c->column, &x);
    for (int y = at->plot.y; y < at->plot.y + at->plot.height; y++)
        if (chart_group_at(at, p, y) == c->group)
            grid_over(g, (struct rect){x, y, width, 1}, ROLE_MATCH);
    grid_over(g, (struct rect){x, at->axis.y, width, 1}, ROLE_MATCH);
}

static void describe(const struct app *a, const struct chart *p, const struct chart_area *at,
                     const struct cursor *c, char *out, size_t room)
{
    char from[32], to[32], when[64];
    const struct format format = app_format(a);
    const unsigned row = at->first + c->group * at->group;
    chart_amount(a, chart_row_ns(row), from, sizeof from);
    chart_amount(a, chart_row_ns(row + at->group), to, sizeof to);
    format_instant(&format, p->begin_ns + (int64_t)c->column * p->column_ns, when, sizeof when);
    snprintf(out, room, "%s  %s..%s: %" PRIu64, when, from, to,
             chart_count(p, at, c->column, c->group));
}

/* ---- all of it ----------------------------------------------------------------------------- */

static void draw(const struct app *a, struct grid *g, const struct layout *l)
{
    const struct chart *const p = chart_known(a);
    char title[CHART_TITLE], count[32], right[160] = "";
    chart_title(a, title);
    if (!p || !p->count) {
        chart_header(g, &l->header, title, "");
        chart_says(g, &l->body, !p || app_known(a)->is_partial ? "gathering" : chart_if_none(a));
        return;
    }
    const struct chart_area at = chart_lay_out(a, p);
    const uint64_t most = most_in_cell(p, &at);
    struct cursor cursor;
    const bool has_cursor = cursor_of(a, p, &at, &cursor);
    format_count((double)p->count, count, sizeof count);
    snprintf(right, sizeof right, "%s operations", count);
    if (has_cursor)
        describe(a, p, &at, &cursor, right, sizeof right);
    chart_header(g, &l->header, title, right);
    if (l->totals.height)
        draw_legend(a, g, &l->totals, p, most);
    draw_cells(g, p, &at, most);
    draw_scale(a, g, p, &at);
    draw_side(a, g, p, &at);
    draw_below(g, p, &at);
    chart_axis(a, g, &at, p);
    if (has_cursor)
        draw_cursor(g, p, &at, &cursor);
}

static bool is_shown(const struct app *a)
{
    return !a->focus->is_detail && a->overlay != OVERLAY_HELP &&
           app_shown(a)->chart.kind == CHART_HEAT;
}

const struct screen_view view_heat = {.id = "heat", .is_shown = is_shown, .draw = draw};

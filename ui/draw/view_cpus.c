/* Processors over time: a lane each, colored by who ran longest there; where there is room, how
 * busy it was above, and always a letter or the name, so that colors are not needed. */
#include "ui/draw/chart_head.h"
#include "ui/draw/view.h"
#include "ui/state/layout.h"

#include <stdio.h>
#include <string.h>

static int lane_height(const struct chart *p, const struct chart_area *at)
{
    return p->lanes ? at->plot.height / (int)p->lanes : 1;
}

static size_t cell_at(const struct chart *p, unsigned column, unsigned lane)
{
    return (size_t)column * p->lanes + lane;
}

/* Of a lane's time in a column, 0 … 1. */
static double busy_share(const struct chart *p, unsigned column, unsigned lane)
{
    const double all = (double)p->column_ns * p->cpus_per_lane;
    const double share = (double)p->busy[cell_at(p, column, lane)] / all;
    return share < 1 ? share : 1;
}

static double lane_share(const struct chart *p, unsigned lane)
{
    double sum = 0;
    for (unsigned c = 0; c < p->columns; c++)
        sum += busy_share(p, c, lane);
    return p->columns ? sum / p->columns : 0;
}

static void name_of(const struct app *a, const struct chart *p, uint8_t who, char *out, size_t room)
{
    const struct frame *const f = app_known(a);
    const struct format format = app_format(a);
    if (who && who <= p->name_count)
        format_value(&format, &p->names[who - 1], f->arena, f->arena_bytes, out, room);
    else
        snprintf(out, room, "%s", who ? "other" : "idle");
}

static const char *letter_of(uint8_t who, char out[2])
{
    out[0] = who <= CHART_NAMES ? (char)('a' + who - 1) : '+';
    out[1] = '\0';
    return out;
}

static void tint(struct grid *g, int x, int y, uint8_t who, unsigned flags)
{
    if (who <= CHART_NAMES)
        grid_tint(g, x, y, GRADIENT_SERIES | flags, who - 1u);
}

/* ---- lanes --------------------------------------------------------------------------------- */

/* How busy, in eighths of the lines above the names. */
static void draw_load(struct grid *g, const struct chart *p, int x, int y, int height,
                      unsigned column, unsigned lane)
{
    const uint8_t who = p->who[cell_at(p, column, lane)];
    const double share = busy_share(p, column, lane);
    int left = (int)(share * height * 8 + 0.5);
    if (share > 0 && !left)
        left = 1;
    for (int line = height - 1; line >= 0 && left > 0; line--, left -= 8) {
        grid_text(g, x, y + line, 1, ROLE_DIM, g->glyphs->spark[left > 8 ? 8 : left]);
        tint(g, x, y + line, who, 0);
    }
}

/* One after the other in which the same process ran longest: its name, or where that has no room
 * its letter. */
static void draw_run(const struct app *a, struct grid *g, const struct chart *p, int x, int y,
                     int width, uint8_t who)
{
    enum { READABLE = 7 };
    char name[FORMAT_ROOM], letter[2];
    name_of(a, p, who, name, sizeof name);
    const bool is_named = width > grid_width(name) || width >= READABLE;
    for (int i = 0; i < width; i++) {
        grid_text(g, x + i, y, 1, ROLE_TEXT, is_named ? " " : letter_of(who, letter));
        tint(g, x + i, y, who, GRADIENT_GROUND);
    }
    if (!is_named)
        return;
    grid_text(g, x, y, 1, ROLE_BORDER, a->glyphs->divider);
    grid_cut(g, x + 1, y, width - 1, ROLE_TEXT, name, CUT_END);
    for (int i = 0; i < width; i++)
        tint(g, x + i, y, who, GRADIENT_GROUND);
}

static void draw_lane(const struct app *a, struct grid *g, const struct chart *p,
                      const struct chart_area *at, unsigned lane)
{
    const int height = lane_height(p, at), y = at->plot.y + (int)lane * height;
    const int end = at->plot.x + at->plot.width;
    const int loads = height > 1 ? (height > 3 ? height - 2 : height - 1) : 0;
    for (int x = at->plot.x, next; x < end; x = next) {
        const uint8_t who = p->who[cell_at(p, chart_column_at(at, p, x), lane)];
        for (next = x; next < end; next++) {
            const unsigned column = chart_column_at(at, p, next);
            if (p->who[cell_at(p, column, lane)] != who)
                break;
            draw_load(g, p, next, y, loads, column, lane);
        }
        if (who)
            draw_run(a, g, p, x, y + loads, next - x, who);
    }
    char text[64], percent[32];
    format_percent(lane_share(p, lane) * 100, percent, sizeof percent);
    const unsigned first = lane * p->cpus_per_lane;
    if (p->cpus_per_lane > 1)
        snprintf(text, sizeof text, "%u-%u", first, first + p->cpus_per_lane - 1);
    else
        snprintf(text, sizeof text, "cpu %u", first);
    grid_text(g, 1, y + loads, at->plot.x - 2, ROLE_TEXT, text);
    snprintf(text, sizeof text, "%s%%", percent);
    grid_right(g, 0, y + loads, at->plot.x - 1, ROLE_DIM, text);
}

static void draw_legend(const struct app *a, struct grid *g, const struct rect *r,
                        const struct chart *p)
{
    int x = r->x + 2;
    const int end = r->x + r->width - 1;
    for (unsigned i = 1; i <= p->name_count; i++) {
        char name[FORMAT_ROOM], letter[2];
        name_of(a, p, (uint8_t)i, name, sizeof name);
        if (p->processes[i - 1] > 1)
            snprintf(name + strlen(name), sizeof name - strlen(name), " %s%u", a->glyphs->times,
                     p->processes[i - 1]);
        const int width = grid_width(name) < 24 ? grid_width(name) : 24;
        if (x + width + 6 > end)
            return;
        grid_text(g, x, r->y, 3, ROLE_TEXT, " ");
        grid_text(g, x + 1, r->y, 1, ROLE_TEXT, letter_of((uint8_t)i, letter));
        grid_text(g, x + 2, r->y, 1, ROLE_TEXT, " ");
        for (int k = 0; k < 3; k++)
            tint(g, x + k, r->y, (uint8_t)i, GRADIENT_GROUND);
        grid_cut(g, x + 4, r->y, width, ROLE_TEXT, name, CUT_END);
        x += 4 + width + 2;
    }
}

/* ---- the cursor ---------------------------------------------------------------------------- */

static bool cursor_of(const struct app *a, const struct chart *p, unsigned *column, unsigned *lane)
{
    const struct chart_place *const place = &app_shown(a)->chart;
    const int64_t at = (place->at_ns - p->begin_ns) / p->column_ns;
    if (!place->has_cursor || at < 0 || at >= (int64_t)p->columns || !p->lanes)
        return false;
    *column = (unsigned)at;
    *lane = place->at_row < 0 || place->at_row >= (int)p->lanes ? 0 : (unsigned)place->at_row;
    return true;
}

static void describe(const struct app *a, const struct chart *p, unsigned column, unsigned lane,
                     char *out, size_t room)
{
    char name[FORMAT_ROOM], when[64], percent[32];
    const struct format format = app_format(a);
    const size_t cell = cell_at(p, column, lane);
    name_of(a, p, p->who[cell], name, sizeof name);
    if (p->pids[cell])
        snprintf(name + strlen(name), sizeof name - strlen(name), " %u", p->pids[cell]);
    format_instant(&format, p->begin_ns + (int64_t)column * p->column_ns, when, sizeof when);
    format_percent(busy_share(p, column, lane) * 100, percent, sizeof percent);
    snprintf(out, room, "%s  cpu %u: %.60s, %s%% busy", when, lane * p->cpus_per_lane, name, percent);
}

/* ---- all of it ----------------------------------------------------------------------------- */

static void draw_title(const struct app *a, struct grid *g, const struct layout *l,
                       const struct chart *p)
{
    char left[160] = "Processes on processors", right[256] = "", percent[32], time[32];
    const struct format format = app_format(a);
    unsigned column, lane;
    double sum = 0;
    for (unsigned i = 0; p && i < p->lanes; i++)
        sum += lane_share(p, i);
    if (p && p->lanes) {
        format_percent(sum / p->lanes * 100, percent, sizeof percent);
        format_time(&format, (double)p->column_ns, time, sizeof time);
        snprintf(left, sizeof left, "Processes on processors: %s%% busy%s, column %s", percent,
                 app_known(a)->has_switches ? "" : " (from samples)", time);
    }
    if (p && p->columns && cursor_of(a, p, &column, &lane))
        describe(a, p, column, lane, right, sizeof right);
    chart_header(g, &l->header, left, right);
}

static void draw(const struct app *a, struct grid *g, const struct layout *l)
{
    const struct chart *const p = chart_known(a);
    unsigned column, lane;
    int x;
    draw_title(a, g, l, p);
    if (!p || !p->columns) {
        chart_says(g, &l->body,
                   !p || app_known(a)->is_partial ? "gathering" : "no processor ran anything here");
        return;
    }
    const struct chart_area at = chart_lay_out(a, p);
    if (l->totals.height)
        draw_legend(a, g, &l->totals, p);
    for (unsigned i = 0; i < p->lanes && (int)i < at.plot.height; i++)
        draw_lane(a, g, p, &at, i);
    chart_axis(a, g, &at, p);
    if (!cursor_of(a, p, &column, &lane))
        return;
    const int width = chart_column_width(&at, p, column, &x), height = lane_height(p, &at);
    grid_over(g, (struct rect){x, at.plot.y + (int)lane * height, width, height}, ROLE_MATCH);
    grid_over(g, (struct rect){x, at.axis.y, width, 1}, ROLE_MATCH);
}

static bool is_shown(const struct app *a)
{
    return !a->focus->is_detail && a->overlay != OVERLAY_HELP &&
           app_shown(a)->chart.kind == CHART_CPUS;
}

const struct screen_view view_cpus = {.id = "cpus", .is_shown = is_shown, .draw = draw};

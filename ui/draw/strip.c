#include "ui/draw/strip.h"

#include "ui/draw/sign.h"
#include "ui/state/strip.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Where a part of the time lies on the screen: cells from `x` on; false where none of it is shown.
 */
static bool cells_of(const struct strip *s, const struct rect *plot, int64_t from, int64_t to,
                     int *x, int *width)
{
    if (to <= s->begin_ns || from >= s->end_ns || to <= from)
        return false;
    const int low = (int)strip_column(s, from) * plot->width / (int)s->columns;
    const int high = (int)strip_column(s, to - 1) * plot->width / (int)s->columns;
    *x = plot->x + low;
    *width = high - low + 1;
    return true;
}

/* ---- figures ----------------------------------------------------------------------------- */

static void write_amount(const struct app *a, const struct strip *s, double v, char *out,
                         size_t room)
{
    const struct format format = app_format(a);
    char text[32];
    if (strip_metrics[s->metric].unit == GAUGE_PERCENT)
        format_percent(v, text, sizeof text);
    else if (strip_metrics[s->metric].unit == GAUGE_BYTE_RATE)
        format_bytes(&format, v, text, sizeof text);
    else
        format_count(v, text, sizeof text);
    static const char *const units[] = {
        [GAUGE_PERCENT] = "%", [GAUGE_BYTE_RATE] = "B/s", [GAUGE_EVENT_RATE] = "/s"};
    snprintf(out, room, "%s%s", text, units[strip_metrics[s->metric].unit]);
}

/* The highest bar is all of the processors, or the highest value. */
static double full(const struct strip *s)
{
    return strip_metrics[s->metric].unit == GAUGE_PERCENT ? 100 : s->peak;
}

/* The columns of a cell: one, or two of dots. */
struct columns {
    unsigned from, end;
};

static struct columns columns_at(const struct strip *s, const struct rect *plot, int cell)
{
    const unsigned from = (unsigned)cell * s->columns / (unsigned)plot->width;
    const unsigned end = (unsigned)(cell + 1) * s->columns / (unsigned)plot->width;
    return (struct columns){from, end > from ? end : from + 1};
}

static unsigned signs_at(const struct strip *s, struct columns at)
{
    unsigned signs = 0, gaps = STRIP_GAP;
    for (unsigned i = at.from; i < at.end; i++) {
        signs |= s->signs[i];
        gaps &= s->signs[i];
    }
    return (signs & ~(unsigned)STRIP_GAP) | gaps;
}

/* Before single events are kept the bars are dim, unless they can be read again. */
static bool is_past(const struct app *a, const struct strip *s, unsigned column)
{
    return !a->focus->frame->recorded_first && strip_time(s, column + 1) <= s->kept_ns;
}

static void draw_cell(const struct app *a, struct grid *g, const struct strip *s,
                      const struct rect *plot, int cell)
{
    const struct columns at = columns_at(s, plot, cell);
    float parts[2];
    unsigned count = 0;
    for (unsigned i = at.from; i < at.end && count < 2; i++)
        if (!isnan(s->values[i]))
            parts[count++] = full(s) > 0 ? (float)((double)s->values[i] / full(s)) : 0;
    const bool is_dim = is_past(a, s, at.from);
    const bool is_percent = strip_metrics[s->metric].unit == GAUGE_PERCENT;
    if (signs_at(s, at) & STRIP_GAP)
        grid_text(g, plot->x + cell, plot->y, 1, ROLE_BORDER, sign_text(g->glyphs, SIGN_STRIP_GAP));
    else if (count)
        grid_spark(g, plot->x + cell, plot->y, 1, parts, count, is_dim ? ROLE_BAR_REST : ROLE_KEY,
                   is_percent && !is_dim ? GRADIENT_LOAD : GRADIENT_NONE);
}

/* ---- signs and times ------------------------------------------------------------------------ */

static const struct {
    enum strip_sign bit;
    enum sign sign;
    enum role role;
} signs[] = {
    {STRIP_LOSS, SIGN_STRIP_LOSS, ROLE_LOST},
    {STRIP_TRIGGER, SIGN_STRIP_TRIGGER, ROLE_HIGH},
    {STRIP_MARK, SIGN_STRIP_MARK, ROLE_MATCH},
};

/* Cells of the plot from its left edge that texts take. */
struct taken {
    int begin_to, end_from, end_to;
};

/* On the line of the bars where there is no other, and above a time; a loss comes before a mark. */
static void draw_signs(struct grid *g, const struct strip *s, const struct rect *plot,
                       const struct taken *times)
{
    for (int cell = 0; cell < plot->width; cell++) {
        const unsigned has = signs_at(s, columns_at(s, plot, cell));
        const bool is_time =
            cell < times->begin_to || (cell >= times->end_from && cell < times->end_to);
        const int y = plot->y + (is_time ? 0 : plot->height - 1);
        for (size_t i = 0; i < sizeof signs / sizeof *signs; i++)
            if (has & signs[i].bit) {
                grid_text(g, plot->x + cell, y, 1, signs[i].role,
                          sign_text(g->glyphs, signs[i].sign));
                break;
            }
    }
}

static void draw_times(const struct app *a, struct grid *g, const struct strip *s,
                       const struct rect *plot, struct taken *out)
{
    const struct format format = app_format(a);
    const int y = plot->y + 1;
    char begin[64], end[64];
    int x, width;
    const int64_t from = s->begin_ns > s->first_ns ? s->begin_ns : s->first_ns;
    const int64_t to = s->end_ns < s->last_ns ? s->end_ns : s->last_ns;
    if (!cells_of(s, plot, from, to, &x, &width))
        return;
    for (int i = 0; i < width; i++)
        grid_text(g, x + i, y, 1, ROLE_BORDER, g->glyphs->rule);
    format_instant(&format, from, begin, sizeof begin);
    format_instant(&format, to, end, sizeof end);
    grid_right(g, plot->x, y, x + width - plot->x, ROLE_DIM, end);
    out->end_to = x + width - plot->x;
    out->end_from = out->end_to - grid_width(end);
    if (grid_width(begin) + 1 + grid_width(end) <= width)
        out->begin_to = x - plot->x + grid_text(g, x, y, width, ROLE_DIM, begin);
}

/* ---- the label ----------------------------------------------------------------------------- */

static void draw_label(const struct app *a, struct grid *g, const struct strip *s,
                       const struct rect *r, int width)
{
    char amount[48] = "", span[32];
    const struct format format = app_format(a);
    const bool has_focus = a->strip.has_focus;
    const enum role role = has_focus ? ROLE_HEADER : ROLE_DIM;
    const struct strip_metric_info *const m =
        &strip_metrics[s ? s->metric : a->settings.strip_metric];
    if (has_focus)
        grid_fill(g, (struct rect){r->x, r->y, width - 1, 1}, ROLE_HEADER);
    int x = r->x + 1;
    x += grid_text(g, x, r->y, width - 2, role, m->title);
    if (!s)
        return;
    if (a->strip.span_ns && r->height < 2 && s->end_ns > s->begin_ns)
        grid_printf(g, x, r->y, width - 2, role, "%s%.0f", a->glyphs->times,
                    (double)(s->last_ns - s->first_ns) / (double)(s->end_ns - s->begin_ns));
    if (!isnan(s->shown))
        write_amount(a, s, s->shown, amount, sizeof amount);
    grid_right(g, r->x, r->y, width - 2, has_focus ? ROLE_HEADER : ROLE_TITLE, amount);
    if (r->height < 2)
        return;
    const int64_t from = s->begin_ns > s->first_ns ? s->begin_ns : s->first_ns;
    const int64_t to = s->end_ns < s->last_ns ? s->end_ns : s->last_ns;
    format_time(&format, to > from ? (double)(to - from) : 0, span, sizeof span);
    grid_text(g, r->x + 1, r->y + 1, width - 2, ROLE_DIM, a->strip.span_ns ? "zoom" : "all");
    grid_right(g, r->x, r->y + 1, width - 2, ROLE_DIM, span);
}

/* ---- all of it ----------------------------------------------------------------------------- */

/* What the panes show, and the range that is being chosen. */
static void draw_cursor(const struct app *a, struct grid *g, const struct strip *s,
                        const struct rect *plot)
{
    int64_t from, to;
    int x, width;
    const bool has_range = a->range_to > a->range_from;
    strip_shown(a, s, &from, &to);
    if ((has_range || a->strip.has_focus) && cells_of(s, plot, from + 1, to, &x, &width))
        grid_over(g, (struct rect){x, plot->y, width, plot->height}, ROLE_ROW_CURSOR);
    if (strip_chosen(a, s, &from, &to) && cells_of(s, plot, from + 1, to, &x, &width))
        grid_over(g, (struct rect){x, plot->y, width, 1}, ROLE_MATCH);
}

void strip_draw(const struct app *a, struct grid *g, const struct rect *r)
{
    const struct strip *const s = strip_known(a);
    const struct rect plot = strip_plot(r);
    draw_label(a, g, s, r, plot.x - r->x);
    if (!s || !s->columns || plot.width <= 0)
        return;
    for (int cell = 0; cell < plot.width; cell++)
        draw_cell(a, g, s, &plot, cell);
    struct taken times = {0, 0, 0};
    if (plot.height > 1)
        draw_times(a, g, s, &plot, &times);
    draw_signs(g, s, &plot, &times);
    draw_cursor(a, g, s, &plot);
}

#include "ui/draw/chart_head.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- what is measured ---------------------------------------------------------------------- */

/* The mean's help says of what it is the mean. */
static const char *of_what(const struct pane *p, unsigned measure)
{
    static const char MEAN[] = "Mean ";
    for (size_t i = 0; p->view == PANE_TABLE && i < p->column_count; i++) {
        const struct column *const c = &p->columns[i];
        if (c->measure && measure < p->measure_count &&
            strcmp(c->measure, p->measures[measure].id) == 0 &&
            strncmp(c->help, MEAN, strlen(MEAN)) == 0 && c->type == VALUE_TIME)
            return c->help + strlen(MEAN);
    }
    return chart_is_of_sizes(p, measure) ? "size of all that has one"
                                         : "latency of all that has one";
}

static bool is_of_sizes(const struct app *a)
{
    const struct place *const p = app_shown(a);
    return chart_is_of_sizes(p->pane, p->chart.measure);
}

void chart_amount(const struct app *a, uint64_t amount, char *out, size_t room)
{
    const struct format format = app_format(a);
    if (is_of_sizes(a))
        format_bytes(&format, (double)amount, out, room);
    else
        format_time(&format, (double)amount, out, room);
}

const char *chart_if_none(const struct app *a)
{
    return is_of_sizes(a) ? "no operation with a size here" : "no operation with a latency here";
}

static void add_name(const struct app *a, const struct value *v, char *out, size_t room)
{
    const struct frame *const f = app_known(a);
    const struct format format = app_format(a);
    const size_t used = strlen(out);
    char text[FORMAT_ROOM];
    if (used + 2 >= room)
        return;
    format_value(&format, v, f->arena, f->arena_bytes, text, sizeof text);
    snprintf(out + used, room - used, "%s%s", used ? " " : "", text);
}

void chart_row_name(const struct app *a, const struct frame_row *row, char *out, size_t room)
{
    const struct pane *const p = app_known(a)->pane;
    static const char *const numbers[] = {"pid", "tid"};
    bool has_name = false;
    out[0] = '\0';
    for (size_t c = 0; c < p->column_count; c++) {
        const struct column *const column = &p->columns[c];
        const struct value *const v = &row->cells[c];
        if (p->user_view && column->measure)
            return;
        if (p->user_view || (!has_name && value_is_text(v) && column->flags & COLUMN_SEARCHABLE)) {
            add_name(a, v, out, room);
            has_name = true;
        }
    }
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers && !p->user_view; i++) {
        const struct column *const number = pane_column(p, numbers[i]);
        if (number)
            add_name(a, &row->cells[number - p->columns], out, room);
    }
}

static void of_whom(const struct app *a, char *out, size_t room)
{
    const struct place *const p = app_shown(a);
    const struct frame *const f = app_known(a);
    if (p->chart.of_row) {
        snprintf(out, room, "one row");
        for (unsigned i = 0; f && i < f->row_count; i++)
            if (row_key_equal(f->rows[i].key, p->chart.row))
                chart_row_name(a, &f->rows[i], out, room);
        return;
    }
    char count[32];
    format_count(f ? (double)f->shown : 0, count, sizeof count);
    snprintf(out, room, "%s %s", count, p->pane->view == PANE_EVENTS ? "events"
                                        : p->pane->view == PANE_TREE ? "frames"
                                        : f && f->shown == 1         ? "row"
                                                                     : "rows");
}

static void part_of_time(const struct format *format, const struct frame *f, char *out, size_t room)
{
    char span[32] = "";
    if (frame_covers_part(f))
        format_time(format, (double)frame_span(f), span, sizeof span);
    snprintf(out, room, "%s%s", *span ? ", last " : "", span);
}

static void over_which_time(const struct app *a, char *out, size_t room)
{
    const struct frame *const f = app_known(a);
    char text[64] = "";
    const struct format format = app_format(a);
    if (!f)
        snprintf(out, room, "%s", "");
    else if (f->range_to > f->range_from)
        snprintf(out, room, ", %.3g s", (double)(f->range_to - f->range_from) / 1e9);
    else if (chart_is_over_time(a) || app_shown(a)->pane->view != PANE_TABLE)
        part_of_time(&format, f, out, room);
    else if (f->is_total && format_instant(&format, f->first_instant, text, sizeof text))
        snprintf(out, room, ", since %s", text);
    else
        snprintf(out, room, ", last %.3g s", f->interval_s);
}

const char *chart_title(const struct app *a, char out[CHART_TITLE])
{
    const struct place *const p = app_shown(a);
    char whom[256], when[96];
    of_whom(a, whom, sizeof whom);
    over_which_time(a, when, sizeof when);
    snprintf(out, CHART_TITLE, "%s, %s%s", of_what(p->pane, p->chart.measure), whom, when);
    out[0] = (char)toupper((unsigned char)out[0]);
    return out;
}

/* ---- lines --------------------------------------------------------------------------------- */

void chart_header(struct grid *g, const struct rect *r, const char *left, const char *right)
{
    grid_fill(g, *r, ROLE_HEADER);
    const int taken = grid_width(right) + 2;
    grid_cut(g, r->x + 1, r->y, r->width - 1 - (taken < r->width / 2 ? taken : 0), ROLE_HEADER,
             left, CUT_END);
    if (taken < r->width - 12)
        grid_text(g, r->x + r->width - taken, r->y, 1, ROLE_HEADER, " ");
    if (taken < r->width - 12)
        grid_right(g, r->x, r->y, r->width - 1, ROLE_HEADER_SORT, right);
}

static int figure(const struct app *a, struct grid *g, int x, int y, int width, const char *name,
                  const char *sign, uint64_t of)
{
    char amount[32], text[40];
    chart_amount(a, of, amount, sizeof amount);
    snprintf(text, sizeof text, "%s%s", sign, amount);
    const int needs = grid_width(name) + 1 + grid_width(text) + 2;
    if (needs > width)
        return 0;
    x += grid_text(g, x, y, width, ROLE_DIM, name) + 1;
    grid_text(g, x, y, needs, chart_role(a, of), text);
    return needs;
}

void chart_percentiles(const struct app *a, struct grid *g, int x, int y, int width,
                       const struct chart *p)
{
    const struct {
        const char *name;
        uint64_t of;
        bool is_known;
    } figures[] = {
        {"p50", p->p50, true},
        {"p90", p->p90, true},
        {"p99", p->p99, true},
        {"p99.9", p->p999, true},
        {"max", p->max, p->max > 0},
        {"mean", p->count ? p->sum / p->count : 0, p->sum > 0},
    };
    /* Over time they are known by rows of the picture, and so only what they lie below. */
    const char *const sign = chart_is_over_time(a) ? "<" : "";
    const int end = x + width;
    for (size_t i = 0; i < sizeof figures / sizeof *figures && p->count; i++) {
        const int taken = figures[i].is_known
                              ? figure(a, g, x, y, end - x, figures[i].name, sign, figures[i].of)
                              : 0;
        if (figures[i].is_known && !taken)
            return;
        x += taken;
    }
}

enum role chart_role(const struct app *a, uint64_t amount)
{
    const uint64_t ns = is_of_sizes(a) ? 0 : amount;
    return ns >= 100000000 ? ROLE_CRIT : ns >= 10000000 ? ROLE_HIGH : ROLE_KEY;
}

void chart_axis(const struct app *a, struct grid *g, const struct chart_area *at,
                const struct chart *p)
{
    enum { APART = 20 };
    char text[64];
    const struct format format = app_format(a);
    const struct rect *const r = &at->axis;
    for (int x = r->x; x + 14 <= r->x + r->width; x += APART) {
        const unsigned column = chart_column_at(at, p, x);
        format_instant(&format, p->begin_ns + (int64_t)column * p->column_ns, text, sizeof text);
        grid_text(g, x, r->y, 1, ROLE_BORDER, a->glyphs->up);
        grid_text(g, x + 1, r->y, r->x + r->width - x - 1, ROLE_DIM, text);
    }
}

/* Counts are shown on a logarithmic scale, as latencies are: one slow operation among thousands is
 * what one looks for. What is not nothing is more than that. */
double chart_share(uint64_t count, uint64_t most)
{
    return most ? log2(1 + (double)count) / log2(1 + (double)most) : 0;
}

void chart_cell(struct grid *g, int x, int y, double share)
{
    enum { SHADES = 4 };
    const unsigned shade = 1 + (unsigned)(share * (SHADES - 1) + 0.5);
    grid_text(g, x, y, 1, ROLE_KEY, g->glyphs->shade[shade > SHADES ? SHADES : shade]);
    grid_tint(g, x, y, GRADIENT_HEAT | GRADIENT_SOLID, (unsigned)(share * (LEVELS - 1) + 0.5));
}

void chart_says(struct grid *g, const struct rect *body, const char *text)
{
    const int x = (body->width - grid_width(text)) / 2;
    grid_cut(g, body->x + (x > 0 ? x : 0), body->y + body->height / 3, body->width, ROLE_DIM, text,
             CUT_END);
}

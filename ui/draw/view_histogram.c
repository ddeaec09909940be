/* The histogram: latencies or sizes by powers of two, how many, how much of all, and how much up to
 * there; percentiles stand where they lie. */
#include "ui/draw/chart_head.h"
#include "ui/draw/view.h"
#include "ui/state/layout.h"

#include <math.h>
#include <stdio.h>

enum { FROM = 9, COUNT = 8, PERCENT = 7, UP_TO = 7, MARKS = 12 };

struct span {
    unsigned first, end; /* octaves with counts */
    uint64_t most;
};

static struct span span_of(const struct chart *p)
{
    struct span s = {CHART_OCTAVES, 0, 0};
    for (unsigned i = 0; i < CHART_OCTAVES; i++) {
        if (!p->octaves[i])
            continue;
        s.first = i < s.first ? i : s.first;
        s.end = i + 1;
        s.most = p->octaves[i] > s.most ? p->octaves[i] : s.most;
    }
    return s;
}

/* Percentiles that lie in an octave: of the last, that is enough. */
static void marks_of(const struct chart *p, unsigned octave, char *out, size_t room)
{
    const struct {
        const char *name;
        uint64_t ns;
    } marks[] = {{"p50", p->p50}, {"p90", p->p90}, {"p99", p->p99}};
    size_t used = 0;
    out[0] = '\0';
    for (size_t i = 0; i < 3; i++)
        if (chart_octave_of(marks[i].ns) == octave && used < room)
            used += (size_t)snprintf(out + used, room - used, "%s%s", used ? " " : "",
                                     marks[i].name);
}

struct columns {
    int from, bar, bar_width, marks, count, percent, up_to;
};

static struct columns columns_of(const struct rect *r)
{
    struct columns c = {.from = r->x + 1};
    c.up_to = r->x + r->width - 1 - UP_TO;
    c.percent = c.up_to - 1 - PERCENT;
    c.count = c.percent - 1 - COUNT;
    c.marks = c.count - 1 - MARKS;
    c.bar = c.from + FROM + 2;
    c.bar_width = c.marks - 1 - c.bar;
    return c;
}

static void draw_captions(struct grid *g, const struct rect *r)
{
    const struct columns c = columns_of(r);
    grid_right(g, c.from, r->y, FROM, ROLE_DIM, "FROM");
    grid_right(g, c.count, r->y, COUNT, ROLE_DIM, "COUNT");
    grid_right(g, c.percent, r->y, PERCENT, ROLE_DIM, "%");
    grid_right(g, c.up_to, r->y, UP_TO, ROLE_DIM, "UP TO%");
}

struct line {
    unsigned first, end; /* octaves */
    uint64_t count, sum; /* sum: with all before */
};

static void draw_line(const struct app *a, struct grid *g, const struct rect *r, int y,
                      const struct chart *p, const struct line *of, uint64_t most)
{
    char text[64];
    const struct columns c = columns_of(r);
    const uint64_t from = chart_octave_ns(of->first);
    chart_amount(a, from, text, sizeof text);
    grid_right(g, c.from, y, FROM, ROLE_TEXT, text);
    const double all = p->count ? (double)p->count : 1;
    grid_bar(g, c.bar, y, c.bar_width, (double)of->count / (double)(most ? most : 1),
             chart_role(a, from), GRADIENT_NONE);
    marks_of(p, of->end - 1, text, sizeof text);
    grid_text(g, c.marks, y, MARKS, ROLE_TITLE, text);
    format_count((double)of->count, text, sizeof text);
    grid_right(g, c.count, y, COUNT, of->count ? ROLE_TEXT : ROLE_ZERO,
               of->count ? text : a->glyphs->zero);
    format_percent((double)of->count / all * 100, text, sizeof text);
    grid_right(g, c.percent, y, PERCENT, of->count ? ROLE_TEXT : ROLE_ZERO,
               of->count ? text : a->glyphs->zero);
    format_percent((double)of->sum / all * 100, text, sizeof text);
    grid_right(g, c.up_to, y, UP_TO, ROLE_DIM, text);
}

/* Where there are more octaves than lines, the fastest share the first one. */
static void draw_lines(const struct app *a, struct grid *g, const struct rect *r,
                       const struct chart *p)
{
    const struct span s = span_of(p);
    const unsigned lines = r->height > 1 ? (unsigned)r->height : 1;
    const unsigned shared = s.end - s.first > lines ? s.end - s.first - lines : 0;
    const int step = 2 * (s.end - s.first) < lines ? 2 : 1;
    uint64_t sum = 0;
    int y = r->y;
    for (unsigned octave = s.first; octave < s.end; y += step) {
        struct line of = {.first = octave, .end = octave == s.first ? octave + 1 + shared : octave + 1};
        for (; octave < of.end; octave++)
            of.count += p->octaves[octave];
        of.sum = sum += of.count;
        draw_line(a, g, r, y, p, &of, s.most > of.count ? s.most : of.count);
    }
}

static void draw(const struct app *a, struct grid *g, const struct layout *l)
{
    const struct chart *const p = chart_known(a);
    char title[CHART_TITLE], count[32], right[64] = "";
    if (p) {
        format_count((double)p->count, count, sizeof count);
        snprintf(right, sizeof right, "%s operations", count);
    }
    chart_header(g, &l->header, chart_title(a, title), right);
    if (!p || !p->count) {
        chart_says(g, &l->body, !p ? "gathering" : chart_if_none(a));
        return;
    }
    struct rect rows = l->body;
    if (l->totals.height)
        draw_captions(g, &l->totals);
    if (rows.height > 4) { /* the percentiles' line, after an empty one */
        rows.height -= 2;
        chart_percentiles(a, g, l->body.x + 2, l->body.y + l->body.height - 1, l->body.width - 3,
                          p);
    }
    draw_lines(a, g, &rows, p);
}

static bool is_shown(const struct app *a)
{
    return !a->focus->is_detail && a->overlay != OVERLAY_HELP &&
           app_shown(a)->chart.kind == CHART_HISTOGRAM;
}

const struct screen_view view_histogram = {.id = "histogram", .is_shown = is_shown, .draw = draw};

#include "ui/draw/meters.h"

#include "ui/draw/meters_inside.h"
#include "ui/state/layout.h"

#include <stdio.h>

/* ---- one and two lines -------------------------------------------------------------------- */

enum { BRIEF_BELOW = 110, BETWEEN = 3, CURVE_LEAST = 6, BAR_LEAST = 8 };

/* A meter in a line: what it has, in how many cells. */
struct segment {
    const struct meter *meter;
    bool is_brief;
    int fixed, bar, curve; /* cells; of bar and curve the least, 0 = there is none */
};

static const char *title_of(const struct segment *s)
{
    return s->is_brief ? s->meter->brief : s->meter->title;
}

static const char *label_of(const struct segment *s, unsigned i)
{
    return s->is_brief ? s->meter->fields[i].brief : s->meter->fields[i].label;
}

/* Where there is little room, the last figure says it for all, and bytes go without saying. */
static const char *per_of(const struct meters_view *v, const struct segment *s, unsigned i)
{
    const char *const per = gauge_per(v, s->meter->fields[i].gauge);
    if (!s->is_brief)
        return per;
    return i + 1 < s->meter->brief_count ? "" : *per == 'B' ? per + 1 : per;
}

static bool has_value(const struct meter *m)
{
    return m->value != GAUGES || m->is_highest;
}

/* Cells of the longest name of a field that may be the highest. */
static int name_width(const struct meter *m)
{
    int most = 0;
    for (unsigned i = 0; i < m->field_count; i++) {
        const int width = grid_width(m->fields[i].label);
        most = width > most ? width : most;
    }
    return most;
}

enum { CPUS_ROOM = 24 };

/* "8 cpus"; returns the cells that it takes. */
static int cpus_text(const struct meters_view *v, char out[CPUS_ROOM])
{
    return snprintf(out, CPUS_ROOM, "%u %s", v->f->cpus, v->f->cpus == 1 ? "cpu" : "cpus");
}

static struct segment segment_of(const struct meters_view *v, const struct meter *m, bool is_brief,
                                 bool is_alone)
{
    struct segment s = {.meter = m, .is_brief = is_brief};
    s.fixed = grid_width(title_of(&s));
    if (has_value(m))
        s.fixed += 1 + FIGURE + grid_width(gauge_per(v, m->value));
    if (m->is_highest && !is_brief)
        s.fixed += 1 + name_width(m);
    if (m->names_cpus && !is_brief)
        s.fixed += 1 + cpus_text(v, (char[CPUS_ROOM]){0});
    for (unsigned i = 0; i < m->brief_count; i++)
        s.fixed += 2 + grid_width(label_of(&s, i)) + FIGURE +
                   grid_width(per_of(v, &s, i));
    const bool has_bar = m->part_count && !m->curve_count;
    const bool is_bare = is_brief && is_alone; /* one line: only the first has a curve */
    s.bar = has_bar && (!is_brief || m->brief_bar) && !is_bare ? BAR_LEAST : 0;
    s.curve = is_bare && m != &meters[0] ? 0 : is_brief ? m->brief_curve : CURVE_LEAST;
    return s;
}

static int segment_least(const struct segment *s)
{
    return s->fixed + (s->bar ? s->bar + 1 : 0) + (s->curve ? s->curve + 1 : 0);
}

static void write_figure(const struct meters_view *v, struct line_cursor *p, enum gauge g,
                         double value, const char *per)
{
    draw_figure(v, p->x, p->y, g, value);
    p->x += FIGURE;
    write_text(p, ROLE_DIM, per);
}

static void write_fields(const struct meters_view *v, struct line_cursor *p,
                         const struct segment *s)
{
    for (unsigned i = 0; i < s->meter->brief_count; i++) {
        const enum gauge g = s->meter->fields[i].gauge;
        write_format(p, ROLE_DIM, " %s ", label_of(s, i));
        write_figure(v, p, g, v->f->gauges.now[g],
                     per_of(v, s, i));
    }
}

/* Bar and curve take what the figures leave. */
static void draw_segment(const struct meters_view *v, const struct segment *s, int x, int y,
                         int width)
{
    const struct meter *const m = s->meter;
    struct line_cursor p = {v->g, x, y, x + width};
    const int left = width - segment_least(s);
    const int bar = !s->bar ? 0 : s->bar + (s->curve ? left * 2 / 5 : left);
    const int curve = !s->curve ? 0 : s->curve + left - (s->bar ? left * 2 / 5 : 0);
    int field;
    const double value = meter_value(v, m, &field);
    write_text(&p, ROLE_DIM, title_of(s));
    if (has_value(m)) {
        p.x++;
        const enum gauge g = m->is_highest ? m->fields[field < 0 ? 0 : field].gauge : m->value;
        write_figure(v, &p, g, value, gauge_per(v, g));
    }
    if (m->is_highest && !s->is_brief) {
        const int end = p.x + 1 + name_width(m);
        write_format(&p, ROLE_DIM, " %s", field >= 0 ? m->fields[field].label : "");
        p.x = end;
    }
    if (bar) {
        draw_meter_bar(v, m, p.x + 1, y, bar);
        p.x += bar + 1;
    }
    if (curve) {
        draw_meter_curve(v, m, 0, m->curve_count, p.x + 1, y, curve);
        p.x += curve + 1;
    }
    if (m->names_cpus && !s->is_brief) {
        char text[CPUS_ROOM];
        cpus_text(v, text);
        write_format(&p, ROLE_DIM, " %s", text);
    }
    write_fields(v, &p, s);
}

/* A column of the lines: one meter, or two below each other. */
struct meters_column {
    struct segment segments[2];
    unsigned count;
    int width;
    bool stretches;
};

static unsigned columns_of(const struct meters_view *v, const struct meters_plan *p, int room,
                           struct meters_column *out, int *left)
{
    const unsigned deep = (unsigned)p->lines;
    unsigned count = 0;
    int used = 0;
    for (unsigned i = 0; i < p->count; i += deep, count++) {
        struct meters_column *const c = &out[count];
        *c = (struct meters_column){0};
        for (unsigned k = 0; k < deep && i + k < p->count; k++) {
            c->segments[k] = segment_of(v, p->meters[i + k], room < BRIEF_BELOW, deep == 1);
            c->count++;
            const int least = segment_least(&c->segments[k]);
            c->width = least > c->width ? least : c->width;
            c->stretches |= c->segments[k].bar || c->segments[k].curve;
        }
        const int need = c->width + (count ? BETWEEN : 0);
        if (used + need > room)
            break;
        used += need;
    }
    *left = room - used;
    return count;
}

/* What is left goes to the columns that can use it, the first ones first. */
static void stretch(struct meters_column *columns, unsigned count, int left)
{
    unsigned takers = 0;
    for (unsigned i = 0; i < count; i++)
        takers += columns[i].stretches;
    for (unsigned i = 0; i < count && takers; i++) {
        if (!columns[i].stretches)
            continue;
        const int part = (left + (int)takers - 1) / (int)takers;
        columns[i].width += part;
        left -= part;
        takers--;
    }
}

static void draw_lines(const struct meters_view *v, const struct meters_plan *p,
                       const struct rect *r)
{
    struct meters_column columns[METERS_MOST];
    int left, x = r->x + 1;
    const unsigned count = columns_of(v, p, r->width - 2, columns, &left);
    stretch(columns, count, left);
    for (unsigned i = 0; i < count; i++) {
        for (unsigned k = 0; k < columns[i].count; k++)
            draw_segment(v, &columns[i].segments[k], x, r->y + (int)k, columns[i].width);
        x += columns[i].width;
        for (int y = r->y; i + 1 < count && y < r->y + p->lines; y++)
            grid_text(v->g, x + 1, y, 1, ROLE_BORDER, v->g->glyphs->divider);
        x += BETWEEN;
    }
}

void meters_draw(const struct app *a, struct grid *g, const struct rect *r)
{
    const struct meters_view v = {g, a->focus->frame, &a->meters_seen, app_format(a)};
    const struct meters_plan p = app_meters(a);
    if (!v.f)
        return;
    if (p.mode == METERS_FULL)
        draw_full_meters(&v, &p, r);
    else
        draw_lines(&v, &p, r);
}

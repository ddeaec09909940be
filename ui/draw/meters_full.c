/* The full view of the meters: a line each, their figures below each other, and a bar for each
 * processor. */
#include "ui/draw/meters_inside.h"

#include <math.h>
#include <stdio.h>

enum { TITLE = 7, GAP = 2, GRAPHS_LEAST = 26 };

/* Where things stand, the same for all lines of a column. */
struct full_columns {
    int label[METER_FIELDS], per[METER_FIELDS]; /* cells, by the field's number */
    unsigned fields;
    int value, bar, curve; /* cells; the value with its unit */
};

static int field_width(const struct full_columns *c, unsigned i)
{
    return GAP + c->label[i] + 1 + FIGURE + c->per[i];
}

static void widen(int *width, int to)
{
    *width = to > *width ? to : *width;
}

/* Fields of a meter that this run has, in their order. */
static unsigned known_fields(const struct meters_view *v, const struct meter *m,
                             const struct meter_field **out)
{
    unsigned count = 0;
    for (unsigned i = 0; i < m->field_count; i++)
        if (gauge_is_seen(v, m->fields[i].gauge))
            out[count++] = &m->fields[i];
    return count;
}

static struct full_columns columns_for(const struct meters_view *v, const struct meters_plan *p,
                                       int width)
{
    struct full_columns c = {.value = FIGURE};
    unsigned most = 0;
    for (unsigned i = 0; i < p->count; i++) {
        widen(&c.value, FIGURE + grid_width(gauge_per(v, p->meters[i]->value)));
        const struct meter_field *fields[METER_FIELDS];
        const unsigned count = known_fields(v, p->meters[i], fields);
        most = count > most ? count : most;
        for (unsigned k = 0; k < count; k++) {
            widen(&c.label[k], grid_width(fields[k]->label));
            widen(&c.per[k], grid_width(gauge_per(v, fields[k]->gauge)));
        }
    }
    int left = width - TITLE - 1 - c.value - 1 - GRAPHS_LEAST;
    while (c.fields < most && left >= field_width(&c, c.fields)) {
        left -= field_width(&c, c.fields);
        c.fields++;
    }
    left += GRAPHS_LEAST - 1;
    c.bar = left * 2 / 5;
    c.curve = left - c.bar;
    return c;
}

static void draw_graphs(const struct meters_view *v, const struct meter *m,
                        const struct full_columns *c, int x, int y)
{
    const int after = x + c->bar + 1;
    if (m->part_count) {
        draw_meter_bar(v, m, x, y, c->bar);
        draw_meter_curve(v, m, 0, m->curve_count, after, y, c->curve);
    } else if (m->is_beside) {
        draw_meter_curve(v, m, 0, 1, x, y, c->bar);
        draw_meter_curve(v, m, 1, 1, after, y, c->curve);
    } else {
        draw_meter_curve(v, m, 0, m->curve_count, x, y, c->bar + 1 + c->curve);
    }
}

static void draw_meter(const struct meters_view *v, const struct meter *m,
                       const struct full_columns *c, int x, int y)
{
    const struct meter_field *fields[METER_FIELDS];
    const unsigned count = known_fields(v, m, fields);
    int field;
    const double value = meter_value(v, m, &field);
    grid_text(v->g, x, y, TITLE, ROLE_DIM, m->title);
    x += TITLE + 1;
    if (m->value != GAUGES || m->is_highest) {
        const enum gauge g = m->is_highest ? m->fields[field < 0 ? 0 : field].gauge : m->value;
        draw_figure(v, x, y, g, value);
        grid_text(v->g, x + FIGURE, y, c->value - FIGURE, ROLE_DIM, gauge_per(v, g));
    }
    x += c->value + 1;
    draw_graphs(v, m, c, x, y);
    x += c->bar + 1 + c->curve;
    for (unsigned i = 0; i < c->fields; i++) {
        if (i < count) {
            const int at = x + GAP + c->label[i] + 1;
            grid_text(v->g, x + GAP, y, c->label[i], ROLE_DIM, fields[i]->label);
            draw_figure(v, at, y, fields[i]->gauge, v->f->gauges.now[fields[i]->gauge]);
            grid_text(v->g, at + FIGURE, y, c->per[i], ROLE_DIM, gauge_per(v, fields[i]->gauge));
        }
        x += field_width(c, i);
    }
}

/* ---- processors --------------------------------------------------------------------------- */

/* The mean of processors, unknown where it is of one; *highest: the busiest of them. */
static struct gauge_cpu mean_of(const struct gauge_cpu *c, unsigned count, double *highest)
{
    struct gauge_cpu mean = {0};
    *highest = NAN;
    for (unsigned i = 0; i < count; i++) {
        mean.user += c[i].user / (float)count;
        mean.system += c[i].system / (float)count;
        mean.irq += c[i].irq / (float)count;
        mean.steal += c[i].steal / (float)count;
        mean.busy += c[i].busy / (float)count;
        *highest = fmax(*highest, (double)c[i].busy);
    }
    return mean;
}

static void group_name(const struct meters_cpus *c, unsigned group, char *out, size_t room)
{
    const unsigned first = group * c->group;
    const unsigned last = first + c->group < c->count ? first + c->group - 1 : c->count - 1;
    if (first == last)
        snprintf(out, room, "%u", first);
    else
        snprintf(out, room, "%u-%u", first, last);
}

/* Cells of the longest name: "12-15", or "7". */
static int name_width(const struct meters_cpus *c)
{
    char last[16];
    const int digits = snprintf(last, sizeof last, "%u", c->count - 1);
    return c->group > 1 ? 2 * digits + 1 : digits;
}

static void draw_cpu(const struct meters_view *v, const struct meters_cpus *c, unsigned group,
                     int x, int y, int width)
{
    enum { MAX = 4 }; /* "max " */
    const struct frame_gauges *const all = &v->f->gauges;
    const unsigned first = group * c->group;
    const bool is_known = all->cpus && first < all->cpu_count;
    const unsigned left = is_known ? all->cpu_count - first : 0;
    char name[32];
    const int wide = name_width(c);
    double highest = NAN;
    struct gauge_cpu mean = {.busy = NAN};
    if (is_known)
        mean = mean_of(all->cpus + first, left < c->group ? left : c->group, &highest);
    group_name(c, group, name, sizeof name);
    grid_right(v->g, x, y, wide, ROLE_DIM, name);
    int end = x + width - GAP;
    x += wide + 1;
    draw_percent(v, x, y, (double)mean.busy);
    x += FIGURE + 1;
    if (c->group > 1) {
        end -= FIGURE;
        draw_percent(v, end, y, highest);
        end -= MAX;
        grid_text(v->g, end, y, MAX, ROLE_DIM, "max ");
        end--;
    }
    draw_cpu_bar(v, &mean, x, y, end - x);
}

static void draw_cpu_line(const struct meters_view *v, const struct meters_cpus *c, unsigned line,
                          int x, int y, int width)
{
    for (unsigned i = 0; i < c->columns; i++) {
        const unsigned group = line * c->columns + i;
        const int from = (width + GAP) * (int)i / (int)c->columns;
        const int to = (width + GAP) * (int)(i + 1) / (int)c->columns;
        if (group < c->groups)
            draw_cpu(v, c, group, x + from, y, to - from);
    }
}

/* ---- the whole ---------------------------------------------------------------------------- */

void draw_full_meters(const struct meters_view *v, const struct meters_plan *p,
                      const struct rect *r)
{
    enum { DIVIDE = 3 };
    const int columns = (int)p->columns;
    const int width = (r->width - 2 - DIVIDE * (columns - 1)) / columns;
    const struct full_columns c = columns_for(v, p, width);
    unsigned meter = 0, cpu_line = 0;
    for (int i = 0; i < columns * p->lines; i++) {
        const int x = r->x + 1 + i / p->lines * (width + DIVIDE), y = r->y + i % p->lines;
        /* The processors follow the meter of all of them. */
        if (cpu_line < p->cpus.lines && (meter == 1 || meter >= p->count))
            draw_cpu_line(v, &p->cpus, cpu_line++, x, y, width);
        else if (meter < p->count)
            draw_meter(v, p->meters[meter++], &c, x, y);
    }
    for (int y = r->y; columns > 1 && y < r->y + p->lines; y++)
        grid_text(v->g, r->x + 1 + width + 1, y, 1, ROLE_BORDER, v->g->glyphs->divider);
}

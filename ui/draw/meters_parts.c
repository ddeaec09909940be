/* Figures, bars and curves of the meters. */
#include "ui/draw/meters_inside.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- figures ------------------------------------------------------------------------------ */

bool gauge_is_seen(const struct meters_view *v, enum gauge g)
{
    return g < GAUGES && (v->seen->gauges >> g & 1);
}

static bool is_rate(enum gauge g)
{
    return g < GAUGES && (gauge_infos[g].unit == GAUGE_BYTE_RATE || gauge_infos[g].unit == GAUGE_EVENT_RATE);
}

static bool is_in_bits(const struct meters_view *v, enum gauge g)
{
    return v->format.is_bits && (g == GAUGE_NET_IN || g == GAUGE_NET_OUT);
}

const char *gauge_per(const struct meters_view *v, enum gauge g)
{
    if (!is_rate(g))
        return "";
    return gauge_infos[g].unit == GAUGE_EVENT_RATE ? "/s" : is_in_bits(v, g) ? "b/s" : "B/s";
}

double meter_value(const struct meters_view *v, const struct meter *m, int *field)
{
    const double *const now = v->f->gauges.now;
    *field = -1;
    if (m->value != GAUGES)
        return now[m->value];
    double highest = NAN;
    for (unsigned i = 0; m->is_highest && i < m->field_count; i++) {
        const double value = now[m->fields[i].gauge];
        if (!isnan(value) && !(value <= highest)) {
            highest = value;
            *field = (int)i;
        }
    }
    return highest;
}

static void percent_text(double value, char *out, size_t room)
{
    snprintf(out, room, value < 99.95 ? "%.1f%%" : "%.0f%%", value < 999 ? value : 999);
}

static void figure_text(const struct meters_view *v, enum gauge g, double value, char *out,
                        size_t room)
{
    struct format format = v->format;
    format.is_bits = is_in_bits(v, g);
    switch (gauge_infos[g].unit) {
    case GAUGE_PERCENT:
        percent_text(value, out, room);
        return;
    case GAUGE_BYTES:
    case GAUGE_BYTE_RATE:
        format_bytes(&format, value * (format.is_bits ? 8 : 1), out, room);
        return;
    case GAUGE_COUNT:
    case GAUGE_EVENT_RATE:
        format_count(value, out, room);
        return;
    }
}

/* What stands out: little is left of it, or somebody waits. */
static bool is_high(const struct meters_view *v, enum gauge g, double value)
{
    enum { FULL = 90, WAITING = 10 };
    const double *const now = v->f->gauges.now;
    switch (g) {
    case GAUGE_CPU:
    case GAUGE_DISK_BUSY:
        return value >= FULL;
    case GAUGE_MEMORY_USED:
        return value * 100 >= now[GAUGE_MEMORY_TOTAL] * FULL;
    case GAUGE_COMMIT:
        return value * 100 >= now[GAUGE_COMMIT_LIMIT] * FULL;
    case GAUGE_SWAP_USED:
        return value * 2 >= now[GAUGE_SWAP_TOTAL];
    case GAUGE_LOAD_1:
    case GAUGE_READY:
        return v->f->cpus && value >= 2 * v->f->cpus;
    case GAUGE_PRESSURE_CPU:
    case GAUGE_PRESSURE_MEMORY:
    case GAUGE_PRESSURE_IO:
        return value >= WAITING;
    case GAUGE_LOST:
        return true;
    default:
        return false;
    }
}

void draw_figure(const struct meters_view *v, int x, int y, enum gauge g, double value)
{
    char text[32];
    if (isnan(value)) {
        grid_right(v->g, x, y, FIGURE, ROLE_ZERO, v->g->glyphs->absent);
        return;
    }
    figure_text(v, g, value, text, sizeof text);
    grid_right(v->g, x, y, FIGURE,
               value <= 0             ? ROLE_ZERO
               : is_high(v, g, value) ? ROLE_HIGH
                                      : ROLE_TEXT,
               text);
}

void draw_percent(const struct meters_view *v, int x, int y, double value)
{
    draw_figure(v, x, y, GAUGE_CPU, value);
}

/* ---- bars and curves ---------------------------------------------------------------------- */

static double whole_of(const struct meters_view *v, const struct meter *m)
{
    return m->whole == GAUGES ? 100 : v->f->gauges.now[m->whole];
}

void draw_meter_bar(const struct meters_view *v, const struct meter *m, int x, int y, int width)
{
    const double *const now = v->f->gauges.now;
    const double whole = whole_of(v, m);
    struct grid_part parts[METER_PARTS];
    bool has_parts = false;
    for (unsigned i = 0; i < m->part_count; i++) {
        const double value = now[m->parts[i].gauge];
        has_parts |= !isnan(value);
        parts[i] = (struct grid_part){whole > 0 && value > 0 ? value / whole : 0, m->parts[i].role};
    }
    if (!has_parts && m->value != GAUGES && whole > 0)
        parts[0].part = now[m->value] / whole;
    grid_parts(v->g, x, y, width, parts, m->part_count);
}

void draw_cpu_bar(const struct meters_view *v, const struct gauge_cpu *c, int x, int y, int width)
{
    const struct grid_part whole = {(double)c->busy / 100, ROLE_METER_USED};
    const struct grid_part parts[] = {{(double)c->user / 100, ROLE_METER_USER},
                                      {(double)c->system / 100, ROLE_METER_SYSTEM},
                                      {(double)c->irq / 100, ROLE_METER_IRQ},
                                      {(double)c->steal / 100, ROLE_METER_STEAL}};
    const bool has_parts = !isnan(c->user) || !isnan(c->system);
    grid_parts(v->g, x, y, width, has_parts ? parts : &whole, has_parts ? 4 : 1);
}

enum { CURVE_MOST = 1024 };

/* Curves stand below each other: the highest leaves a gap to the one above. */
static const double HIGHEST = 7 / 8.0;

/* What an interval adds to a curve; what is not known is a gap. */
static double curve_at(const struct meter *m, const float *row, unsigned first, unsigned count)
{
    double sum = NAN;
    if (m->is_highest) {
        for (unsigned i = 0; i < m->field_count; i++)
            sum = fmax(sum, (double)row[m->fields[i].gauge]);
        return sum;
    }
    if (!m->curve_count)
        return (double)row[m->value];
    for (unsigned i = first; i < first + count && i < m->curve_count; i++) {
        const double part = (double)row[m->curves[i]];
        sum = isnan(sum) ? part : isnan(part) ? sum : sum + part;
    }
    return sum;
}

static bool is_of_percent(const struct meter *m)
{
    const enum gauge g = m->curve_count ? m->curves[0]
                         : m->is_highest ? m->fields[0].gauge
                                         : m->value;
    return g < GAUGES && gauge_infos[g].unit == GAUGE_PERCENT;
}

void draw_meter_curve(const struct meters_view *v, const struct meter *m, unsigned first,
                      unsigned count, int x, int y, int width)
{
    const struct frame_gauges *const all = &v->f->gauges;
    float values[CURVE_MOST];
    const unsigned wanted = width > 0 ? (unsigned)width * (v->g->glyphs->is_braille ? 2 : 1) : 0;
    unsigned n = wanted < all->series_count ? wanted : all->series_count;
    n = n < CURVE_MOST ? n : CURVE_MOST;
    double peak = m->whole != GAUGES ? whole_of(v, m) : is_of_percent(m) ? 100 : 0;
    const bool is_open = !(peak > 0);
    for (unsigned i = 0; i < n; i++) {
        const float *const row = all->series + (size_t)(all->series_count - n + i) * GAUGES;
        const double value = curve_at(m, row, first, count);
        values[i] = (float)value;
        if (is_open && value > peak)
            peak = value;
    }
    for (unsigned i = 0; i < n; i++)
        values[i] = peak > 0 ? (float)((double)values[i] / peak * HIGHEST) : 0;
    grid_spark(v->g, x, y, width, values, n, ROLE_METER_CURVE,
               is_of_percent(m) ? GRADIENT_LOAD : GRADIENT_NONE);
}

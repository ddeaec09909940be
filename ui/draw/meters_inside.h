/* What the lines and the full view of the meters share: figures, bars and curves. Each figure has
 * the same number of cells whatever it is, so that nothing moves from one frame to the next. */
#ifndef UI_DRAW_METERS_INSIDE_H
#define UI_DRAW_METERS_INSIDE_H

#include "ui/draw/lines_inside.h"
#include "ui/state/meters.h"
#include "ui/term/grid.h"
#include "ui/widget/format.h"

enum { FIGURE = 5 }; /* cells: "37.2%", "48.1M" */

/* What is drawn: the machine at one instant. */
struct meters_view {
    struct grid *g;
    const struct frame *f;
    const struct meters_seen *seen;
    struct format format;
};

/* Is there anything to say about it in this run? */
bool gauge_is_seen(const struct meters_view *v, enum gauge g);

/* "B/s", "b/s" or "/s" of rates, else "". */
const char *gauge_per(const struct meters_view *v, enum gauge g);

/* The first figure of a meter, and what of its fields that is (-1: the meter's own). */
double meter_value(const struct meters_view *v, const struct meter *m, int *field);

/* The figure, right-aligned in FIGURE cells; the gauge says its unit, its size the role. */
void draw_figure(const struct meters_view *v, int x, int y, enum gauge g, double value);

/* A percentage likewise. */
void draw_percent(const struct meters_view *v, int x, int y, double value);

void draw_meter_bar(const struct meters_view *v, const struct meter *m, int x, int y, int width);
void draw_cpu_bar(const struct meters_view *v, const struct gauge_cpu *c, int x, int y, int width);

/* The curve of a meter, or of one of its curves from `first` on. */
void draw_meter_curve(const struct meters_view *v, const struct meter *m, unsigned first,
                      unsigned count, int x, int y, int width);

/* The full view, in r. */
void draw_full_meters(const struct meters_view *v, const struct meters_plan *p,
                      const struct rect *r);

#endif

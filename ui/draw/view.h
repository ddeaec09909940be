/* Kinds of view: each draws any pane of its kind. One file each, one row in views.c. */
#ifndef UI_DRAW_VIEW_H
#define UI_DRAW_VIEW_H

#include "ui/state/app.h"
#include "ui/state/layout.h"

struct screen_view {
    const char *id;
    bool (*is_shown)(const struct app *a);
    void (*draw)(const struct app *a, struct grid *g, const struct layout *l);
};

extern const struct screen_view view_help, view_chooser, view_suggestions, view_detail, view_table,
    view_flame, view_histogram, view_heat, view_latencies, view_cpus;
extern const struct screen_view
    *const views[]; /* NULL-terminated, drawn in this order, overlays last */

/* The cursor of a list of rows, and how far it is scrolled. */
void view_cursor(const struct app *a, struct grid *g, const struct rect *body);
void view_scroll_bar(const struct app *a, struct grid *g, const struct rect *body);

/* Draws everything; the grid has the app's size. */
void app_draw(const struct app *a, struct grid *g);

#endif

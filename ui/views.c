#include "ui/lines.h"
#include "ui/splits.h"
#include "ui/view.h"

#include <stdio.h>

const struct view *const views[] = {&view_table, &view_flame,  &view_histogram, &view_heat,    &view_cpus,
                                    &view_detail, &view_help,  &view_chooser,   NULL};

static void draw_too_small(const struct app *a, struct grid *g)
{
    const int y = a->rows / 2;
    grid_printf(g, 0, y > 0 ? y - 1 : 0, a->columns, ROLE_TITLE, "more room, please");
    grid_printf(g, 0, y, a->columns, ROLE_DIM, "%dx%d, needs 40x8", a->columns, a->rows);
}

/* Bars and graphs are drawn with what was chosen, as far as the screen can show it. */
static const struct glyphs *glyphs_of(const struct app *a)
{
    if (a->glyphs->is_ascii || a->settings.symbols == SYMBOLS_BLOCK)
        return a->glyphs;
    return a->settings.symbols == SYMBOLS_BRAILLE ? &glyphs_braille : &glyphs_plain;
}

void app_draw(const struct app *a, struct grid *g)
{
    const struct layout l = app_layout_whole(a);
    grid_clear(g);
    g->glyphs = glyphs_of(a);
    if (l.is_too_small) {
        draw_too_small(a, g);
        return;
    }
    if (l.machine.height)
        lines_machine(a, g, &l.machine);
    if (splits_are_shown(a) && a->overlay != OVERLAY_HELP) {
        splits_draw(a, g);
        if (view_chooser.is_shown(a))
            view_chooser.draw(a, g, &l);
    } else {
        lines_crumbs(a, g, &l.crumbs);
        for (size_t i = 0; views[i]; i++)
            if (views[i]->is_shown(a))
                views[i]->draw(a, g, &l);
    }
    lines_status(a, g, &l.status);
    if (l.keys.height)
        lines_keys(a, g, &l.keys);
}

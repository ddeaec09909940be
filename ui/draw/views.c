#include "ui/draw/view.h"

#include "src/base/mem.h"
#include "ui/draw/lines.h"
#include "ui/draw/meters.h"
#include "ui/draw/strip.h"
#include "ui/state/layout.h"
#include "ui/state/splits.h"

#include <stdlib.h>
#include <string.h>

const struct screen_view *const views[] = {
    &view_table, &view_flame,  &view_histogram, &view_heat,    &view_latencies,
    &view_cpus,  &view_detail, &view_help,      &view_chooser, &view_suggestions,
    NULL};

static void draw_too_small(const struct app *a, struct grid *g)
{
    const int y = a->rows / 2;
    grid_printf(g, 0, y > 0 ? y - 1 : 0, a->columns, ROLE_TITLE, "terminal too small");
    grid_printf(g, 0, y, a->columns, ROLE_DIM, "%dx%d, needs 40x8", a->columns, a->rows);
}

/* Bars and graphs are drawn with what was chosen, as far as the screen can show it. */
static const struct glyphs *glyphs_of(const struct app *a)
{
    if (a->glyphs->is_ascii || a->settings.symbols == SYMBOLS_BLOCK)
        return a->glyphs;
    return a->settings.symbols == SYMBOLS_BRAILLE ? &glyphs_braille : &glyphs_plain;
}

/* ---- several panes ---------------------------------------------------------------------- */

static void draw_one(const struct app *a, struct grid *g)
{
    const struct layout l = app_layout(a);
    lines_crumbs(a, g, &l.crumbs);
    for (size_t i = 0; views[i]; i++)
        if (views[i] != &view_chooser && views[i] != &view_suggestions && views[i]->is_shown(a))
            views[i]->draw(a, g, &l);
}

/* The cursor of a pane that has not the keys is only its sign. */
static void dim_cursor(struct grid *g)
{
    for (int i = 0; i < g->width * g->height; i++)
        if (g->cells[i].over == ROLE_ROW_CURSOR || g->cells[i].over == ROLE_COLUMN_CURSOR)
            g->cells[i].over = ROLE_TEXT;
}

static void paste(struct grid *to, const struct grid *from, int x, int y)
{
    for (int row = 0; row < from->height; row++)
        memcpy(grid_cell(to, x, y + row), grid_look(from, 0, row),
               (size_t)from->width * sizeof *from->cells);
    if (from->cursor_x >= 0) {
        to->cursor_x = from->cursor_x + x;
        to->cursor_y = from->cursor_y + y;
    }
}

/* Around the area; the line of crumbs is its top, with a rule where that has nothing to say. */
static void draw_border(const struct app *a, struct grid *g, const struct rect *area, unsigned i)
{
    const enum role role = a->split_count > 1 && i == a->split_at ? ROLE_KEY : ROLE_BORDER;
    const struct rect r = {area->x - 1, area->y, area->width + 2, area->height + 1};
    for (int x = area->x + 1, end; x < area->x + area->width - 1; x = end + 1) {
        for (end = x; end < area->x + area->width - 1; end++) {
            const struct cell *const c = grid_look(g, end, area->y);
            if (strcmp(c->bytes, " ") != 0 || c->role != ROLE_TEXT)
                break;
        }
        for (int at = x + 1; at < end - 1; at++)
            grid_text(g, at, area->y, 1, role, g->glyphs->rule);
    }
    lines_border(g, r, role);
}

/* Each is drawn by itself, as if it were all there is, and put where it stands. */
static void draw_splits(const struct app *a, struct grid *g)
{
    struct app *const other = mem_copy(a, sizeof *a);
    other->prompting = PROMPT_NONE;
    other->overlay = OVERLAY_NONE;
    for (unsigned i = 0; i < a->split_count; i++) {
        const struct rect r = splits_area(a, i);
        struct grid own;
        grid_init(&own, r.width, r.height, g->glyphs);
        if (i == a->split_at) {
            draw_one(a, &own);
        } else {
            const unsigned current = splits_enter(other, i);
            draw_one(other, &own);
            splits_leave(other, current);
            dim_cursor(&own);
        }
        paste(g, &own, r.x, r.y);
        grid_fini(&own);
        if (a->settings.has_borders) {
            draw_border(a, g, &r, i);
            continue;
        }
        for (int y = r.y; r.x > 0 && y < r.y + r.height; y++)
            grid_text(g, r.x - DIVIDER, y, DIVIDER, ROLE_BORDER, g->glyphs->divider);
    }
    free(other);
}

/* ---- the whole screen ------------------------------------------------------------------ */

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
        meters_draw(a, g, &l.machine);
    if (splits_have_areas(a) && a->overlay != OVERLAY_HELP) {
        draw_splits(a, g);
        if (view_chooser.is_shown(a))
            view_chooser.draw(a, g, &l);
        if (view_suggestions.is_shown(a))
            view_suggestions.draw(a, g, &l);
    } else {
        lines_crumbs(a, g, &l.crumbs);
        for (size_t i = 0; views[i]; i++)
            if (views[i]->is_shown(a))
                views[i]->draw(a, g, &l);
    }
    if (l.strip.height)
        strip_draw(a, g, &l.strip);
    lines_status(a, g, &l.status);
    if (l.keys.height)
        lines_keys(a, g, &l.keys);
}

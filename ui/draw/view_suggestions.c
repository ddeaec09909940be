/* The list below a prompt: commands with their keys, or recent texts. */
#include "ui/draw/lines.h"
#include "ui/draw/view.h"
#include "ui/state/suggestions.h"

#include "src/base/mem.h"

#include <stdio.h>
#include <stdlib.h>

enum { FRAME = 2, MOST_LINES = 16, MOST_WIDTH = 130, KEY_CELLS = 10, GAP = 2 };

struct list_place {
    struct rect box;
    int lines;      /* for items */
    unsigned first; /* of the list */
};

/* Below the prompt, where there is room; else above it. */
static struct list_place place_list(const struct app *a, const struct grid *g, unsigned count)
{
    const int prompt = g->cursor_y > 0 ? g->cursor_y : 0;
    const int end = app_layout_whole(a).strip.y;
    const bool is_above = end - prompt - 1 < prompt;
    const int room = (is_above ? prompt : end - prompt - 1) - FRAME - 1; /* 1: help of the chosen */
    const int most = room < MOST_LINES ? room : MOST_LINES;
    struct list_place p = {.lines = (int)count < most ? (int)count : most};
    const int height = p.lines + FRAME + 1;
    p.box = (struct rect){0, is_above ? prompt - height : prompt + 1,
                          a->columns < MOST_WIDTH ? a->columns : MOST_WIDTH, height};
    if (a->suggesting.at > (unsigned)(p.lines > 0 ? p.lines : 0))
        p.first = a->suggesting.at - (unsigned)p.lines;
    return p;
}

static void draw_command(struct grid *g, const struct rect *r, const struct offered_text *s)
{
    const int name = r->width < 100 ? 20 : 36;
    char typed[160];
    snprintf(typed, sizeof typed, "%.80s%s", s->text, s->arguments);
    grid_cut(g, r->x + 1, r->y, name, ROLE_NAME, typed, CUT_END);
    grid_cut(g, r->x + 1 + name + GAP, r->y, KEY_CELLS, ROLE_KEY, s->key, CUT_END);
    const int used = 1 + name + GAP + KEY_CELLS + GAP;
    grid_cut(g, r->x + used, r->y, r->width - used, ROLE_DIM, s->is_recent ? "recent" : s->help,
             CUT_END);
}

static void draw_items(const struct app *a, struct grid *g, const struct list_place *p,
                       const struct offered_text *list, unsigned count)
{
    const struct rect *const box = &p->box;
    for (int i = 0; i < p->lines && p->first + (unsigned)i < count; i++) {
        const struct offered_text *const s = &list[p->first + (unsigned)i];
        const struct rect r = {box->x + 1, box->y + 1 + i, box->width - FRAME, 1};
        if (a->suggesting.is_recent)
            grid_cut(g, r.x + 1, r.y, r.width - 1, ROLE_NAME, s->text, CUT_END);
        else
            draw_command(g, &r, s);
        if (p->first + (unsigned)i + 1 == a->suggesting.at)
            grid_over(g, r, ROLE_ROW_CURSOR);
    }
}

static void draw(const struct app *a, struct grid *g, const struct layout *l)
{
    (void)l;
    struct offered_text *const list = mem_new(SUGGESTIONS_MAX, sizeof *list);
    const unsigned count = suggestions_list(a, list);
    const struct list_place p = place_list(a, g, count);
    char title[64];
    if (p.lines > 0) {
        snprintf(title, sizeof title, a->suggesting.is_recent ? "Recent: %u" : "Commands: %u",
                 count);
        lines_box(g, p.box, title);
        draw_items(a, g, &p, list, count);
        const struct offered_text *const chosen =
            a->suggesting.at ? &list[a->suggesting.at - 1] : NULL;
        grid_cut(g, p.box.x + 2, p.box.y + 1 + p.lines, p.box.width - 4, ROLE_TEXT,
                 chosen && *chosen->help ? chosen->help : "Down and Up choose, Enter runs",
                 CUT_END);
    }
    free(list);
}

static bool is_shown(const struct app *a)
{
    return suggestions_is_shown(a);
}

const struct screen_view view_suggestions = {
    .id = "suggestions", .is_shown = is_shown, .draw = draw};

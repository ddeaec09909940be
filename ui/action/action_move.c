/* Moving in what is shown, tags, the mouse. */
#include "ui/action/action.h"

#include "ui/action/chart_keys.h"
#include "ui/action/stacks.h"
#include "ui/action/strip_keys.h"
#include "ui/action/tree.h"
#include "ui/action/widths.h"
#include "ui/draw/lines.h"
#include "ui/draw/view_help.h"
#include "ui/state/app.h"
#include "ui/state/chooser.h"
#include "ui/state/filtering.h"
#include "ui/state/layout.h"
#include "ui/state/place.h"
#include "ui/state/search.h"
#include "ui/state/flame.h"
#include "ui/state/chart.h"
#include "ui/state/view_columns.h"

/* The list that moving keys move. */
static struct list *moving(struct app *a)
{
    if (a->overlay == OVERLAY_HELP)
        return &a->help;
    return a->focus->is_detail ? &a->focus->detail : &app_place(a)->list;
}

/* ---- moving ---------------------------------------------------------------------------- */

ACTION(move)
{
    UNUSED(k);
    list_move(moving(a), b->argument);
    return REACT_DRAW;
}

ACTION(page)
{
    UNUSED(k);
    list_page(moving(a), b->argument);
    return REACT_DRAW;
}

ACTION(home)
{
    UNUSED(b), UNUSED(k);
    list_home(moving(a));
    return REACT_DRAW;
}

ACTION(end)
{
    UNUSED(b), UNUSED(k);
    list_end(moving(a));
    return REACT_DRAW;
}

ACTION(pan)
{
    UNUSED(k);
    list_pan(moving(a), b->argument);
    return REACT_DRAW;
}

static unsigned neighbor(const struct pane *p, unsigned at, int by)
{
    if (by < 0)
        return at > 0 ? at - 1 : 0;
    return at + 1 < p->column_count ? at + 1 : at;
}

/* Over columns that are hidden or empty. */
static unsigned next_column(const struct place *p, int by)
{
    for (unsigned at = p->column, to; (to = neighbor(p->pane, at, by)) != at; at = to)
        if (view_column_is_there(p, to))
            return to;
    return p->column;
}

ACTION(column)
{
    UNUSED(k);
    struct place *p = app_place(a);
    if (p->shows_column)
        p->column = next_column(p, b->argument);
    else
        p->column = p->sort;
    p->shows_column = true;
    return REACT_DRAW;
}

ACTION(sort_step)
{
    UNUSED(k);
    struct place *p = app_place(a);
    const unsigned to = neighbor(p->pane, p->sort, b->argument);
    if (to != p->sort)
        app_sort(a, to);
    return REACT_DRAW;
}

ACTION(invert)
{
    UNUSED(b), UNUSED(k);
    struct place *p = app_place(a);
    p->has_sort = true;
    p->ascending = !p->ascending;
    return REACT_DRAW;
}

ACTION(follow)
{
    UNUSED(b), UNUSED(k);
    struct list *l = &app_place(a)->list;
    if (app_shown(a)->pane->view != PANE_EVENTS) {
        l->keeps_line = !l->keeps_line;
        app_message(a, false,
                    l->keeps_line ? "the cursor's row stays on its line"
                                  : "the cursor's row moves with the sort order");
        return REACT_DRAW;
    }
    l->is_tail = !l->is_tail;
    l->is_first = false;
    if (l->is_tail)
        l->has_key = false;
    return REACT_DRAW;
}

/* ---- tags ------------------------------------------------------------------------------ */

ACTION(tag)
{
    UNUSED(b), UNUSED(k);
    const struct frame_row *row = app_cursor_row(a);
    struct tags *t = &a->tags;
    if (!row)
        return REACT_NONE;
    if (t->pane != app_shown(a)->pane) {
        t->count = 0;
        t->pane = app_shown(a)->pane;
    }
    unsigned i = 0;
    while (i < t->count && !row_key_equal(t->keys[i], row->key))
        i++;
    if (i < t->count)
        t->keys[i] = t->keys[--t->count];
    else if (t->count < TAGS_MAX)
        t->keys[t->count++] = row->key;
    else
        app_message(a, true, "%d rows are tagged; U untags all", TAGS_MAX);
    list_move(&app_place(a)->list, 1);
    return REACT_DRAW;
}

ACTION(untag)
{
    UNUSED(b), UNUSED(k);
    const bool had_tags = a->tags.count && a->tags.pane == app_shown(a)->pane;
    a->tags.count = 0;
    if (!search_drop_rule(a) && !had_tags)
        app_message(a, false, "no row is tagged; Space tags this row, * tags rows by a filter");
    return REACT_DRAW;
}

static bool is_missing(const struct app *a, const struct column *c)
{
    const struct pane *const p = app_shown(a)->pane;
    const size_t i = (size_t)(c - p->columns);
    return i < 64 && a->columns_of[place_index(p)].missing >> i & 1;
}

/* P, M, T: the first of these that the pane has and the recording has something for. Memory is what
 * a process has in RAM, or else reserves, or faults in. */
ACTION(sort_by)
{
    UNUSED(k);
    static const char *const ids[][4] = {
        [SORT_CPU] = {"cpu", "cpu_percent", "run", "samples"},
        [SORT_MEMORY] = {"rss", "alloc", "faults", "hard_faults"},
        [SORT_TIME] = {"cpu_time", "time", "wait", "run"},
    };
    const struct pane *const p = app_shown(a)->pane;
    for (unsigned i = 0; i < 4 && ids[b->argument][i]; i++) {
        const struct column *const c = pane_column(p, ids[b->argument][i]);
        if (!c || c->type == VALUE_ID || c->type == VALUE_TEXT || is_missing(a, c))
            continue;
        app_sort(a, (unsigned)(c - p->columns));
        return REACT_DRAW;
    }
    app_message(a, false, "%s has no such column; s lists those it has", p->title);
    return REACT_DRAW;
}

/* ---- mouse ----------------------------------------------------------------------------- */

static bool is_inside(const struct rect *r, const struct key *k)
{
    return k->x >= r->x && k->x < r->x + r->width && k->y >= r->y && k->y < r->y + r->height;
}

static unsigned click_row(struct app *a, const struct rect *body, const struct key *k)
{
    struct list *l = &app_place(a)->list;
    const uint64_t index = l->top + (uint64_t)(k->y - body->y);
    if (a->focus->is_detail || a->overlay != OVERLAY_NONE || index >= l->count)
        return REACT_NONE;
    if (index == l->cursor && !l->is_tail)
        return action_open(a, NULL, k); /* the second click opens */
    list_go(l, index);
    return REACT_DRAW;
}

/* A crumb leads back to where it was chosen; the filter is there to be edited. */
static unsigned click_crumbs(struct app *a, const struct rect *line, int x)
{
    unsigned level;
    const enum crumb_part part = lines_crumb_at(a, line, x, &level);
    if (part == CRUMB_PART_FILTER)
        app_open_prompt(a, PROMPT_FILTER, filtering_text(a));
    while (part == CRUMB_PART_LEVEL && a->focus->depth > level)
        app_back(a);
    a->focus->is_detail &= part != CRUMB_PART_LEVEL;
    return REACT_DRAW;
}

ACTION(click)
{
    const struct layout layout = app_layout(a);
    if (is_inside(&layout.keys, k)) {
        if (lines_have_message(a) && a->prompting == PROMPT_NONE)
            return action_report(a, HELP_MESSAGES);
        lines_key_at(a, k->x, &a->struck);
        return REACT_NONE;
    }
    if (is_inside(&layout.strip, k) && a->overlay == OVERLAY_NONE && a->prompting == PROMPT_NONE)
        return strip_click(a, &layout.strip, k);
    if (is_inside(&layout.body, k) && chart_is_shown(a) && !chart_is_by_row(a) &&
        a->overlay == OVERLAY_NONE)
        return chart_click(a, k);
    if (is_inside(&layout.body, k) && flame_is_shown(a) && a->overlay == OVERLAY_NONE)
        return flame_click(a, &layout.body, k);
    if (is_inside(&layout.body, k))
        return click_row(a, &layout.body, k);
    if (is_inside(&layout.status, k))
        return action_loss(a, b, k);
    if (is_inside(&layout.crumbs, k) && a->overlay == OVERLAY_NONE && a->prompting == PROMPT_NONE)
        return click_crumbs(a, &layout.crumbs, k->x);
    const bool has_header = is_inside(&layout.header, k) && !chart_is_shown(a);
    const int column = has_header ? view_table_column_at(a, k->x) : -1;
    const int border = has_header ? view_table_border_at(a, k->x) : -1;
    if (border >= 0)
        widths_grab(a, (unsigned)border, k->x);
    if (column >= 0 && app_context(a) & CONTEXT_TABLE)
        app_sort(a, (unsigned)column);
    return REACT_DRAW;
}

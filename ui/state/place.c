#include "ui/state/place.h"

#include "src/base/mem.h"
#include "src/pane/panes.h"
#include "ui/state/layout.h"
#include "ui/state/made_panes.h"
#include "ui/state/view_columns.h"

#include <limits.h>
#include <string.h>

unsigned place_index(const struct pane *p)
{
    unsigned i = 0;
    if (query_pane_is(p))
        return QUERY_PLACE;
    while (panes[i] && panes[i] != (p->of ? p->of : p) && i < QUERY_PLACE - 1)
        i++;
    return i;
}

struct pane_columns *place_columns(struct app *a, const struct pane *p)
{
    struct pane_columns *const asked = queries_columns(&a->made->queries, p);
    return asked ? asked : &a->columns_of[place_index(p)];
}

const struct pane *place_pane(const struct app *a, const struct pane *p)
{
    return query_pane_is(p) ? p : event_panes_now(&a->made->events, p);
}

static void renew(const struct app *a, const struct pane **p)
{
    if (*p)
        *p = place_pane(a, *p);
}

static void renew_levels(const struct app *a, struct pane_state *s)
{
    for (unsigned depth = 0; depth < LEVELS_MAX; depth++)
        for (unsigned i = 0; s->levels[depth] && i < PANES_MAX; i++)
            renew(a, &s->levels[depth]->places[i].pane);
}

void place_renew(struct app *a)
{
    for (unsigned i = 0; i < a->split_count; i++)
        renew_levels(a, a->splits[i].state);
    renew(a, &a->tags.pane);
    renew(a, &a->search.pane);
    renew(a, &a->search.rule_pane);
    a->drag.pane = NULL;
}

struct level *place_level(struct app *a, unsigned depth)
{
    if (!a->focus->levels[depth])
        a->focus->levels[depth] = mem_new(1, sizeof *a->focus->levels[depth]);
    return a->focus->levels[depth];
}

static unsigned column_of(const struct pane *p, const char *id)
{
    for (unsigned i = 0; i < p->column_count; i++)
        if (id && strcmp(p->columns[i].id, id) == 0)
            return i;
    return 0;
}

static bool sorts_upwards(const struct column *c)
{
    const bool is_number = c->flags & COLUMN_RIGHT; /* as "10.7" and "new" */
    return (c->type == VALUE_TEXT && !is_number) || c->type == VALUE_PATH || c->type == VALUE_ID ||
           c->type == VALUE_INSTANT;
}

void place_sort_by_default(struct place *place)
{
    const struct pane *p = place->pane;
    unsigned sort = column_of(p, p->sort);
    if (p->sort_else && *place->missing >> sort & 1)
        sort = column_of(p, p->sort_else);
    if (place->has_sort || place->sort == sort)
        return;
    place->sort = place->column = sort;
    place->ascending = p->order ? p->order == ORDER_ASCENDING
                                : p->column_count > 0 && sorts_upwards(&p->columns[sort]);
}

/* ---- going places ------------------------------------------------------------------ */

void place_open(struct app *a, const struct pane *p)
{
    struct level *l = place_level(a, a->focus->depth);
    l->at = place_index(p);
    struct place *place = &l->places[l->at];
    if (place->is_open && (!query_pane_is(p) || place->pane == p))
        return;
    const struct pane_columns *const columns = place_columns(a, p);
    *place = (struct place){
        .pane = place_pane(a, p),
        .columns = columns->chosen,
        .widths = columns->widths,
        .fits = columns->fits,
        .missing = &columns->missing,
        .shows_sums = &a->is_accumulating,
        .is_open = true,
        .list = list_start(1),
        .sort = UINT_MAX,
    };
    if (p->stacks && p->view == PANE_TREE)
        place->stacks.metric = (uint8_t)stack_metric_find(p->stacks);
    place_sort_by_default(place);
    /* A stream that is running is watched at its end, a recorded one from its start. */
    const bool is_running = a->focus->frame && a->focus->frame->state == STATE_LIVE && !a->is_frozen;
    if (p->view == PANE_EVENTS && is_running) {
        place->list.is_tail = true;
        place->list.is_first = false;
    }
}

void app_sort(struct app *a, unsigned column)
{
    struct place *p = app_place(a);
    if (column >= p->pane->column_count)
        return;
    const bool again = p->sort == column;
    p->has_sort = true;
    p->ascending = again ? !p->ascending : sorts_upwards(&p->pane->columns[column]);
    p->sort = column;
}

/* All columns that were chosen have room. */
static bool has_chosen(const struct app *a, const struct place *p)
{
    for (unsigned i = 0; i < p->pane->column_count && i < COLUMNS_MAX; i++)
        if (p->columns[i] == COLUMN_ON && !view_table_has(p, app_width(a), i))
            return false;
    return true;
}

void app_toggle_column(struct app *a, unsigned column)
{
    struct place *p = app_place(a);
    if (column >= p->pane->column_count || column >= COLUMNS_MAX)
        return;
    const char *title = p->pane->columns[column].title;
    uint8_t *choice = &place_columns(a, p->pane)->chosen[column];
    const uint8_t before = *choice;
    const bool was_shown = view_table_has(p, app_width(a), column);
    *choice = COLUMN_AUTO;
    if (view_table_has(p, app_width(a), column) == was_shown)
        *choice = was_shown ? COLUMN_OFF : COLUMN_ON;
    if (view_table_has(p, app_width(a), column) != was_shown && (was_shown || has_chosen(a, p)))
        return;
    *choice = before;
    if (was_shown)
        app_message(a, false, "%s stays: %s", title,
                    p->sort == column ? "rows are sorted by it" : "the column cursor is on it");
    else
        app_message(a, false, "no room for %s; hide others first", title);
}

#include "ui/state/location_history.h"

#include "src/base/mem.h"
#include "ui/state/place.h"

#include <stdlib.h>
#include <string.h>

/* Nobody remembers a longer way; the oldest step is forgotten. */
enum { LOCATIONS_MAX = 32 };

struct jump {
    unsigned depth;
    const struct pane *at[LEVELS_MAX]; /* each level's pane */
    struct crumb crumbs[CRUMBS_MAX];
    struct place place; /* as it was left */
};

struct location_history {
    struct jump steps[LOCATIONS_MAX];
    unsigned count;
};

void location_history_free(struct location_history *j)
{
    free(j);
}

/* Remembers the place shown; to be called before another one is. */
static void location_history_leave(struct app *a)
{
    if (!a->focus->location_history)
        a->focus->location_history = mem_new(1, sizeof *a->focus->location_history);
    struct location_history *const j = a->focus->location_history;
    if (j->count == LOCATIONS_MAX)
        memmove(j->steps, j->steps + 1, --j->count * sizeof *j->steps);
    struct jump *const to = &j->steps[j->count++];
    memset(to, 0, sizeof *to);
    to->depth = a->focus->depth;
    for (unsigned d = 0; d <= a->focus->depth; d++)
        to->at[d] = a->focus->levels[d]->places[a->focus->levels[d]->at].pane;
    memcpy(to->crumbs, a->focus->crumbs, a->focus->depth * sizeof *to->crumbs);
    to->place = *app_shown(a);
}

/* Levels below a crumb that is another by now are begun anew; the others are as they were
 * left. */
static void rebuild(struct app *a, const struct jump *to)
{
    bool is_same = true;
    for (unsigned d = 0; d <= to->depth; d++) {
        is_same &= d == 0
                   || (d <= a->focus->depth
                       && memcmp(&a->focus->crumbs[d - 1], &to->crumbs[d - 1], sizeof *to->crumbs) == 0);
        if (!is_same && a->focus->levels[d])
            memset(a->focus->levels[d], 0, sizeof *a->focus->levels[d]);
    }
    memcpy(a->focus->crumbs, to->crumbs, sizeof a->focus->crumbs);
    for (a->focus->depth = 0; a->focus->depth < to->depth; a->focus->depth++)
        place_open(a, to->at[a->focus->depth]);
    place_open(a, to->place.pane);
}

/* Back to the place left last; false where there is none. Again goes further. */
static bool location_history_back(struct app *a)
{
    if (!a->focus->location_history || !a->focus->location_history->count)
        return false;
    const struct jump *const to =
        &a->focus->location_history->steps[--a->focus->location_history->count];
    const int height = app_shown(a)->list.height;
    a->focus->is_detail = false;
    rebuild(a, to);
    *app_place(a) = to->place;
    app_place(a)->pane = place_pane(a, to->place.pane);
    app_place(a)->list.height = height;
    return true;
}

void app_go_pane(struct app *a, const struct pane *p)
{
    if (place_pane(a, p) != app_shown(a)->pane)
        location_history_leave(a);
    a->focus->is_detail = false;
    place_open(a, p);
}

/* Who chose what rows go by wants to know the same of what is below them. */
static void keep_sort(struct place *to, const struct place *from)
{
    const struct column *by = from->sort < from->pane->column_count
                                  ? &from->pane->columns[from->sort]
                                  : NULL;
    for (unsigned i = 0; from->has_sort && by && i < to->pane->column_count; i++)
        if (strcmp(to->pane->columns[i].id, by->id) == 0 && to->pane->columns[i].type == by->type) {
            to->sort = to->column = i;
            to->ascending = from->ascending;
            to->has_sort = true;
        }
}

bool app_enter(struct app *a, const struct pane *target)
{
    const struct frame_row *row = app_cursor_row(a);
    if (!row || row->crumb == CRUMB_NONE) {
        app_message(a, false,
                    !row ? "there is no row here"
                    : app_shown(a)->pane->view == PANE_CHANGES
                        ? "press the key in its pane; Enter goes there"
                        : "nothing to open on this row");
        return false;
    }
    if (a->focus->depth == CRUMBS_MAX) {
        app_message(a, true, "at most %d levels; Backspace goes back", CRUMBS_MAX);
        return false;
    }
    location_history_leave(a);
    memset(&a->focus->crumbs[a->focus->depth], 0, sizeof *a->focus->crumbs); /* compared as bytes */
    a->focus->crumbs[a->focus->depth].kind = row->crumb;
    a->focus->crumbs[a->focus->depth].of = row->crumb == CRUMB_ROW ? app_shown(a)->pane : NULL;
    a->focus->crumbs[a->focus->depth].key = row->key;
    a->focus->depth++;
    const struct place *const from = &a->focus->levels[a->focus->depth - 1]->places[a->focus->levels[a->focus->depth - 1]->at];
    memset(place_level(a, a->focus->depth), 0, sizeof(struct level));
    place_open(a, target);
    keep_sort(app_place(a), from);
    return true;
}

bool app_back(struct app *a)
{
    if (a->focus->depth == 0)
        return false;
    location_history_leave(a);
    a->focus->depth--;
    return true;
}

void location_history_return(struct app *a)
{
    if (!location_history_back(a))
        app_message(a, false, "no earlier location");
}

bool location_history_end(struct app *a)
{
    struct place *const p = app_place(a);
    const unsigned began = p->began;
    p->began = BEGAN_NOT;
    if (began == BEGAN_BELOW)
        return app_back(a);
    if (began == BEGAN_BESIDE)
        location_history_return(a);
    return began == BEGAN_BESIDE;
}

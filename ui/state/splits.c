#include "ui/state/splits.h"

#include "src/base/mem.h"
#include "ui/state/location_history.h"
#include "ui/state/place.h"

#include <stdlib.h>
#include <string.h>

/* ---- which is current ------------------------------------------------------------------------ */

static void focus(struct app *a, unsigned i)
{
    a->split_at = i;
    a->focus = a->splits[i].state;
}

unsigned splits_enter(struct app *a, unsigned i)
{
    const unsigned current = a->split_at;
    focus(a, i);
    a->is_aside = i != current;
    return current;
}

void splits_leave(struct app *a, unsigned current)
{
    focus(a, current);
    a->is_aside = false;
}

const struct request *splits_sent(const struct app *a, unsigned i)
{
    return &a->splits[i].state->sent;
}

const struct frame *splits_frame(const struct app *a, unsigned i)
{
    return a->splits[i].state->frame;
}

/* What is on its way belongs to the one it was asked of. */
static bool may_go(struct app *a)
{
    if (a->exporting.format)
        app_message(a, true, "a file is being written; in a moment");
    return !a->exporting.format;
}

static void forget_what_comes(struct app *a)
{
    a->search.seek = SEEK_NOT;
    a->search.sequence = 0;
    a->awaited = (struct awaited){0};
    a->neighbor_step = (struct neighbor_step){0};
}

bool splits_go(struct app *a, unsigned i)
{
    if (i == a->split_at)
        return true;
    if (!may_go(a))
        return false;
    forget_what_comes(a);
    focus(a, i);
    return true;
}

/* ---- opening and closing ---------------------------------------------------------------------- */

static uint8_t free_view(const struct app *a)
{
    unsigned taken = 0;
    for (unsigned i = 0; i < a->split_count; i++)
        taken |= 1u << a->splits[i].view;
    uint8_t view = 0;
    while (taken >> view & 1)
        view++;
    return view;
}

static struct pane_state *insert(struct app *a, unsigned at, bool is_below)
{
    struct pane_state *const state = mem_new(1, sizeof *state);
    const uint8_t view = free_view(a);
    memmove(a->splits + at + 1, a->splits + at, (a->split_count - at) * sizeof *a->splits);
    a->splits[at] = (struct split){.view = view, .is_below = is_below, .state = state};
    a->split_count++;
    return state;
}

static void free_state(struct app *a, struct pane_state *s)
{
    if (s->frame)
        a->port.release(a->port.state, s->frame);
    location_history_free(s->location_history);
    for (unsigned d = 0; d < LEVELS_MAX; d++)
        free(s->levels[d]);
    free(s);
}

/* One that is not the current one. The next of its stack begins it now. */
static void take_away(struct app *a, unsigned at)
{
    free_state(a, a->splits[at].state);
    if (at + 1 < a->split_count && !a->splits[at].is_below)
        a->splits[at + 1].is_below = false;
    a->split_count--;
    memmove(a->splits + at, a->splits + at + 1, (a->split_count - at) * sizeof *a->splits);
}

/* The levels down to the current one, as they are. */
static void copy_levels(struct pane_state *to, const struct pane_state *from)
{
    for (unsigned d = 0; d <= from->depth; d++)
        to->levels[d] = mem_copy(from->levels[d], sizeof *from->levels[d]);
    memcpy(to->crumbs, from->crumbs, sizeof to->crumbs);
    to->depth = from->depth;
}

bool splits_open(struct app *a, const struct pane *p, bool is_below)
{
    if (a->split_count == VIEWS_MAX) {
        app_message(a, true, "at most %d panes can be shown at once", VIEWS_MAX);
        return false;
    }
    if (!may_go(a))
        return false;
    const unsigned at = splits_next(a, is_below);
    const bool was_zoomed = a->is_zoomed;
    struct pane_state *const new = insert(a, at, is_below);
    a->is_zoomed = false;
    if (!splits_have_room(a)) {
        take_away(a, at);
        a->is_zoomed = was_zoomed;
        app_message(a, true, "no room for another pane here: each takes %dx%d", LEAST_WIDTH,
                    LEAST_HEIGHT);
        return false;
    }
    copy_levels(new, a->focus);
    splits_go(a, at);
    if (p && p != app_shown(a)->pane)
        place_open(a, p);
    return true;
}

bool splits_close(struct app *a)
{
    const unsigned at = a->split_at;
    if (a->split_count < 2 || !may_go(a))
        return false;
    splits_go(a, at ? at - 1 : 1);
    take_away(a, at);
    a->split_at = at ? at - 1 : 0;
    a->is_zoomed = a->is_zoomed && a->split_count > 1;
    return true;
}

bool splits_only(struct app *a)
{
    if (a->split_count < 2)
        return false;
    for (unsigned i = a->split_count; i-- > 0;) {
        if (i == a->split_at)
            continue;
        take_away(a, i);
        a->split_at -= i < a->split_at;
    }
    a->is_zoomed = false;
    return true;
}

void splits_begin(struct app *a)
{
    insert(a, 0, false);
    focus(a, 0);
}

void splits_fini(struct app *a)
{
    splits_only(a);
    free_state(a, a->focus);
    a->focus = NULL;
    a->split_count = 0;
}

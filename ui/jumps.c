#include "ui/jumps.h"

#include "src/mem.h"
#include "ui/action.h"
#include "ui/place.h"

#include <stdlib.h>
#include <string.h>

/* Nobody remembers a longer way; the oldest step is forgotten. */
enum { JUMPS_MAX = 32 };

struct jump {
    unsigned depth, at[LEVELS_MAX]; /* at: index of each level's pane */
    struct crumb crumbs[CRUMBS_MAX];
    struct place place; /* as it was left */
};

struct jumps {
    struct jump steps[JUMPS_MAX];
    unsigned count;
};

void jumps_free(struct jumps *j)
{
    free(j);
}

void jumps_leave(struct app *a)
{
    if (!a->jumps)
        a->jumps = mem_new(1, sizeof *a->jumps);
    struct jumps *const j = a->jumps;
    if (j->count == JUMPS_MAX)
        memmove(j->steps, j->steps + 1, --j->count * sizeof *j->steps);
    struct jump *const to = &j->steps[j->count++];
    memset(to, 0, sizeof *to);
    to->depth = a->depth;
    for (unsigned d = 0; d <= a->depth; d++)
        to->at[d] = a->levels[d]->at;
    memcpy(to->crumbs, a->crumbs, a->depth * sizeof *to->crumbs);
    to->place = *app_shown(a);
}

/* Levels below a crumb that is another by now are begun anew; the others are as they were
 * left. */
static void rebuild(struct app *a, const struct jump *to)
{
    bool is_same = true;
    for (unsigned d = 0; d <= to->depth; d++) {
        is_same &= d == 0
                   || (d <= a->depth
                       && memcmp(&a->crumbs[d - 1], &to->crumbs[d - 1], sizeof *to->crumbs) == 0);
        if (!is_same && a->levels[d])
            memset(a->levels[d], 0, sizeof *a->levels[d]);
    }
    memcpy(a->crumbs, to->crumbs, sizeof a->crumbs);
    for (a->depth = 0; a->depth < to->depth; a->depth++)
        place_open(a, panes[to->at[a->depth]]);
    place_open(a, to->place.pane);
}

bool jumps_back(struct app *a)
{
    if (!a->jumps || !a->jumps->count)
        return false;
    const struct jump *const to = &a->jumps->steps[--a->jumps->count];
    const int height = app_shown(a)->list.height;
    a->is_detail = false;
    rebuild(a, to);
    *app_place(a) = to->place;
    app_place(a)->list.height = height;
    return true;
}

ACTION(last_view)
{
    UNUSED(b), UNUSED(k);
    if (!jumps_back(a))
        app_say(a, false, "there is no place before this one");
    return REACT_DRAW;
}

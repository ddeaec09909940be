/* Rows put together and left out: B groups, K hides the system's own, :hide-self tracetop's. */
#include "ui/action/grouping.h"

#include "ui/action/action.h"
#include "ui/state/app.h"
#include "ui/state/place.h"

#include "src/pane/panes.h"

static const char *const reported[GROUPINGS] = {
    [GROUPED_NOT] = "rows not grouped",
    [GROUPED_BY_HOST] = "connections grouped by remote host",
    [GROUPED_BY_NAME] = "processes grouped by name",
    [GROUPED_BY_USER] = "processes grouped by user",
    [GROUPED_BY_SESSION] = "processes grouped by session",
    [GROUPED_BY_SERVICE] = "processes grouped by service",
};

/* Only Windows has events of services, and not every recording has them. */
static bool has_services(const struct app *a)
{
    const struct pane *const p = pane_find("processes");
    const struct column *const c = p ? pane_column(p, "service") : NULL;
    return c && !(a->columns_of[place_index(p)].missing >> (c - p->columns) & 1);
}

static bool can_group(const struct app *a, const struct pane *p, enum group_by by)
{
    return by == GROUPED_BY_HOST      ? p->crumb == CRUMB_CONNECTION
           : by == GROUPED_BY_SERVICE ? has_services(a)
                                      : true;
}

ACTION(group)
{
    UNUSED(b), UNUSED(k);
    struct place *const p = app_place(a);
    if (p->pane->view != PANE_TABLE || !pane_is_of_processes(p->pane)) {
        app_message(a, false, "rows of %s belong to no process", p->pane->title);
        return REACT_DRAW;
    }
    do
        p->group = (p->group + 1) % GROUPINGS;
    while (!can_group(a, p->pane, p->group));
    p->is_tree &= p->group == GROUPED_NOT;
    p->list.has_key = false;
    app_message(a, false, "%s", reported[p->group]);
    return REACT_DRAW;
}

ACTION(hide_system)
{
    UNUSED(b), UNUSED(k);
    return action_toggle(a, &a->settings.hides_system, "system processes and drivers hidden",
                         "system processes and drivers shown");
}

unsigned grouping_hide_self(struct app *a, const char *argument)
{
    (void)argument;
    return action_toggle(a, &a->settings.hides_self, "tracetop itself hidden",
                         "tracetop itself shown");
}

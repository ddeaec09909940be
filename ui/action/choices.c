/* What there is to choose from: one table of all choosers. */
#include "ui/action/choices.h"

#include "ui/action/columns.h"
#include "ui/action/row_menu.h"
#include "ui/action/saved.h"
#include "ui/action/setup.h"
#include "ui/action/stacks.h"
#include "ui/state/chooser.h"
#include "ui/state/layout.h"
#include "ui/state/sticky_filter.h"
#include "ui/state/marks.h"
#include "ui/state/stack_facts.h"
#include "ui/state/view_columns.h"

#include "src/pane/panes.h"

#include <limits.h>

/* The i-th pane that is offered, or NULL and how many there are. */
static const struct pane *offered(const struct app *a, unsigned i, unsigned *count)
{
    *count = 0;
    for (unsigned at = 0; panes[at]; at++)
        if (chooser_offers(a, panes[at]) && (*count)++ == i)
            return panes[at];
    return NULL;
}

/* Panes first, then the views of the configuration. */
static bool pane_item(const struct app *a, unsigned i, struct choice *out)
{
    unsigned count;
    const struct pane *const p = offered(a, i, &count);
    if (!p)
        return saved_item(a, i - count, out);
    *out = (struct choice){.name = p->id,
                           .title = p->title,
                           .help = p->help,
                           .is_current = p == app_shown(a)->pane,
                           .key = p->digit};
    return true;
}

static void pane_take(struct app *a, unsigned i)
{
    unsigned count;
    const struct pane *const p = offered(a, i, &count);
    if (p)
        app_go_pane(a, p);
    else
        saved_take(a, i - count);
}

static bool sort_item(const struct app *a, unsigned i, struct choice *out)
{
    const struct place *p = app_shown(a);
    if (i >= p->pane->column_count)
        return false;
    const struct column *c = &p->pane->columns[i];
    *out = (struct choice){.name = c->id,
                           .title = c->title,
                           .help = c->help,
                           .is_current = i == p->sort,
                           .is_on = view_table_has(p, app_width(a), i)};
    return true;
}

static bool metric_item(const struct app *a, unsigned i, struct choice *out)
{
    unsigned at = 0, left = i;
    while (at < STACK_METRICS && (!stacks_has_metric(a, at) || left-- > 0))
        at++;
    if (at == STACK_METRICS)
        return false;
    *out = (struct choice){.name = stack_metrics[at].id,
                           .title = stack_metrics[at].title,
                           .help = stack_metrics[at].help,
                           .is_current = at == app_shown(a)->stacks.metric};
    return true;
}

static void metric_take(struct app *a, unsigned i)
{
    struct choice c;
    if (metric_item(a, i, &c))
        stacks_set_metric(a, stack_metric_find(c.name));
}

static bool user_item(const struct app *a, unsigned i, struct choice *out)
{
    if (i == 0) {
        *out = (struct choice){.name = "", .title = "everybody", .help = "Processes of all users"};
        return true;
    }
    *out = (struct choice){.name = ""};
    if (!sticky_filter_user(a, i - 1, &out->whose))
        return false;
    out->name = out->whose.field;
    out->title = out->whose.title;
    out->help = out->whose.count;
    return true;
}

static bool mark_item(const struct app *a, unsigned i, struct choice *out)
{
    *out = (struct choice){.name = ""};
    if (!marks_moment(a, i, &out->moment))
        return false;
    out->name = out->help = out->moment.what;
    out->title = out->moment.when;
    return true;
}

static void user_take(struct app *a, unsigned i)
{
    sticky_filter_take_user(a, i ? i - 1 : UINT_MAX);
}

const struct chooser_source *const choices[CHOOSERS] = {
    [CHOOSE_METRIC] =
        &(const struct chooser_source){"Weigh stacks by", metric_item, metric_take, NULL},
    [CHOOSE_USER] =
        &(const struct chooser_source){"Processes of user or session", user_item, user_take, NULL},
    [CHOOSE_MARK] =
        &(const struct chooser_source){"Marks, gaps and losses", mark_item, marks_go, NULL},
    [CHOOSE_ACTION] =
        &(const struct chooser_source){"Actions on this row", row_menu_item, row_menu_take, NULL},
    [CHOOSE_PANE] = &(const struct chooser_source){"Views", pane_item, pane_take, NULL},
    [CHOOSE_SORT] = &(const struct chooser_source){"Sort by; + is shown", sort_item, app_sort,
                                                   app_toggle_column},
    [CHOOSE_COLUMNS] = &columns_source,
    [CHOOSE_SETUP] = &setup_source,
    [CHOOSE_THEME] = &setup_themes,
};

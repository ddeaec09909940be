/* The app begins and ends. */
#include "ui/main/dispatch.h"

#include "src/base/mem.h"
#include "src/pane/event_columns.h"
#include "src/pane/panes.h"
#include "ui/action/choices.h"
#include "ui/action/palette.h"
#include "ui/action/saved.h"
#include "ui/draw/view_file.h"
#include "ui/state/filtering.h"
#include "ui/state/place.h"
#include "ui/state/splits.h"
#include "ui/state/triggers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void take_place(struct app *a, const struct view_place *v)
{
    place_open(a, v->pane);
    struct place *const p = app_place(a);
    char filter[FILTER_MAX];
    const bool has_both = v->within[0] && v->filter[0];
    if (snprintf(filter, sizeof filter, "%s%s%s%s", v->within, has_both ? " (" : "", v->filter,
                 has_both ? ")" : "") < (int)sizeof filter)
        filtering_set(a, filter);
    if (v->pane->view == PANE_TREE) {
        p->stacks.metric = v->stacks.metric;
        p->stacks.shape = v->stacks.shape;
        p->stacks.is_flame = v->stacks.is_flame;
    }
    if (v->sort) {
        p->sort = (unsigned)(v->sort - v->pane->columns);
        p->ascending = v->ascending;
        p->has_sort = true;
    }
}

/* Where the screen has no room for the next pane, the others stay away. */
static void take_view(struct app *a, const struct view_state *v)
{
    take_place(a, &v->places[0]);
    for (unsigned i = 1; i < VIEWS_MAX && v->places[i].pane; i++) {
        if (!splits_open(a, v->places[i].pane, v->places[i].is_below))
            break;
        memset(app_place(a)->filter, 0, sizeof app_place(a)->filter);
        take_place(a, &v->places[i]);
    }
    splits_go(a, 0);
}

void app_init(struct app *a, const struct app_options *o)
{
    *a = (struct app){
        .port = *o->port,
        .glyphs = o->is_ascii ? &glyphs_ascii : &glyphs_unicode,
        .columns = o->columns,
        .rows = o->rows,
        .now = o->now,
        .is_still = o->is_still,
        .is_whole = o->is_whole,
        .saver = o->saver,
        .journal = o->journal,
        .reports = o->reports,
        .config = o->config,
        .event_panes = o->event_panes ? o->event_panes : mem_new(1, sizeof *o->event_panes),
        .owns_event_panes = !o->event_panes,
        .choosers = choices,
        .command_help = palette_help,
        .keys = o->config ? o->config->keys : NULL,
    };
    if (o->config)
        a->settings = o->config->settings;
    else
        settings_default(&a->settings);
    a->interval_kept = a->settings.interval_ns;
    splits_begin(a);
    saved_columns_begin(a);
    const char *const start = o->pane ? o->pane : a->settings.start;
    const struct pane *first = *start ? pane_find(start) : NULL;
    place_open(a, first ? first : panes[0]);
    triggers_begin(a, o->triggers, o->trigger_count);
    highlight_configure(a, a->config);
    triggers_configure(a, a->config);
    if (o->view && o->view->places[0].pane)
        take_view(a, o->view);
    if (o->filter && *o->filter)
        filtering_set(a, o->filter);
    if (o->config && o->config->warnings)
        app_message(a, true, "%s", config_complaint(o->config));
    app_settle(a);
}

void app_fini(struct app *a)
{
    triggers_fini(a);
    splits_fini(a);
    free(a->chooser.seen);
    if (a->owns_event_panes) {
        event_panes_fini(a->event_panes);
        free(a->event_panes);
    }
    free(a->copied);
    report_free(a->report);
    for (unsigned i = 0; i < PROMPTS; i++)
        history_fini(&a->histories[i]);
    *a = (struct app){0};
}

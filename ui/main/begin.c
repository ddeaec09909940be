/* The app begins and ends. */
#include "ui/main/dispatch.h"

#include "src/base/mem.h"
#include "src/pane/panes.h"
#include "ui/action/choices.h"
#include "ui/action/palette.h"
#include "ui/action/saved.h"
#include "ui/draw/view_file.h"
#include "ui/state/filtering.h"
#include "ui/state/made_panes.h"
#include "ui/state/place.h"
#include "ui/state/splits.h"
#include "ui/state/triggers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void take_sort(struct place *p, const struct view_place *v)
{
    const struct column *const sort = pane_column(p->pane, v->sort);
    if (!sort)
        return;
    p->sort = (unsigned)(sort - p->pane->columns);
    p->ascending = v->ascending;
    p->has_sort = true;
}

static void take_place(struct app *a, const struct pane *pane, const struct view_place *v)
{
    place_open(a, pane);
    struct place *const p = app_place(a);
    char filter[FILTER_MAX];
    const bool has_both = v->within[0] && v->filter[0];
    if (snprintf(filter, sizeof filter, "%s%s%s%s", v->within, has_both ? " (" : "", v->filter,
                 has_both ? ")" : "") < (int)sizeof filter)
        filtering_set(a, filter);
    if (pane->view == PANE_TREE) {
        p->stacks.metric = v->stacks.metric;
        p->stacks.shape = v->stacks.shape;
        p->stacks.is_flame = v->stacks.is_flame;
    }
    take_sort(p, v);
}

/* The pane that a snapshot's .view names; NULL where there is none, a wrong query with a message.
 */
static const struct pane *pane_of(struct app *a, const struct view_place *v)
{
    struct err err;
    const struct pane *const p = v->pane[0] ? queries_pane(a, v->pane, &err) : NULL;
    if (v->pane[0] && !p)
        app_message(a, true, "%s", err.text);
    return p;
}

/* Where the screen has no room for the next pane, the others stay away. */
static void take_view(struct app *a, const struct view_state *v)
{
    const struct pane *pane = pane_of(a, &v->places[0]);
    if (!pane)
        return;
    take_place(a, pane, &v->places[0]);
    for (unsigned i = 1; i < VIEWS_MAX && (pane = pane_of(a, &v->places[i])); i++) {
        if (!splits_open(a, pane, v->places[i].is_below))
            break;
        memset(app_place(a)->filter, 0, sizeof app_place(a)->filter);
        take_place(a, pane, &v->places[i]);
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
        .made = o->made ? o->made : mem_new(1, sizeof *o->made),
        .owns_made = !o->made,
        .choosers = choices,
        .messages = message_log_new(),
        .typed_command = palette_command,
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
    if (o->view)
        take_view(a, o->view);
    if (o->filter && *o->filter)
        filtering_set(a, o->filter);
    if (o->greeting)
        app_message(a, false, "%s", o->greeting);
    if (o->config && o->config->warnings)
        app_message(a, true, "%s", config_complaint(o->config));
    app_settle(a);
}

void app_fini(struct app *a)
{
    triggers_fini(a);
    splits_fini(a);
    free(a->chooser.seen);
    if (a->owns_made) {
        made_panes_fini(a->made);
        free(a->made);
    }
    free(a->copied);
    message_log_free(a->messages);
    report_free(a->report);
    for (unsigned i = 0; i < PROMPTS; i++)
        history_fini(&a->histories[i]);
    *a = (struct app){0};
}

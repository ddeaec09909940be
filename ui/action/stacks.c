/* What keys do with call trees: their shape and metric, folds, frames kept and dropped; and
 * going about in a flame graph. */
#include "ui/action/action.h"
#include "ui/action/stacks.h"
#include "ui/state/app.h"
#include "ui/state/layout.h"
#include "ui/state/location_history.h"
#include "ui/state/search.h"
#include "ui/state/flame.h"

#include "src/engine/watch.h"
#include "src/pane/panes.h"
#include "ui/state/stack_facts.h"
#include "ui/state/stack_shape.h"

#include <stdio.h>
#include <string.h>

/* ---- asking for them ----------------------------------------------------------------------- */

/* Live, more may be needed than is watched by now: what is switched on, and what that costs. */
static bool report_switching(struct app *a, const struct frame *f, const char *what)
{
    const struct place *const p = app_shown(a);
    const struct stack_metric_kind *const m = &stack_metrics[p->stacks.metric];
    const struct request r = {.pane = p->pane, .stacks = p->stacks};
    const bool is_live = f && f->state == STATE_LIVE && f->active;
    const uint32_t lacks = is_live ? watch_of_request(&r).stacks & ~f->active_stacks : 0;
    char words[64], copies[64] = "";
    if (!lacks)
        return false;
    watch_words(lacks, words, sizeof words);
    if (m->has_copies && f->unwind_percent)
        snprintf(copies, sizeof copies, ", and up to %u%% of a processor to unwind copies",
                 f->unwind_percent);
    if (lacks & ~f->refused)
        app_message(a, false, "%s%sswitching on stacks%s%s%s, %s%s", what, *what ? ": " : "",
                    *words ? " (" : "", words, *words ? ")" : "", m->cost, copies);
    else
        app_message(a, true, "%s%sits events are unavailable here", what, *what ? ": " : "");
    return true;
}

/* From another pane: the stacks of the row, or, where there are no rows, of everything. */
static bool enter(struct app *a)
{
    const struct pane *const target = pane_find("stacks"), *const from = app_shown(a)->pane;
    const bool is_list = from->view == PANE_EVENTS;
    char filter[FILTER_MAX];
    memcpy(filter, app_shown(a)->filter, sizeof filter);
    const struct watch_request of = watch_of_pane(from);
    if (!target || (!is_list && !app_enter(a, target)))
        return false;
    if (is_list) {
        app_go_pane(a, target);
        memcpy(app_place(a)->filter, filter, sizeof filter);
    }
    app_place(a)->began = is_list ? BEGAN_BESIDE : BEGAN_BELOW;
    app_place(a)->stacks.of = watch_with_stacks(of.classes);
    app_place(a)->stacks.metric =
        (uint8_t)(from->stacks ? stack_metric_find(from->stacks) : METRIC_OPERATIONS);
    stacks_recall(a);
    report_switching(a, a->focus->frame, "");
    return true;
}

/* The same key once more: back to the rows, or, where the pane was opened as such, from the flame
 * graph to the call tree. */
static unsigned end_shape(struct app *a, struct place *p)
{
    if (location_history_end(a))
        return REACT_DRAW;
    if (!p->stacks.is_flame) {
        app_message(a, false, "this is the call tree; f shows the flame graph");
        return REACT_DRAW;
    }
    p->stacks.is_flame = false;
    stacks_reshape(a);
    return REACT_DRAW;
}

ACTION(stack_shape)
{
    UNUSED(k);
    const bool was_here = stacks_are_shown(a);
    if (!was_here && !enter(a))
        return REACT_DRAW;
    struct place *const p = app_place(a);
    const bool wants_flame = b->argument == SHAPE_FLAME;
    unsigned shape = b->argument == SHAPE_FLAT ? STACK_FLAT : STACK_CALLEES;
    if ((wants_flame || b->argument == SHAPE_TREE) && p->stacks.shape == STACK_CALLERS)
        shape = STACK_CALLERS; /* the direction stays */
    if (b->argument == SHAPE_FLAT && p->stacks.shape == STACK_FLAT)
        shape = STACK_CALLEES;
    const bool is_same = p->stacks.shape == shape && p->stacks.is_flame == wants_flame;
    if (was_here && is_same)
        return end_shape(a, p);
    if (is_same)
        return REACT_DRAW;
    p->stacks.shape = (uint8_t)shape;
    p->stacks.is_flame = wants_flame;
    stacks_reshape(a);
    return REACT_DRAW;
}

ACTION(stack_around)
{
    UNUSED(b), UNUSED(k);
    if (!stacks_are_shown(a)) {
        if (!enter(a))
            return REACT_DRAW;
        app_place(a)->stacks.shape = STACK_FLAT;
        app_place(a)->stacks.is_flame = false;
        app_message(a, false, "b on a frame shows what calls it and what it calls");
        return REACT_DRAW;
    }
    const struct frame_row *const row = app_cursor_row(a);
    struct place *const p = app_place(a);
    const bool is_around = p->stacks.shape == STACK_BOTH;
    if (is_around &&
        (!row || row->crumb != CRUMB_FRAME || row_key_equal(row->key, p->stacks.focus))) {
        stacks_end_around(a);
        return REACT_DRAW;
    }
    if (!row || row->crumb != CRUMB_FRAME) {
        app_message(a, false, "select a frame: b shows its callers and callees");
        return REACT_DRAW;
    }
    p->stacks.focus = row->key;
    p->stacks.shape = STACK_BOTH;
    p->stacks.is_flame = false;
    stacks_reshape(a);
    return REACT_DRAW;
}

ACTION(stack_direction)
{
    UNUSED(k);
    struct place *const p = app_place(a);
    const uint8_t shape = b->argument > 0 ? STACK_CALLEES : STACK_CALLERS;
    app_message(a, false,
                b->argument > 0 ? "from the outermost frame to its callees"
                                : "from the innermost frame to its callers");
    if (p->stacks.shape == shape)
        return REACT_DRAW;
    p->stacks.shape = shape;
    stacks_reshape(a);
    return REACT_DRAW;
}

ACTION(stack_fold)
{
    UNUSED(b), UNUSED(k);
    static const char *const reported[STACK_FOLDS] = {
        [FOLD_NO_FRAMES] = "all frames",
        [FOLD_RECURSION] = "recursion folded: a recursive function counts at its first call",
        [FOLD_MODULES] = "modules: adjacent frames of a module are merged",
        [FOLD_PROCESSES] = "processes first, then their frames",
    };
    struct place *const p = app_place(a);
    if (p->stacks.shape == STACK_BOTH)
        p->stacks.shape = STACK_CALLEES; /* its frame may be folded away */
    p->stacks.fold = (uint8_t)((p->stacks.fold + 1) % STACK_FOLDS);
    stacks_remember(a);
    stacks_reshape(a);
    app_message(a, false, "%s", reported[p->stacks.fold]);
    return REACT_DRAW;
}

/* ---- what is counted ----------------------------------------------------------------------- */

static void report_metric(struct app *a, const struct frame *f)
{
    const char *const help = stack_metrics[app_place(a)->stacks.metric].help;
    if (!report_switching(a, f, help))
        app_message(a, false, "%s", help);
}

void stacks_set_metric(struct app *a, unsigned metric)
{
    struct place *const p = app_place(a);
    if (!stacks_are_shown(a) || metric >= STACK_METRICS)
        return;
    p->stacks.metric = (uint8_t)metric;
    report_metric(a, app_known(a));
}

ACTION(stack_cut_off)
{
    UNUSED(b), UNUSED(k);
    static const int16_t steps[] = {STACK_CUT_OFF_DEFAULT, 100, 500, STACK_CUT_OFF_NONE, 10};
    enum { STEPS = sizeof steps / sizeof *steps };
    struct place *const p = app_place(a);
    const int16_t now = stacks_cut_off(a);
    unsigned at = 0;
    while (at < STEPS - 1 && steps[at] != now)
        at++;
    p->stacks.cut_off = steps[(at + 1) % STEPS];
    stacks_remember(a);
    if (p->stacks.cut_off < 0)
        app_message(a, false, "every frame has a row");
    else
        app_message(a, false, "frames below %g%% share a row", p->stacks.cut_off / 100.0);
    return REACT_DRAW;
}

ACTION(stack_percent)
{
    UNUSED(b), UNUSED(k);
    const unsigned reaction =
        action_toggle(a, &app_place(a)->stacks.of_visible, "percentages of the shown part",
                      "percentages of all events with a stack");
    stacks_remember(a);
    return reaction;
}

ACTION(stack_term)
{
    UNUSED(k);
    const struct frame_row *const row = app_cursor_row(a);
    struct stack_look *const s = &app_place(a)->stacks;
    if (!row || row->crumb != CRUMB_FRAME) {
        app_message(a, false, "select a frame: ! hides its stacks, = shows only them");
    } else if (s->term_count == STACK_TERMS) {
        app_message(a, true, "at most %d frames can be chosen; Esc removes the last", STACK_TERMS);
    } else {
        s->terms[s->term_count++] = (struct stack_term){row->key, b->argument < 0};
        stacks_remember(a);
        app_message(a, false,
                    b->argument < 0 ? "stacks with this frame hidden; Esc shows them again"
                                    : "only stacks with this frame; Esc shows all again");
    }
    return REACT_DRAW;
}

/* ---- highlighting -------------------------------------------------------------------------- */

ACTION(stack_highlight)
{
    UNUSED(b), UNUSED(k);
    const struct frame_row *const row = app_cursor_row(a);
    struct place *const p = app_place(a);
    char name[sizeof p->highlighted];
    if (!row)
        return REACT_NONE;
    stacks_name(a, row, name, sizeof name);
    const bool was_highlighted = strcmp(name, p->highlighted) == 0;
    search_drop(a); /* n and N now go to the highlighted frame */
    memcpy(p->highlighted, was_highlighted ? "" : name, was_highlighted ? 1 : sizeof name);
    if (!was_highlighted)
        app_message(a, false, "n and N find this frame elsewhere; # ends highlighting");
    return REACT_DRAW;
}

ACTION(stack_next_highlight)
{
    UNUSED(k);
    const struct frame *const f = app_known(a);
    struct list *const l = &app_place(a)->list;
    if (search_is_on(a))
        return action_find_next(a, b, k);
    if (!f || !app_place(a)->highlighted[0]) {
        app_message(a, false, "/ finds frames, # highlights this one; n and N go there");
        return REACT_DRAW;
    }
    for (int64_t at = (int64_t)l->cursor + b->argument;
         at >= (int64_t)f->first && at < (int64_t)(f->first + f->row_count); at += b->argument)
        if (stacks_is_highlighted(a, &f->rows[(uint64_t)at - f->first])) {
            list_go(l, (uint64_t)at);
            l->key = f->rows[(uint64_t)at - f->first].key;
            l->has_key = true;
            return REACT_DRAW;
        }
    app_message(a, false, "no further match %s", b->argument > 0 ? "below" : "above");
    return REACT_DRAW;
}

/* ---- the flame graph ------------------------------------------------------------------------ */

static void go_to(struct app *a, const struct flame *g, int box)
{
    const struct frame *const f = app_known(a);
    struct list *const l = &app_place(a)->list;
    if (box < 0)
        return;
    l->is_first = l->is_tail = false;
    l->cursor = f->first + g->boxes[box].row;
    l->key = f->rows[g->boxes[box].row].key;
    l->has_key = true;
}

ACTION(flame_move)
{
    UNUSED(k);
    const struct frame *const f = app_known(a);
    if (!f)
        return REACT_NONE;
    struct flame g;
    flame_lay_out(f, &app_place(a)->stacks.root, app_layout(a).body.width, &g);
    go_to(a, &g, flame_neighbor(a, &g, flame_cursor(a, &g), (enum flame_way)b->argument));
    flame_fini(&g);
    return REACT_DRAW;
}

ACTION(flame_zoom)
{
    UNUSED(b), UNUSED(k);
    const struct frame_row *const row = app_cursor_row(a);
    struct place *const p = app_place(a);
    if (!row || row->level == 0 || row_key_equal(row->key, p->stacks.root))
        return REACT_NONE;
    if (p->zoom_count == ZOOMS_MAX) {
        app_message(a, true, "at most %d zoom levels; Backspace goes back", ZOOMS_MAX);
        return REACT_DRAW;
    }
    p->zoom[p->zoom_count++] = p->stacks.root;
    p->stacks.root = row->key;
    return REACT_DRAW;
}

unsigned flame_click(struct app *a, const struct rect *body, const struct key *k)
{
    const struct frame *const f = app_known(a);
    struct flame g;
    if (!f)
        return REACT_NONE;
    flame_lay_out(f, &app_place(a)->stacks.root, body->width, &g);
    const int cursor = flame_cursor(a, &g);
    const unsigned top = flame_top(&g, cursor, body->height);
    const unsigned level = flame_level(a, k->y - body->y, top, body->height);
    const int at = flame_at(&g, level, k->x - body->x);
    go_to(a, &g, at);
    flame_fini(&g);
    return at >= 0 && at == cursor ? action_flame_zoom(a, NULL, k) : REACT_DRAW;
}

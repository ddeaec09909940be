/* What is wanted now: always the whole of what is shown, and asked for only when that is not what was
 * asked for last. */
#include "ui/main/dispatch.h"

#include "ui/action/interval.h"
#include "ui/draw/view_detail.h"
#include "ui/draw/view_help.h"
#include "ui/main/parts.h"
#include "ui/state/chooser.h"
#include "ui/state/chart.h"
#include "ui/state/layout.h"
#include "ui/state/splits.h"
#include "ui/state/stack_facts.h"
#include "ui/state/view_columns.h"

#include <limits.h>
#include <string.h>

/* Is there no room for the column that names events? */
static bool lacks_names(const struct app *a, const struct place *p)
{
    const struct pane *const pane = p->pane;
    unsigned i = 0;
    while (i < pane->column_count && strcmp(pane->columns[i].id, "event") != 0)
        i++;
    return pane->view == PANE_EVENTS && !view_table_has(p, app_width(a), i);
}

/* Which rows: one screen above and one below what is shown, so that moving has rows at once. */
static void ask_rows(const struct app *a, const struct list *l, struct request *r)
{
    const uint64_t height = (uint64_t)l->height;
    r->rows = 3 * (unsigned)height;
    r->first = l->top > height ? l->top - height : 0;
    r->has_anchor = l->has_key && !l->is_first && !l->is_tail;
    if (flame_is_shown(a)) { /* all boxes that have half a cell */
        r->rows = UINT_MAX;
        r->first = 0;
        r->stacks.cut_off = (int16_t)(5000 / (app_width(a) > 0 ? app_width(a) : 1));
        r->stacks.cut_off += r->stacks.cut_off == 0;
    }
    if (r->has_anchor || a->focus->is_detail) {
        r->has_anchor = true;
        r->anchor = l->key;
        r->anchor_line = (int)(l->cursor - l->top + height);
    }
}

static struct request wanted(const struct app *a)
{
    const struct place *p = app_shown(a);
    const struct list *l = &p->list;
    struct request r;
    memset(&r, 0, sizeof r); /* padding too: requests are compared as bytes */
    r.view = a->splits[a->split_at].view;
    r.pane = p->pane;
    r.crumb_count = a->focus->depth;
    memcpy(r.crumbs, a->focus->crumbs, a->focus->depth * sizeof *r.crumbs);
    memcpy(r.filter, p->filter, strlen(p->filter));
    r.sort = p->sort;
    r.ascending = p->ascending;
    r.accumulate = a->is_accumulating || a->is_whole;
    r.hides_idle = a->settings.hides_idle && p->pane->view == PANE_TABLE;
    if (p->pane->view == PANE_TABLE)
        r.hides = (uint8_t)((a->settings.hides_system ? HIDE_SYSTEM : 0) |
                            (a->settings.hides_self ? HIDE_SELF : 0));
    r.group = (uint8_t)p->group;
    r.new_ns = a->settings.new_ns ? a->settings.new_ns : -1;
    r.exited_ns = a->settings.exited_ns ? a->settings.exited_ns : -1;
    r.folds_exited = a->settings.folds_exited && p->pane->view == PANE_TABLE;
    r.locks_order = p->locks_order;
    r.freeze = a->is_frozen;
    r.from_ns = a->range_from;
    r.to_ns = a->range_to;
    r.follow_tail = l->is_tail;
    r.names_events = lacks_names(a, p);
    r.detail = a->focus->is_detail;
    if (a->tags.pane == p->pane) {
        memcpy(r.tags, a->tags.keys, a->tags.count * sizeof *r.tags);
        r.tag_count = a->tags.count;
    }
    memcpy(r.folds, p->folds, p->fold_count * sizeof *r.folds);
    r.fold_count = p->fold_count;
    r.folds_all = p->folds_all;
    r.tree = p->is_tree;
    r.stacks = p->stacks;
    r.stacks.cut_off = stacks_cut_off(a);
    r.chart = chart_wanted(a);
    r.paths = a->settings.paths;
    r.of_one_cpu = a->settings.of_one_cpu;
    ask_rows(a, l, &r);
    const bool is_row = a->focus->is_detail && p->pane->view == PANE_TABLE;
    r.about = is_row ? ABOUT_ROW : ABOUT_NOTHING;
    for (const struct ui_part *part = parts; part->name; part++)
        if (part->ask)
            part->ask(a, &r);
    if (a->is_aside)
        r.seek = SEEK_NOT;
    for (const struct ui_part *part = parts; part->name && !a->is_aside; part++)
        if (part->ask_here)
            part->ask_here(a, &r);
    return r;
}

/* The frames that answer older requests do not belong to another pane, crumb or call tree. */
static bool moves_place(const struct request *x, const struct request *y)
{
    return x->pane != y->pane || x->crumb_count != y->crumb_count ||
           memcmp(x->crumbs, y->crumbs, sizeof x->crumbs) != 0 ||
           !stack_look_counts_alike(&x->stacks, &y->stacks) ||
           x->stacks.is_flame != y->stacks.is_flame;
}

/* Are it other rows, or in another order, than those of the older request? Not where only another
 * part of them is wanted, or more about one; a search that has its row is over, too. */
static bool moves_rows(const struct request *r, const struct request *old)
{
    struct request like; /* padding too, as below */
    memcpy(&like, r, sizeof like);
    like.sequence = old->sequence;
    like.has_anchor = old->has_anchor;
    memcpy(&like.anchor, &old->anchor, sizeof like.anchor);
    like.anchor_line = old->anchor_line;
    like.first = old->first;
    like.rows = old->rows;
    like.names_events = old->names_events;
    like.detail = old->detail;
    like.about = old->about;
    memcpy(like.seen, old->seen, sizeof like.seen);
    memcpy(&like.chart, &old->chart, sizeof like.chart);
    memcpy(&like.strip, &old->strip, sizeof like.strip);
    like.neighbor = old->neighbor;
    like.is_backward = old->is_backward;
    if (like.seek == SEEK_NOT)
        like.seek = old->seek;
    return memcmp(&like, old, sizeof like) != 0;
}

static void fit(struct app *a)
{
    const struct layout layout = app_layout(a);
    const int height = layout.body.height > 0 ? layout.body.height : 1;
    const struct frame *f = app_known(a);
    struct list *l = &app_place(a)->list;
    const bool awaits_row = l->has_key && f && f->is_partial; /* it may be among those to come */
    list_fit(l, f ? f->shown : l->count, height);
    l->has_key |= awaits_row;
    if (a->focus->is_detail)
        view_detail_fit(a);
    if (a->is_aside)
        return;
    if (a->overlay == OVERLAY_HELP)
        view_help_fit(a);
    if (a->overlay == OVERLAY_CHOOSER)
        chooser_fit(a);
}

/* Gives the cursor's row its key as soon as it is known. */
static void learn_key(struct app *a)
{
    struct list *l = &app_place(a)->list;
    const struct frame_row *row = app_row(a, l->cursor);
    if (row && (!l->has_key || l->is_first || l->is_tail)) {
        l->key = row->key;
        l->has_key = true;
        if (a->focus->held.place == app_place(a) && !a->focus->held.has_stand_in) {
            a->focus->held.stand_in = row->key;
            a->focus->held.has_stand_in = true;
        }
    }
}

/* True where the current pane asks for something else than it did. */
static bool settle_one(struct app *a)
{
    fit(a);
    learn_key(a);
    struct request r = wanted(a);
    r.sequence = a->focus->sent.sequence;
    if (a->focus->sent.sequence != 0 && memcmp(&r, &a->focus->sent, sizeof r) == 0)
        return false;
    r.sequence = ++a->sequence;
    if (a->focus->sent.sequence == 0 || moves_place(&r, &a->focus->sent))
        a->focus->place_sequence = r.sequence;
    if (a->focus->sent.sequence == 0 || moves_rows(&r, &a->focus->sent))
        a->focus->rows_sequence = r.sequence;
    memcpy(&a->focus->sent, &r, sizeof r);
    for (const struct ui_part *part = parts; part->name && !a->is_aside; part++)
        if (part->sent)
            part->sent(a, &r);
    return true;
}

void app_settle(struct app *a)
{
    interval_keep(a);
    bool is_new = settle_one(a);
    unsigned views = 1u << a->splits[a->split_at].view;
    for (unsigned i = 0; i < a->split_count; i++) {
        if (i == a->split_at || !splits_shows(a, i))
            continue;
        views |= 1u << a->splits[i].view;
        const unsigned current = splits_enter(a, i);
        is_new |= settle_one(a);
        splits_leave(a, current);
    }
    if (is_new || views != a->asked_views)
        app_ask_all(a);
}

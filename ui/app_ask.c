/* What the screen is laid out as, and what it asks the engine for: always the whole of what is
 * shown, and only when that is not what was asked for last. */
#include "ui/app.h"

#include "ui/chooser.h"
#include "ui/compare.h"
#include "ui/exporting.h"
#include "ui/finding.h"
#include "ui/flame.h"
#include "ui/locking.h"
#include "ui/marks.h"
#include "ui/picture.h"
#include "ui/view_text.h"

#include <limits.h>
#include <string.h>

/* ---- layout ------------------------------------------------------------------------ */

static bool has_totals(const struct pane *p)
{
    return p->view != PANE_EVENTS && p->view != PANE_CHANGES;
}

/* From the top: machine, crumbs, header, totals, body, status, keys. What is dropped
 * first when there is no room is said in interaction.md §7. */
struct layout app_layout(const struct app *a)
{
    const int w = a->columns, h = a->rows;
    struct layout l = {.is_too_small = w < 40 || h < 8};
    if (l.is_too_small)
        return l;
    const bool is_small = w < 80 || h < 24;
    const bool is_rows = !a->is_detail;
    const int machine = is_small || !a->settings.shows_meters || a->is_zoomed ? 0 : 1;
    const int keys = h < 12 || a->is_zoomed ? 0 : 1;
    const bool is_summed = has_totals(app_shown(a)->pane) || picture_is_shown(a);
    const int totals = is_rows && h >= 16 && is_summed ? 1 : 0;
    const int header = is_rows ? 1 : 0;
    int y = 0;
    l.machine = (struct rect){0, y, w, machine};
    y += machine;
    l.crumbs = (struct rect){0, y++, w, 1};
    l.header = (struct rect){0, y, w, header};
    y += header;
    l.totals = (struct rect){0, y, w, totals};
    y += totals;
    l.body = (struct rect){0, y, w, h - y - 1 - keys};
    l.status = (struct rect){0, h - 1 - keys, w, 1};
    l.keys = (struct rect){0, h - 1, w, keys};
    return l;
}

/* ---- asking ------------------------------------------------------------------------ */

static struct request wanted(const struct app *a)
{
    const struct place *p = app_shown(a);
    const struct list *l = &p->list;
    struct request r;
    memset(&r, 0, sizeof r); /* padding too: requests are compared as bytes */
    r.pane = p->pane;
    r.crumb_count = a->depth;
    memcpy(r.crumbs, a->crumbs, a->depth * sizeof *r.crumbs);
    memcpy(r.filter, p->filter, strlen(p->filter));
    r.sort = p->sort;
    r.ascending = p->ascending;
    r.accumulate = a->is_accumulating;
    r.hides_idle = a->settings.hides_idle && p->pane->view == PANE_TABLE;
    r.hides_system = a->settings.hides_system && p->pane->view == PANE_TABLE;
    r.group = (uint8_t)p->group;
    r.new_ns = a->settings.new_ns ? a->settings.new_ns : -1;
    r.exited_ns = a->settings.exited_ns ? a->settings.exited_ns : -1;
    r.holds_order = p->holds_order;
    r.freeze = a->is_frozen;
    r.from_ns = a->range_from;
    r.to_ns = a->range_to;
    r.follow_tail = l->is_tail;
    r.detail = a->is_detail;
    if (a->tags.pane == p->pane) {
        memcpy(r.tags, a->tags.keys, a->tags.count * sizeof *r.tags);
        r.tag_count = a->tags.count;
    }
    memcpy(r.folds, p->folds, p->fold_count * sizeof *r.folds);
    r.fold_count = p->fold_count;
    r.folds_all = p->folds_all;
    r.tree = p->is_tree;
    r.stacks = p->stacks;
    r.picture = picture_wanted(a);
    r.paths = a->settings.paths;
    r.of_one_cpu = a->settings.of_one_cpu;
    /* One screen above and one below what is shown, so that moving has rows at once. */
    const uint64_t height = (uint64_t)l->height;
    r.rows = 3 * (unsigned)height;
    r.first = l->top > height ? l->top - height : 0;
    r.has_anchor = l->has_key && !l->is_first && !l->is_tail;
    if (flame_is_shown(a)) { /* all boxes that have half a cell */
        r.rows = UINT_MAX;
        r.first = 0;
        r.stacks.cut_off = (int16_t)(5000 / (a->columns > 0 ? a->columns : 1));
        r.stacks.cut_off += r.stacks.cut_off == 0;
    }
    if (r.has_anchor || a->is_detail) {
        r.has_anchor = true;
        r.anchor = l->key;
        r.anchor_line = (int)(l->cursor - l->top + height);
    }
    r.about = (uint8_t)(a->is_detail && p->pane->view == PANE_TABLE ? ABOUT_ROW : marks_wants(a) ? ABOUT_MARKS : chooser_about(a));
    locking_ask(a, &r);
    finding_ask(a, &r);
    compare_ask(a, &r);
    exporting_ask(a, &r);
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

static void fit(struct app *a)
{
    const struct layout layout = app_layout(a);
    const int height = layout.body.height > 0 ? layout.body.height : 1;
    const struct frame *f = app_known(a);
    struct list *l = &app_place(a)->list;
    list_fit(l, f ? f->shown : l->count, height);
    if (a->is_detail)
        view_text_fit_detail(a);
    if (a->overlay == OVERLAY_HELP)
        view_text_fit_help(a);
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
        if (a->held.place == app_place(a) && !a->held.has_stand_in) {
            a->held.stand_in = row->key;
            a->held.has_stand_in = true;
        }
    }
}

void app_settle(struct app *a)
{
    fit(a);
    learn_key(a);
    struct request r = wanted(a);
    r.sequence = a->sent.sequence;
    if (a->sent.sequence != 0 && memcmp(&r, &a->sent, sizeof r) == 0)
        return;
    r.sequence++;
    if (a->sent.sequence == 0 || moves_place(&r, &a->sent)) {
        a->place_sequence = r.sequence;
    }
    memcpy(&a->sent, &r, sizeof r);
    exporting_sent(a, &r);
    finding_sent(a, &r);
    marks_sent(a, &r);
    a->port.request(a->port.state, &r);
}

void app_ask(struct app *a)
{
    a->sent.sequence++;
    a->port.request(a->port.state, &a->sent);
}

#include "ui/state/search.h"

#include "src/filter/filter.h"
#include "ui/state/flame.h"
#include "ui/state/folds.h"

#include <stdio.h>
#include <string.h>

bool search_is_possible(const struct app *a)
{
    return app_shown(a)->pane->view != PANE_CHANGES;
}

static bool is_stacks(const struct app *a)
{
    return app_shown(a)->pane->view == PANE_TREE;
}

/* Can the text be looked for in what rows show? False with why not, for *why may be NULL. */
static bool fits_rows(const struct app *a, const char *text, struct filter_error *why)
{
    const struct frame *const f = a->focus->frame;
    const struct place *const place = app_shown(a);
    const struct pane *const p =
        is_stacks(a) ? stack_frames_pane(place->stacks.metric) : place->pane;
    const struct filter_span span = {f && f->kept_last ? f->kept_first : 1,
                                     f && f->kept_last ? f->kept_last : INT64_MAX};
    struct filter filter;
    struct filter_error error = {0, ""};
    bool is_well = filter_init(&filter, text, p, &span, &error);
    if (is_well && strlen(text) >= FIND_MAX) {
        is_well = false;
        snprintf(error.text, sizeof error.text, "the search text is limited to %d bytes",
                 FIND_MAX - 1);
    } else if (is_well && p->view != PANE_EVENTS && filter_has(&filter, LEVEL_FACT)) {
        is_well = false;
        snprintf(error.text, sizeof error.text,
                 "this field belongs to events, not rows; F4 filters by it");
    }
    filter_fini(&filter);
    if (why)
        *why = error;
    return is_well;
}

static void set_text(char to[FIND_MAX], const char *text)
{
    memset(to, 0, FIND_MAX); /* requests are compared as bytes */
    snprintf(to, FIND_MAX, "%.*s", FIND_MAX - 1, text);
}

void search_seek(struct app *a, enum seek how)
{
    a->search.seek = how;
    a->search.sequence = 0;
}

/* ---- typing ------------------------------------------------------------------------------- */

void search_opened(struct app *a)
{
    memcpy(a->search.kept, a->search.text, sizeof a->search.kept);
    a->filter_error.text[0] = '\0';
}

void search_typed(struct app *a)
{
    a->filter_error.text[0] = '\0';
    if (!fits_rows(a, a->prompt.text, &a->filter_error))
        return;
    set_text(a->search.text, a->prompt.text);
    a->search.pane = app_shown(a)->pane;
    a->search.at = a->search.count = 0;
    app_place(a)->list = a->kept_list;
    flame_unshow(a);
    search_seek(a, a->prompt.text[0] ? SEEK_HERE : SEEK_NOT);
}

void search_canceled(struct app *a)
{
    memcpy(a->search.text, a->search.kept, sizeof a->search.text);
    app_place(a)->list = a->kept_list;
    flame_unshow(a);
    search_seek(a, SEEK_NOT);
}

bool search_is_on(const struct app *a)
{
    return a->search.text[0] != '\0' && a->search.pane == app_shown(a)->pane;
}

void search_restart(struct app *a)
{
    a->search.at = a->search.count = 0;
    if (search_is_on(a))
        search_seek(a, SEEK_HERE);
}

bool search_drop(struct app *a)
{
    const bool had = search_is_on(a);
    if (had)
        set_text(a->search.text, "");
    search_seek(a, SEEK_NOT);
    return had;
}

bool search_drop_rule(struct app *a)
{
    const bool had = a->search.rule[0] != '\0';
    set_text(a->search.rule, "");
    return had;
}

bool search_tag(struct app *a, const char *text)
{
    struct filter_error why;
    struct err err;
    if (is_stacks(a) || !fits_rows(a, text, &why)) {
        if (is_stacks(a))
            app_message(a, true, "frames of stacks cannot be tagged");
        else
            filter_fail(&err, text, &why), app_message(a, true, "%s", err.text);
        return false;
    }
    set_text(a->search.rule, text);
    a->search.rule_pane = app_shown(a)->pane;
    if (*text)
        app_message(a, false, "matching rows are tagged, now and later; U untags all");
    else
        app_message(a, false, "the tag rule is removed");
    return true;
}

/* ---- asking, and the answer ------------------------------------------------------------------ */

void search_ask(const struct app *a, struct request *r)
{
    const struct search *const f = &a->search;
    if (!search_is_possible(a))
        return;
    if (f->rule_pane == r->pane)
        memcpy(r->tag, f->rule, sizeof r->tag);
    if (f->pane != r->pane || !f->text[0])
        return;
    memcpy(r->find, f->text, sizeof r->find);
    r->seek = (uint8_t)f->seek;
    const struct list *const l = &app_shown(a)->list;
    /* From the cursor's row on; one that stays first is whichever row is the first by then. */
    const bool is_from_top = l->is_first && r->seek == SEEK_HERE;
    if (r->seek && l->has_key && !r->has_anchor && !is_from_top) {
        r->has_anchor = true;
        r->anchor = l->key;
        r->anchor_line = (int)(l->cursor - l->top) + l->height;
    }
}

void search_sent(struct app *a, const struct request *r)
{
    if (r->seek && !a->search.sequence)
        a->search.sequence = r->sequence;
}

static void report_found(struct app *a, const struct frame *f)
{
    const char *const thing = is_stacks(a) ? "frame" : "row";
    char count[32], at[32];
    format_count((double)f->found_count, count, sizeof count);
    format_count((double)f->found_at, at, sizeof at);
    if (!f->has_found)
        app_message(a, true, "no %s matches \"%s\"", thing, a->search.text);
    else if (f->found_count == 1)
        app_message(a, false, "one %s matches", thing);
    else if (f->found_at)
        app_message(a, false, "%s %s of %s that match, in %.3g%%; n and N go on", thing, at, count,
                    f->found_percent);
    else
        app_message(a, false, "%s %ss match; n and N go from one to the next", count, thing);
}

/* In a tree, what hid the frame is unfolded; in a flame graph where it has no room it gets the
 * whole width. */
static void show_frame(struct app *a, const struct frame *f)
{
    folds_open(a, f->found_shut, f->found_shut_count);
    if (flame_is_shown(a))
        flame_show(a, f, &f->found);
}

void search_take(struct app *a, const struct frame *f)
{
    struct search *const x = &a->search;
    if (!x->seek || !x->sequence || f->sequence < x->sequence || !f->is_sought)
        return;
    search_seek(a, SEEK_NOT);
    x->at = f->found_at;
    x->count = f->found_count;
    x->percent = f->found_percent;
    report_found(a, f);
    if (!f->has_found)
        return;
    if (is_stacks(a))
        show_frame(a, f);
    struct list *const l = &app_place(a)->list;
    l->is_first = l->is_tail = false;
    l->key = f->found;
    l->has_key = true;
}

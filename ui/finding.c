#include "ui/finding.h"

#include "src/filter.h"
#include "ui/action.h"
#include "ui/filtering.h"

#include <stdio.h>
#include <string.h>

/* Call trees have a way of their own (#), and what changed is a list of one page. */
static bool has_find(const struct app *a)
{
    const enum pane_view view = app_shown(a)->pane->view;
    return view == PANE_TABLE || view == PANE_EVENTS;
}

/* Can the text be looked for in what rows show? False with why not, for *why may be NULL. */
static bool fits_rows(const struct app *a, const char *text, struct filter_error *why)
{
    const struct frame *const f = a->frame;
    const struct pane *const p = app_shown(a)->pane;
    const struct filter_span span = {f && f->kept_last ? f->kept_first : 1,
                                     f && f->kept_last ? f->kept_last : INT64_MAX};
    struct filter filter;
    struct filter_error error = {0, ""};
    bool is_well = filter_init(&filter, text, p, &span, &error);
    if (is_well && strlen(text) >= FIND_MAX) {
        is_well = false;
        snprintf(error.text, sizeof error.text, "at most %d bytes can be looked for", FIND_MAX - 1);
    } else if (is_well && p->view != PANE_EVENTS && filter_has(&filter, LEVEL_FACT)) {
        is_well = false;
        snprintf(error.text, sizeof error.text,
                 "that is about single events; rows are found by what they show (F4 filters)");
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

static void seek(struct app *a, enum seek how)
{
    a->finding.seek = how;
    a->finding.sequence = 0;
}

/* ---- typing ------------------------------------------------------------------------------- */

void finding_opened(struct app *a)
{
    memcpy(a->finding.kept, a->finding.text, sizeof a->finding.kept);
    a->filter_error.text[0] = '\0';
}

void finding_typed(struct app *a)
{
    a->filter_error.text[0] = '\0';
    if (!fits_rows(a, a->prompt.text, &a->filter_error))
        return;
    set_text(a->finding.text, a->prompt.text);
    a->finding.pane = app_shown(a)->pane;
    app_place(a)->list = a->kept_list;
    seek(a, a->prompt.text[0] ? SEEK_HERE : SEEK_NOT);
}

void finding_cancelled(struct app *a)
{
    memcpy(a->finding.text, a->finding.kept, sizeof a->finding.text);
    app_place(a)->list = a->kept_list;
    seek(a, SEEK_NOT);
}

bool finding_drop(struct app *a)
{
    const bool had = a->finding.text[0] != '\0' && a->finding.pane == app_shown(a)->pane;
    if (had)
        set_text(a->finding.text, "");
    seek(a, SEEK_NOT);
    return had;
}

bool finding_drop_rule(struct app *a)
{
    const bool had = a->finding.rule[0] != '\0';
    set_text(a->finding.rule, "");
    return had;
}

bool finding_tag(struct app *a, const char *text)
{
    struct filter_error why;
    struct err err;
    if (app_shown(a)->pane->view == PANE_TREE || !fits_rows(a, text, &why)) {
        if (app_shown(a)->pane->view == PANE_TREE)
            app_say(a, true, "frames of stacks cannot be tagged");
        else
            filter_fail(&err, text, &why), app_say(a, true, "%s", err.text);
        return false;
    }
    set_text(a->finding.rule, text);
    a->finding.rule_pane = app_shown(a)->pane;
    if (*text)
        app_say(a, false, "rows that fit are tagged, later ones, too; U takes it back");
    else
        app_say(a, false, "no rule tags rows any more");
    return true;
}

/* ---- asking, and the answer ------------------------------------------------------------------ */

void finding_ask(const struct app *a, struct request *r)
{
    const struct sought *const f = &a->finding;
    if (!has_find(a))
        return;
    if (f->rule_pane == r->pane)
        memcpy(r->tag, f->rule, sizeof r->tag);
    if (f->pane != r->pane || !f->text[0])
        return;
    memcpy(r->find, f->text, sizeof r->find);
    r->seek = (uint8_t)f->seek;
    const struct list *const l = &app_shown(a)->list;
    if (r->seek && l->has_key && !r->has_anchor) { /* from the cursor on, though it stays first */
        r->has_anchor = true;
        r->anchor = l->key;
        r->anchor_line = (int)(l->cursor - l->top) + l->height;
    }
}

void finding_sent(struct app *a, const struct request *r)
{
    if (r->seek && !a->finding.sequence)
        a->finding.sequence = r->sequence;
}

void finding_take(struct app *a, const struct frame *f)
{
    struct sought *const x = &a->finding;
    if (!x->seek || !x->sequence || f->sequence < x->sequence || !f->is_sought)
        return;
    seek(a, SEEK_NOT);
    char count[32];
    format_count((double)f->found_count, count, sizeof count);
    if (!f->has_found) {
        app_say(a, true, "no row fits \"%s\"", x->text);
        return;
    }
    app_say(a, false,
            f->found_count == 1 ? "one row fits" : "%s rows fit; n and N go from one to the next",
            count);
    struct list *const l = &app_place(a)->list;
    l->is_first = l->is_tail = false;
    l->key = f->found;
    l->has_key = true;
}

/* ---- keys ---------------------------------------------------------------------------------------
 */

ACTION(find_rows)
{
    UNUSED(b), UNUSED(k);
    if (has_find(a))
        app_open_prompt(a, PROMPT_FIND,
                        a->finding.pane == app_shown(a)->pane ? a->finding.text : "");
    else
        app_say(a, false, "rows are found in tables and events; here F4 filters, # lights a frame");
    return REACT_DRAW;
}

ACTION(find_next)
{
    UNUSED(k);
    if (!a->finding.text[0] || a->finding.pane != app_shown(a)->pane)
        app_say(a, false, "nothing is looked for here; F3 asks what");
    else
        seek(a, b->argument > 0 ? SEEK_NEXT : SEEK_PREVIOUS);
    return REACT_DRAW;
}

ACTION(prompt_find)
{
    UNUSED(b), UNUSED(k);
    if (a->prompting != PROMPT_FILTER || !has_find(a))
        return REACT_NONE;
    struct place *const p = app_place(a);
    memcpy(p->filter, a->kept_filter, sizeof p->filter);
    a->prompting = PROMPT_FIND;
    finding_opened(a);
    finding_typed(a);
    return REACT_DRAW;
}

ACTION(tag_rule)
{
    UNUSED(b), UNUSED(k);
    app_open_prompt(a, PROMPT_TAG,
                    a->finding.rule_pane == app_shown(a)->pane ? a->finding.rule : "");
    return REACT_DRAW;
}

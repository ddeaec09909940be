#include "ui/state/stack_facts.h"

#include <string.h>

bool stacks_are_shown(const struct app *a)
{
    return app_shown(a)->pane->view == PANE_TREE;
}

bool stacks_has_metric(const struct app *a, unsigned metric)
{
    const struct frame *const f = app_known(a);
    return f && f->metrics >> metric & 1;
}

void stacks_take(struct app *a, const struct frame *f)
{
    struct place *const p = app_place(a);
    const unsigned metric = p->stacks.metric;
    const bool is_over = f->state == STATE_FINISHED || f->state == STATE_FAILED;
    if (!stacks_are_shown(a) || !is_over || f->metric != metric || f->metrics >> metric & 1 ||
        metric == METRIC_OPERATIONS)
        return;
    p->stacks.metric = METRIC_OPERATIONS;
    app_message(a, false, "the recording has no %s: stacks of all events",
                stack_metrics[metric].id);
}

int16_t stacks_cut_off(const struct app *a)
{
    const int16_t chosen = app_shown(a)->stacks.cut_off;
    const int16_t standard = (int16_t)(a->settings.cut_off * 100 + 0.5);
    return chosen ? chosen : standard ? standard : STACK_CUT_OFF_NONE;
}

void stacks_name(const struct app *a, const struct frame_row *row, char *out, size_t room)
{
    const struct frame *const f = app_known(a);
    const struct value *const v = &row->cells[pane_column(f->pane, "frame") - f->pane->columns];
    const char *text = f->arena + v->text.offset;
    size_t bytes = v->text.bytes;
    const size_t before = strspn(text, " +-") < bytes ? strspn(text, " +-") : 0;
    text += before;
    bytes -= before;
    const size_t used = bytes < room ? bytes : room - 1;
    memcpy(out, text, used);
    out[used] = '\0';
}

bool stacks_is_highlighted(const struct app *a, const struct frame_row *row)
{
    const struct place *const p = app_shown(a);
    char name[sizeof p->highlighted];
    if (!p->highlighted[0] || p->pane->view != PANE_TREE)
        return false;
    stacks_name(a, row, name, sizeof name);
    return strcmp(name, p->highlighted) == 0;
}

bool stacks_drop_term(struct app *a)
{
    struct place *const p = app_place(a);
    if (!stacks_are_shown(a) || !p->stacks.term_count)
        return false;
    p->stacks.terms[--p->stacks.term_count] = (struct stack_term){.drops = false};
    stacks_remember(a);
    return true;
}

void stacks_remember(struct app *a)
{
    a->stacks_chosen = app_place(a)->stacks;
}

void stacks_recall(struct app *a)
{
    struct stack_look *const now = &app_place(a)->stacks;
    const struct stack_look *const chosen = &a->stacks_chosen;
    now->fold = chosen->fold;
    now->cut_off = chosen->cut_off;
    now->of_visible = chosen->of_visible;
    now->term_count = chosen->term_count;
    memcpy(now->terms, chosen->terms, sizeof now->terms);
    if (now->term_count)
        app_message(a, false, "%u %s as before; Esc drops the last one", now->term_count,
                    now->term_count == 1 ? "frame is hidden or chosen"
                                         : "frames are hidden or chosen");
}

bool stacks_clear_highlight(struct app *a)
{
    struct place *const p = app_place(a);
    const bool was_highlighted = stacks_are_shown(a) && p->highlighted[0];
    p->highlighted[0] = '\0';
    return was_highlighted;
}

bool stacks_zoom_out(struct app *a)
{
    struct place *const p = app_place(a);
    if (!stacks_are_shown(a) || !p->zoom_count)
        return false;
    p->stacks.root = p->zoom[--p->zoom_count];
    return true;
}

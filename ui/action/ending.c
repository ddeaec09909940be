/* How what covers or replaces the rows of a pane ends: by Esc, by C-o, and by the key that began
 * it. */
#include "ui/action/action.h"
#include "ui/state/asking.h"
#include "ui/state/chart.h"
#include "ui/state/compare.h"
#include "ui/state/location_history.h"
#include "ui/state/search.h"
#include "ui/state/splits.h"
#include "ui/state/stack_facts.h"
#include "ui/state/stack_shape.h"
#include "ui/state/strip.h"

#include <string.h>

/* ---- one thing at a time ---------------------------------------------------------------- */

static bool cancel_prompt(struct app *a)
{
    if (a->prompting == PROMPT_NONE)
        return false;
    asking_canceled(a);
    if (a->prompting == PROMPT_FILTER) {
        struct place *p = app_place(a);
        memcpy(p->filter, a->kept_filter, sizeof p->filter);
        p->list = a->kept_list;
    }
    if (a->prompting == PROMPT_FIND && a->overlay == OVERLAY_HELP)
        a->find[0] = '\0';
    else if (a->prompting == PROMPT_FIND)
        search_canceled(a);
    a->prompting = PROMPT_NONE;
    return true;
}

static bool close_overlay(struct app *a)
{
    if (a->overlay == OVERLAY_NONE)
        return false;
    a->overlay = OVERLAY_NONE;
    return true;
}

static bool clear_filter(struct app *a)
{
    struct place *p = app_place(a);
    if (p->filter[0] == '\0')
        return false;
    memset(p->filter, 0, sizeof p->filter);
    return true;
}

static bool close_detail(struct app *a)
{
    const bool was = a->focus->is_detail;
    a->focus->is_detail = false;
    return was;
}

static bool end_difference(struct app *a)
{
    if (a->comparison.stage != COMPARE_SHOWN)
        return false;
    compare_end(a);
    app_message(a, false, "comparison ended");
    return true;
}

static bool drop_mark(struct app *a)
{
    if (a->comparison.stage != COMPARE_MARKED)
        return false;
    compare_end(a);
    app_message(a, false, "the moment A is no longer marked");
    return true;
}

static bool end_changes(struct app *a)
{
    if (app_shown(a)->pane->view != PANE_CHANGES)
        return false;
    location_history_return(a);
    return true;
}

static bool end_zoom(struct app *a)
{
    const bool was = a->is_zoomed;
    a->is_zoomed = false;
    return was;
}

/* What Esc ends, in the order of ui/README.md (Esc, q, Enter, Backspace); lines_keys.c says in a
 * word what comes next. */
static bool (*const by_escape[])(struct app *) = {
    close_overlay, cancel_prompt,          strip_leave,     close_detail,     chart_close,
    search_drop,   stacks_clear_highlight, stacks_zoom_out, stacks_drop_term, stacks_end_around,
    clear_filter,  end_difference,         end_changes,     app_back,         drop_mark,
    end_zoom,
};

/* What C-o ends before it goes to another place. */
static bool (*const by_return[])(struct app *) = {
    close_overlay,  cancel_prompt,   strip_leave,       close_detail, chart_close,
    end_difference, stacks_zoom_out, stacks_end_around, end_zoom,
};

ACTION(cancel)
{
    UNUSED(b), UNUSED(k);
    if (a->overlay == OVERLAY_HELP && a->prompting == PROMPT_FIND)
        return cancel_prompt(a), REACT_DRAW;
    for (size_t i = 0; i < sizeof by_escape / sizeof *by_escape; i++)
        if (by_escape[i](a))
            return REACT_DRAW;
    app_message(a, false,
                a->is_frozen ? "nothing to cancel; Z ends freezing" : "nothing to cancel; q quits");
    return REACT_DRAW;
}

ACTION(last_view)
{
    UNUSED(b), UNUSED(k);
    for (size_t i = 0; i < sizeof by_return / sizeof *by_return; i++)
        if (by_return[i](a))
            return REACT_DRAW;
    location_history_return(a);
    return REACT_DRAW;
}

ACTION(clear_filter)
{
    UNUSED(b), UNUSED(k);
    if (!clear_filter(a))
        app_message(a, false, "this pane has no filter; / sets one");
    return REACT_DRAW;
}

ACTION(back)
{
    UNUSED(b), UNUSED(k);
    if (!close_overlay(a) && !strip_leave(a) && !close_detail(a) && !chart_close(a) &&
        !stacks_zoom_out(a) && !app_back(a))
        app_message(a, false, "this is the top level; q quits");
    return REACT_DRAW;
}

ACTION(close)
{
    UNUSED(b), UNUSED(k);
    if (close_overlay(a) || strip_leave(a) || close_detail(a) || chart_close(a) || app_back(a) ||
        splits_close(a))
        return REACT_DRAW;
    return action_leave(a);
}

/* By the key that opened them. */
ACTION(end_details)
{
    UNUSED(b), UNUSED(k);
    if (a->overlay == OVERLAY_HELP)
        app_message(a, false, "q closes this page");
    else
        close_detail(a);
    return REACT_DRAW;
}

#include "ui/action/action.h"

#include "src/event/mark.h"
#include "src/pane/panes.h"
#include "src/trace/snapshot_ask.h"
#include "ui/action/comparing.h"
#include "ui/action/tree.h"
#include "ui/draw/sign_seen.h"
#include "ui/draw/view_file.h"
#include "ui/draw/view_help.h"
#include "ui/state/layout.h"
#include "ui/state/app.h"
#include "ui/state/asking.h"
#include "ui/state/chooser.h"
#include "ui/state/filtering.h"
#include "ui/state/lacking.h"
#include "ui/state/search.h"
#include "ui/state/location_history.h"
#include "ui/state/queries.h"
#include "ui/state/sticky_filter.h"
#include "ui/state/chart.h"
#include "ui/state/saver.h"
#include "ui/state/splits.h"
#include "ui/state/stack_facts.h"
#include "ui/state/step.h"

#include <stdio.h>
#include <string.h>

/* ---- overlays and prompts ------------------------------------------------------------ */

ACTION(help)
{
    UNUSED(b), UNUSED(k);
    const bool was_open = a->overlay == OVERLAY_HELP;
    if (a->overlay == OVERLAY_NONE)
        a->signs_seen = signs_seen(a);
    a->prompting = PROMPT_NONE;
    a->overlay = was_open ? OVERLAY_NONE : OVERLAY_HELP;
    a->help_about = HELP_KEYS;
    a->find[0] = '\0';
    a->help = list_start(1);
    a->help.is_text = true;
    view_help_fit(a);
    return REACT_DRAW;
}

unsigned action_report(struct app *a, enum help_about about)
{
    if (a->overlay == OVERLAY_CHOOSER)
        return REACT_NONE;
    a->prompting = PROMPT_NONE;
    a->overlay = OVERLAY_HELP;
    a->help_about = about;
    if ((about == HELP_MESSAGES || about == HELP_NOTICES) && a->focus->frame)
        a->notices_read = a->focus->frame->notices.older + a->focus->frame->notices.count;
    a->find[0] = '\0';
    a->help = list_start(1);
    a->help.is_text = true;
    view_help_fit(a);
    return REACT_DRAW;
}

/* Made anew each time that it is opened. */
unsigned action_show_page(struct app *a, enum help_about about, enum report_kind kind)
{
    if (!a->reports) {
        app_message(a, true, "this page needs a trace or a live session");
        return REACT_DRAW;
    }
    report_free(a->report);
    a->report = report_new(a->reports, kind, a->is_still);
    report_take(a->report);
    return action_report(a, about);
}

ACTION(loss)
{
    UNUSED(b), UNUSED(k);
    return action_report(a, HELP_LOSS);
}

ACTION(filter)
{
    UNUSED(b), UNUSED(k);
    app_open_prompt(a, PROMPT_FILTER, filtering_text(a));
    return REACT_DRAW;
}

ACTION(find)
{
    UNUSED(b), UNUSED(k);
    app_open_prompt(a, PROMPT_FIND, a->find);
    return REACT_DRAW;
}

ACTION(command)
{
    UNUSED(b), UNUSED(k);
    a->overlay = OVERLAY_NONE;
    app_open_prompt(a, PROMPT_COMMAND, "");
    return REACT_DRAW;
}

ACTION(mark)
{
    UNUSED(b), UNUSED(k);
    app_open_prompt(a, PROMPT_MARK, "");
    return REACT_DRAW;
}

void action_mark_text(struct app *a, const char *text)
{
    struct new_mark m;
    struct err err;
    if (!mark_read(text, &m, &err)) {
        app_message(a, true, "%s", err.text);
        return;
    }
    app_command(a, COMMAND_MARK, 0, text);
    if (m.text[0])
        app_message(a, false, "marked: %s", m.text);
    else
        app_message(a, false, "marked; the mark is in Events");
}

/* ---- quitting ---------------------------------------------------------------------------- */

/* What was asked for is written first. */
static bool await_snapshot(struct app *a)
{
    if (!saver_is_snapshotting(a->saver))
        return false;
    a->leaving.awaits_snapshot = true;
    app_message(a, false, "finishing the snapshot, then quitting; again: cancel it and quit");
    return true;
}

static unsigned cancel_snapshot(struct app *a)
{
    saver_snapshot_cancel(a->saver);
    a->leaving.is_error = true;
    snprintf(a->leaving.text, sizeof a->leaving.text,
             "the snapshot was canceled: no file was written");
    return REACT_QUIT;
}

unsigned action_leave(struct app *a)
{
    static const int64_t AGAIN_NS = 10 * 1000000000ll;
    if (a->leaving.awaits_snapshot)
        return cancel_snapshot(a);
    const char *const path = saver_recording(a->saver);
    if (!path || (a->leave_at && a->now - a->leave_at <= AGAIN_NS))
        return await_snapshot(a) ? REACT_DRAW : REACT_QUIT;
    a->leave_at = a->now;
    app_message(a, false, "again: stop the recording and quit; R only stops it: %s", path);
    return REACT_DRAW;
}

ACTION(quit)
{
    UNUSED(b), UNUSED(k);
    return action_leave(a);
}

ACTION(suspend)
{
    UNUSED(a), UNUSED(b), UNUSED(k);
    return REACT_SUSPEND;
}

ACTION(redraw)
{
    UNUSED(a), UNUSED(b), UNUSED(k);
    return REACT_DRAW | REACT_REPAINT;
}

/* ---- going ----------------------------------------------------------------------------- */

/* All about the row of the cursor, which stays. */
static unsigned open_detail(struct app *a)
{
    if (!app_cursor_row(a))
        return REACT_NONE;
    struct list *l = &app_place(a)->list;
    l->is_tail = l->is_first = false;
    a->focus->is_detail = true;
    a->focus->detail = list_start(1);
    a->focus->detail.is_text = true;
    return REACT_DRAW;
}

ACTION(frame)
{
    UNUSED(b), UNUSED(k);
    return open_detail(a);
}

/* All that is known of the row's process. */
ACTION(details)
{
    UNUSED(b), UNUSED(k);
    const struct pane *const p = app_shown(a)->pane;
    const struct frame_row *const row = app_cursor_row(a);
    const bool is_group = app_shown(a)->group != GROUPED_NOT || (row && row->crumb == CRUMB_GROUP);
    if (p->view == PANE_TABLE && pane_is_of_processes(p) && !is_group)
        return open_detail(a);
    app_message(a, false, "this row is not a process");
    return REACT_DRAW;
}

static unsigned unfold_exited(struct app *a, const struct pane *pane)
{
    if (app_enter(a, pane))
        app_place(a)->group = GROUPED_BY_NAME;
    return REACT_DRAW;
}

ACTION(open)
{
    UNUSED(b), UNUSED(k);
    const struct place *p = app_shown(a);
    if (lacking_consent(a))
        return REACT_DRAW;
    if (p->pane->view == PANE_EVENTS)
        return open_detail(a);
    if (p->pane->view == PANE_TREE)
        return tree_turn(a);
    if (compare_open(a))
        return REACT_DRAW;
    const struct frame_row *const row = app_cursor_row(a);
    if (row && row->crumb == CRUMB_GROUP && row->flags & ROW_EXITED) /* all that have exited */
        return unfold_exited(a, p->pane);
    const struct pane *target = p->pane->drill ? pane_find(p->pane->drill) : NULL;
    if (target)
        app_enter(a, target);
    else
        app_message(a, false, "%s has nothing below its rows; d shows the events", p->pane->title);
    return REACT_DRAW;
}

ACTION(events)
{
    UNUSED(b), UNUSED(k);
    const struct pane *target = pane_find("events");
    if (app_shown(a)->pane->view == PANE_EVENTS) {
        if (!location_history_end(a))
            app_message(a, false, "these are the events; d on a row of a table shows its part");
        return REACT_DRAW;
    }
    if (target && app_enter(a, target))
        app_place(a)->began = BEGAN_BELOW;
    return REACT_DRAW;
}

ACTION(threads)
{
    UNUSED(b), UNUSED(k);
    const struct pane *p = app_shown(a)->pane;
    const struct pane *target = p->threads ? pane_find(p->threads) : NULL;
    if (target)
        app_go_pane(a, target);
    else
        app_message(a, false, "%s has no threads to show; Processes has", p->title);
    return REACT_DRAW;
}

ACTION(paths)
{
    UNUSED(b), UNUSED(k);
    static const char *const reported[PATH_MODES] = {
        [PATHS_FULL] = "full paths",
        [PATHS_NAME] = "names without their path",
        [PATHS_DEVICE] = "paths as the kernel names them",
    };
    a->settings.paths = (a->settings.paths + 1) % PATH_MODES;
    app_message(a, false, "%s", reported[a->settings.paths]);
    return REACT_DRAW;
}

unsigned action_toggle(struct app *a, bool *flag, const char *on, const char *off)
{
    *flag = !*flag;
    app_message(a, false, "%s", *flag ? on : off);
    return REACT_DRAW;
}

ACTION(of_one_cpu)
{
    UNUSED(b), UNUSED(k);
    return action_toggle(a, &a->settings.of_one_cpu, "CPU%: one processor is 100%",
                         "CPU%: the machine is 100%");
}

/* The one in the list that the pane is, but for more columns; NULL: a query's. */
static const struct pane *place_of_list(const struct pane *p)
{
    return query_pane_is(p) ? NULL : p->of ? p->of : p;
}

/* From pane to pane, of those that the list of views offers here; those from files come last. */
ACTION(pane_step)
{
    UNUSED(k);
    int count = 0, at = 0;
    while (panes[count])
        count++;
    while (panes[at] && panes[at] != place_of_list(app_shown(a)->pane))
        at++;
    if (at == count)
        at = b->argument > 0 ? count - 1 : 0; /* a query's: those from files come before it */
    do
        at = (at + b->argument + count) % count;
    while (!chooser_offers(a, panes[at]));
    app_go_pane(a, panes[at]);
    return REACT_DRAW;
}

ACTION(pane_digit)
{
    UNUSED(b);
    for (int i = 0; panes[i]; i++) {
        if (panes[i]->digit == (char)k->code) {
            if (panes[i] == place_of_list(app_shown(a)->pane) && !a->focus->is_detail)
                app_message(a, false, "this is pane %c: %s", (char)k->code, panes[i]->title);
            app_go_pane(a, panes[i]);
            return REACT_DRAW;
        }
    }
    app_message(a, false, "there is no pane %c; v lists the panes", (char)k->code);
    return REACT_DRAW;
}

ACTION(freeze)
{
    UNUSED(b), UNUSED(k);
    app_freeze(a, !a->is_frozen);
    return REACT_DRAW;
}

ACTION(step)
{
    UNUSED(k);
    step_by(a, b->argument);
    return REACT_DRAW;
}

ACTION(reset)
{
    UNUSED(b), UNUSED(k);
    if (a->reset_at != 0 && a->now - a->reset_at <= 1000000000LL) {
        a->reset_at = 0;
        app_command(a, COMMAND_RESET, 0, NULL);
        app_message(a, false, "counters reset");
    } else {
        a->reset_at = a->now;
        app_message(a, false, "press r again within a second to reset the counters");
    }
    return REACT_DRAW;
}

ACTION(accumulate)
{
    UNUSED(b), UNUSED(k);
    const bool is_range = a->range_to > a->range_from;
    const bool is_whole = is_range || (a->focus->frame && a->focus->frame->state == STATE_FINISHED);
    a->is_accumulating = !a->is_accumulating;
    app_message(a, false,
                !a->is_accumulating ? (is_whole ? "averages only" : "the last interval")
                : is_range          ? "sums of this time beside its averages"
                : is_whole          ? "sums of the whole trace beside its averages"
                                    : "sums since the start or the last reset, beside averages");
    return REACT_DRAW;
}

ACTION(hide_idle)
{
    UNUSED(b), UNUSED(k);
    return action_toggle(a, &a->settings.hides_idle, "idle rows hidden", "idle rows shown");
}

ACTION(lock_order)
{
    UNUSED(b), UNUSED(k);
    return action_toggle(a, &app_place(a)->locks_order, "row order locked; new rows come last",
                         "row order unlocked");
}

ACTION(meters)
{
    UNUSED(b), UNUSED(k);
    static const char *const names[METERS_MODES] = {"", "off", "one line", "two lines", "full"};
    const enum meters_mode next =
        meters_next((enum meters_mode)a->settings.meters, app_meters(a).mode);
    a->settings.meters = (uint8_t)next;
    app_message(a, false, "meters: %s", names[next]);
    return REACT_DRAW;
}

ACTION(zoom)
{
    UNUSED(b), UNUSED(k);
    a->is_zoomed = !a->is_zoomed;
    return REACT_DRAW;
}

ACTION(marks)
{
    UNUSED(b), UNUSED(k);
    chooser_open(a, CHOOSE_MARK);
    return REACT_DRAW;
}

ACTION(users)
{
    UNUSED(b), UNUSED(k);
    chooser_open(a, CHOOSE_USER);
    return REACT_DRAW;
}

ACTION(lock)
{
    UNUSED(b), UNUSED(k);
    sticky_filter_toggle(a);
    return REACT_DRAW;
}

#include "ui/main/dispatch.h"

#include "ui/action/action.h"
#include "ui/action/exporting.h"
#include "ui/action/habits.h"
#include "ui/action/serving.h"
#include "ui/action/trigger_actions.h"
#include "ui/config/journal.h"
#include "ui/config/keys.h"
#include "ui/main/parts.h"
#include "ui/state/view_columns.h"
#include "ui/state/asking.h"
#include "ui/state/chooser.h"
#include "ui/state/filtering.h"
#include "ui/state/neighbor.h"
#include "ui/state/search.h"
#include "ui/state/place.h"
#include "ui/state/saver.h"
#include "ui/state/splits.h"
#include "ui/state/step.h"
#include "ui/state/suggestions.h"

#include <stdio.h>
#include <string.h>

#define SECOND 1000000000LL

/* ---- what happened ----------------------------------------------------------------- */

static void drop_frame(struct app *a)
{
    if (a->focus->frame)
        a->port.release(a->port.state, a->focus->frame);
    a->focus->frame = NULL;
}

static int64_t find_key(const struct frame *f, const struct row_key *key)
{
    if (f->anchor_row >= 0 && (unsigned)f->anchor_row < f->row_count &&
        row_key_equal(f->rows[f->anchor_row].key, *key))
        return f->anchor_row;
    for (unsigned i = 0; i < f->row_count; i++)
        if (row_key_equal(f->rows[i].key, *key))
            return i;
    return -1;
}

/* The rows have moved: the cursor goes with its row. */
static void follow_row(struct app *a)
{
    const struct frame *f = a->focus->frame;
    struct list *l = &app_place(a)->list;
    l->count = f->shown;
    if (l->is_first || l->is_tail || !l->has_key) {
        if (l->is_first)
            l->cursor = l->top = 0;
        if (l->is_tail)
            l->cursor = f->shown ? f->shown - 1 : 0;
        return;
    }
    const int64_t at = find_key(f, &l->key);
    const bool has_range = f->range_to > f->range_from;
    const bool is_coming = f->sequence <= a->search.zoomed_at; /* the cursor's row */
    const bool is_typed = a->prompting == PROMPT_FILTER || a->prompting == PROMPT_FIND;
    if (at >= 0) {
        list_follow(l, f->first + (uint64_t)at);
        step_found_row(a);
    } else if (f->sequence >= a->focus->sent.sequence && !f->is_partial && !is_coming &&
               !a->focus->is_detail && !is_typed) {
        if (has_range)
            step_lost_row(a);
        l->has_key = false; /* the row is gone; its neighbor takes the cursor */
    }
}

static unsigned press_pending(struct app *a);

/* The newest that belongs to what is shown. */
static void take_frame(struct app *a, struct frame *f)
{
    drop_frame(a);
    a->focus->frame = f;
    view_columns_learn(place_columns(a, f->pane), f);
    place_sort_by_default(app_place(a));
    for (const struct ui_part *part = parts; part->name && !a->is_aside; part++)
        if (part->take)
            part->take(a, f);
    follow_row(a);
}

static bool is_wanted(const struct app *a, const struct frame *f)
{
    return f->sequence >= a->focus->place_sequence && f->pane == app_shown(a)->pane;
}

/* Of a pane that is not the current one. */
static unsigned take_aside(struct app *a, unsigned i, struct frame *f)
{
    const unsigned current = splits_enter(a, i);
    const bool is_one = is_wanted(a, f);
    if (is_one)
        take_frame(a, f);
    splits_leave(a, current);
    if (!is_one) {
        a->port.release(a->port.state, f);
        return REACT_NONE;
    }
    app_settle(a);
    return REACT_DRAW | press_pending(a);
}

unsigned app_frame(struct app *a, struct frame *f)
{
    unsigned i = 0;
    while (i < a->split_count && a->splits[i].view != f->view)
        i++;
    if (i != a->split_at && splits_shows(a, i))
        return take_aside(a, i, f);
    if (i != a->split_at || !is_wanted(a, f)) {
        a->port.release(a->port.state, f);
        return REACT_NONE;
    }
    if (exporting_take(a, f)) {
        a->port.release(a->port.state, f);
        app_settle(a);
        return REACT_DRAW;
    }
    take_frame(a, f);
    journal_loss(a->journal, &f->loss);
    meters_see(&a->meters_seen, f);
    const unsigned reactions = triggers_hear(a, f);
    app_settle(a);
    return REACT_DRAW | reactions | press_pending(a);
}

unsigned app_resize(struct app *a, int columns, int rows)
{
    const bool were_shown = splits_are_shown(a);
    a->columns = columns;
    a->rows = rows;
    if (were_shown && !splits_are_shown(a))
        app_message(a, false, "no room for %u panes: only this one is shown", a->split_count);
    app_settle(a);
    return REACT_DRAW | REACT_REPAINT;
}

/* What ended since, and how far the rest is: true when the screen changes by it. */
static bool hear_of_saving(struct app *a)
{
    char reported[1200];
    bool is_error;
    const bool was_busy = saver_is_busy(a->saver);
    if (!saver_news(a->saver, reported, sizeof reported, &is_error))
        return was_busy;
    app_message(a, is_error, "%s", reported);
    if (a->leaving.awaits_snapshot && !saver_is_snapshotting(a->saver)) {
        a->leaving.is_error = is_error;
        snprintf(a->leaving.text, sizeof a->leaving.text, "%s%.1100s",
                 is_error ? "" : "the snapshot was finished: ", reported);
    }
    return was_busy;
}

unsigned app_tick(struct app *a, int64_t now)
{
    a->now = now;
    const unsigned served = saver_serve(a->saver, a);
    if (served || hear_of_saving(a))
        return a->leaving.text[0] ? REACT_DRAW | REACT_QUIT : REACT_DRAW;
    if (report_take(a->report)) {
        app_settle(a); /* the list of its lines is longer now */
        return REACT_DRAW;
    }
    if (app_message_tick(a))
        return REACT_DRAW;
    return a->is_frozen && !a->is_still ? REACT_DRAW : REACT_NONE;
}

int app_due(const struct app *a)
{
    int64_t due = -1;
    if (a->message[0] && a->message_held_until != INT64_MAX)
        due = (a->message_held_until ? a->message_held_until : a->message_until) - a->now;
    if (saver_is_busy(a->saver) && (due < 0 || due > SECOND / 4))
        due = SECOND / 4;
    if (report_is_busy(a->report) && (due < 0 || due > SECOND / 10))
        due = SECOND / 10;
    if (a->is_frozen && !a->is_still && (due < 0 || due > SECOND))
        due = SECOND; /* the age of the picture counts on */
    return due < 0 ? -1 : (int)(due / 1000000) + 1;
}

/* ---- keys -------------------------------------------------------------------------- */

static unsigned type_into_prompt(struct app *a, const struct key *k)
{
    const size_t before = strlen(a->prompt.text);
    if (suggestions_key(a, k))
        return REACT_DRAW;
    if (!prompt_key(&a->prompt, k))
        return REACT_NONE;
    if (k->kind == KEY_PASTE && k->bytes && strlen(a->prompt.text) == before)
        app_message(a, true, "cannot paste %zu bytes: too long for this line", k->bytes + k->lost);
    suggestions_reset(a);
    app_prompt_changed(a);
    return REACT_DRAW;
}

/* Keys about rows say so where there is none, and are not just dead. */
static unsigned run_binding(struct app *a, const struct binding *b, const struct key *k)
{
    const bool is_empty = b->contexts & NEEDS_ROWS && app_context(a) & CONTEXT_ROWS &&
                          app_known(a) && !app_cursor_row(a);
    unsigned reaction = action_of(b->action)(a, b, k);
    if (a->struck.kind != KEY_NOTHING) {
        const struct key struck = a->struck;
        a->struck = (struct key){0};
        reaction = app_key(a, &struck, a->now);
    }
    if (!is_empty || reaction != REACT_NONE)
        return reaction;
    app_message(a, false, "there is no row here");
    return REACT_DRAW;
}

static unsigned dispatch(struct app *a, const struct key *k)
{
    const unsigned context = app_context(a);
    const struct binding *b = keys_find(a->keys, context, k);
    if (b && (b->contexts & WRITES) && app_refuses(a, b->name))
        return REACT_DRAW;
    if (b) {
        journal_command(a->journal, b->name);
        return run_binding(a, b, k);
    }
    if (context == CONTEXT_PROMPT) {
        const unsigned reaction = type_into_prompt(a, k);
        return reaction ? reaction : habits_answer(a, k);
    }
    if (context == CONTEXT_CHOOSER) {
        const unsigned reaction = chooser_type(a, k);
        return reaction ? reaction : habits_answer(a, k);
    }
    return habits_answer(a, k);
}

/* Likewise keys about an event whose details are on their way. */
static bool waits_for_details(const struct app *a, const struct key *k)
{
    const struct binding *b = keys_find(a->keys, app_context(a), k);
    return b && b->contexts & NEEDS_ROWS && !neighbor_is_settled(a);
}

/* Has the cursor gone so far that its row is still on its way? */
static bool awaits_row(const struct app *a)
{
    const struct frame *const f = a->focus->frame;
    return f->sequence < a->focus->sent.sequence && f->shown && !app_cursor_row(a);
}

/* They go from line to line, whatever stands there. */
static bool is_move(const struct binding *b)
{
    static const enum action moves[] = {ACT_MOVE, ACT_PAGE, ACT_END, ACT_PAN};
    for (size_t i = 0; i < sizeof moves / sizeof *moves; i++)
        if (b->action == moves[i])
            return true;
    return false;
}

/* Keys that are about rows wait until those are there: at the start, where a pane was just opened,
 * where others were asked for, and where the cursor has gone far: what is typed fast must not act
 * on what a filter, an order or a moment is about to take away. Those pressed after them wait, too;
 * but whoever wants to leave is let go. Completion waits for the names that it may put. */
static bool must_wait(const struct app *a, const struct key *k)
{
    if (app_context(a) & CONTEXT_DETAIL)
        return waits_for_details(a, k);
    const bool is_known = app_known(a) && a->focus->frame->sequence >= a->focus->rows_sequence;
    const struct binding *b = keys_find(a->keys, app_context(a), k);
    if (b && strcmp(b->name, "complete") == 0 && filtering_waits(a))
        return true;
    if (!b || !(b->contexts & NEEDS_ROWS) || !(app_context(a) & CONTEXT_ROWS))
        return false;
    return !is_known || (!is_move(b) && awaits_row(a));
}

static bool lets_go(const struct app *a, const struct key *k)
{
    const struct binding *b = keys_find(a->keys, app_context(a), k);
    static const char *const names[] = {"quit", "close", "cancel", "redraw", "suspend"};
    for (size_t i = 0; b && i < sizeof names / sizeof *names; i++)
        if (strcmp(b->name, names[i]) == 0)
            return true;
    return false;
}

static bool is_pointing(const struct app *a, const struct key *k)
{
    const bool is_wheel = k->kind == KEY_WHEEL_UP || k->kind == KEY_WHEEL_DOWN;
    return (is_wheel || k->kind == KEY_CLICK) && splits_have_areas(a) &&
           a->overlay == OVERLAY_NONE && a->prompting == PROMPT_NONE;
}

/* As must_wait(); the wheel is about the rows under the pointer, a click aside about none. */
static bool must_wait_there(struct app *a, const struct key *k)
{
    const int at = is_pointing(a, k) ? splits_at(a, k->x, k->y) : -1;
    if (at < 0 || (unsigned)at == a->split_at)
        return must_wait(a, k);
    if (k->kind == KEY_CLICK)
        return false;
    const unsigned current = splits_enter(a, (unsigned)at);
    const bool waits = must_wait(a, k);
    splits_leave(a, current);
    return waits;
}

/* The mouse is about the pane under the pointer: a click makes it the current one, the wheel turns
 * it. False: there is nothing more to do; else the key is as that pane sees it. */
static bool point(struct app *a, struct key *k)
{
    if (k->kind == KEY_DRAG && splits_have_areas(a))
        k->x -= splits_area(a, a->split_at).x; /* what it has hold of is there */
    if (!is_pointing(a, k))
        return true;
    const bool is_click = k->kind == KEY_CLICK;
    const struct rect room = splits_room(a);
    const int at = splits_at(a, k->x, k->y);
    if (at < 0)
        return !is_click || k->y < room.y || k->y >= room.y + room.height;
    const struct rect area = splits_area(a, (unsigned)at);
    k->x -= area.x;
    k->y -= area.y;
    if ((unsigned)at == a->split_at)
        return true;
    if (is_click)
        return splits_go(a, (unsigned)at), false;
    const unsigned current = splits_enter(a, (unsigned)at);
    dispatch(a, k);
    splits_leave(a, current);
    return false;
}

static unsigned press(struct app *a, const struct key *k)
{
    struct key key = *k;
    const unsigned reaction = point(a, &key) ? dispatch(a, &key) : REACT_DRAW;
    app_settle(a);
    return reaction;
}

/* What was pressed, as far as its rows are there by now. */
static unsigned press_pending(struct app *a)
{
    unsigned reaction = REACT_NONE;
    while (a->pending_count && !must_wait_there(a, &a->pending[0])) {
        const struct key k = a->pending[0];
        a->pending_count--;
        memmove(a->pending, a->pending + 1, a->pending_count * sizeof *a->pending);
        reaction |= press(a, &k);
    }
    return reaction;
}

/* A terminal sends an Esc and a digit that come at once as it sends Alt with the digit. Unless the
 * user gave that key a command, they are two keys. */
static bool is_escape_and_digit(const struct app *a, const struct key *k)
{
    return k->kind == KEY_CHARACTER && k->code >= '0' && k->code <= '9' &&
           k->modifiers == KEY_ALT && !keys_find(a->keys, app_context(a), k);
}

unsigned app_key(struct app *a, const struct key *k, int64_t now)
{
    a->now = now;
    app_message_release(a);
    if (is_escape_and_digit(a, k)) {
        const struct key digit = {.kind = KEY_CHARACTER, .code = k->code};
        const unsigned reaction = app_key(a, &(struct key){.kind = KEY_ESCAPE}, now);
        return reaction | app_key(a, &digit, now);
    }
    if (lets_go(a, k))
        a->pending_count = 0;
    else if (a->pending_count || must_wait_there(a, k)) {
        if (a->pending_count < PENDING_MAX)
            a->pending[a->pending_count++] = *k;
        return REACT_NONE;
    }
    const unsigned reaction = press(a, k);
    if (reaction & REACT_QUIT)
        a->has_quit = true;
    return reaction;
}

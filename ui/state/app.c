#include "ui/state/app.h"

#include "ui/config/journal.h"

#include "src/os/os.h"
#include "src/pane/panes.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* ---- where we are ------------------------------------------------------------------ */

struct place *app_place(struct app *a)
{
    struct level *l = a->focus->levels[a->focus->depth];
    return &l->places[l->at];
}

const struct place *app_shown(const struct app *a)
{
    const struct level *l = a->focus->levels[a->focus->depth];
    return &l->places[l->at];
}

bool chart_is_shown(const struct app *a)
{
    return app_shown(a)->chart.kind != CHART_NONE;
}

bool flame_is_shown(const struct app *a)
{
    const struct place *const p = app_shown(a);
    return p->pane->view == PANE_TREE && p->stacks.is_flame;
}

unsigned app_context(const struct app *a)
{
    if (a->prompting != PROMPT_NONE)
        return CONTEXT_PROMPT;
    if (a->overlay == OVERLAY_CHOOSER)
        return CONTEXT_CHOOSER;
    return a->overlay == OVERLAY_HELP ? CONTEXT_TEXT : app_context_below(a);
}

static unsigned context_of_pane(const struct app *a);

unsigned app_context_below(const struct app *a)
{
    return context_of_pane(a) | (a->strip.has_focus ? CONTEXT_STRIP : 0u);
}

static unsigned context_of_pane(const struct app *a)
{
    if (a->focus->is_detail)
        return CONTEXT_TEXT | (app_shown(a)->pane->view == PANE_EVENTS ? CONTEXT_DETAIL : 0u) |
               (a->split_count > 1 ? CONTEXT_SPLIT : 0u);
    const struct place *p = app_shown(a);
    const unsigned chart =
        (chart_is_shown(a) ? CONTEXT_CHART : 0u) | (a->split_count > 1 ? CONTEXT_SPLIT : 0u);
    switch (p->pane->view) {
    case PANE_EVENTS:
        return CONTEXT_EVENTS | chart;
    case PANE_TREE:
        return chart | CONTEXT_TABLE | CONTEXT_STACKS |
               (p->stacks.is_flame ? CONTEXT_FLAME : CONTEXT_TREE);
    case PANE_TABLE:
    case PANE_CHANGES:
        break;
    }
    return chart | CONTEXT_TABLE | (p->is_tree && !chart ? CONTEXT_TREE : 0u);
}

struct format app_format(const struct app *a)
{
    return (struct format){
        .glyphs = a->glyphs,
        .time = (enum time_mode)a->settings.time,
        .is_si = a->settings.units == UNITS_SI,
        .start = a->focus->frame ? a->focus->frame->first_instant : 0,
    };
}

const struct frame *app_known(const struct app *a)
{
    return a->focus->frame && a->focus->frame->pane == app_shown(a)->pane ? a->focus->frame : NULL;
}

const struct frame_row *app_row(const struct app *a, uint64_t index)
{
    const struct frame *f = app_known(a);
    if (!f || index < f->first || index - f->first >= f->row_count)
        return NULL;
    return &f->rows[index - f->first];
}

const struct frame_row *app_cursor_row(const struct app *a)
{
    const struct place *p = app_shown(a);
    const struct frame_row *row = app_row(a, p->list.cursor);
    return row && p->list.has_key && row_key_equal(row->key, p->list.key) ? row : NULL;
}

/* ---- what everybody does ---------------------------------------------------------------- */

void app_freeze(struct app *a, bool freeze)
{
    if (freeze && !a->is_frozen)
        a->frozen_at = a->now;
    a->is_frozen = freeze;
    if (!freeze) {
        a->range_from = a->range_to = 0;
        if (a->comparison.stage == COMPARE_SHOWN)
            a->comparison.stage = COMPARE_NOT; /* it was of those moments */
    }
}

bool app_is_tagged(const struct app *a, const struct row_key *key)
{
    if (a->tags.pane != app_shown(a)->pane)
        return false;
    for (unsigned i = 0; i < a->tags.count; i++)
        if (row_key_equal(a->tags.keys[i], *key))
            return true;
    return false;
}

/* Longer than any that we write; a path in it may be. Not within a character. */
static void mark_cut(char text[MESSAGE_ROOM], const char *ellipsis)
{
    size_t at = MESSAGE_ROOM - 1 - strlen(ellipsis);
    while (at > 0 && ((unsigned char)text[at] & 0xc0) == 0x80)
        at--;
    memcpy(text + at, ellipsis, strlen(ellipsis) + 1);
}

static void show_message(struct app *a, bool is_error, const char *text)
{
    snprintf(a->message, sizeof a->message, "%s", text);
    a->is_error = is_error;
    a->message_until = a->now + a->settings.message_ns;
    a->message_held_until = is_error ? INT64_MAX : 0;
    a->message_next[0] = '\0';
}

void app_message(struct app *a, bool is_error, const char *format, ...)
{
    char text[MESSAGE_ROOM];
    va_list args;
    va_start(args, format);
    const int length = vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (length >= MESSAGE_ROOM)
        mark_cut(text, a->glyphs->ellipsis);
    message_log_add(a->messages, is_error, a->is_still ? 0 : os_wall_now(), text);
    journal_message(a->journal, is_error, text);
    if (a->message_held_until && !is_error)
        memcpy(a->message_next, text, sizeof text);
    else
        show_message(a, is_error, text);
}

void app_was_shown(struct app *a, int64_t now)
{
    static const int64_t HELD_NS = 2000000000;
    if (a->message_held_until != INT64_MAX)
        return;
    a->message_held_until = now + HELD_NS;
    a->message_until = now + a->settings.message_ns;
}

bool app_message_tick(struct app *a)
{
    if (a->now < a->message_held_until)
        return false;
    a->message_held_until = 0;
    if (a->message_next[0]) {
        show_message(a, false, a->message_next);
        return true;
    }
    if (!a->message[0] || a->now < a->message_until)
        return false;
    a->message[0] = '\0';
    return true;
}

void app_message_release(struct app *a)
{
    a->message_held_until = 0;
    a->message_next[0] = '\0';
}

bool app_refuses(struct app *a, const char *what)
{
    if (a->settings.is_readonly)
        app_message(a, true, "%s: not available, tracetop is read-only", what);
    return a->settings.is_readonly;
}

void app_command(struct app *a, enum command_kind kind, double number, const char *text)
{
    struct command c = {.kind = kind, .number = number};
    size_t bytes = text ? strlen(text) : 0;
    if (bytes >= sizeof c.text) {
        bytes = sizeof c.text - 1;
        while (bytes > 0 && ((unsigned char)text[bytes] & 0xc0) == 0x80)
            bytes--; /* not within a character */
    }
    if (bytes > 0)
        memcpy(c.text, text, bytes);
    a->port.command(a->port.state, &c);
}

/* The status line: how collection goes, what was lost, the figures, what is to be said. */
#include "ui/draw/lines.h"
#include "ui/draw/lines_inside.h"

#include "ui/draw/loss.h"
#include "ui/draw/sign.h"
#include "ui/state/filtering.h"
#include "ui/state/layout.h"
#include "ui/state/saver.h"
#include "ui/state/step.h"

#include "src/engine/watch.h"

#include <inttypes.h>
#include <stdio.h>

static const char *word(const struct line_cursor *p, enum sign s)
{
    return sign_text(p->g->glyphs, s);
}

static void write_word(struct line_cursor *p, enum role role, enum sign s)
{
    write_format(p, role, " %s ", word(p, s));
}

/* How far before the end of the history the picture stands; of a longer range,
 * where it begins, too. */
static void write_range(struct line_cursor *p, const struct app *a, const struct frame *f)
{
    char text[64];
    const struct format format = app_format(a);
    enum { HALF_MS = 500000 }; /* samples end a nanosecond before the next one */
    format_instant(&format, f->instant + HALF_MS, text, sizeof text);
    write_word(p, ROLE_STATE_FROZEN, SIGN_FROZEN);
    if (f->range_to - f->range_from > f->sample_ns)
        write_format(p, ROLE_STATE_FROZEN, "%s%.1fs..", a->glyphs->minus,
                     (double)step_distance(f, f->range_from) / 1e9);
    write_format(p, ROLE_STATE_FROZEN, "%s%.1fs %s ", a->glyphs->minus,
                 (double)step_distance(f, f->range_to) / 1e9, text);
    if (f->is_of_history)
        write_format(p, ROLE_STATE_FROZEN, "%s ", word(p, SIGN_LARGEST));
}

static void write_progress(struct line_cursor *p, const struct app *a, double share, enum role role)
{
    enum { CELLS = 10, REST = 60 };
    if (share < 0 || p->end - p->x <= REST || a->is_still)
        return;
    grid_bar(p->g, p->x + 1, p->y, CELLS, share, role, GRADIENT_NONE);
    p->x += CELLS + 1;
}

static bool is_shorter(double s, double than)
{
    return s < than * 0.99;
}

/* What else than the whole span averages are over: the first column that was recorded for part of
 * it. Where that is all that the pane counts, its title is left out. */
static void write_part(struct line_cursor *p, enum role role, const struct frame *f)
{
    char text[32];
    double longest = 0, shortest = f->interval_s;
    size_t first = FRAME_COLUMNS;
    for (size_t i = f->pane->column_count < FRAME_COLUMNS ? f->pane->column_count : FRAME_COLUMNS;
         i-- > 0;) {
        const struct column *const c = &f->pane->columns[i];
        const double s = f->column_s[i];
        if (s <= 0 || f->missing >> i & 1 || !(c->flags & COLUMN_SUMS) || c->flags & COLUMN_IS_SUM)
            continue;
        longest = s > longest ? s : longest;
        shortest = s < shortest ? s : shortest;
        if (is_shorter(s, f->interval_s) && c->flags & COLUMN_DEFAULT)
            first = i;
    }
    if (first == FRAME_COLUMNS)
        return;
    const bool is_all = !is_shorter(shortest, longest);
    const struct format format = {.glyphs = p->g->glyphs};
    format_time(&format, f->column_s[first] * 1e9, text, sizeof text);
    write_format(p, role, "%s%s %s %s", is_all ? "" : ", ",
                 is_all ? "" : f->pane->columns[first].title,
                 f->state == STATE_LIVE ? "since" : "over", text);
}

/* What sums and averages are of, where it is not the last interval. */
static void write_span(struct line_cursor *p, enum role role, const struct app *a,
                       const struct frame *f)
{
    char text[32];
    const struct format format = app_format(a);
    if (f->pane->view != PANE_TABLE)
        return;
    format_time(&format, f->interval_s * 1e9, text, sizeof text);
    write_format(p, role, " %s %s", word(p, a->is_accumulating ? SIGN_SUMS : SIGN_MEAN), text);
    write_part(p, role, f);
}

static void write_state(struct line_cursor *p, const struct app *a, const struct frame *f,
                        bool is_narrow)
{
    char text[64];
    struct format format = app_format(a);
    if (a->is_frozen) {
        if (f && f->range_to > f->range_from)
            write_range(p, a, f);
        else if (a->is_still || (f && f->state != STATE_LIVE)) /* no later events pass by */
            write_word(p, ROLE_STATE_FROZEN, SIGN_FROZEN);
        else
            write_format(p, ROLE_STATE_FROZEN, " %s %s%.1fs ", word(p, SIGN_FROZEN),
                         a->glyphs->minus, (double)(a->now - a->frozen_at) / 1e9);
        return;
    }
    if (!f) {
        write_text(p, ROLE_STATE_LIVE, " STARTING");
        return;
    }
    if (f->instant)
        format_instant(&format, f->instant, text, sizeof text);
    else
        snprintf(text, sizeof text, "-");
    switch (f->state) {
    case STATE_LIVE:
        if (f->is_total && f->pane->view == PANE_TABLE) {
            write_format(p, ROLE_STATE_LIVE, " %s", word(p, SIGN_LIVE));
            if (!is_narrow)
                write_span(p, ROLE_STATE_LIVE, a, f);
        } else {
            write_format(p, ROLE_STATE_LIVE, " %s %.1fs", word(p, SIGN_LIVE), f->interval_s);
        }
        break;
    case STATE_REPLAY:
        write_format(p, ROLE_STATE_REPLAY, " %s %s", word(p, SIGN_REPLAY), text);
        if (f->speed > 0)
            write_format(p, ROLE_STATE_REPLAY, " %s%g", a->glyphs->times, f->speed);
        else
            write_text(p, ROLE_STATE_REPLAY, " max");
        break;
    case STATE_PAUSED:
        write_format(p, ROLE_STATE_PAUSED, " %s %s ", word(p, SIGN_PAUSED), text);
        break;
    case STATE_FINISHED:
        write_format(p, ROLE_STATE_FINISHED, " %s %s", word(p, SIGN_FINISHED), text);
        if (!is_narrow)
            write_span(p, ROLE_STATE_FINISHED, a, f);
        break;
    case STATE_FAILED:
        write_word(p, ROLE_STATE_FAILED, SIGN_FAILED);
        break;
    }
    if (f->state == STATE_REPLAY)
        write_progress(p, a, f->progress, ROLE_STATE_REPLAY);
    if (f->is_rereading) {
        write_format(p, ROLE_STATE_FINISHED, " %s", word(p, SIGN_REREADING));
        write_progress(p, a, f->progress, ROLE_STATE_FINISHED);
    }
}

/* One number and its main cause: a rate while more gets lost, the total after. `:loss` has the
 * parts. */
static void write_loss(struct line_cursor *p, enum role calm, const struct frame *f)
{
    const struct loss_sum sum = loss_sum(f);
    const char *const doubt = f->loss.is_unknown ? word(p, SIGN_INCOMPLETE) : "";
    if (!sum.cause) {
        write_format(p, *doubt ? ROLE_LOST_PAST : calm, "%s %s", word(p, SIGN_LOST),
                     *doubt ? doubt : "0");
        return;
    }
    char text[32];
    format_count(sum.count, text, sizeof text);
    if (sum.is_rate)
        write_format(p, ROLE_LOST, " %s %s%s/s %s ", word(p, SIGN_LOST), text, doubt, sum.cause);
    else
        write_format(p, ROLE_LOST_PAST, "%s %s%s %s", word(p, SIGN_LOST), text, doubt, sum.cause);
}

static enum role status_role(const struct app *a, const struct frame *f)
{
    if (a->is_frozen)
        return ROLE_STATUS_FROZEN;
    if (f && f->state == STATE_REPLAY)
        return ROLE_STATUS_REPLAY;
    return f && f->state == STATE_PAUSED ? ROLE_STATUS_PAUSED : ROLE_STATUS;
}

/* A figure with its divider, and words before and behind it or NULL; whole or not at all. */
static void write_figure(struct line_cursor *p, enum role role, const char *before,
                         const char *number, const char *behind)
{
    char text[192];
    snprintf(text, sizeof text, "%s%s%s%s%s", before ? before : "", before ? " " : "", number,
             behind ? " " : "", behind ? behind : "");
    if (p->x + 3 + grid_width(text) <= p->end)
        write_format(p, role, " %s %s", p->g->glyphs->divider, text);
}

static double kept_percent(const struct frame_capture *c)
{
    const uint64_t all = c->kept + c->left_out;
    return all ? 100 * (double)c->kept / (double)all : 100;
}

/* "capture EXPR: kept 12%" of the frame; "" where everything is stored. Returns `out`. */
static char *capture_words(const struct line_cursor *p, const struct frame *f, char *out,
                           size_t room)
{
    out[0] = '\0';
    if (f->capture.text[0])
        snprintf(out, room, "%s %.60s: kept %.3g%%", word(p, SIGN_CAPTURE), f->capture.text,
                 kept_percent(&f->capture));
    return out;
}

static void write_lost(struct line_cursor *p, const struct frame *f, enum role role)
{
    write_format(p, role, " %s ", p->g->glyphs->divider);
    write_loss(p, role, f);
}

static void write_figures(struct line_cursor *p, const struct app *a, const struct frame *f,
                          enum role role)
{
    char text[32];
    if (!a->is_still) {
        format_count(f->events_per_s, text, sizeof text);
        write_figure(p, role, NULL, text, word(p, SIGN_RATE));
    }
    write_lost(p, f, role);
    if (f->watched[0])
        write_figure(p, ROLE_LOST_PAST, word(p, SIGN_WATCHED), f->watched, NULL);
    char stored[96];
    if (*capture_words(p, f, stored, sizeof stored))
        write_figure(p, ROLE_LOST_PAST, NULL, stored, NULL);
    char recorder[FRAME_RECORDER];
    if (*frame_recorder(f, recorder))
        write_figure(p, role, word(p, SIGN_RECORDER), recorder, NULL);
    if (f->active && !a->is_still) {
        char on[96];
        watch_words(f->active, on, sizeof on);
        write_figure(p, role, word(p, SIGN_CLASSES), on, f->active_stacks ? "+stacks" : NULL);
    }
    if (f->late) {
        format_count((double)f->late, text, sizeof text);
        write_figure(p, role, word(p, SIGN_LATE), text, NULL);
    }
    if (f->unmatched) {
        format_count((double)f->unmatched, text, sizeof text);
        write_figure(p, role, word(p, SIGN_UNMATCHED), text, NULL);
    }
    const uint64_t left_out = loss_left_out(f);
    if (left_out) {
        format_count((double)left_out, text, sizeof text);
        write_figure(p, role, word(p, SIGN_LEFT_OUT), text, NULL);
    }
    if (a->is_still)
        return;
    const struct format format = app_format(a);
    format_time(&format, f->ring_s * 1e9, text, sizeof text);
    write_figure(p, role, word(p, SIGN_RING), text, NULL);
    if (f->self_percent >= 0) {
        const size_t end = format_percent(f->self_percent, text, sizeof text - 1);
        snprintf(text + end, sizeof text - end, "%%");
        write_figure(p, role, word(p, SIGN_SELF), text, NULL);
    }
}

/* ---- messages ---------------------------------------------------------------------------- */

static const char *message_now(const struct app *a, enum role *role)
{
    size_t wrong_at;
    const char *const wrong = filtering_wrong(a, &wrong_at);
    *role = !a->message[0] || a->is_error ? ROLE_FILTER_BAD : ROLE_MESSAGE;
    return a->message[0] ? a->message : wrong;
}

bool lines_have_message(const struct app *a)
{
    enum role role;
    return message_now(a, &role) != NULL;
}

static const char page[] = ":messages"; /* which shows all of it */

/* Whole, or cut with the command that shows the rest. What is wrong with a filter that is being
 * typed is kept with Enter only. */
static void put_message(struct grid *g, const struct rect *r, enum role role, const char *text,
                        bool is_kept)
{
    enum { LEAST = 12 };
    const bool names_page =
        is_kept && grid_width(text) > r->width && r->width > (int)sizeof page + LEAST;
    const int command = names_page ? (int)sizeof page : 0;
    if (r->width > 0)
        grid_cut(g, r->x, r->y, r->width - command, role, text, CUT_END);
    if (names_page)
        grid_right(g, r->x, r->y, r->width, ROLE_KEY, page);
}

void lines_message(const struct app *a, struct grid *g, const struct rect *r)
{
    enum role role;
    const char *const text = message_now(a, &role);
    const struct rect inner = {r->x + 1, r->y, r->width - 2, 1};
    if (text)
        put_message(g, &inner, role, text, a->message[0]);
}

/* The newest notice that the page has not shown yet; false: there is none. */
static bool newest_notice(const struct app *a, const struct frame *f, char *out, size_t room)
{
    const struct format format = app_format(a);
    if (!f || !f->notices.count || f->notices.older + f->notices.count <= a->notices_read)
        return false;
    format_value(&format, &f->notices.texts[f->notices.count - 1], f->arena, f->arena_bytes, out,
                 room);
    return true;
}

enum { NOTICE_GAP = 2, NOTICE_COUNT = 20 }; /* "99 notices :messages" */

/* Notices stay until they are read: at the end of the line, behind all figures. Where little of the
 * newest one could be read, only their number. */
static void write_notice(const struct line_cursor *p, const struct app *a, const struct frame *f,
                         char text[FORMAT_ROOM])
{
    struct rect r = {p->x + NOTICE_GAP, p->y, p->end - 1 - p->x - NOTICE_GAP, 1};
    const uint64_t unread = f->notices.older + f->notices.count - a->notices_read;
    if (grid_width(text) > r.width && r.width < 2 * NOTICE_COUNT)
        snprintf(text, FORMAT_ROOM, "%" PRIu64 " notice%s %s", unread, unread == 1 ? "" : "s",
                 page);
    const int spare = r.width - grid_width(text);
    if (spare > 0) {
        r.x += spare;
        r.width -= spare;
    }
    if (r.width >= (int)sizeof page - 1)
        put_message(p->g, &r, ROLE_MESSAGE, text, true);
}

/* LOST is always there; where there is no line of keys, a message takes the place of what follows.
 */
void lines_status(const struct app *a, struct grid *g, const struct rect *r)
{
    const struct frame *f = a->focus->frame;
    const enum role role = status_role(a, f);
    enum role message_role = ROLE_MESSAGE;
    grid_fill(g, *r, role);
    struct line_cursor p = {g, r->x, r->y, r->x + r->width};
    const char *const message =
        app_layout_whole(a).keys.height ? NULL : message_now(a, &message_role);
    write_state(&p, a, f, message != NULL);
    char text[FORMAT_ROOM];
    if (*saver_status(a->saver, text, sizeof text))
        write_figure(&p, ROLE_STATE_REC, NULL, text, NULL);
    const bool has_notice = newest_notice(a, f, text, sizeof text);
    p.end -= has_notice ? NOTICE_COUNT + NOTICE_GAP : 0;
    if (f && !message)
        write_figures(&p, a, f, role);
    else if (f)
        write_lost(&p, f, role);
    p.end = r->x + r->width;
    const struct rect rest = {p.x + 2, p.y, p.end - 1 - p.x - 2, 1};
    if (message)
        put_message(g, &rest, message_role, message, a->message[0]);
    else if (has_notice)
        write_notice(&p, a, f, text);
}

/* Why a table has no rows, and the key or command that changes it. */
#include "ui/draw/view_empty.h"

#include "src/base/text.h"
#include "src/engine/watch.h"
#include "ui/draw/text_page.h"
#include "ui/state/lacking.h"

#include <stdio.h>
#include <string.h>

enum { LINES = 12, LINE = 400, WIDEST = 90 };

struct empty {
    struct empty_line {
        enum role role;
        char text[LINE];
    } lines[LINES];
    unsigned count;
    int most; /* cells of a line */
};

static void add_line(struct empty *e, enum role role, const char *text, size_t bytes)
{
    if (e->count == LINES)
        return;
    struct empty_line *const l = &e->lines[e->count++];
    l->role = role;
    snprintf(l->text, sizeof l->text, "%.*s", (int)bytes, text);
}

/* In as many lines as it takes, from blank to blank. */
static void add(struct empty *e, enum role role, const char *text)
{
    while (grid_width(text) > e->most) {
        size_t end = text_page_bytes(text, strlen(text), e->most);
        while (end && text[end] != ' ')
            end--;
        const bool is_between = end > 0;
        if (!is_between) /* one long word */
            end = text_page_bytes(text, strlen(text), e->most);
        add_line(e, role, text, end);
        text += end + is_between;
    }
    add_line(e, role, text, strlen(text));
}

static void add_value(struct empty *e, const struct app *a, enum role role, const struct value *v)
{
    char text[FORMAT_ROOM];
    const struct format format = app_format(a);
    const struct frame *const f = app_known(a);
    if (!f || v->type != VALUE_TEXT || !v->text.bytes)
        return;
    format_value(&format, v, f->arena, f->arena_bytes, text, sizeof text);
    add(e, role, text);
}

static void add_cost(struct empty *e, const struct pane *p, const char *state)
{
    char text[LINE];
    snprintf(text, sizeof text, "%s: %s", p->title, state);
    if (p->cost && strcmp(p->cost, "low") != 0)
        snprintf(text, sizeof text, "%s: %s (cost of collecting: %s)", p->title, state, p->cost);
    add(e, ROLE_DIM, text);
}

static void ask_for_consent(struct empty *e, const struct pane *p)
{
    char text[LINE];
    add_cost(e, p, "not collected yet");
    add(e, ROLE_DIM, "A busy machine has over 100k of these events a second; each takes time.");
    snprintf(text, sizeof text, "Enter starts it; it stops %d s after you leave the pane.",
             (int)WATCH_STAYS_S);
    add(e, ROLE_TITLE, text);
}

/* The collector's own sentence where rights are missing; else the kernel has no such events. */
static void report_unavailable(struct empty *e, const struct app *a, const struct frame *f)
{
    char text[LINE];
    snprintf(text, sizeof text, "%s: unavailable here", app_shown(a)->pane->title);
    add(e, ROLE_DIM, text);
    if (f->lack_why.type != VALUE_TEXT)
        add(e, ROLE_DIM, "this system has no such events; :notices shows the reason");
    add_value(e, a, ROLE_DIM, &f->lack_why);
    add_value(e, a, ROLE_TITLE, &f->lack_fix);
}

/* No event of the pane belongs to a crumb: which one. */
static const char *emptied_text(const struct app *a, const struct frame *f, char *out, size_t room)
{
    const struct format format = app_format(a);
    const unsigned i = f->emptied_by ? f->emptied_by - 1u : f->crumb_count;
    char name[FORMAT_ROOM];
    if (i >= f->crumb_count || f->crumbs[i].name.type == VALUE_ABSENT)
        return f->is_window_only ? "no such events of this row in the history; Esc goes back"
                                 : "no such events of this row; Esc goes back";
    format_value(&format, &f->crumbs[i].name, f->arena, f->arena_bytes, name, sizeof name);
    snprintf(out, room, "%s: nothing of %.60s%s; Esc goes back", app_shown(a)->pane->title, name,
             f->is_window_only ? " in the history" : "");
    return out;
}

/* Why there are no rows, where none are hidden either. */
static const char *nothing_text(const struct app *a, const struct frame *f, char *out, size_t room)
{
    if (*f->filter_remark)
        return f->filter_remark;
    if (app_shown(a)->filter[0])
        return "no event matches the filter; Esc clears it";
    if (a->range_to > a->range_from && !f->is_of_history && !f->recorded_first &&
        a->range_to < f->kept_first)
        return a->focus->depth
                   ? "the events of this time are gone; Esc goes back, Z returns to the present"
                   : "the events of this time are gone; Z returns to the present";
    if (a->range_to > a->range_from)
        return "no such events in the time shown; Z returns to the present";
    if (a->focus->depth)
        return emptied_text(a, f, out, room);
    if (app_shown(a)->pane->if_empty)
        return app_shown(a)->pane->if_empty;
    if (f->watched[0])
        return "the watched processes have no such events";
    return f->state == STATE_LIVE ? "no events yet"
                                  : "no such events in the trace; :info shows what it has";
}

static void report_why(struct empty *e, const struct app *a, const struct frame *f)
{
    const struct pane *const p = app_shown(a)->pane;
    const enum lacking lacking = p->if_empty ? LACKING_NOTHING : lacking_of(a);
    const bool is_filtered = app_shown(a)->filter[0] != '\0';
    char text[LINE];
    if (!f)
        add(e, ROLE_DIM, "gathering");
    else if (f->is_linux && p->not_on_linux)
        add(e, ROLE_DIM, p->not_on_linux);
    else if (lacking == LACKING_CONSENT)
        ask_for_consent(e, p);
    else if (lacking == LACKING_TIME)
        add_cost(e, p, "starting");
    else if (lacking == LACKING_RIGHTS)
        report_unavailable(e, a, f);
    else if (f->hidden && !is_filtered && a->settings.hides_idle)
        add(e, ROLE_DIM, "every row is idle; i shows them");
    else if (f->hidden && !is_filtered)
        add(e, ROLE_DIM, "every row is hidden; K shows the system's, :hide-self those of tracetop");
    else if (f->hidden)
        add(e, ROLE_DIM,
            f->is_of_history ? "none of this time's largest rows matches the filter; Esc clears it"
                             : "no row matches the filter; Esc clears it");
    else
        add(e, ROLE_DIM, nothing_text(a, f, text, sizeof text));
}

void view_empty(const struct app *a, struct grid *g, const struct rect *body)
{
    struct empty e = {.most = body->width < WIDEST ? body->width - 2 : WIDEST};
    int widest = 0;
    report_why(&e, a, app_known(a));
    for (unsigned i = 0; i < e.count; i++)
        widest = grid_width(e.lines[i].text) > widest ? grid_width(e.lines[i].text) : widest;
    const int spare = (body->width - widest) / 2;
    const int x = spare > 0 ? spare : 0;
    const int y = body->y + body->height / 3;
    for (unsigned i = 0; i < e.count && y + (int)i < body->y + body->height; i++)
        grid_cut(g, x, y + (int)i, body->width - x, e.lines[i].role, e.lines[i].text, CUT_END);
}

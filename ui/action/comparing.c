/* Keys and commands that compare moments. */
#include "ui/action/comparing.h"

#include "src/base/unit.h"
#include "src/pane/panes.h"
#include "ui/action/action.h"
#include "ui/state/compare.h"
#include "ui/state/location_history.h"
#include "ui/state/place.h"
#include "ui/state/step.h"

#include <stdio.h>
#include <string.h>

static bool is_changes(const struct app *a)
{
    return app_shown(a)->pane->view == PANE_CHANGES;
}

static void report_moment(struct app *a, int64_t to, const char *what)
{
    char text[64];
    const struct format format = app_format(a);
    enum { HALF_MS = 500000 }; /* samples end a nanosecond before the next one */
    format_instant(&format, to + HALF_MS, text, sizeof text);
    app_message(a, false, "%s %s", text, what);
}

ACTION(difference)
{
    UNUSED(b), UNUSED(k);
    struct comparison *const c = &a->comparison;
    int64_t from, to;
    if (c->stage == COMPARE_SHOWN) {
        compare_end(a);
        app_message(a, false, "comparison ended");
        return REACT_DRAW;
    }
    if (!step_moment(a, &from, &to))
        return REACT_DRAW;
    if (c->stage == COMPARE_NOT) {
        c->from_ns = from;
        c->to_ns = to;
        c->stage = COMPARE_MARKED;
        report_moment(a, to, "is A; step ([ ]) and press A again to compare");
    } else if (from == c->from_ns && to == c->to_ns) {
        report_moment(a, to, "is already A; step to another moment first ([ ])");
    } else {
        step_to(a, from, to);
        c->stage = COMPARE_SHOWN;
        report_moment(a, to, "minus A, by size; [ ] step, A ends");
    }
    return REACT_DRAW;
}

ACTION(what_changed)
{
    UNUSED(b), UNUSED(k);
    const struct pane *const p = pane_find("changes");
    if (is_changes(a))
        location_history_return(a);
    else if (p)
        app_go_pane(a, p);
    return REACT_DRAW;
}

bool compare_open(struct app *a)
{
    const struct frame_row *const row = app_cursor_row(a);
    const struct frame *const f = app_known(a);
    if (!row || !row->of_pane || !f)
        return false;
    const struct row_key key = row->of;
    const unsigned column = row->of_column;
    const int64_t from = f->now_from, to = f->now_to;
    app_go_pane(a, row->of_pane);
    step_to(a, from, to);
    struct place *const p = app_place(a);
    memset(p->filter, 0, sizeof p->filter); /* it may hide the row */
    p->is_tree = false;
    p->group = GROUPED_NOT;
    p->sort = p->column = column;
    p->ascending = false;
    p->has_sort = true;
    p->list.is_first = p->list.is_tail = false;
    p->list.key = key;
    p->list.has_key = true;
    return true;
}

static bool next_time(const char **at, int64_t *out, struct err *err)
{
    char word[32];
    const size_t bytes = strcspn(*at, " ");
    if (!bytes || bytes >= sizeof word)
        return fail(err, "expected a time such as 10s");
    snprintf(word, sizeof word, "%.*s", (int)bytes, *at);
    *at += bytes + strspn(*at + bytes, " ");
    return unit_time(word, out, err) && (*out > 0 || fail(err, "expected a time above 0"));
}

void compare_spans(struct app *a, const char *text)
{
    struct err err;
    int64_t now = 0, before = 0;
    const char *at = text;
    if ((*at && !next_time(&at, &now, &err)) || (*at && !next_time(&at, &before, &err)) || *at) {
        app_message(a, true, ":changes takes one or two times such as 5s 30s; found \"%s\"", text);
        return;
    }
    a->comparison.now_ns = now;
    a->comparison.before_ns = before;
    if (!is_changes(a))
        app_go_pane(a, pane_find("changes"));
}

#include "ui/state/compare.h"

#include "ui/state/step.h"

#include <stdio.h>

void compare_ask(const struct app *a, struct request *r)
{
    const struct comparison *const c = &a->comparison;
    const bool is_table = r->pane->view == PANE_TABLE;
    if (r->pane->view == PANE_CHANGES) {
        r->now_ns = c->now_ns;
        r->before_ns = c->before_ns;
    }
    if (c->stage == COMPARE_NOT || (is_table && c->stage != COMPARE_SHOWN))
        return;
    if (!is_table && r->pane->view != PANE_CHANGES)
        return;
    r->base_from_ns = c->from_ns;
    r->base_to_ns = c->to_ns;
    if (is_table)
        r->tree = false; /* what is less than nothing has no place in a sum */
}

void compare_end(struct app *a)
{
    a->comparison.stage = COMPARE_NOT;
}

bool compare_is_shown(const struct app *a)
{
    const struct frame *const f = app_known(a);
    return f && f->base_to > f->base_from && f->pane->view == PANE_TABLE;
}

const char *compare_words(const struct app *a, char *out, size_t room)
{
    const struct frame *const f = app_known(a);
    const struct format format = app_format(a);
    char now[32], before[32];
    out[0] = '\0';
    if (!f || f->base_to <= f->base_from)
        return out;
    if (f->pane->view == PANE_CHANGES) {
        format_time(&format, (double)(f->now_to - f->now_from), now, sizeof now);
        format_time(&format, (double)(f->base_to - f->base_from), before, sizeof before);
        snprintf(out, room, f->base_to == f->now_from ? "%s against %s before" : "%s against A's %s",
                 now, before);
    } else {
        snprintf(out, room, "less %s%.1fs", a->glyphs->minus,
                 (double)step_distance(f, f->base_to) / 1e9);
    }
    return out;
}

#include "ui/state/marks.h"

#include "ui/state/step.h"

#include <stdio.h>
#include <string.h>

static bool moment_of(const struct app *a, const struct frame *f, unsigned i, struct moment *out)
{
    if (!f || f->about != ABOUT_MARKS || i >= f->field_count ||
        f->fields[i].name.type != VALUE_INSTANT)
        return false;
    const struct format format = app_format(a);
    const struct value *const what = &f->fields[i].text;
    out->time = f->fields[i].name.ns;
    format_instant(&format, out->time, out->when, sizeof out->when);
    snprintf(out->what, sizeof out->what, "%.*s", (int)what->text.bytes,
             f->arena + what->text.offset);
    return true;
}

bool marks_moment(const struct app *a, unsigned i, struct moment *out)
{
    return moment_of(a, a->focus->frame, i, out);
}

void marks_go(struct app *a, unsigned i)
{
    struct moment m;
    if (!marks_moment(a, i, &m))
        return;
    step_at_time(a, m.time);
    app_message(a, false, "%s", m.what);
}

void marks_seek(struct app *a, const char *what, int direction)
{
    static const char *const kinds[] = {"mark", "gap", "loss"};
    for (unsigned i = 0; i < 3; i++)
        if (strcmp(what, kinds[i]) == 0) {
            a->awaited = (struct awaited){.kind = kinds[i], .direction = direction};
            return;
        }
    app_message(a, true, ":%s takes mark, gap or loss; found \"%s\"",
                direction > 0 ? "next" : "prev", what);
}

static bool marks_wants(const struct app *a)
{
    return a->awaited.kind != NULL;
}

void marks_ask(const struct app *a, struct request *r)
{
    if (marks_wants(a) && r->about == ABOUT_NOTHING)
        r->about = ABOUT_MARKS;
}

void marks_sent(struct app *a, const struct request *r)
{
    if (marks_wants(a) && !a->awaited.sequence)
        a->awaited.sequence = r->sequence;
}

/* From the picture's moment: its sample, or the end of what is kept. */
void marks_take(struct app *a, const struct frame *f)
{
    struct awaited *const w = &a->awaited;
    struct moment m, best = {0};
    if (!marks_wants(a) || !w->sequence || f->sequence < w->sequence || f->about != ABOUT_MARKS)
        return;
    const bool has_range = a->range_to > a->range_from;
    const int64_t from = has_range ? a->range_from : f->kept_last;
    const int64_t to = has_range ? a->range_to : f->kept_last;
    bool has_best = false;
    for (unsigned i = 0; moment_of(a, f, i, &m); i++) {
        const bool is_kind = strncmp(m.what, w->kind, strlen(w->kind)) == 0;
        if (!is_kind || (w->direction > 0 ? m.time <= to : m.time > from))
            continue;
        if (!has_best || (w->direction > 0 ? m.time < best.time : m.time > best.time))
            best = m;
        has_best = true;
    }
    if (has_best) {
        step_at_time(a, best.time);
        app_message(a, false, "%s", best.what);
    } else {
        app_message(a, false, "there is no %s %s here", w->kind,
                    w->direction > 0 ? "after" : "before");
    }
    *w = (struct awaited){.kind = NULL};
}

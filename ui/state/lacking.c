#include "ui/state/lacking.h"

#include "src/engine/watch.h"

#include <stdio.h>
#include <string.h>

/* The newest frame, while a live collector works; of whichever pane: all say what is on. */
static const struct frame *live_frame(const struct app *a)
{
    const struct frame *const f = a->focus->frame;
    return f && f->state == STATE_LIVE && f->active ? f : NULL;
}

static bool waits_for_consent(const struct app *a, const struct frame *f)
{
    const struct pane *const p = app_shown(a)->pane;
    const uint32_t off = watch_of_pane(p).classes & ~(f->active | f->refused);
    return p->cost && strcmp(p->cost, "very high") == 0 && off & ~a->classes_accepted;
}

enum lacking lacking_of(const struct app *a)
{
    const struct frame *const f = live_frame(a);
    const uint32_t wanted = watch_of_pane(app_shown(a)->pane).classes;
    const uint32_t lacks = f ? wanted & ~f->active : 0;
    if (!lacks)
        return LACKING_NOTHING;
    if (waits_for_consent(a, f))
        return LACKING_CONSENT;
    if (lacks & ~f->refused)
        return LACKING_TIME;
    return lacks == wanted ? LACKING_RIGHTS : LACKING_NOTHING;
}

static bool is_id(const char *a, const char *b)
{
    return a && strcmp(a, b) == 0;
}

/* Does the column count events that the collector cannot have? */
static bool is_refused(const struct pane *p, const struct column *c, uint32_t refused)
{
    uint32_t classes = 0;
    for (size_t i = 0; i < p->measure_count; i++)
        if (is_id(c->measure, p->measures[i].id) || is_id(c->measure2, p->measures[i].id))
            classes |= p->measures[i].classes;
    return classes & refused;
}

bool lacking_columns(const struct app *a, char *out, size_t room)
{
    const struct frame *const f = app_known(a);
    const struct pane *const p = app_shown(a)->pane;
    size_t used = 0;
    out[0] = '\0';
    if (!live_frame(a) || !f || !f->refused || lacking_of(a) != LACKING_NOTHING)
        return false;
    for (size_t i = 0; i < p->column_count && i < FRAME_COLUMNS && used < room; i++)
        if (p->columns[i].flags & COLUMN_DEFAULT && f->missing >> i & 1 &&
            is_refused(p, &p->columns[i], f->refused))
            used += (size_t)snprintf(out + used, room - used, "%s%s", used ? ", " : "",
                                     p->columns[i].title);
    return used > 0;
}

bool lacking_consent(struct app *a)
{
    if (lacking_of(a) != LACKING_CONSENT)
        return false;
    a->classes_accepted |= watch_of_pane(app_shown(a)->pane).classes;
    return true;
}

void lacking_ask(const struct app *a, struct request *r)
{
    const struct frame *const f = live_frame(a);
    r->holds_back = f && waits_for_consent(a, f);
}

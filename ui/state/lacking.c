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

/* The classes of events that a column counts; 0: none. */
static uint32_t classes_of(const struct pane *p, const struct column *c)
{
    uint32_t classes = 0;
    for (size_t i = 0; i < p->measure_count; i++)
        if (is_id(c->measure, p->measures[i].id) || is_id(c->measure2, p->measures[i].id))
            classes |= p->measures[i].classes;
    return classes;
}

/* Classes whose columns are named where they are missing. A recording has been read to its end:
 * until then they may still come. A filter leaves columns out for reasons of its own. */
static uint32_t classes_to_name(const struct app *a, const struct frame *f)
{
    if (live_frame(a))
        return lacking_of(a) == LACKING_NOTHING ? f->refused : 0;
    const bool is_read = f->state == STATE_FINISHED && f->row_count && !f->is_of_history;
    return is_read && !app_shown(a)->filter[0] ? ~0u : 0;
}

bool lacking_columns(const struct app *a, char *out, size_t room)
{
    const struct frame *const f = app_known(a);
    const struct pane *const p = app_shown(a)->pane;
    const uint32_t named = f ? classes_to_name(a, f) : 0;
    size_t used = 0;
    out[0] = '\0';
    for (size_t i = 0; named && i < p->column_count && i < FRAME_COLUMNS && used < room; i++) {
        const struct column *const c = &p->columns[i];
        const bool is_missed = c->flags & COLUMN_DEFAULT && !(c->flags & COLUMN_OF_FEW) &&
                               c->type != VALUE_SERIES && f->missing >> i & 1;
        if (is_missed && classes_of(p, c) & named)
            used += (size_t)snprintf(out + used, room - used, "%s%s", used ? ", " : "", c->title);
    }
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

/* The filter that is carried along (L), and whose processes are shown (u). */
#include "ui/state/app.h"
#include "ui/state/filtering.h"
#include "ui/state/sticky_filter.h"

#include "src/filter/filter.h"

#include <stdio.h>
#include <string.h>

/* Both together, where the place's pane understands the locked one; false where not, or where
 * they are too long: then the place's own. */
static bool join(const struct app *a, char out[FILTER_MAX])
{
    const char *const own = app_shown(a)->filter, *const locked = a->locked;
    struct filter filter;
    const bool is_filter = filter_init(&filter, locked, app_shown(a)->pane, NULL, NULL);
    filter_fini(&filter);
    const int length = !is_filter ? -1
                       : *own     ? snprintf(out, FILTER_MAX, "(%s) (%s)", locked, own)
                                  : snprintf(out, FILTER_MAX, "%s", locked);
    if (length >= 0 && length < FILTER_MAX)
        return true;
    snprintf(out, FILTER_MAX, "%s", own);
    return false;
}

void sticky_filter_ask(const struct app *a, struct request *r)
{
    char text[FILTER_MAX] = "";
    if (!a->locked[0])
        return;
    join(a, text);
    memset(r->filter, 0, sizeof r->filter); /* compared as bytes */
    memcpy(r->filter, text, strlen(text));
}

bool sticky_filter_holds(const struct app *a)
{
    char text[FILTER_MAX];
    return a->locked[0] && join(a, text);
}

void sticky_filter_toggle(struct app *a)
{
    struct place *const p = app_place(a);
    char text[FILTER_MAX];
    if (a->locked[0]) {
        if (join(a, text))
            filtering_set(a, text);
        a->locked[0] = '\0';
        app_message(a, false, "filter unlocked: it applies to this pane only");
    } else if (!p->filter[0]) {
        app_message(a, false, "there is no filter to lock; / sets one");
    } else {
        memcpy(a->locked, p->filter, sizeof a->locked);
        memset(p->filter, 0, sizeof p->filter);
        app_message(a, false, "filter locked for all panes and levels; L unlocks it");
    }
}

/* ---- users -------------------------------------------------------------------------------- */

static void copy_value(const struct frame *f, const struct value *v, char *out, size_t room)
{
    snprintf(out, room, "%.*s", (int)v->text.bytes, f->arena + v->text.offset);
}

bool sticky_filter_user(const struct app *a, unsigned i, struct whose *out)
{
    static const char SESSION[] = "session ";
    const struct frame *const f = a->focus->frame;
    char *const name = out->title;
    if (!f || f->about != ABOUT_USERS || i >= f->field_count)
        return false;
    copy_value(f, &f->fields[i].name, name, sizeof out->title);
    copy_value(f, &f->fields[i].text, out->count, sizeof out->count);
    const bool is_session = strncmp(name, SESSION, sizeof SESSION - 1) == 0;
    out->field = is_session ? "session" : "user";
    snprintf(out->name, sizeof out->name, "%s", name + (is_session ? sizeof SESSION - 1 : 0));
    return true;
}

/* The filter without its terms about users and sessions: one is shown at a time. */
static void without_users(const char *filter, char out[FILTER_MAX])
{
    size_t used = 0;
    bool is_quoted = false, is_left_out = false, is_start = true;
    for (const char *at = filter; *at && used + 1 < FILTER_MAX; at++) {
        if (is_start)
            is_left_out = strncmp(at, "user=", 5) == 0 || strncmp(at, "session=", 8) == 0;
        is_quoted ^= *at == '"';
        is_start = *at == ' ' && !is_quoted;
        if (!is_left_out)
            out[used++] = *at;
    }
    while (used && out[used - 1] == ' ')
        used--;
    out[used] = '\0';
}

void sticky_filter_take_user(struct app *a, unsigned i)
{
    char rest[FILTER_MAX], text[FILTER_MAX + 200];
    struct whose whose;
    without_users(app_shown(a)->filter, rest);
    if (sticky_filter_user(a, i, &whose))
        snprintf(text, sizeof text, "%s%s%s=\"%s\"", rest, *rest ? " " : "", whose.field,
                 whose.name);
    else
        snprintf(text, sizeof text, "%s", rest);
    filtering_set(a, text);
}

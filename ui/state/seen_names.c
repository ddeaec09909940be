#include "ui/state/seen_names.h"

#include "src/base/text.h"
#include "ui/state/chooser.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool is_same(const char *a, const char *b)
{
    return text_compare(a, strlen(a), b, strlen(b)) == 0;
}

static struct seen_field *find(struct seen_names *s, const char *name)
{
    for (unsigned i = 0; i < s->count; i++)
        if (is_same(s->of[i].name, name))
            return &s->of[i];
    return NULL;
}

static struct seen_field *add(struct seen_names *s, const char *name)
{
    if (s->count == SEEN_KEPT)
        s->count = 0;
    struct seen_field *const n = &s->of[s->count++];
    snprintf(n->name, sizeof n->name, "%s", name);
    return n;
}

static void take_name(struct app *a, const char *name, const char *events)
{
    struct seen_names *const s = a->chooser.seen;
    char count[16];
    if (!*name || pane_column(app_shown(a)->pane, name))
        return;
    struct seen_field *const known = find(s, name), *const n = known ? known : add(s, name);
    format_count(strtod(events, NULL), count, sizeof count);
    snprintf(n->help, sizeof n->help, "payload field, %s events", count);
}

/* A provider or an event, with a point behind it, is no field itself. */
void seen_names_take(struct app *a, const struct frame *f)
{
    char name[SEEN_MAX], events[32];
    if (!a->chooser.seen || f->about != ABOUT_SEEN)
        return;
    for (unsigned i = 0; i < f->field_count; i++) {
        const struct value *const n = &f->fields[i].name, *const e = &f->fields[i].text;
        snprintf(name, sizeof name, "%.*s", (int)n->text.bytes, f->arena + n->text.offset);
        snprintf(events, sizeof events, "%.*s", (int)e->text.bytes, f->arena + e->text.offset);
        if (name[0] && name[strlen(name) - 1] != '.')
            take_name(a, name, events);
    }
}

void seen_names_drop(struct app *a, const char *name)
{
    struct seen_names *const s = a->chooser.seen;
    struct seen_field *const n = s ? find(s, name) : NULL;
    if (n)
        memmove(n, n + 1, (size_t)(&s->of[--s->count] - n) * sizeof *n);
}

const struct seen_field *seen_names_at(const struct app *a, unsigned i)
{
    const struct seen_names *const s = a->chooser.seen;
    return s && i < s->count ? &s->of[i] : NULL;
}

bool seen_names_have(const struct app *a, const char *name)
{
    return a->chooser.seen && find(a->chooser.seen, name);
}

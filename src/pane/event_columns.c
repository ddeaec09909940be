#include "src/pane/event_columns.h"

#include "src/base/mem.h"
#include "src/field/field.h"
#include "src/filter/filter.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { OWN = 32, TITLE = 32, WIDTH = 10, HELP = EVENT_COLUMN_NAME + 32 };

struct event_columns {
    struct pane pane;
    struct column columns[OWN + EVENT_COLUMNS_MAX];
    char names[EVENT_COLUMNS_MAX][EVENT_COLUMN_NAME], titles[EVENT_COLUMNS_MAX][TITLE],
        helps[EVENT_COLUMNS_MAX][HELP];
    unsigned own; /* columns that are no fields of payloads: the first ones */
};

/* What stands behind the last point. */
static const char *title_of(const char *name)
{
    const char *const point = strrchr(name, '.');
    return point && point[1] ? point + 1 : name;
}

/* The name has room. */
static void set_column(struct event_columns *c, unsigned i, const char *name)
{
    char *const id = c->names[i], *const title = c->titles[i];
    memcpy(id, name, strlen(name) + 1);
    snprintf(title, TITLE, "%s", title_of(name));
    snprintf(c->helps[i], HELP, "Field %s of the payload", name);
    const size_t width = strlen(title) > WIDTH ? strlen(title) : WIDTH;
    c->columns[c->own + i] = (struct column){.id = id,
                                             .title = title,
                                             .unit = "",
                                             .help = c->helps[i],
                                             .type = VALUE_TEXT,
                                             .flags = COLUMN_OF_PAYLOAD,
                                             .width = (uint8_t)width,
                                             .rank = 7};
}

static unsigned fields_of(const struct event_columns *c)
{
    return (unsigned)c->pane.column_count - c->own;
}

/* A copy of the pane, whose columns have names of their own. */
static struct event_columns *copy_of(const struct pane *p)
{
    struct event_columns *const c = mem_new(1, sizeof *c);
    c->pane = *p;
    c->pane.of = p->of ? p->of : p;
    c->pane.columns = c->columns;
    c->own = (unsigned)c->pane.of->column_count;
    memcpy(c->columns, p->columns, c->own * sizeof *p->columns);
    for (unsigned i = 0; i < fields_of(c); i++)
        set_column(c, i, p->columns[c->own + i].id);
    return c;
}

/* Where the names of the list do not say so themselves, they are looked up in built-in layouts. */
static bool is_new_field(const struct pane *p, const char *name)
{
    return !pane_column(p, name) && field_is_of_payload(name, strlen(name));
}

static bool add(struct event_columns *c, const char *name, size_t bytes, struct err *err)
{
    char id[EVENT_COLUMN_NAME];
    if (bytes >= sizeof id)
        return fail(err, "a column's name has 1 to %zu bytes", sizeof id - 1);
    snprintf(id, sizeof id, "%.*s", (int)bytes, name);
    if (!is_new_field(&c->pane, id))
        return true;
    if (fields_of(c) == EVENT_COLUMNS_MAX)
        return fail(err, "at most %d columns can be fields of payloads", EVENT_COLUMNS_MAX);
    set_column(c, fields_of(c), id);
    c->pane.column_count++;
    return true;
}

static bool can_have(const struct pane *p)
{
    return p->view == PANE_EVENTS && (p->of ? p->of : p)->column_count <= OWN;
}

/* The list with what separates its names, and what ends each. */
static struct event_columns *with_names(const struct pane *p, const char *list, const char *between,
                                        const char *ends, struct err *err)
{
    if (!can_have(p) || !list)
        return NULL;
    struct event_columns *const c = copy_of(p);
    bool ok = true;
    for (const char *at = list + strspn(list, between); ok && *at;) {
        ok = add(c, at, strcspn(at, ends), err);
        at += strcspn(at, between);
        at += strspn(at, between);
    }
    if (ok && c->pane.column_count > p->column_count)
        return c;
    free(c);
    return NULL;
}

struct event_columns *event_columns_new(const struct pane *p, const char *list, struct err *err)
{
    return with_names(p, list, ",", ",", err);
}

void event_columns_free(struct event_columns *c)
{
    free(c);
}

const struct pane *event_columns_pane(const struct event_columns *c)
{
    return &c->pane;
}

bool event_columns_reads(const char *name)
{
    const size_t bytes = strlen(name);
    return bytes && bytes < EVENT_COLUMN_NAME && filter_reads_name(name) &&
           field_is_of_payload(name, bytes);
}

/* ---- columns that come one after the other ------------------------------------------------------ */

void event_panes_fini(struct event_panes *s)
{
    for (unsigned i = 0; i < s->count; i++)
        free(s->made[i]);
    free(s->made);
    *s = (struct event_panes){0};
}

const struct pane *event_panes_now(const struct event_panes *s, const struct pane *p)
{
    const struct pane *const of = p->of ? p->of : p;
    for (unsigned i = s->count; i-- > 0;)
        if (s->made[i]->pane.of == of)
            return &s->made[i]->pane;
    return p;
}

static const struct pane *keep(struct event_panes *s, struct event_columns *c)
{
    s->made = mem_grow(s->made, s->count + 1, sizeof *s->made);
    s->made[s->count++] = c;
    return &c->pane;
}

bool event_panes_learn(struct event_panes *s, const struct pane *p, const char *list,
                       struct err *err)
{
    struct err why = {""};
    struct event_columns *const c = with_names(event_panes_now(s, p), list, " ,", " ,:", &why);
    if (c)
        keep(s, c);
    return !why.text[0] || fail(err, "%s", why.text);
}

const struct column *event_panes_add(struct event_panes *s, const struct pane *p, const char *name,
                                     bool (*is_free)(const void *of, unsigned column),
                                     const void *of, struct err *err)
{
    const struct pane *const now = event_panes_now(s, p);
    const struct column *const known = pane_column(now, name);
    if (known)
        return known;
    if (!can_have(now) || !event_columns_reads(name)) {
        if (can_have(now) && filter_reads_name(name))
            fail(err, "%s has no column \"%.60s\"; in payloads write .%.60s", p->id, name, name);
        else
            fail(err, "%s has no column \"%.60s\"", p->id, name);
        return NULL;
    }
    struct event_columns *const c = copy_of(now);
    unsigned at = 0;
    while (at < fields_of(c) && (fields_of(c) < EVENT_COLUMNS_MAX || !is_free(of, c->own + at)))
        at++;
    if (at == EVENT_COLUMNS_MAX) {
        free(c);
        fail(err, "at most %d columns can be fields of payloads; hide others first",
             EVENT_COLUMNS_MAX);
        return NULL;
    }
    if (at == fields_of(c))
        c->pane.column_count++;
    set_column(c, at, name);
    return &keep(s, c)->columns[c->own + at];
}

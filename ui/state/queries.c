#include "ui/state/queries.h"

#include "src/base/mem.h"
#include "src/pane/panes.h"
#include "src/pane/query_pane.h"
#include "src/pane/user_view.h"
#include "ui/state/made_panes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { QUERIES_MAX = 4096 }; /* some 16 KiB each */

struct asked_query {
    const struct pane *pane;
    struct pane_columns columns;
    char name[USER_VIEW_ID]; /* "": it has none */
};

void queries_fini(struct queries *s)
{
    for (unsigned i = 0; i < s->count; i++) {
        query_pane_free(s->at[i]->pane);
        free(s->at[i]);
    }
    free(s->at);
    *s = (struct queries){0};
}

static const struct pane *find(const struct queries *s, const struct query *q)
{
    char title[QUERY_TEXT];
    query_print(q, title);
    for (unsigned i = s->count; i-- > 0;) {
        const struct pane *const p = s->at[i]->pane;
        if (strcmp(p->title, title) == 0)
            return p;
    }
    return NULL;
}

static const struct pane *add(struct queries *s, const struct pane *pane)
{
    struct asked_query *const q = mem_new(1, sizeof *q);
    q->pane = pane;
    s->at = mem_grow(s->at, s->count + 1, sizeof *s->at);
    s->at[s->count++] = q;
    return pane;
}

const struct pane *queries_ask(struct queries *s, const char *text, struct err *err)
{
    struct query q;
    if (!query_parse(&q, text, err))
        return NULL;
    const struct pane *const known = find(s, &q);
    if (known)
        return known;
    if (s->count == QUERIES_MAX) {
        fail(err, "more than %d queries since the start; take one of those, or start again",
             QUERIES_MAX);
        return NULL;
    }
    const struct pane *const pane = query_pane_new(&q, err);
    return pane ? add(s, pane) : NULL;
}

const struct pane *queries_pane(struct app *a, const char *text, struct err *err)
{
    const struct queries *const s = &a->made->queries;
    if (query_is_one(text))
        return queries_ask(&a->made->queries, text, err);
    for (unsigned i = 0; i < s->count; i++)
        if (*text && strcmp(s->at[i]->name, text) == 0)
            return s->at[i]->pane;
    const struct pane *const p = pane_find(text);
    if (!p)
        fail(err, "there is no pane \"%.60s\"", text);
    return p;
}

static struct asked_query *asked(const struct queries *s, const struct pane *p)
{
    for (unsigned i = s->count; i-- > 0;)
        if (s->at[i]->pane == p)
            return s->at[i];
    return NULL;
}

void queries_name(struct queries *s, const struct pane *p, const char *name)
{
    struct asked_query *const q = asked(s, p);
    if (q)
        snprintf(q->name, sizeof q->name, "%s", name);
}

struct pane_columns *queries_columns(const struct queries *s, const struct pane *p)
{
    struct asked_query *const q = asked(s, p);
    return q ? &q->columns : NULL;
}

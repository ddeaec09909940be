#include "src/pane/query_pane.h"

#include "src/base/mem.h"
#include "src/base/suggest.h"
#include "src/filter/filter.h"
#include "src/pane/panes.h"
#include "src/pane/user_view_inside.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct query_pane {
    struct query query;
    struct user_view *view;
    unsigned sort;
    bool is_ascending;
    char title[QUERY_TEXT], help[QUERY_TEXT + 64];
};

/* ---- binding ----------------------------------------------------------------------------------- */

/* Events that only say what something is called, and stacks, which belong to other events. */
static const uint32_t NEVER = BIT(FACT_STACK) | BIT(FACT_NAME);

/* Sentences about a word that nothing is called: the nearest, or where they are listed. */
static bool refuse(struct err *err, const char *what, const char *word,
                   const struct suggestion *near, const char *listed)
{
    if (near->name)
        return fail(err, "there is no %s \"%.60s\"; did you mean %s?", what, word, near->name);
    return fail(err, "there is no %s \"%.60s\"; there are %s", what, word, listed);
}

/* Adds a name to a list of them. */
static void list(char *to, size_t room, const char *name)
{
    const size_t used = strlen(to);
    snprintf(to + used, room - used, "%s%s", used ? ", " : "", name);
}

static const struct field_def *key_field(const char *word, struct err *err)
{
    const struct field_def *const f = field_bind(word, strlen(word));
    if (f && (f->cell || f == &field_payload))
        return f;
    char known[512] = "";
    struct suggestion near = {NULL, 0};
    for (const struct field_def *d = field_defs; d->id; d++)
        if (d->cell) {
            suggest(&near, word, d->id);
            list(known, sizeof known, d->id);
        }
    if (f)
        fail(err, "rows cannot be made of %s; they can of %s", f->id, known);
    else
        refuse(err, "key", word, &near, known);
    return NULL;
}

static const struct user_view_aggregate *aggregate_named(const char *word, struct err *err)
{
    char known[256] = "";
    struct suggestion near = {NULL, 0};
    for (unsigned i = 0; i < user_view_aggregate_count; i++) {
        if (strcmp(user_view_aggregates[i].id, word) == 0)
            return &user_view_aggregates[i];
        suggest(&near, word, user_view_aggregates[i].id);
        list(known, sizeof known, user_view_aggregates[i].id);
    }
    refuse(err, "aggregate", word, &near, known);
    return NULL;
}

/* An id for the column: small letters, digits and _. */
static void column_id(char out[USER_VIEW_ID], const char *aggregate, const char *field)
{
    char text[2 * QUERY_WORD + 2];
    field += strspn(field, ".");
    snprintf(text, sizeof text, "%s%s%s", aggregate, aggregate[0] && field[0] ? "_" : "", field);
    size_t n = 0;
    for (const char *at = text + strspn(text, ".0123456789"); *at && n < USER_VIEW_ID - 9; at++)
        out[n++] = isalnum((unsigned char)*at) ? (char)tolower((unsigned char)*at) : '_';
    out[n] = '\0';
}

static bool has_column(const struct user_view *d, const char *id)
{
    for (unsigned i = 0; i < d->column_count; i++)
        if (strcmp(d->specs[i].id, id) == 0)
            return true;
    return false;
}

static bool add_key(struct query_pane *q, const char *word, struct err *err)
{
    const struct field_def *const f = key_field(word, err);
    if (!f)
        return false;
    const bool is_payload = f == &field_payload;
    char id[USER_VIEW_ID];
    column_id(id, "", is_payload ? word : f->id);
    if (has_column(q->view, id))
        return fail(err, "the key %s is there twice", word);
    const uint32_t classes = is_payload || !f->cell->classes ? f->classes : f->cell->classes;
    q->view->classes &= classes ? classes : ~0u;
    if (!q->view->classes)
        return fail(err, "no event has %s and the keys before it", word);
    return user_view_column_set(q->view, id, "field", is_payload ? word : f->id, err);
}

static bool add_aggregate(struct query_pane *q, const struct query_aggregate *a, struct err *err)
{
    char id[USER_VIEW_ID], help[USER_VIEW_TEXT];
    const struct user_view_aggregate *const named = aggregate_named(a->name, err);
    if (!named)
        return false;
    if (!a->field[0] && !named->of[AMOUNT_EVENTS].get)
        return fail(err, "expected a field behind %s, such as \"%s %s\"", a->name, a->name,
                    named->of_id.get ? "path" : "lat");
    column_id(id, a->name, a->field);
    if (has_column(q->view, id))
        return fail(err, "%s %s is there twice", a->name, a->field);
    snprintf(help, sizeof help, "%.20s%s%.60s of the events", a->name, a->field[0] ? " of " : "",
             a->field);
    return user_view_column_set(q->view, id, "agg", a->name, err) &&
           (!a->field[0] || user_view_column_set(q->view, id, "field", a->field, err)) &&
           user_view_column_set(q->view, id, "help", help, err);
}

static bool add_columns(struct query_pane *q, struct err *err)
{
    q->view->classes = ~NEVER & (BIT(FACT_CLASSES) - 1);
    q->view->has_source = true;
    if (q->query.key_count > USER_VIEW_KEYS)
        return fail(err, "a query has at most %d keys", USER_VIEW_KEYS);
    for (unsigned i = 0; i < q->query.key_count; i++)
        if (!add_key(q, q->query.keys[i], err))
            return false;
    for (unsigned i = 0; i < q->query.aggregate_count; i++)
        if (!add_aggregate(q, &q->query.aggregates[i], err))
            return false;
    return true;
}

/* "p99", "p99 lat", "p99_lat" or a key: which column. */
static bool find_sort(struct query_pane *q, struct err *err)
{
    char id[USER_VIEW_ID];
    const struct query *const a = &q->query;
    q->sort = a->key_count;
    q->is_ascending = a->is_ascending;
    if (!a->sort[0])
        return true;
    column_id(id, a->sort, "");
    char known[USER_VIEW_COLUMNS_MAX * USER_VIEW_ID] = "";
    struct suggestion near = {NULL, 0};
    for (unsigned i = 0; i < q->view->column_count; i++) {
        const struct user_view_column *const c = &q->view->specs[i];
        suggest(&near, id, c->id);
        list(known, sizeof known, c->id);
        if (strcmp(c->id, id) == 0 || (c->agg && strcmp(c->agg->id, a->sort) == 0)) {
            q->sort = i;
            q->is_ascending = a->has_order ? a->is_ascending : !c->agg;
            return true;
        }
    }
    return refuse(err, "column", a->sort, &near, known);
}

static bool bind(struct query_pane *q, struct err *err)
{
    if (!add_columns(q, err) || !find_sort(q, err) ||
        (q->query.where[0] && !user_view_set(q->view, "filter", q->query.where, err)))
        return false;
    q->view->specs[q->sort].is_sort = true;
    return user_view_finish(q->view, err);
}

struct query_pane *query_pane_new(const struct query *query, struct err *err)
{
    struct query_pane *const q = mem_new(1, sizeof *q);
    q->query = *query;
    q->view = user_view_new(QUERY_PANE_ID);
    if (!bind(q, err)) {
        query_pane_free(q);
        return NULL;
    }
    query_print(query, q->title);
    snprintf(q->help, sizeof q->help, "Query: %s", q->title);
    q->view->pane.title = q->title;
    q->view->pane.help = q->help;
    q->view->pane.of = pane_find("events"); /* it has a place in the list, and counts by itself */
    return q;
}

void query_pane_free(struct query_pane *q)
{
    if (!q)
        return;
    user_view_free(q->view);
    free(q);
}

const struct pane *query_pane_of(const struct query_pane *q)
{
    return &q->view->pane;
}

unsigned query_pane_sort(const struct query_pane *q, bool *is_ascending)
{
    *is_ascending = q->is_ascending;
    return q->sort;
}

uint64_t query_pane_top(const struct query_pane *q)
{
    return q->query.top;
}

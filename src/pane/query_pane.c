#include "src/pane/query_pane.h"

#include "src/aggregate/aggregate.h"
#include "src/base/mem.h"
#include "src/base/suggest.h"
#include "src/filter/fact.h"
#include "src/filter/filter.h"
#include "src/pane/panes.h"
#include "src/pane/user_view_inside.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A query on its way into a view. */
struct binding {
    const struct query *query;
    struct user_view *view;
    unsigned count, sort;            /* columns so far; which one rows are sorted by */
    bool is_ascending, counts_names; /* counts_names: its rows are kinds of event */
};

/* ---- binding ----------------------------------------------------------------------------------- */

/* What aggregates count, which may be a payload field's name as well: ".events" is that one. */
static bool is_amount(const char *word)
{
    for (unsigned i = 0; i < AMOUNTS; i++)
        if (user_view_amounts[i] && strcmp(user_view_amounts[i], word) == 0)
            return true;
    return false;
}

static const struct field_def *key_field(const char *word, struct err *err)
{
    const struct field_def *const f = field_bind(word, strlen(word));
    if (f && f->cell && !(f == &field_payload && is_amount(word)))
        return f;
    char known[640] = "";
    struct suggestion near = {NULL, 0};
    for (const struct field_def *d = field_defs; d->id; d++)
        if (d->cell) {
            suggest(&near, word, d->id);
            suggest_list(known, sizeof known, d->id);
        }
    for (unsigned i = 0; field_function_usage(i); i++)
        suggest_list(known, sizeof known, field_function_usage(i));
    if (f)
        fail(err, "rows cannot be made of %s; they can of %s", word, known);
    else
        suggest_refuse(err, "key", word, &near, known);
    return NULL;
}

enum { ID_BYTES = USER_VIEW_ID - 9 }; /* of a column, at most */

/* An id for the column: small letters, digits and _. Long ones are cut. */
static void column_id(char out[USER_VIEW_ID], const char *aggregate, const char *field)
{
    char text[2 * QUERY_WORD + 2];
    field += strspn(field, ".");
    snprintf(text, sizeof text, "%s%s%s", aggregate, aggregate[0] && field[0] ? "_" : "", field);
    size_t n = 0;
    for (const char *at = text + strspn(text, ".0123456789"); *at && n < ID_BYTES; at++)
        if (isalnum((unsigned char)*at) || (n && out[n - 1] != '_'))
            out[n++] = isalnum((unsigned char)*at) ? (char)tolower((unsigned char)*at) : '_';
    while (n && out[n - 1] == '_')
        n--;
    out[n] = '\0';
}

static bool has_column(const struct binding *b, const char *id)
{
    for (unsigned i = 0; i < b->count; i++)
        if (strcmp(b->view->specs[i].id, id) == 0)
            return true;
    return false;
}

/* With a number where it is there already. */
static void number_id(const struct binding *b, char id[USER_VIEW_ID])
{
    char base[USER_VIEW_ID], number[12];
    memcpy(base, id, USER_VIEW_ID);
    for (unsigned n = 2; has_column(b, id); n++) {
        const int bytes = snprintf(number, sizeof number, "_%u", n);
        snprintf(id, USER_VIEW_ID, "%.*s%s", ID_BYTES - bytes, base, number);
    }
}

/* The same key, with or without blanks in a function, or a point before a payload field? */
static bool is_same_key(const char *a, const char *b)
{
    for (a += *a == '.', b += *b == '.'; *a || *b; a++, b++) {
        a += strspn(a, " ");
        b += strspn(b, " ");
        if (*a != *b)
            return false;
        if (!*a)
            break;
    }
    return true;
}

/* What a key is called by its field; the word itself where it is a function or of the payload. */
static const char *key_name(const char *word)
{
    const struct field_def *const f = strchr(word, '(') ? NULL : field_bind(word, strlen(word));
    return f && f != &field_payload ? f->id : word;
}

static bool is_key_before(const struct binding *b, const char *word)
{
    for (unsigned i = 0; b->query->keys[i] != word; i++)
        if (is_same_key(key_name(b->query->keys[i]), key_name(word)))
            return true;
    return false;
}

/* The next column, which a view's file may have begun; NULL with a sentence. */
static struct user_view_column *next_column(struct binding *b, const char *id, struct err *err)
{
    struct user_view_column *const found = user_view_column_at(b->view, id, err);
    struct user_view_column *const next = &b->view->specs[b->count];
    if (!found)
        return NULL;
    const struct user_view_column moved = *found;
    *found = *next;
    *next = moved;
    b->count++;
    return next;
}

/* "dir(path, 2)", or a field. */
static bool add_key(struct binding *b, const char *word, struct err *err)
{
    const bool is_function = strchr(word, '(') != NULL;
    const struct field_def *f = is_function ? NULL : key_field(word, err);
    if (!f && !is_function)
        return false;
    const bool is_payload = f == &field_payload;
    const char *const field = key_name(word);
    char id[USER_VIEW_ID];
    if (is_key_before(b, word))
        return fail(err, "the key %s is there twice", word);
    column_id(id, "", field);
    number_id(b, id);
    struct user_view_column *const c = next_column(b, id, err);
    if (!c || !user_view_field_set(b->view, c, field, err))
        return false;
    snprintf(c->field_text, sizeof c->field_text, "%s", word);
    const uint32_t classes =
        is_payload || !c->field->cell->classes ? c->field->classes : c->field->cell->classes;
    b->view->classes &= classes ? classes : ~0u;
    b->counts_names |= field_is_of_kind(c->field);
    return b->view->classes || fail(err, "no event has %s and the keys before it", word);
}

static bool is_there_before(const struct binding *b, const struct query_aggregate *a)
{
    for (const struct query_aggregate *x = b->query->aggregates; x < a; x++)
        if (strcmp(x->name, a->name) == 0 && strcmp(x->field, a->field) == 0)
            return true;
    return false;
}

/* The aggregate's name without arguments, and the field. */
static void aggregate_id(const struct binding *b, const struct query_aggregate *a,
                         char id[USER_VIEW_ID])
{
    char name[QUERY_WORD];
    snprintf(name, sizeof name, "%.*s", (int)strcspn(a->name, "("), a->name);
    column_id(id, name, a->field);
    number_id(b, id);
}

static bool add_aggregate(struct binding *b, const struct query_aggregate *a, struct err *err)
{
    char id[USER_VIEW_ID];
    struct user_view_column named = {.agg = NULL};
    if (!user_view_aggregate_set(&named, a->name, "aggregate", err))
        return false;
    if (!a->field[0] && !named.agg->of[AMOUNT_EVENTS].get)
        return fail(err, "expected a field after %s, such as \"%s %s\"", a->name, a->name,
                    named.agg->of[AMOUNT_LATENCY].get ? "lat" : "path");
    if (is_there_before(b, a))
        return fail(err, "%s%s%s is there twice", a->name, a->field[0] ? " " : "", a->field);
    aggregate_id(b, a, id);
    struct user_view_column *const c = next_column(b, id, err);
    if (!c || !user_view_aggregate_set(c, a->name, "aggregate", err) ||
        (a->field[0] && !user_view_field_set(b->view, c, a->field, err)))
        return false;
    if (!c->help[0])
        snprintf(c->help, sizeof c->help, "%.40s%s%.60s of the events", a->name,
                 a->field[0] ? " of " : "", a->field);
    return true;
}

/* A view's file says how columns look, and the query what they are. */
static bool check_given(const struct user_view *d, struct err *err)
{
    if (d->has_source || d->filter[0])
        return fail(err, "[view]: source and filter come from its query");
    for (unsigned i = 0; i < d->column_count; i++)
        if (d->specs[i].has_field || d->specs[i].agg || d->specs[i].is_sort)
            return fail(err, "[column %s]: field, agg and sort come from its query",
                        d->specs[i].id);
    return true;
}

static bool check_all_known(const struct binding *b, struct err *err)
{
    char known[USER_VIEW_COLUMNS_MAX * USER_VIEW_ID] = "";
    if (b->count == b->view->column_count)
        return true;
    for (unsigned i = 0; i < b->count; i++)
        suggest_list(known, sizeof known, b->view->specs[i].id);
    return fail(err, "[column %s]: the query has no such column; it has %s",
                b->view->specs[b->count].id, known);
}

static bool add_columns(struct binding *b, struct err *err)
{
    b->view->classes = ~0u;
    if (b->query->key_count > USER_VIEW_KEYS)
        return fail(err, "a query has at most %d keys", USER_VIEW_KEYS);
    for (unsigned i = 0; i < b->query->key_count; i++)
        if (!add_key(b, b->query->keys[i], err))
            return false;
    if (!b->counts_names)
        b->view->classes &= FACT_EVENTS;
    for (unsigned i = 0; i < b->query->aggregate_count; i++)
        if (!add_aggregate(b, &b->query->aggregates[i], err))
            return false;
    return check_all_known(b, err);
}

/* Is the key that function: "time" of "time(1s)"? */
static bool is_function(const char *key, const char *name)
{
    const size_t bytes = strlen(name);
    return strncmp(key, name, bytes) == 0 && key[bytes] == '(';
}

/* The column that the order names word for word; ids of long names may be cut, and alike. -1: none.
 */
static int sort_by_words(const struct query *q)
{
    char words[2 * QUERY_WORD + 2];
    for (unsigned i = 0; i < q->key_count; i++)
        if (strcmp(q->keys[i], q->sort) == 0)
            return (int)i;
    for (unsigned i = 0; i < q->aggregate_count; i++) {
        const struct query_aggregate *const a = &q->aggregates[i];
        snprintf(words, sizeof words, "%s %s", a->name, a->field);
        if (a->field[0] && strcmp(words, q->sort) == 0)
            return (int)(q->key_count + i);
    }
    return -1;
}

/* "p99", "p99 lat", "p99_lat" or a key, "time(1s)" or "time": which column. Rows by time follow it.
 */
static bool find_sort(struct binding *b, struct err *err)
{
    char id[USER_VIEW_ID];
    const struct query *const a = b->query;
    b->sort = a->key_count;
    b->is_ascending = a->is_ascending;
    if (!a->sort[0] && is_function(a->keys[0], "time")) {
        b->sort = 0;
        b->is_ascending = true;
    }
    if (!a->sort[0])
        return true;
    column_id(id, a->sort, "");
    const int named = sort_by_words(a);
    char known[USER_VIEW_COLUMNS_MAX * USER_VIEW_ID] = "";
    struct suggestion near = {NULL, 0};
    for (unsigned i = 0; i < b->view->column_count; i++) {
        const struct user_view_column *const c = &b->view->specs[i];
        suggest(&near, id, c->id);
        suggest_list(known, sizeof known, c->id);
        const bool is_it = strcmp(c->id, id) == 0 ||
                           (c->agg && strcmp(c->agg_name, a->sort) == 0) ||
                           (i < a->key_count && is_function(a->keys[i], a->sort));
        if (named >= 0 ? i == (unsigned)named : is_it) {
            b->sort = i;
            b->is_ascending = a->has_order ? a->is_ascending : !c->agg;
            return true;
        }
    }
    return suggest_refuse(err, "column", a->sort, &near, known);
}

/* What a live collector has to collect. A query of all classes switches none on, for it counts what
 * is collected anyway; if it asks for stacks, samples and disk operations have them. */
static void watch(struct pane *p)
{
    const bool is_of_all = (p->classes & FACT_EVENTS) == FACT_EVENTS;
    if (is_of_all)
        p->watched = BIT(FACT_PROCESS) | (p->has_stacks ? BIT(FACT_SAMPLE) : 0);
    else if (p->classes == (BIT(FACT_SWITCH) | BIT(FACT_SAMPLE))) /* these are less exact */
        p->watched = BIT(FACT_SWITCH);
    if (p->has_stacks)
        p->watched_stacks = is_of_all ? BIT(FACT_SAMPLE) | BIT(FACT_DISK) : p->classes;
}

/* Leaves out classes and operations that the filter can never match: they are not scanned,
 * collected or counted as recorded for this query. */
static void narrow(struct pane *p, struct measure *measures)
{
    struct filter f;
    uint32_t classes = p->classes, measured = 0;
    uint64_t ops = 0;
    filter_init(&f, p->where ? p->where : "", pane_find("events"), NULL, NULL);
    for (size_t i = 0; i < p->measure_count; i++)
        measured |= measures[i].classes;
    classes &= measured;
    for (unsigned i = 0; i < FACT_CLASSES; i++) {
        const uint64_t passing = filter_ops(&f, i);
        classes &= passing ? ~0u : ~BIT(i);
        /* Columns about what cannot pass for lack of what the filter asks for know it by these. */
        ops |= classes >> i & 1 ? passing | filter_lacking(&f, i) : 0;
    }
    filter_fini(&f);
    p->classes = classes ? classes : p->classes;
    for (size_t i = 0; i < p->measure_count; i++) {
        measures[i].classes &= p->classes;
        measures[i].ops = ops;
    }
    watch(p);
}

bool query_pane_bind(const struct query *q, struct user_view *d, struct err *err)
{
    static const char before[] = "Query: ";
    struct binding b = {.query = q, .view = d};
    if (!check_given(d, err) || !add_columns(&b, err) || !find_sort(&b, err) ||
        (q->where[0] && !user_view_set(d, "filter", q->where, err)))
        return false;
    d->specs[b.sort].is_sort = true;
    d->pane.order = b.is_ascending ? ORDER_ASCENDING : ORDER_DESCENDING;
    d->pane.top = q->top;
    d->query = mem_new(1, sizeof before + QUERY_TEXT);
    memcpy(d->query, before, sizeof before);
    query_print(q, d->query + sizeof before - 1);
    if (!user_view_finish(d, err))
        return false;
    narrow(&d->pane, d->measures);
    return true;
}

const struct pane *query_pane_new(const struct query *q, struct err *err)
{
    struct user_view *const d = user_view_new(QUERY_PANE_ID);
    if (!query_pane_bind(q, d, err)) {
        user_view_free(d);
        return NULL;
    }
    d->pane.title = strchr(d->query, ' ') + 1;
    d->pane.of = pane_find("events"); /* it has a place in the list, and counts by itself */
    return &d->pane;
}

void query_pane_free(const struct pane *p)
{
    user_view_free(p ? (struct user_view *)(uintptr_t)p->user_view : NULL);
}

/* ---- what the columns are ---------------------------------------------------------------------- */

const char *const query_roles[QUERY_ROLES] = {
    [QUERY_ROLE_KEY] = "key",
    [QUERY_ROLE_AGGREGATE] = "aggregate",
    [QUERY_ROLE_CELL] = "derived",
};

const char *query_aggregate_error(const char *aggregate)
{
    static const uint8_t same[] = {AGGREGATE_DISTINCT, AGGREGATE_MOST, AGGREGATE_TREND};
    for (size_t i = 0; i < sizeof same; i++)
        if (strcmp(aggregate, aggregates[same[i]].id) == 0)
            return aggregates[same[i]].error;
    const bool is_percentile =
        aggregate[0] == 'p' && (isdigit((unsigned char)aggregate[1]) || aggregate[1] == 'N');
    return is_percentile ? aggregates[AGGREGATE_LATENCY].error : NULL;
}

void query_pane_column(const struct pane *p, unsigned column, struct query_column *out)
{
    const struct user_view *const d = p->user_view;
    *out = (struct query_column){.role = QUERY_ROLE_CELL};
    if (column >= d->column_count)
        return;
    const struct user_view_column *const s = &d->specs[column];
    out->role = s->agg ? QUERY_ROLE_AGGREGATE : QUERY_ROLE_KEY;
    out->field = s->field_text[0] ? s->field_text : NULL;
    out->aggregate = s->agg ? s->agg_text : NULL;
    out->error = s->agg ? query_aggregate_error(s->agg_text) : NULL;
}

const char *const query_ofs[QUERY_OFS] = {
    [QUERY_OF_EVENTS] = "events", [QUERY_OF_SIZE] = "size",     [QUERY_OF_LATENCY] = "lat",
    [QUERY_OF_RUN] = "run",       [QUERY_OF_NUMBER] = "number", [QUERY_OF_NAME] = "name",
};

const char *query_aggregate_at(unsigned i, const char *units[QUERY_OFS])
{
    static const uint8_t forms[] = {[QUERY_OF_EVENTS] = AMOUNT_EVENTS,
                                    [QUERY_OF_SIZE] = AMOUNT_SIZE,
                                    [QUERY_OF_LATENCY] = AMOUNT_LATENCY,
                                    [QUERY_OF_RUN] = AMOUNT_RUN,
                                    [QUERY_OF_NUMBER] = AMOUNT_FIELD};
    if (i >= user_view_aggregate_count)
        return NULL;
    const struct user_view_aggregate *const a = &user_view_aggregates[i];
    for (unsigned k = 0; k < QUERY_OFS; k++) {
        const struct form *const f = k == QUERY_OF_NAME ? &a->of_id : user_view_form(a, forms[k]);
        units[k] = f->get ? f->unit : NULL;
    }
    return a->id;
}

/* The items of a view file: each into its place, or a sentence about what is wrong with it. */
#include "src/filter/filter.h"
#include "src/pane/panes.h"
#include "src/pane/user_view_inside.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Classes that views are not made of: events that say nothing but who or what something is. */
static const uint32_t NO_SOURCES = BIT(FACT_STACK) | BIT(FACT_NAME) | BIT(FACT_MARK);

/* The next word of a list with commas; false behind the last. */
static bool next_word(const char **at, char *word, size_t room)
{
    *at += strspn(*at, " ,");
    const size_t bytes = strcspn(*at, " ,");
    snprintf(word, room, "%.*s", (int)(bytes < room ? bytes : room - 1), *at);
    *at += bytes;
    return bytes > 0;
}

static bool set_source(struct user_view *d, const char *value, struct err *err)
{
    char word[USER_VIEW_ID], known[256] = "";
    d->has_source = true;
    while (next_word(&value, word, sizeof word)) {
        const struct field_word *w = field_class_words;
        for (; w->word && (NO_SOURCES >> w->number & 1 || strcmp(w->word, word) != 0); w++)
            if (!(NO_SOURCES >> w->number & 1))
                snprintf(known + strlen(known), sizeof known - strlen(known), "%s%s",
                         known[0] ? ", " : "", w->word);
        if (!w->word)
            return fail(err, "there is no source \"%s\"; there are %s", word, known);
        d->classes |= BIT(w->number);
        known[0] = '\0';
    }
    return d->classes || fail(err, "expected a source, such as disk");
}

static bool set_text(char *to, size_t room, const char *value, struct err *err)
{
    if (strlen(value) >= room)
        return fail(err, "expected at most %zu bytes, found %zu", room - 1, strlen(value));
    snprintf(to, room, "%s", value);
    return true;
}

static bool set_filter(struct user_view *d, const char *value, struct err *err)
{
    return set_text(d->filter, sizeof d->filter, value, err) &&
           filter_check(value, pane_find("events"), err);
}

static bool set_panes(struct user_view *d, const char *value, struct err *err)
{
    char word[USER_VIEW_ID];
    if (!set_text(d->applies_to, sizeof d->applies_to, value, err))
        return false;
    while (next_word(&value, word, sizeof word))
        if (!pane_find(word))
            return fail(err, "there is no pane \"%s\"", word);
    return true;
}

static bool set_drill(struct user_view *d, const char *value, struct err *err)
{
    const struct pane *const p = pane_find(value);
    if (!p || p->view == PANE_CHANGES)
        return fail(err, "expected a pane to open, such as events, found \"%.60s\"", value);
    return set_text(d->drill, sizeof d->drill, p->id, err);
}

bool user_view_set(struct user_view *d, const char *key, const char *value, struct err *err)
{
    if (strcmp(key, "name") == 0)
        return set_text(d->title, sizeof d->title, value, err);
    if (strcmp(key, "description") == 0)
        return set_text(d->help, sizeof d->help, value, err);
    if (strcmp(key, "source") == 0)
        return set_source(d, value, err);
    if (strcmp(key, "filter") == 0)
        return set_filter(d, value, err);
    if (strcmp(key, "applies_to") == 0)
        return set_panes(d, value, err);
    if (strcmp(key, "drill") == 0)
        return set_drill(d, value, err);
    return fail(err,
                "there is no item \"%.60s\"; there are name, description, source, filter, "
                "applies_to and drill",
                key);
}

/* A field of the payload: its number in the view. False with a sentence. */
static bool set_payload(struct user_view *d, struct user_view_column *c, const char *name,
                        struct err *err)
{
    unsigned i = 0;
    if (!event_columns_reads(name))
        return fail(err, "\"%.60s\" is no name of a field: it has letters, digits, _ and points",
                    name);
    while (i < d->pane.field_count && strcasecmp(d->fields[i], name) != 0)
        i++;
    if (i == FACT_VALUES)
        return fail(err, "more than %d fields of payloads", FACT_VALUES);
    if (i == d->pane.field_count) {
        snprintf(d->field_names[i], sizeof d->field_names[i], "%s", name);
        d->fields[d->pane.field_count++] = d->field_names[i];
    }
    c->field = &field_payload;
    c->amount = AMOUNT_FIELD;
    c->of_payload = (uint8_t)(i + 1);
    return true;
}

static bool set_field(struct user_view *d, struct user_view_column *c, const char *value,
                      struct err *err)
{
    char known[512] = "";
    c->has_field = true;
    c->of_payload = 0;
    c->field = field_def_of_view(value);
    for (unsigned i = 0; i < AMOUNTS; i++)
        if (strcmp(user_view_amounts[i], value) == 0)
            return c->amount = (uint8_t)i, true;
    if (!c->field && field_bind(value, strlen(value)) == &field_payload)
        return set_payload(d, c, value, err);
    for (const struct field_def *f = field_defs; f->id && !c->field; f++)
        if (f->cell)
            snprintf(known + strlen(known), sizeof known - strlen(known), "%s, ", f->id);
    return c->field ||
           fail(err,
                "there is no field \"%.60s\"; there are %sevents, size and lat; in payloads write "
                ".%.60s",
                value, known, value);
}

static bool set_aggregate(struct user_view_column *c, const char *value, struct err *err)
{
    char known[256] = "";
    c->agg = NULL;
    for (unsigned i = 0; i < user_view_aggregate_count; i++)
        if (strcmp(user_view_aggregates[i].id, value) == 0)
            c->agg = &user_view_aggregates[i];
    for (unsigned i = 0; i < user_view_aggregate_count && !c->agg; i++)
        snprintf(known + strlen(known), sizeof known - strlen(known), "%s%s", i ? ", " : "",
                 user_view_aggregates[i].id);
    return c->agg || fail(err, "there is no agg \"%.60s\"; there are %s", value, known);
}

/* Groups and trees count their rows' facts anew, which is the column's own way. */
static bool set_group(struct user_view_column *c, const char *value, struct err *err)
{
    return (c->agg && strcmp(c->agg->id, value) == 0) ||
           fail(err, "expected the same value as agg");
}

static bool set_switch(bool *to, bool when, const char *value, struct err *err)
{
    const bool is_yes = strcmp(value, "yes") == 0;
    *to = is_yes == when;
    return is_yes || strcmp(value, "no") == 0 ||
           fail(err, "expected yes or no, found \"%.60s\"", value);
}

static bool set_width(struct user_view_column *c, const char *value, struct err *err)
{
    char *end;
    const long width = strtol(value, &end, 10);
    if (*end || end == value || width < 3 || width > 80)
        return fail(err, "expected 3 to 80 cells, found \"%.60s\"", value);
    c->width = (uint8_t)width;
    return true;
}

static bool set_unit(struct user_view_column *c, const char *value, struct err *err)
{
    for (const char *at = value; *at; at++)
        if (!isgraph((unsigned char)*at))
            return fail(err, "expected a unit of ASCII characters, found \"%.60s\"", value);
    return set_text(c->unit, sizeof c->unit, value, err);
}

bool user_view_is_id(const char *id)
{
    const size_t bytes = strspn(id, "abcdefghijklmnopqrstuvwxyz0123456789_");
    return bytes > 0 && !id[bytes] && bytes < USER_VIEW_ID - 8 && !isdigit((unsigned char)id[0]);
}

static struct user_view_column *column_at(struct user_view *d, const char *id, struct err *err)
{
    for (unsigned i = 0; i < d->column_count; i++)
        if (strcmp(d->specs[i].id, id) == 0)
            return &d->specs[i];
    if (!user_view_is_id(id) || strcmp(id, "share") == 0) {
        fail(err, "expected a column id of lowercase letters, digits and _, found \"%.60s\"", id);
        return NULL;
    }
    if (d->column_count == USER_VIEW_COLUMNS_MAX) {
        fail(err, "more than %d columns", USER_VIEW_COLUMNS_MAX);
        return NULL;
    }
    struct user_view_column *const c = &d->specs[d->column_count++];
    snprintf(c->id, sizeof c->id, "%s", id);
    return c;
}

bool user_view_column_set(struct user_view *d, const char *column, const char *key,
                          const char *value, struct err *err)
{
    struct user_view_column *const c = column_at(d, column, err);
    if (!c)
        return false;
    if (strcmp(key, "field") == 0)
        return set_field(d, c, value, err);
    if (strcmp(key, "agg") == 0)
        return set_aggregate(c, value, err);
    if (strcmp(key, "group_agg") == 0)
        return set_group(c, value, err);
    if (strcmp(key, "unit") == 0)
        return set_unit(c, value, err);
    if (strcmp(key, "width") == 0)
        return set_width(c, value, err);
    if (strcmp(key, "default") == 0)
        return set_switch(&c->is_hidden, false, value, err);
    if (strcmp(key, "sort") == 0)
        return set_switch(&c->is_sort, true, value, err);
    if (strcmp(key, "help") == 0)
        return set_text(c->help, sizeof c->help, value, err);
    return fail(err,
                "there is no item \"%.60s\"; there are field, agg, group_agg, unit, width, "
                "default, sort and help",
                key);
}

bool user_view_applies_to(const struct user_view *d, const struct pane *p)
{
    char word[USER_VIEW_ID];
    const char *at = d->applies_to;
    while (next_word(&at, word, sizeof word))
        if (pane_find(word) == p)
            return true;
    return !d->applies_to[0];
}

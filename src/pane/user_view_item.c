/* The items of a view file: each into its place, or a sentence about what is wrong with it. */
#include "src/base/suggest.h"
#include "src/base/unit.h"
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
                suggest_list(known, sizeof known, w->word);
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
    if (strcmp(key, "empty") == 0)
        return d->pane.if_empty = d->empty, set_text(d->empty, sizeof d->empty, value, err);
    return fail(err,
                "there is no item \"%.60s\"; there are name, description, query, source, "
                "filter, applies_to, drill and empty",
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
        return fail(err, "a view has at most %d fields of payloads; drop one", FACT_VALUES);
    if (i == d->pane.field_count) {
        snprintf(d->field_names[i], sizeof d->field_names[i], "%s", name);
        d->fields[d->pane.field_count++] = d->field_names[i];
    }
    c->field = &field_payload;
    c->amount = AMOUNT_FIELD;
    c->of_payload = (uint8_t)(i + 1);
    return true;
}

bool user_view_field_set(struct user_view *d, struct user_view_column *c, const char *value,
                         struct err *err)
{
    char known[512] = "";
    struct suggestion near = {NULL, 0};
    snprintf(c->field_text, sizeof c->field_text, "%s", value);
    c->has_field = true;
    c->of_payload = 0;
    if (strchr(value, '(')) {
        c->field = &c->made.def;
        return field_make(&c->made, value, err);
    }
    c->field = field_def_of_view(value);
    for (unsigned i = 0; i < AMOUNTS; i++)
        if (user_view_amounts[i] && strcmp(user_view_amounts[i], value) == 0)
            return c->amount = (uint8_t)i, true;
    if (!c->field && field_bind(value, strlen(value)) == &field_payload)
        return set_payload(d, c, value, err);
    for (const struct field_def *f = field_defs; f->id && !c->field; f++)
        if (f->cell) {
            suggest(&near, value, f->id);
            snprintf(known + strlen(known), sizeof known - strlen(known), "%s, ", f->id);
        }
    for (unsigned i = 0; i < AMOUNTS; i++)
        if (user_view_amounts[i])
            suggest(&near, value, user_view_amounts[i]);
    if (!c->field && near.name)
        return fail(err, "there is no field \"%.60s\"; did you mean %s?", value, near.name);
    return c->field || fail(err,
                            "there is no field \"%.60s\"; there are %sevents, size, lat and run; "
                            "in payloads write "
                            ".%.60s",
                            value, known, value);
}

/* "p50", "p05", "p999" (99.9 %): the share; 0 where it is none. "p099" would be read as 99. */
static double share_of(const char *word)
{
    const size_t digits = strspn(word + 1, "0123456789");
    double share = 0;
    if (word[0] != 'p' || digits < 2 || digits > 4 || word[1 + digits] ||
        strncmp(word, "p100", 4) == 0 || (digits > 2 && word[1] == '0'))
        return 0;
    for (size_t i = digits; i > 0; i--)
        share = (share + (word[i] - '0')) / 10;
    return share;
}

/* Does it look like one? */
static bool is_percentile(const char *word)
{
    return word[0] == 'p' && word[1] && !word[1 + strspn(word + 1, "0123456789")];
}

/* "-5", "10ms" (as ns), "64K" (as bytes); moves *at behind it and `until`. */
static bool take_number(const char **at, char until, int64_t *out)
{
    char text[32];
    uint64_t number;
    struct err why;
    const char *const end = strchr(*at, until);
    while (isspace((unsigned char)**at))
        ++*at;
    const bool is_below = **at == '-';
    *at += is_below;
    if (!end || end < *at || end - *at >= (int)sizeof text)
        return false;
    snprintf(text, sizeof text, "%.*s", (int)(end - *at), *at);
    for (size_t n = strlen(text); n > 0 && isspace((unsigned char)text[n - 1]);)
        text[--n] = '\0';
    *at = end + 1;
    const bool is_size = strpbrk(text, "KMGT") != NULL; /* "1m" is a minute */
    const bool ok =
        unit_count(text, &number, &why) ||
        (is_size ? unit_size(text, &number, &why) : unit_time(text, (int64_t *)&number, &why));
    if (!ok || number > INT64_MAX)
        return false;
    *out = (int64_t)number;
    *out = is_below ? -*out : *out;
    return true;
}

static bool set_linear(struct linear *l, const char *arguments, struct err *err)
{
    const char *at = arguments;
    if (*at++ != '(' || !take_number(&at, ',', &l->low) || !take_number(&at, ',', &l->high) ||
        !take_number(&at, ')', &l->step) || *at)
        return fail(err, "expected numbers as in lquantize(0, 100ms, 5ms), found lquantize%.60s",
                    arguments);
    return linear_levels(l) ||
           fail(err, "expected lquantize(LOW, HIGH, STEP) with 1 to %d bins between LOW and HIGH",
                LINEAR_LEVELS);
}

static bool is_linear(const struct user_view_aggregate *a)
{
    return strcmp(a->id, "lquantize") == 0;
}

bool user_view_aggregate_set(struct user_view_column *c, const char *word, const char *what,
                             struct err *err)
{
    char known[256] = "";
    struct suggestion near = {NULL, 0};
    const size_t bytes = strcspn(word, "(");
    const struct user_view_aggregate *found = NULL;
    c->share = share_of(word);
    c->linear = (struct linear){.step = 0};
    for (unsigned i = 0; i < user_view_aggregate_count; i++) {
        const struct user_view_aggregate *const a = &user_view_aggregates[i];
        const bool is_share = strcmp(a->id, "pNN") == 0;
        const bool is_name = strlen(a->id) == bytes && strncmp(a->id, word, bytes) == 0;
        if (is_share ? c->share > 0 : is_name && (!word[bytes] || is_linear(a)))
            found = a;
        suggest(&near, word, a->id);
        suggest_list(known, sizeof known, a->id);
    }
    c->agg = found;
    if (!found && is_percentile(word))
        return fail(
            err,
            "there is no %s \"%.60s\"; percentiles are p01 to p99, and p999 (99.9 %%) or p9999",
            what, word);
    if (!found)
        return suggest_refuse(err, what, word, &near, known);
    snprintf(c->agg_name, sizeof c->agg_name, "%.*s", (int)bytes, word);
    snprintf(c->agg_text, sizeof c->agg_text, "%s", word);
    return !is_linear(found) || set_linear(&c->linear, word + bytes, err);
}

/* Groups and trees count their rows' facts anew, which is the column's own way. */
static bool set_group(struct user_view_column *c, const char *value, struct err *err)
{
    return (c->agg && strcmp(c->agg_name, value) == 0) ||
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

struct user_view_column *user_view_column_at(struct user_view *d, const char *id, struct err *err)
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
    struct user_view_column *const c = user_view_column_at(d, column, err);
    if (!c)
        return false;
    if (strcmp(key, "field") == 0)
        return user_view_field_set(d, c, value, err);
    if (strcmp(key, "agg") == 0)
        return user_view_aggregate_set(c, value, "agg", err);
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

/* By way of another text: gcc without optimization takes two arrays of a struct for one. */
void user_view_describe(struct user_view_column *c)
{
    char text[sizeof c->help];
    snprintf(text, sizeof text, "%s of %s", c->agg_name,
             c->field ? c->field->id : user_view_amounts[c->amount]);
    memcpy(c->help, text, sizeof text);
}

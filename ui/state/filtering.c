#include "ui/state/filtering.h"

#include "src/filter/filter.h"
#include "src/pane/query_pane.h"
#include "ui/state/asking.h"
#include "ui/state/queries.h"

#include <stdio.h>
#include <string.h>

/* Would the text be a filter of the place shown? */
static bool is_filter(const struct app *a, const char *text, struct filter_error *why)
{
    const struct frame *const f = a->focus->frame;
    /* Times refer to the history; before the first frame, to any time. */
    const struct filter_span span = {f && f->kept_last ? f->kept_first : 1,
                                     f && f->kept_last ? f->kept_last : INT64_MAX};
    struct filter filter;
    const bool ok = filter_init(&filter, text, app_shown(a)->pane, &span, why);
    filter_fini(&filter);
    return ok;
}

static void use(struct app *a, const char *text)
{
    struct place *const p = app_place(a);
    memset(p->filter, 0, sizeof p->filter);
    snprintf(p->filter, sizeof p->filter, "%s", text);
}

/* A word on its way to a comparison was taken for text a letter ago: without it, what stands
 * before it is the filter. */
static void use_without_last_word(struct app *a)
{
    char text[FILTER_MAX];
    snprintf(text, sizeof text, "%s", a->prompt.text);
    char *const blank = strrchr(text, ' ');
    *(blank ? blank : text) = '\0';
    if (is_filter(a, text, NULL))
        use(a, text);
}

/* Those with blanks would need quotes. */
static void remember_name(struct completion *c, const char *text, size_t bytes)
{
    if (!bytes || bytes >= sizeof c->names[0] || c->name_count == COMPLETIONS_MAX)
        return;
    char *const name = c->names[c->name_count];
    memcpy(name, text, bytes);
    name[bytes] = '\0';
    for (unsigned i = 0; i < c->name_count; i++)
        if (strcmp(c->names[i], name) == 0)
            return;
    if (strlen(name) == bytes && !strpbrk(name, " \t,|()\""))
        c->name_count++;
}

const char *filtering_text(const struct app *a)
{
    const struct place *const p = app_shown(a);
    const bool is_query = query_pane_is(p->pane) && strlen(p->pane->title) < FILTER_MAX;
    return is_query && !p->filter[0] ? p->pane->title : p->filter;
}

void filtering_opened(struct app *a)
{
    const struct frame *const f = a->focus->frame;
    const struct column *const name = f ? pane_column(f->pane, "name") : NULL;
    a->filter_error.text[0] = '\0';
    a->completion = (struct completion){.index = 0};
    for (unsigned i = 0; name && i < f->row_count; i++) {
        const struct value *const v = &f->rows[i].cells[name - f->pane->columns];
        if (v->type == VALUE_TEXT)
            remember_name(&a->completion, f->arena + v->text.offset, v->text.bytes);
    }
}

void filtering_typed(struct app *a)
{
    if (asking_typed(a))
        return;
    a->filter_error.text[0] = '\0';
    if (is_filter(a, a->prompt.text, &a->filter_error))
        use(a, a->prompt.text);
    else
        use_without_last_word(a);
}

bool filtering_set(struct app *a, const char *text)
{
    struct filter_error why;
    if (query_is_one(text))
        return asking_show(a, text);
    if (is_filter(a, text, &why)) {
        use(a, text);
        return true;
    }
    struct err err;
    filter_fail(&err, text, &why);
    app_message(a, true, "%s", err.text);
    return false;
}

const char *filtering_wrong(const struct app *a, size_t *at)
{
    const bool is_read =
        a->prompting == PROMPT_FILTER || a->prompting == PROMPT_FIND || asking_is_on(a);
    if (!is_read || !a->filter_error.text[0])
        return NULL;
    *at = a->filter_error.at;
    return a->filter_error.text;
}

/* ---- completing ------------------------------------------------------------------------------- */

/* What stands at the end of the prompt. */
struct ending {
    size_t at;                     /* where the word begins */
    const struct field_def *field; /* that it is a value of; or NULL */
    bool is_value;                 /* of such a field or of a payload's */
    bool is_query;                 /* it is none of a filter's, but of a query's: */
    struct query_end query;
};

static struct ending ending_of(const char *text)
{
    struct ending e = {.at = 0};
    e.at = filter_unfinished(text, strlen(text), &e.field);
    e.is_query = query_unfinished(text, &e.query);
    if (e.is_query && e.query.part != QUERY_WHERE) {
        e.at = e.query.at;
        e.field = NULL;
    } else {
        e.is_value = e.field || (e.at && strchr("=<>:~", text[e.at - 1]));
    }
    return e;
}

/* Can it be a field of the payload? */
static bool is_field(const struct ending *e)
{
    return !e->is_value && (!e->is_query || e->query.part == QUERY_KEY ||
                            e->query.part == QUERY_FIELD || e->query.part == QUERY_WHERE);
}

enum { CANDIDATES = COMPLETIONS_MAX, CANDIDATE_BYTES = SEEN_MAX };

struct candidates {
    char texts[CANDIDATES][CANDIDATE_BYTES];
    unsigned count;
    const char *typed;
};

static bool begins(const char *text, const char *with)
{
    for (size_t i = 0; with[i]; i++)
        if (text_lower(text[i]) != text_lower(with[i]))
            return false;
    return true;
}

static void consider(struct candidates *c, const char *text)
{
    const bool is_behind_point = *text == '.' && begins(text + 1, c->typed);
    if (c->count == CANDIDATES || strlen(text) >= CANDIDATE_BYTES)
        return;
    if (!is_behind_point && !begins(text, c->typed))
        return;
    for (unsigned i = 0; i < c->count; i++)
        if (strcmp(c->texts[i], text) == 0)
            return;
    snprintf(c->texts[c->count++], CANDIDATE_BYTES, "%s", text);
}

static void consider_columns(const struct app *a, struct candidates *c)
{
    const struct pane *const p = app_shown(a)->pane;
    for (size_t i = 0; p->view == PANE_TABLE && i < p->column_count; i++)
        consider(c, p->columns[i].id);
}

static void consider_query(const struct app *a, const struct query_end *end, struct candidates *c)
{
    const char *word;
    for (unsigned i = 0; (word = query_pane_word(end, i)); i++)
        consider(c, word);
    if (end->part == QUERY_SORT)
        consider_columns(a, c);
}

/* What the newest frame knows of them. */
static void consider_seen(const struct app *a, struct candidates *c)
{
    const struct frame *const f = a->focus->frame;
    char text[SEEN_MAX];
    for (unsigned i = 0; f && f->about == ABOUT_SEEN && i < f->field_count; i++) {
        const struct value *const name = &f->fields[i].name;
        snprintf(text, sizeof text, "%.*s", (int)name->text.bytes, f->arena + name->text.offset);
        consider(c, text);
    }
}

static void gather(const struct app *a, const struct ending *e, struct candidates *c)
{
    const struct field_def *const field = e->field;
    const bool is_filter = !e->is_query || e->query.part == QUERY_WHERE;
    for (const struct field_def *f = field_defs; is_filter && !e->is_value && f->id; f++)
        consider(c, f->id);
    if (!e->is_query && !e->is_value)
        consider_columns(a, c);
    if (e->is_query && !e->is_value)
        consider_query(a, &e->query, c);
    if (is_field(e))
        consider_seen(a, c);
    for (const struct field_word *w = field ? field->words : NULL; w && w->word; w++)
        consider(c, w->word);
    for (unsigned i = 0; field && field->by == BY_PROC && i < a->completion.name_count; i++)
        consider(c, a->completion.names[i]);
}

/* Bytes that all candidates begin with, apart from the case of what was typed. */
static size_t in_common(const struct candidates *c)
{
    size_t same = strlen(c->texts[0]);
    for (unsigned i = 1; i < c->count; i++) {
        size_t n = 0;
        while (n < same && c->texts[i][n] == c->texts[0][n])
            n++;
        same = n;
    }
    return same;
}

static void put(struct app *a, size_t at, const char *text, size_t bytes, const char *end)
{
    char line[FILTER_MAX];
    const int length = snprintf(line, sizeof line, "%.*s%.*s%s", (int)at, a->prompt.text,
                                (int)bytes, text, end);
    if (length < 0 || (size_t)length >= sizeof line)
        return;
    prompt_set(&a->prompt, line);
    filtering_typed(a);
}

static void list_candidates(struct app *a, const struct candidates *c)
{
    char text[200] = "";
    size_t used = 0;
    for (unsigned i = 0; i < c->count && used < sizeof text; i++)
        used += (size_t)snprintf(text + used, sizeof text - used, "%s ", c->texts[i]);
    app_message(a, false, "%s", text);
}

/* The sign that a field most likely wants next; none behind a provider or an event. Behind a key
 * comes a comma or a blank, behind other words of a query a blank. */
static const char *sign_after(const struct app *a, const struct ending *e, const char *name)
{
    const bool is_open = name[strlen(name) - 1] == '(' || name[strlen(name) - 1] == '.';
    if (e->is_query && e->query.part != QUERY_WHERE)
        return is_open || e->query.part == QUERY_KEY || e->query.part == QUERY_FIELD ? "" : " ";
    if (e->is_query && (strcmp(name, "sort") == 0 || strcmp(name, "top") == 0))
        return " ";
    if (strchr(name, '.'))
        return name[strlen(name) - 1] == '.' ? "" : "=";
    const struct field_def *const f = field_def_find(name, strlen(name));
    const struct column *const c = pane_column(app_shown(a)->pane, name);
    if (f && f->type == TYPE_FLAG)
        return " ";
    if (f && f->type != TYPE_TIME && f->type != TYPE_SIZE)
        return "=";
    if (!f && !c)
        return "=";
    return f || c->flags & COLUMN_RIGHT ? ">" : ":";
}

/* The next Tab goes on from what the last one left in the prompt. */
static bool goes_on(const struct app *a)
{
    return a->completion.line[0] && strcmp(a->completion.line, a->prompt.text) == 0;
}

/* The next candidate, where the last Tab left one in the prompt. */
static bool cycle(struct app *a)
{
    struct completion *const last = &a->completion;
    if (!goes_on(a))
        return false;
    const struct ending e = ending_of(a->prompt.text);
    struct candidates c = {.typed = last->typed};
    gather(a, &e, &c);
    if (c.count == 0)
        return false;
    last->index = (last->index + 1) % c.count;
    put(a, e.at, c.texts[last->index], strlen(c.texts[last->index]), "");
    snprintf(last->line, sizeof last->line, "%s", a->prompt.text);
    return true;
}

static bool completes_fields(const struct app *a)
{
    return a->prompting == PROMPT_FILTER || asking_is_on(a);
}

void filtering_ask(const struct app *a, struct request *r)
{
    const struct ending e = ending_of(a->prompt.text);
    const char *const typed = goes_on(a) ? a->completion.typed : a->prompt.text + e.at;
    if (!completes_fields(a) || r->about != ABOUT_NOTHING || r->detail || !is_field(&e) ||
        r->pane->has_own_fields || strlen(typed) >= sizeof r->seen)
        return;
    r->about = ABOUT_SEEN;
    memcpy(r->seen, typed, strlen(typed));
}

bool filtering_waits(const struct app *a)
{
    const struct request *const sent = &a->focus->sent;
    return completes_fields(a) && sent->sequence && sent->about == ABOUT_SEEN &&
           (!a->focus->frame || a->focus->frame->sequence < sent->sequence);
}

void filtering_complete(struct app *a)
{
    if (cycle(a))
        return;
    struct completion *const last = &a->completion;
    const struct ending e = ending_of(a->prompt.text);
    const size_t at = e.at;
    last->line[0] = last->typed[0] = '\0';
    last->index = 0;
    if (strlen(a->prompt.text + at) >= sizeof last->typed)
        return;
    memcpy(last->typed, a->prompt.text + at, strlen(a->prompt.text + at) + 1);
    struct candidates c = {.typed = last->typed};
    gather(a, &e, &c);
    if (c.count == 0)
        return;
    const size_t same = in_common(&c);
    if (c.count == 1) {
        put(a, at, c.texts[0], same, e.field ? " " : sign_after(a, &e, c.texts[0]));
        return;
    }
    list_candidates(a, &c);
    if (same > strlen(last->typed)) {
        put(a, at, c.texts[0], same, "");
        return;
    }
    put(a, at, c.texts[0], strlen(c.texts[0]), "");
    snprintf(last->line, sizeof last->line, "%s", a->prompt.text);
}

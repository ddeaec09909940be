/* What a filter, or a rule, says of a row of a table or of an event in a list. */
#include "src/base/mem.h"
#include "src/view/inside.h"
#include "src/view/predicate.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Plain decimal; much faster than printing, and there is one per row. */
static const char *digits_of(uint64_t number, char *room, size_t bytes)
{
    char *at = room + bytes - 1;
    *at = '\0';
    do {
        *--at = (char)('0' + number % 10);
        number /= 10;
    } while (number && at > room);
    return at;
}

/* Terms of the filter that look at any text, in the columns that can be searched. */
static void look_at_texts(const struct view *v, const struct filter *f, const struct table_row *r,
                          struct row_context *x, struct filter_found *found)
{
    const uint64_t texts = f->used[LEVEL_ROW] & f->texts;
    for (size_t i = 0; texts && i < v->request.pane->column_count; i++) {
        const struct column *c = &v->request.pane->columns[i];
        if (!(c->flags & COLUMN_SEARCHABLE))
            continue;
        const struct value value = c->get(c, r, x);
        char room[24];
        if (value_is_text(value)) {
            filter_look_text(f, texts, x->texts->bytes + value.text.offset, value.text.bytes,
                             found);
        } else if (value.type == VALUE_ID) {
            const char *digits = digits_of(value.count, room, sizeof room);
            filter_look_text(f, texts, digits, strlen(digits), found);
        }
    }
}

static void look_at_cell(const struct filter *f, unsigned term, struct value value,
                         const struct row_context *x, struct filter_found *found)
{
    char room[24];
    const bool is_number_as_text = value.type == VALUE_ID && f->terms[term].type == TYPE_TEXT;
    const char *const digits = is_number_as_text ? digits_of(value.count, room, sizeof room) : NULL;
    if (digits) /* of a payload field, which is a text in other rows */
        filter_look_text(f, 1ull << term, digits, strlen(digits), found);
    else if (value_is_text(value))
        filter_look_text(f, 1ull << term, x->texts->bytes + value.text.offset, value.text.bytes,
                         found);
    else if (value.type == VALUE_INSTANT || value.type == VALUE_HEX)
        filter_look_number(f, term, value.count, found);
    else if (value.type == VALUE_SERIES || value.type == VALUE_BINS)
        filter_look_real(
            f, term, text_number(value.type, x->texts->bytes + value.text.offset, value.text.bytes),
            found);
    else if (value.type != VALUE_ABSENT)
        filter_look_real(f, term, view_number(value), found);
}

/* The rule that tags. Where it asks for tags itself, it means those made by hand. */
static bool is_tagged_by_rule(const struct view *v, const struct filter *asked,
                              const struct table_row *r, struct row_context *x)
{
    const struct filter *const rule = &v->tag_rule->predicate.filter;
    return asked != rule && filter_has(rule, LEVEL_ROW) && view_row_fits(v, rule, r, x);
}

static void look_at_tags(const struct view *v, const struct filter *f, const struct table_row *r,
                         struct row_context *x, struct filter_found *found)
{
    uint64_t left = f->used[LEVEL_ROW] & f->of_group[GROUP_CALLBACK];
    unsigned i;
    while (filter_next(&left, &i))
        filter_look_flag(i, view_is_tagged(v, r->key) || is_tagged_by_rule(v, f, r, x), found);
}

bool view_row_fits(const struct view *v, const struct filter *f, const struct table_row *r,
                   struct row_context *x)
{
    const size_t mark = x->texts->used;
    struct filter_found found = {0, 0};
    uint64_t left = f->used[LEVEL_ROW] & f->of_group[GROUP_COLUMN];
    unsigned i;
    while (filter_next(&left, &i)) {
        const struct column *c = &v->request.pane->columns[f->terms[i].column];
        look_at_cell(f, i, c->get(c, r, x), x, &found);
    }
    look_at_texts(v, f, r, x, &found);
    look_at_tags(v, f, r, x, &found);
    x->texts->used = mark;
    if (f->used[LEVEL_ROW] & f->of_group[GROUP_PROCESS])
        filter_join(&found, filter_look_process(f, v->model, row_process(x, r), x->now_ns));
    return filter_decide(f, LEVEL_ROW, found);
}

bool view_match_key(struct view *v, struct row_key key)
{
    struct row_context x = view_context(v);
    struct frame_maker scratch;
    if (view_hides(v, key) || view_is_unwatched(v, key))
        return false;
    maker_init(&scratch, 1, v->request.pane->column_count);
    x.texts = &scratch.texts;
    struct table_row *const known = table_find(x.table, key);
    struct table_row *const made = known ? NULL : row_new(x.table, key);
    const bool fits = view_row_fits(v, &v->filter, known ? known : made, &x);
    row_drop(x.table, made);
    frame_free(maker_take(&scratch));
    return fits;
}

/* ---- rules ----------------------------------------------------------------------------------- */

/* Compiled for one pane; where the words mean nothing there, or in a table are about events
 * alone, the rule says nothing of it. */
struct rule {
    char text[RULE_TEXT];
    struct predicate predicate;
    bool applies;
};

struct rules {
    struct rule of[RULES_MAX];
    const struct pane *pane; /* that they are compiled for */
    uint64_t names;          /* model's late_names that match_cache stand for */
};

struct rules *rules_new(void)
{
    struct rules *const r = mem_new(1, sizeof *r);
    for (unsigned i = 0; i < RULES_MAX; i++)
        predicate_init(&r->of[i].predicate);
    return r;
}

void rules_free(struct rules *r)
{
    for (unsigned i = 0; r && i < RULES_MAX; i++)
        predicate_fini(&r->of[i].predicate);
    free(r);
}

void rules_set(struct rules *r, unsigned slot, const char *text)
{
    if (slot >= RULES_MAX)
        return;
    snprintf(r->of[slot].text, sizeof r->of[slot].text, "%s", text);
    r->pane = NULL;
}

static void compile(struct rules *r, const struct pane *p)
{
    for (unsigned i = 0; i < RULES_MAX; i++) {
        struct rule *const rule = &r->of[i];
        const struct filter *const f = &rule->predicate.filter;
        rule->applies = predicate_read(&rule->predicate, rule->text, p, NULL) && rule->text[0] &&
                        filter_has(f, p->view == PANE_TABLE ? LEVEL_ROW : LEVEL_FACT) &&
                        !(p->view == PANE_TABLE && filter_has(f, LEVEL_FACT));
    }
    r->pane = p;
}

bool rule_applies(const char *text, const struct pane *p)
{
    struct rules *const r = rules_new();
    rules_set(r, 0, text);
    compile(r, p);
    const bool applies = r->of[0].applies;
    rules_free(r);
    return applies;
}

static struct rules *rules_of(struct view *v)
{
    struct rules *const r = v->rules;
    if (r && r->pane != v->request.pane)
        compile(r, v->request.pane);
    if (r && r->names != view_names(v))
        for (unsigned i = 0; i < RULES_MAX; i++)
            predicate_forget(&r->of[i].predicate);
    if (r)
        r->names = view_names(v);
    return r;
}

uint8_t view_rule_of_row(struct view *v, const struct table_row *r, struct row_context *x)
{
    const struct rules *const rules = rules_of(v);
    for (unsigned i = 0; rules && i < RULES_MAX; i++) {
        if (rules->of[i].applies && view_row_fits(v, &rules->of[i].predicate.filter, r, x))
            return (uint8_t)(i + 1);
    }
    return 0;
}

uint8_t view_rule_of_fact(struct view *v, const struct fact *f)
{
    const struct rules *const rules = rules_of(v);
    for (unsigned i = 0; rules && i < RULES_MAX; i++)
        if (rules->of[i].applies && predicate_passes(&rules->of[i].predicate, v, f))
            return (uint8_t)(i + 1);
    return 0;
}

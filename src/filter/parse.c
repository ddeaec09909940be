/* From text to terms and nodes: recursive descent over the grammar of filter.h. */
#include "src/filter/parse.h"

#include "src/filter/parser.h"

#include <string.h>

/* ---- the grammar --------------------------------------------------------------------------- */

static uint8_t parse_or(struct parser *p);

/* Behind what stands here as a field would; points are in names of fields of payloads. */
static const char *end_of_field(const char *at, bool *has_point)
{
    const char *const start = at;
    *has_point = false;
    for (;; at++) {
        const bool is_point = *at == '.' && (is_letter(at[1]) || (at > start && is_digit(at[1])));
        const bool is_inside = at > start && (is_digit(*at) || *at == '-');
        if (!is_letter(*at) && !is_inside && !is_point)
            return at;
        *has_point |= is_point;
    }
}

bool filter_reads_name(const char *text)
{
    bool has_point;
    const char *const end = end_of_field(text, &has_point);
    return end > text && !*end;
}

static uint8_t parse_primary(struct parser *p)
{
    skip_blanks(p);
    if (*p->at == '(') {
        const char *const start = p->at++;
        if (++p->depth > FILTER_DEPTH) {
            WRONG(p, start, "at most %d levels of parentheses", FILTER_DEPTH);
            return 0;
        }
        const uint8_t node = parse_or(p);
        p->depth--;
        skip_blanks(p);
        if (*p->at != ')') {
            WRONG(p, p->at, "expected a closing )");
            return 0;
        }
        p->at++;
        return node;
    }
    if (!*p->at || *p->at == ')' || *p->at == '|') {
        WRONG(p, p->at, "expected a word or a field");
        return 0;
    }
    bool has_point;
    const char *const end = end_of_field(p->at, &has_point);
    enum filter_op op;
    const size_t op_bytes = end > p->at ? filter_op_at(end, &op) : 0;
    if (filter_asks_for_bits(p, p->at, end)) {
        const char *const id = p->at;
        p->at = end;
        return filter_parse_bits(p, id, (size_t)(end - id));
    }
    /* C:\temp, std::string and main.c:12 are text: no field has one letter, no value begins with a
     * colon, and with a point in the name it is = that compares. */
    const bool is_text =
        op_bytes && op == HOLDS && (end == p->at + 1 || end[1] == ':' || end[1] == '\\');
    if (has_point && *p->at != '.' && op_bytes && op == HOLDS)
        return filter_parse_text(p);
    struct filter_term unused;
    if (op_bytes &&
        (!is_text || filter_find_field(p->f->pane, p->at, (size_t)(end - p->at), op, &unused))) {
        const char *const id = p->at;
        p->at = end;
        return filter_parse_comparison(p, id, (size_t)(end - id), op_bytes, op);
    }
    return filter_parse_text(p);
}

static uint8_t parse_not(struct parser *p)
{
    bool is_negated = false;
    for (;;) {
        skip_blanks(p);
        if (*p->at == '!') {
            p->at++;
        } else if (is_keyword(p->at, "not")) {
            p->at += strlen("not");
        } else {
            break;
        }
        is_negated = !is_negated;
    }
    const uint8_t node = parse_primary(p);
    return is_negated && !p->failed ? filter_add_node(p, NODE_NOT, node, 0) : node;
}

static uint8_t parse_alternatives(struct parser *p)
{
    uint8_t node = parse_not(p);
    for (;;) {
        const char *const before = p->at;
        skip_blanks(p);
        if (p->failed || *p->at != '|' || p->at[1] == '|') {
            p->at = before;
            return node;
        }
        p->at++;
        node = filter_add_node(p, NODE_OR, node, parse_not(p));
    }
}

static bool is_end_of_and(const struct parser *p)
{
    return !*p->at || *p->at == ')' || is_keyword(p->at, "or") || strncmp(p->at, "||", 2) == 0;
}

static uint8_t parse_and(struct parser *p)
{
    uint8_t node = parse_alternatives(p);
    for (;;) {
        skip_blanks(p);
        if (p->failed || is_end_of_and(p))
            return node;
        if (is_keyword(p->at, "and"))
            p->at += strlen("and");
        else if (strncmp(p->at, "&&", 2) == 0)
            p->at += 2;
        node = filter_add_node(p, NODE_AND, node, parse_alternatives(p));
    }
}

static uint8_t parse_or(struct parser *p)
{
    uint8_t node = parse_and(p);
    for (;;) {
        skip_blanks(p);
        if (p->failed || (!is_keyword(p->at, "or") && strncmp(p->at, "||", 2) != 0))
            return node;
        p->at += 2;
        node = filter_add_node(p, NODE_OR, node, parse_and(p));
    }
}

/* ---- where its parts are decided -------------------------------------------------------------- */

enum { ON_ROWS = 1, ON_FACTS = 2 };

static unsigned places_of(const struct filter *f, const struct filter_term *t)
{
    const bool has_rows = f->pane && f->pane->view == PANE_TABLE;
    if (t->by == BY_COLUMN || (has_rows && (t->by == BY_TAG || f->pane->has_own_fields)))
        return ON_ROWS;
    if (!has_rows)
        return ON_FACTS;
    if (t->by == BY_TEXT || (t->group == GROUP_PROCESS && pane_is_of_processes(f->pane)))
        return ON_ROWS | ON_FACTS;
    return ON_FACTS;
}

static unsigned places_below(const struct filter *f, uint8_t node, uint64_t *terms)
{
    const struct filter_node *const n = &f->nodes[node];
    if (n->kind == NODE_TERM) {
        *terms |= 1ull << n->a;
        return places_of(f, &f->terms[n->a]);
    }
    const unsigned places = places_below(f, n->a, terms);
    return n->kind == NODE_NOT ? places : places & places_below(f, n->b, terms);
}

static const char *name_of(const struct filter *f, const struct filter_term *t)
{
    if (t->payload)
        return t->payload;
    return t->field ? t->field->id : f->pane->columns[t->column].id;
}

static bool cannot_mix(struct parser *p, uint64_t terms)
{
    const struct filter *const f = p->f;
    const char *of_rows = "", *of_facts = "";
    for (unsigned i = 0; i < f->term_count; i++) {
        if (!(terms >> i & 1))
            continue;
        if (places_of(f, &f->terms[i]) == ON_ROWS)
            of_rows = name_of(f, &f->terms[i]);
        if (places_of(f, &f->terms[i]) == ON_FACTS)
            of_facts = name_of(f, &f->terms[i]);
    }
    return WRONG(p, p->text, "%s filters rows, %s filters events; combine them with 'and' only",
                 of_rows, of_facts);
}

static bool split(struct parser *p, uint8_t node)
{
    struct filter *const f = p->f;
    if (f->nodes[node].kind == NODE_AND)
        return split(p, f->nodes[node].a) && split(p, f->nodes[node].b);
    uint64_t terms = 0;
    const unsigned places = places_below(f, node, &terms);
    if (!places)
        return cannot_mix(p, terms);
    const enum filter_level level = places & ON_ROWS ? LEVEL_ROW : LEVEL_FACT;
    f->used[level] |= terms;
    if (level == LEVEL_FACT)
        filter_part_add(f, node, terms);
    f->roots[level] =
        filter_has(f, level) ? filter_add_node(p, NODE_AND, f->roots[level], node) : node;
    return !p->failed;
}

bool filter_init(struct filter *f, const char *text, const struct pane *pane,
                 const struct filter_span *span, struct filter_error *error)
{
    static const struct filter_span unknown = {0, 0};
    *f = (struct filter){.pane = pane, .roots = {FILTER_NONE, FILTER_NONE}};
    struct parser p = {
        .text = text, .at = text, .f = f, .span = span ? span : &unknown, .error = error};
    skip_blanks(&p);
    if (!*p.at)
        return true;
    const uint8_t root = parse_or(&p);
    skip_blanks(&p);
    if (!p.failed && *p.at)
        WRONG(&p, p.at, "expected and, or, or nothing more");
    if (!p.failed)
        split(&p, root);
    filter_parts_end(f);
    if (!p.failed)
        return true;
    filter_fini(f);
    return false;
}

bool filter_check(const char *text, const struct pane *pane, struct err *err)
{
    static const struct filter_span somewhere = {1, INT64_MAX}; /* times are matched later */
    struct filter f;
    struct filter_error why;
    const bool ok = filter_init(&f, text, pane, &somewhere, &why);
    filter_fini(&f);
    return ok || filter_fail(err, text, &why);
}

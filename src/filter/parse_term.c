/* From text to terms: a field with an operator and values, bits, plain words. */
#include "src/base/mem.h"
#include "src/base/suggest.h"
#include "src/filter/parse.h"
#include "src/filter/parser.h"

#include <stdio.h>
#include <string.h>

uint8_t filter_add_node(struct parser *p, enum filter_node_kind kind, uint8_t a, uint8_t b)
{
    if (p->f->node_count == FILTER_NODES) {
        WRONG(p, p->at, "a filter has at most %d parts", FILTER_NODES);
        return 0;
    }
    p->f->nodes[p->f->node_count] = (struct filter_node){(uint8_t)kind, a, b};
    return (uint8_t)p->f->node_count++;
}

/* ---- words ------------------------------------------------------------------------------- */

static bool read_quoted(struct parser *p, struct filter_word_read *w)
{
    const char *const start = p->at++;
    w->form = WORD_QUOTED;
    w->bytes = 0;
    for (;; p->at++) {
        if (!*p->at)
            return WRONG(p, start, "expected a closing quote");
        if (*p->at == '"' && *++p->at != '"')
            break;
        if (w->bytes == sizeof w->room)
            return WRONG(p, start, "a quoted text has at most %zu bytes", sizeof w->room);
        w->room[w->bytes++] = *p->at;
    }
    w->text = w->room;
    return true;
}

/* /like this/, with c or i behind it; a backslash keeps the slash. */
static bool read_regex(struct parser *p, struct filter_word_read *w)
{
    const char *const start = p->at++;
    w->form = WORD_REGEX;
    w->text = p->at;
    w->at++;
    while (*p->at && *p->at != '/')
        p->at += *p->at == '\\' && p->at[1] ? 2 : 1;
    if (!*p->at)
        return WRONG(p, start, "expected a closing /");
    w->bytes = (size_t)(p->at++ - w->text);
    if (!w->bytes)
        return WRONG(p, start, "expected something between the slashes");
    w->how = *p->at == 'c' ? CASE_COUNTS : *p->at == 'i' ? CASE_IGNORED : CASE_SMART;
    if (w->how != CASE_SMART)
        p->at++;
    return true;
}

/* A slash begins an expression only where another one ends it, at the end of a word. */
static bool is_regex_here(const char *at)
{
    if (*at != '/')
        return false;
    for (at++; *at && *at != '/'; at++)
        if (*at == '\\' && at[1])
            at++;
    if (*at++ != '/')
        return false;
    if (*at == 'c' || *at == 'i')
        at++;
    return !*at || is_blank(*at) || *at == ')' || *at == '|' || *at == ',';
}

/* One value. `ends` are the characters that end a plain one beside blanks. */
static bool read_word(struct parser *p, const char *ends, bool takes_regex,
                      struct filter_word_read *w)
{
    w->at = (size_t)(p->at - p->text);
    w->form = WORD_PLAIN;
    w->how = CASE_SMART;
    if (*p->at == '"')
        return read_quoted(p, w);
    if (takes_regex && is_regex_here(p->at))
        return read_regex(p, w);
    w->text = p->at;
    while (*p->at && !is_blank(*p->at) && !strchr(ends, *p->at))
        p->at++;
    w->bytes = (size_t)(p->at - w->text);
    return true;
}

/* ---- terms ------------------------------------------------------------------------------- */

static struct filter_term *add_term(struct parser *p, uint8_t *node)
{
    if (p->f->term_count == FILTER_TERMS) {
        WRONG(p, p->at, "a filter has at most %d terms", FILTER_TERMS);
        return NULL;
    }
    struct filter_term *const t = &p->f->terms[p->f->term_count];
    *t = (struct filter_term){.first = (uint8_t)p->f->value_count};
    *node = filter_add_node(p, NODE_TERM, (uint8_t)p->f->term_count, 0);
    p->f->term_count++;
    return p->failed ? NULL : t;
}

static struct filter_value *add_value(struct parser *p, struct filter_term *t)
{
    if (p->f->value_count == FILTER_VALUES) {
        WRONG(p, p->at, "a filter has at most %d values", FILTER_VALUES);
        return NULL;
    }
    t->count++;
    struct filter_value *const v = &p->f->values[p->f->value_count++];
    *v = (struct filter_value){0};
    return v;
}

static const enum field_def_type column_types[] = {
    [VALUE_ABSENT] = TYPE_NUMBER,   [VALUE_TEXT] = TYPE_TEXT,      [VALUE_PATH] = TYPE_TEXT,
    [VALUE_ID] = TYPE_NUMBER,       [VALUE_HEX] = TYPE_NUMBER,     [VALUE_COUNT] = TYPE_NUMBER,
    [VALUE_RATE] = TYPE_RATE,       [VALUE_BYTES] = TYPE_SIZE,     [VALUE_BYTE_RATE] = TYPE_SIZE,
    [VALUE_TIME] = TYPE_TIME,       [VALUE_TIME_RATE] = TYPE_TIME, [VALUE_PERCENT] = TYPE_PERCENT,
    [VALUE_INSTANT] = TYPE_INSTANT, [VALUE_SERIES] = TYPE_NUMBER,  [VALUE_REAL] = TYPE_RATE,
    [VALUE_BINS] = TYPE_NUMBER,
};

/* A column hides a field of the same name only where both mean different things: cpu is a
 * percentage of the pane of processes, and a processor everywhere else. */
static bool column_hides(const struct column *c, const struct field_def *field)
{
    const enum field_def_type type = column_types[c->type];
    const bool is_text = field->type == TYPE_TEXT || field->type == TYPE_WORD ||
                         field->type == TYPE_ADDRESS || field->type == TYPE_NUMBER;
    return type != field->type && !(is_text && type == TYPE_TEXT);
}

static const struct column *column_named(const struct pane *pane, const char *id, size_t bytes)
{
    for (size_t i = 0; pane && i < pane->column_count; i++)
        if (strlen(pane->columns[i].id) == bytes && memcmp(pane->columns[i].id, id, bytes) == 0)
            return &pane->columns[i];
    return NULL;
}

static void set_field(struct filter_term *t, const struct field_def *field)
{
    t->field = field;
    t->by = field->by;
    t->group = field->group;
    t->type = field->type;
}

bool filter_find_field(const struct pane *pane, const char *id, size_t bytes, enum filter_op op,
                       struct filter_term *t)
{
    const struct field_def *const known = field_bind(id, bytes);
    const struct field_def *const field = known == &field_payload ? NULL : known;
    const bool has_rows = pane && pane->view == PANE_TABLE;
    const struct column *const c = has_rows ? column_named(pane, id, bytes) : NULL;
    const bool is_when = field && field->type == TYPE_INSTANT && (op == IS || op == IS_NOT);
    if (c && (!field || pane->has_own_fields || (column_hides(c, field) && !is_when))) {
        t->by = BY_COLUMN;
        t->group = GROUP_COLUMN;
        t->type = (uint8_t)column_types[c->type];
        t->column = (uint8_t)(c - pane->columns);
        return true;
    }
    if (pane && pane->has_own_fields)
        return false;
    if (known)
        set_field(t, known);
    return known;
}

static bool unknown_field(struct parser *p, const char *id, size_t bytes)
{
    char word[64];
    snprintf(word, sizeof word, "%.*s", (int)(bytes < 60 ? bytes : 60), id);
    struct suggestion best = {NULL, 0};
    const struct pane *const pane = p->f->pane;
    const bool is_of_events = !pane || !pane->has_own_fields;
    for (const struct field_def *f = field_defs; is_of_events && f->id; f++)
        suggest(&best, word, f->id);
    for (size_t i = 0; pane && i < pane->column_count; i++)
        suggest(&best, word, pane->columns[i].id);
    if (best.name)
        return WRONG(p, id, "there is no field '%s'; did you mean %s?", word, best.name);
    if (is_of_events)
        return WRONG(p, id,
                     "there is no field '%s'; in payloads write .%s; as text, put it in quotes",
                     word, word);
    return WRONG(p, id, "there is no field '%s'; as text, put it in quotes", word);
}

size_t filter_op_at(const char *at, enum filter_op *op)
{
    static const struct {
        const char *sign;
        enum filter_op op;
    } ops[] = {
        {"!=", IS_NOT}, {"<=", AT_MOST}, {">=", AT_LEAST}, {"!~", MATCHES_NOT}, {"=", IS},
        {"<", BELOW},   {">", ABOVE},    {":", HOLDS},     {"~", MATCHES},
    };
    for (size_t i = 0; i < sizeof ops / sizeof *ops; i++)
        if (strncmp(at, ops[i].sign, strlen(ops[i].sign)) == 0) {
            *op = ops[i].op;
            return strlen(ops[i].sign);
        }
    return 0;
}

static bool is_comparison(const struct filter_term *t, enum filter_op op)
{
    const bool is_order = op >= BELOW && op <= AT_LEAST;
    const bool is_search = op >= HOLDS;
    const bool is_text = t->type == TYPE_TEXT || t->type == TYPE_ADDRESS || t->type == TYPE_ANY ||
                         filter_has_names(t);
    return t->type != TYPE_FLAG &&
           !(is_order &&
             (t->type == TYPE_TEXT || t->type == TYPE_WORD || t->type == TYPE_ADDRESS)) &&
           !(is_search && !is_text);
}

static bool parse_any(struct parser *p, struct filter_term *t, enum filter_op op,
                      const struct filter_word_read *w)
{
    struct filter_value forms[FILTER_FORMS];
    const unsigned count = filter_any_read(t, op, w, forms, p->error);
    p->failed |= !count;
    for (unsigned i = 0; i < count; i++) {
        struct filter_value *const v = add_value(p, t);
        if (v)
            *v = forms[i];
        else
            pattern_free(forms[i].pattern);
    }
    return !p->failed;
}

static bool parse_value(struct parser *p, struct filter_term *t, enum filter_op op,
                        const struct filter_word_read *w)
{
    if (t->type == TYPE_ANY)
        return parse_any(p, t, op, w);
    struct filter_value *const v = add_value(p, t);
    if (v && !filter_value_read(t, op, w, p->span, v, p->error))
        p->failed = true;
    return v && !p->failed;
}

/* One slash alone, in front, where names have none: paths begin like that on Linux. */
static bool is_open_regex(const struct filter_term *t, const struct filter_word_read *w)
{
    const bool has_slashes =
        t->group != GROUP_KIND && t->group != GROUP_THREAD && t->by != BY_PROC && t->by != BY_USER;
    return !has_slashes && w->form == WORD_PLAIN && w->text[0] == '/' &&
           !memchr(w->text + 1, '/', w->bytes - 1);
}

static bool parse_values(struct parser *p, struct filter_term *t, enum filter_op op)
{
    const bool is_regex = op == MATCHES || op == MATCHES_NOT;
    if (op == IS_NOT || op == MATCHES_NOT)
        p->f->excluding |= 1ull << (t - p->f->terms);
    for (;;) {
        struct filter_word_read w;
        const char *const start = p->at;
        if (!read_word(p, ",)|", is_regex, &w))
            return false;
        if (w.form == WORD_PLAIN && !w.bytes)
            return WRONG(p, start, "expected a value");
        if (is_regex && is_open_regex(t, &w))
            return WRONG(p, start,
                         "expected a closing /; if the slash is meant, put the value in quotes");
        if (t->by == BY_EVENT && memchr(w.text, '/', w.bytes))
            t->field = &field_event_path, t->by = BY_EVENT_PATH;
        if (w.form == WORD_PLAIN && w.bytes == 1 && *w.text == '*' && (op == IS || op == HOLDS)) {
            t->is_presence = true;
        } else if (!parse_value(p, t, op, &w)) {
            return false;
        }
        if (*p->at != ',')
            return true;
        if (op >= BELOW && op <= AT_LEAST)
            return WRONG(p, p->at, "one value is enough to compare with");
        p->at++;
    }
}

/* Names that only records have are searched there. */
static void look_for_names(struct parser *p, struct filter_term *t)
{
    for (unsigned i = t->first; i < (unsigned)t->first + t->count; i++)
        if (t->field && t->field->get_names && p->f->values[i].pattern)
            t->group = GROUP_CALLBACK;
}

static char *copy_name(const char *name, size_t bytes)
{
    char *const copy = mem_new(bytes + 1, 1);
    return memcpy(copy, name, bytes);
}

uint8_t filter_parse_comparison(struct parser *p, const char *id, size_t bytes, size_t op_bytes,
                                enum filter_op op)
{
    uint8_t node = 0;
    struct filter_term *const t = add_term(p, &node);
    if (!t)
        return 0;
    if (!filter_find_field(p->f->pane, id, bytes, op, t)) {
        unknown_field(p, id, bytes);
        return 0;
    }
    if (t->by == BY_PAYLOAD)
        t->payload = copy_name(id, bytes);
    if (!is_comparison(t, op)) {
        static const char *const wanted[FIELD_DEF_TYPES] = {
            [TYPE_TEXT] = "= != : ~ or !~",      [TYPE_WORD] = "= or !=",
            [TYPE_ADDRESS] = "=, != or :",       [TYPE_FLAG] = "no value, it stands alone",
            [TYPE_NUMBER] = "= != < <= > or >=", [TYPE_TIME] = "= != < <= > or >=",
            [TYPE_SIZE] = "= != < <= > or >=",   [TYPE_PERCENT] = "= != < <= > or >=",
            [TYPE_RATE] = "= != < <= > or >=",   [TYPE_INSTANT] = "= != < <= > or >=",
        };
        WRONG(p, p->at, "%.*s takes %s", (int)bytes, id, wanted[t->type]);
        return 0;
    }
    p->at += op_bytes;
    if (!parse_values(p, t, op))
        return 0;
    look_for_names(p, t);
    return node;
}

bool filter_asks_for_bits(const struct parser *p, const char *id, const char *end)
{
    struct filter_term t = {0};
    if (end < id + 2 || end[0] != '&' ||
        !filter_find_field(p->f->pane, id, (size_t)(end - id), IS, &t))
        return false;
    return is_digit(end[1]) || (t.by == BY_KEYWORD && is_letter(end[1]));
}

uint8_t filter_parse_bits(struct parser *p, const char *id, size_t bytes)
{
    struct filter_term t = {0};
    if (filter_find_field(p->f->pane, id, bytes, IS, &t) && t.by == BY_KEYWORD)
        return filter_parse_comparison(p, id, bytes, 1, IS);
    WRONG(p, p->at, "only keyword takes &, such as keyword&0x8; as text, put it in quotes");
    return 0;
}

/* "pid = 4" has three words. */
static bool is_lone_operator(const char *at)
{
    enum filter_op op;
    const size_t bytes = filter_op_at(at, &op);
    return bytes && (!at[bytes] || is_blank(at[bytes]) || (op == IS && at[0] == '='));
}

uint8_t filter_parse_text(struct parser *p)
{
    uint8_t node = 0;
    enum text_where where = TEXT_ANYWHERE;
    const char *const start = p->at;
    if (is_lone_operator(start)) {
        WRONG(p, start,
              "expected a comparison without blanks, such as pid=4; as text, put it in quotes");
        return 0;
    }
    if (start[0] == '&' && (is_blank(start[1]) || is_digit(start[1]))) {
        WRONG(p, start, "expected && or bits without blanks, such as keyword&0x8");
        return 0;
    }
    if (*p->at == '\'' || *p->at == '^') {
        where = *p->at == '^' ? TEXT_START : TEXT_WHOLE;
        p->at++;
    }
    struct filter_word_read w;
    if (!read_word(p, "|)", true, &w))
        return 0;
    if (w.form == WORD_PLAIN && where == TEXT_ANYWHERE && w.bytes > 1 &&
        w.text[w.bytes - 1] == '$') {
        where = TEXT_END;
        w.bytes--;
    }
    if (!w.bytes) {
        WRONG(p, start, "expected a word");
        return 0;
    }
    struct filter_term *const t = add_term(p, &node);
    if (!t)
        return 0;
    const bool is_of_events = !p->f->pane || !p->f->pane->has_own_fields;
    const struct field_def *const field =
        w.form == WORD_PLAIN && is_of_events ? field_def_find(w.text, w.bytes) : NULL;
    if (field && field->type == TYPE_FLAG && where == TEXT_ANYWHERE) {
        set_field(t, field);
        return node;
    }
    set_field(t, field_def_by(BY_TEXT));
    struct filter_value *const v = add_value(p, t);
    if (!v)
        return 0;
    size_t at = 0;
    struct err why;
    v->pattern = w.form == WORD_REGEX ? pattern_regex(w.text, w.bytes, w.how, &at, &why)
                                      : pattern_text(w.text, w.bytes, where);
    if (!v->pattern)
        WRONG(p, p->text + w.at + at, "%.200s", why.text);
    return node;
}

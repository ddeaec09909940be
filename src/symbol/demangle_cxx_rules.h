/* What the reader's files share: the grammar of the Itanium C++ ABI, a function for each of its
 * rules, text to tree. Nothing is tried twice. The rules call each other in circles, as the grammar
 * does, through those declared here. */
#ifndef SRC_SYMBOL_DEMANGLE_CXX_RULES_H
#define SRC_SYMBOL_DEMANGLE_CXX_RULES_H

#include "src/symbol/demangle_cxx_codes.h"
#include "src/symbol/demangle_cxx_lexer.h"

#include <string.h>

/* What the end of a name says about the function type behind it. */
struct name_end {
    bool is_structor, has_arguments; /* neither has, and the latter has, a return type */
    uint8_t flags;
};

typedef cxx_id rule(struct cxx_reader *x);

/* Rules of one file that others call, too. */
rule cxx_read_type, cxx_read_expression, cxx_read_argument, cxx_read_decltype, cxx_read_source_name,
    cxx_read_parameters, cxx_read_substitution, cxx_read_plain_name, cxx_read_template_parameter,
    cxx_read_plain_encoding;
cxx_id cxx_read_encoding(struct cxx_reader *x, bool is_scope);
cxx_id cxx_read_operator_name(struct cxx_reader *x, struct name_end *e);
cxx_id cxx_read_name(struct cxx_reader *x, struct name_end *e);
cxx_id cxx_read_template_arguments(struct cxx_reader *x, bool is_of_encoding);
cxx_id cxx_read_with_arguments(struct cxx_reader *x, cxx_id of, bool is_of_encoding);
/* The node, with the arguments that may be behind it. */
cxx_id cxx_read_with_any_arguments(struct cxx_reader *x, cxx_id of);

/* CXX_CONST … of what follows. */
uint8_t cxx_read_qualifiers(struct cxx_reader *x);
cxx_id cxx_join(struct cxx_reader *x, cxx_id scope, cxx_id n);
bool cxx_is_substitution_next(const struct cxx_reader *x);
const struct cxx_operator *cxx_operator_next(const struct cxx_reader *x);

/* ---- nodes ----------------------------------------------------------------------------------- */

static inline cxx_id leave(struct cxx_reader *x, cxx_id node)
{
    cxx_leave(x->tree);
    return cxx_is_bad(x) ? 0 : node;
}

static inline cxx_id make(struct cxx_reader *x, struct cxx_node n)
{
    return cxx_make(x->tree, &n);
}

static inline cxx_id make_text(struct cxx_reader *x, const char *text, size_t bytes)
{
    return make(x, (struct cxx_node){.kind = CXX_NAME, .text = text, .bytes = (uint32_t)bytes});
}

static inline cxx_id name_of(struct cxx_reader *x, const char *text)
{
    return make_text(x, text, strlen(text));
}

static inline cxx_id make_with(struct cxx_reader *x, enum cxx_kind kind, const char *text, cxx_id a,
                               cxx_id b)
{
    return make(
        x,
        (struct cxx_node){
            .kind = (uint8_t)kind, .a = a, .b = b, .text = text, .bytes = (uint32_t)strlen(text)});
}

static inline cxx_id make_of(struct cxx_reader *x, enum cxx_kind kind, cxx_id a, cxx_id b)
{
    return make_with(x, kind, "", a, b);
}

static inline cxx_id make_numbered(struct cxx_reader *x, enum cxx_kind kind, const char *text,
                                   unsigned number)
{
    const cxx_id n = make_with(x, kind, text, 0, 0);
    x->tree->nodes[n].number = number;
    return n;
}

static inline void remember(struct cxx_reader *x, cxx_id node)
{
    if (x->sub_count == CXX_SUBSTITUTIONS)
        cxx_bad(x);
    else
        x->subs[x->sub_count++] = node;
}

/* Nodes in a row. */
struct cxx_row {
    cxx_id first, last;
};

static inline void append(struct cxx_reader *x, struct cxx_row *r, cxx_id node)
{
    const cxx_id link = make_of(x, CXX_LIST, node, 0);
    if (r->last)
        x->tree->nodes[r->last].b = link;
    else
        r->first = link;
    r->last = link;
}

/* What the rule reads, again and again, up to the text. */
static inline cxx_id list_until(struct cxx_reader *x, rule *item, const char *end)
{
    struct cxx_row row = {0, 0};
    while (!cxx_is_bad(x) && !cxx_take(x, end))
        append(x, &row, item(x));
    return row.first;
}

/* The node, where the text ends it. */
static inline cxx_id ended(struct cxx_reader *x, cxx_id node, const char *end)
{
    return cxx_take(x, end) ? node : cxx_bad(x);
}

static inline cxx_id digits(struct cxx_reader *x)
{
    const char *const text = x->at;
    cxx_number(x);
    return make_text(x, text, (size_t)(x->at - text));
}

/* What a code stands for: it is what `read` has behind the code, or has it within a node. */
struct cxx_form {
    char code[4];
    bool is_kept; /* the code is a part of what is read */
    rule *read;
    enum cxx_kind kind; /* CXX_NONE: what is read itself */
    const char *text;
};

static inline const struct cxx_form *form_next(struct cxx_reader *x, const struct cxx_form *forms,
                                               size_t count)
{
    const char *const at = x->at, c = cxx_peek(x);
    for (size_t i = 0; i < count; i++) {
        if ((forms[i].code[0] && forms[i].code[0] != c) || !cxx_take(x, forms[i].code))
            continue;
        if (forms[i].is_kept)
            x->at = at;
        return &forms[i];
    }
    return NULL;
}

static inline cxx_id read_form(struct cxx_reader *x, const struct cxx_form *f)
{
    const cxx_id n = f->read(x);
    return f->kind == CXX_NONE ? n : make_with(x, f->kind, f->text, n, 0);
}

#endif

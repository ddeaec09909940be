/* Names: their scopes, what has none of its own, template parameters and arguments. */
#include "src/symbol/demangle_cxx_rules.h"

/* ---- names ----------------------------------------------------------------------------------- */

cxx_id cxx_read_source_name(struct cxx_reader *x)
{
    const char *text;
    const unsigned bytes = cxx_number(x);
    if (!bytes)
        return cxx_bad(x);
    if (!cxx_take_bytes(x, bytes, &text))
        return 0;
    if (bytes > 9 && memcmp(text, "_GLOBAL_", 8) == 0 && strchr("_.$", text[8]) && text[9] == 'N')
        return name_of(x, "(anonymous namespace)");
    return make_text(x, text, bytes);
}

const struct cxx_operator *cxx_operator_next(const struct cxx_reader *x)
{
    return cxx_operator_at(x->at, x->end);
}

static cxx_id conversion(struct cxx_reader *x, struct name_end *e)
{
    const bool allowed = x->allows_forward;
    x->allows_forward |= e != NULL;
    const cxx_id to = cxx_read_type(x);
    x->allows_forward = allowed;
    if (e)
        e->is_structor = true;
    return make_of(x, CXX_CONVERSION, to, 0);
}

cxx_id cxx_read_operator_name(struct cxx_reader *x, struct name_end *e)
{
    const struct cxx_operator *const op = cxx_operator_next(x);
    if (cxx_take(x, "cv"))
        return conversion(x, e);
    if (cxx_take(x, "li"))
        return make_with(x, CXX_PREFIXED, "operator\"\" ", cxx_read_source_name(x), 0);
    if (cxx_peek(x) == 'v' && cxx_is_digit(cxx_peek_second(x))) {
        x->at += 2;
        return make_with(x, CXX_PREFIXED, "operator ", cxx_read_source_name(x), 0);
    }
    if (!op)
        return cxx_bad(x);
    x->at += 2;
    const char *const text = op->name ? op->name : op->text;
    const bool is_word = text[0] >= 'a' && text[0] <= 'z';
    return make_with(x, CXX_PREFIXED, is_word ? "operator " : "operator", name_of(x, text), 0);
}

cxx_id cxx_read_parameters(struct cxx_reader *x)
{
    struct cxx_row row = {0, 0};
    if (cxx_take(x, "v"))
        return 0;
    while (!cxx_is_bad(x) && x->at < x->end && !strchr("E.Q", *x->at))
        append(x, &row, cxx_read_type(x));
    return row.first;
}

/* "Ut_", "UlvE_": what has no name of its own. */
static cxx_id unnamed(struct cxx_reader *x)
{
    if (cxx_take(x, "Ut"))
        return make_numbered(x, CXX_UNNAMED, "", cxx_sequence(x, 10) + 1);
    if (!cxx_take(x, "Ul"))
        return cxx_bad(x);
    const bool was_lambda = x->is_lambda;
    x->is_lambda = true;
    const cxx_id list = cxx_read_parameters(x);
    x->is_lambda = was_lambda;
    if (!cxx_take(x, "E"))
        return cxx_bad(x);
    const cxx_id n = make_numbered(x, CXX_LAMBDA, "", cxx_sequence(x, 10) + 1);
    x->tree->nodes[n].a = list;
    return n;
}

static cxx_id binding(struct cxx_reader *x)
{
    const cxx_id list = list_until(x, cxx_read_source_name, "E");
    return list ? make_with(x, CXX_BRACES, "[", 0, list) : cxx_bad(x);
}

/* The node with the tags behind it; `is_new`: with the first it can be referred to. */
static cxx_id tagged(struct cxx_reader *x, cxx_id n, bool is_new)
{
    for (; cxx_take(x, "B"); is_new = false) {
        const char *text;
        const unsigned bytes = cxx_number(x);
        if (!cxx_take_bytes(x, bytes, &text))
            return 0;
        n = make(x, (struct cxx_node){.kind = CXX_TAGGED, .a = n, .text = text, .bytes = bytes});
        if (is_new)
            remember(x, n);
    }
    return n;
}

static cxx_id untagged(struct cxx_reader *x, struct name_end *e)
{
    cxx_take(x, "L"); /* internal linkage */
    const char c = cxx_peek(x);
    if (cxx_is_digit(c))
        return cxx_read_source_name(x);
    if (c == 'U')
        return unnamed(x);
    return cxx_take(x, "DC") ? binding(x) : cxx_read_operator_name(x, e);
}

static cxx_id unqualified(struct cxx_reader *x, struct name_end *e)
{
    return tagged(x, untagged(x, e), false);
}

/* The name of a class without its scope and arguments: its constructors have it. */
static cxx_id base_of(const struct cxx_reader *x, cxx_id n)
{
    for (unsigned i = 0; i < CXX_DEPTH; i++) {
        const struct cxx_node *const p = &x->tree->nodes[n];
        if (p->kind == CXX_TEMPLATE || p->kind == CXX_TAGGED)
            n = p->a;
        else if (p->kind == CXX_QUALIFIED || p->kind == CXX_LOCAL || p->kind == CXX_USUAL)
            n = p->b;
        else
            break;
    }
    return n;
}

/* "C1" to "C5", "D0" to "D5" without "D3". */
static bool is_structor_number(char c, bool is_end)
{
    return is_end ? c >= '0' && c <= '5' && c != '3' : c >= '1' && c <= '5';
}

static cxx_id structor(struct cxx_reader *x, cxx_id of, struct name_end *e)
{
    const bool is_end = cxx_peek(x) == 'D';
    x->at++;
    const bool inherits = !is_end && cxx_take(x, "I");
    if (!of || !is_structor_number(cxx_peek(x), is_end))
        return cxx_bad(x);
    x->at++;
    if (inherits)
        cxx_read_type(x);
    if (e)
        e->is_structor = true;
    return tagged(x, make_with(x, CXX_PREFIXED, is_end ? "~" : "", base_of(x, of), 0), false);
}

static cxx_id usual_name(struct cxx_reader *x, const struct cxx_usual *u)
{
    x->at++;
    const bool is_whole = (cxx_peek(x) == 'C' || cxx_peek(x) == 'D') && u->whole;
    const cxx_id base = name_of(x, u->base);
    return tagged(x, make_with(x, CXX_USUAL, is_whole ? u->whole : u->text, 0, base), true);
}

cxx_id cxx_read_substitution(struct cxx_reader *x)
{
    if (!cxx_take(x, "S"))
        return cxx_bad(x);
    const struct cxx_usual *const usual = cxx_usual_of(cxx_peek(x));
    if (usual)
        return usual_name(x, usual);
    const unsigned i = cxx_sequence(x, 36);
    return cxx_is_bad(x) || i >= x->sub_count ? cxx_bad(x) : x->subs[i];
}

/* ---- template parameters --------------------------------------------------------------------- */

static cxx_id forward(struct cxx_reader *x, unsigned i)
{
    if (x->forward_count == CXX_FORWARDS)
        return cxx_bad(x);
    return x->forwards[x->forward_count++] = make_numbered(x, CXX_FORWARD, "", i);
}

cxx_id cxx_read_template_parameter(struct cxx_reader *x)
{
    static const char *const autos[] = {"auto:1", "auto:2", "auto:3", "auto:4",
                                        "auto:5", "auto:6", "auto:7", "auto:8"};
    if (!cxx_take(x, "T"))
        return cxx_bad(x);
    if (cxx_take(x, "L"))
        cxx_sequence(x, 10);
    const unsigned i = cxx_sequence(x, 10);
    if (cxx_is_bad(x))
        return 0;
    if (x->is_lambda)
        return i < sizeof autos / sizeof *autos ? name_of(x, autos[i]) : cxx_bad(x);
    if (x->allows_forward)
        return forward(x, i);
    return i < x->param_count ? x->params[i] : cxx_bad(x);
}

cxx_id cxx_read_decltype(struct cxx_reader *x)
{
    if (!cxx_take(x, "Dt") && !cxx_take(x, "DT"))
        return cxx_bad(x);
    return ended(x, make_with(x, CXX_ENCLOSED, "decltype ", cxx_read_expression(x), 0), "E");
}

static cxx_id any_argument(struct cxx_reader *x)
{
    if (cxx_take(x, "X"))
        return ended(x, cxx_read_expression(x), "E");
    if (cxx_take(x, "J"))
        return make_of(x, CXX_ARGUMENTS, list_until(x, cxx_read_argument, "E"), 0);
    return cxx_peek(x) == 'L' ? cxx_read_expression(x) : cxx_read_type(x);
}

cxx_id cxx_read_argument(struct cxx_reader *x)
{
    return leave(x, cxx_enter(x->tree) ? any_argument(x) : 0);
}

/* Those of a function's own name are what T_ means from then on. */
static void set_params(struct cxx_reader *x, cxx_id list)
{
    x->param_count = 0;
    for (; list && x->param_count < CXX_PARAMS; list = x->tree->nodes[list].b) {
        const cxx_id n = x->tree->nodes[list].a;
        const struct cxx_node *const p = &x->tree->nodes[n];
        x->params[x->param_count++] = p->kind == CXX_ARGUMENTS ? make_of(x, CXX_PACK, p->a, 0) : n;
    }
}

cxx_id cxx_read_template_arguments(struct cxx_reader *x, bool is_of_encoding)
{
    if (!cxx_take(x, "I"))
        return cxx_bad(x);
    const bool allowed = x->allows_forward;
    x->allows_forward = false;
    const cxx_id list = list_until(x, cxx_read_argument, "E");
    x->allows_forward = allowed;
    if (is_of_encoding)
        set_params(x, list);
    return list ? list : make_of(x, CXX_LIST, 0, 0);
}

cxx_id cxx_read_with_arguments(struct cxx_reader *x, cxx_id of, bool is_of_encoding)
{
    const cxx_id list = cxx_read_template_arguments(x, is_of_encoding);
    return make_of(x, CXX_TEMPLATE, of, list);
}

/* The node, with the arguments that may be behind it. */
cxx_id cxx_read_with_any_arguments(struct cxx_reader *x, cxx_id of)
{
    return cxx_peek(x) == 'I' ? cxx_read_with_arguments(x, of, false) : of;
}

/* ---- scopes ---------------------------------------------------------------------------------- */

uint8_t cxx_read_qualifiers(struct cxx_reader *x)
{
    uint8_t flags = 0;
    flags |= cxx_take(x, "r") ? CXX_RESTRICT : 0;
    flags |= cxx_take(x, "V") ? CXX_VOLATILE : 0;
    flags |= cxx_take(x, "K") ? CXX_CONST : 0;
    return flags;
}

cxx_id cxx_join(struct cxx_reader *x, cxx_id scope, cxx_id n)
{
    return scope ? make_of(x, CXX_QUALIFIED, scope, n) : n;
}

static bool is_structor_next(const struct cxx_reader *x)
{
    const char c = cxx_peek(x), second = cxx_peek_second(x);
    return (c == 'C' && (cxx_is_digit(second) || second == 'I')) ||
           (c == 'D' && cxx_is_digit(second));
}

static bool is_decltype_next(const struct cxx_reader *x)
{
    return cxx_peek(x) == 'D' && (cxx_peek_second(x) == 't' || cxx_peek_second(x) == 'T');
}

/* The first part of a nested name, where it is no name; *is_new: it can be
 * referred to. */
static rule *first_part(const struct cxx_reader *x, bool *is_new)
{
    *is_new = cxx_peek(x) != 'S';
    if (!*is_new)
        return cxx_read_substitution;
    if (cxx_peek(x) == 'T')
        return cxx_read_template_parameter;
    return is_decltype_next(x) ? cxx_read_decltype : NULL;
}

/* One part of a nested name, behind `scope`. *is_new: it can be referred to. */
static cxx_id part(struct cxx_reader *x, cxx_id scope, struct name_end *e, bool *is_new)
{
    rule *const first = first_part(x, is_new);
    if (cxx_peek(x) == 'I')
        return scope ? cxx_read_with_arguments(x, scope, e != NULL) : cxx_bad(x);
    if (first && scope)
        return cxx_bad(x);
    if (cxx_take(x, "St"))
        return name_of(x, "std");
    if (first)
        return first(x);
    return cxx_join(x, scope, is_structor_next(x) ? structor(x, scope, e) : unqualified(x, e));
}

/* The next part; what it says about the end is what the last of them says. */
static cxx_id next_part(struct cxx_reader *x, cxx_id scope, struct name_end *e)
{
    bool is_new;
    const bool is_arguments = cxx_peek(x) == 'I';
    if (e && !is_arguments)
        e->has_arguments = e->is_structor = false;
    scope = part(x, scope, e, &is_new);
    if (e)
        e->has_arguments = is_arguments;
    if (is_new && cxx_peek(x) != 'E')
        remember(x, scope);
    return scope;
}

static cxx_id nested(struct cxx_reader *x, struct name_end *e)
{
    cxx_id scope = 0;
    x->at++; /* N */
    uint8_t flags = cxx_read_qualifiers(x);
    flags |= cxx_take(x, "R") ? CXX_LREF : cxx_take(x, "O") ? CXX_RREF : 0;
    while (!cxx_is_bad(x) && !cxx_take(x, "E"))
        if (!cxx_take(x, "M")) /* the initializer of a data member */
            scope = next_part(x, scope, e);
    if (e)
        e->flags = flags;
    return scope ? scope : cxx_bad(x);
}

static void discriminator(struct cxx_reader *x)
{
    if (cxx_take(x, "__")) {
        cxx_number(x);
        cxx_take(x, "_");
    } else if (cxx_peek(x) == '_' && cxx_is_digit(cxx_peek_second(x))) {
        x->at += 2;
    }
}

/* "d_", "d0_": a default argument, the last, the one before it … */
static cxx_id default_argument(struct cxx_reader *x, cxx_id of)
{
    const unsigned n = cxx_is_digit(cxx_peek(x)) ? cxx_number(x) + 2 : 1;
    const cxx_id argument = make_numbered(x, CXX_NUMBERED, "{default arg#", n);
    return ended(x, make_of(x, CXX_LOCAL, of, argument), "_");
}

static cxx_id local_name(struct cxx_reader *x, cxx_id of, struct name_end *e)
{
    if (cxx_take(x, "s"))
        return make_of(x, CXX_LOCAL, of, name_of(x, "string literal"));
    const cxx_id scope = cxx_take(x, "d") ? default_argument(x, of) : of;
    return make_of(x, CXX_LOCAL, scope, cxx_read_name(x, e));
}

static cxx_id local(struct cxx_reader *x, struct name_end *e)
{
    x->at++; /* Z */
    const cxx_id of = ended(x, cxx_read_encoding(x, true), "E");
    const cxx_id n = local_name(x, of, e);
    discriminator(x);
    return n;
}

static cxx_id unscoped(struct cxx_reader *x, struct name_end *e)
{
    const cxx_id scope = cxx_take(x, "St") ? name_of(x, "std") : 0;
    const cxx_id n = cxx_join(x, scope, unqualified(x, e));
    if (cxx_peek(x) != 'I')
        return n;
    remember(x, n);
    if (e)
        e->has_arguments = true;
    return cxx_read_with_arguments(x, n, e != NULL);
}

static cxx_id substituted_name(struct cxx_reader *x, struct name_end *e)
{
    const cxx_id n = cxx_read_substitution(x);
    if (e)
        e->has_arguments = true;
    return cxx_read_with_arguments(x, n, e != NULL);
}

bool cxx_is_substitution_next(const struct cxx_reader *x)
{
    return cxx_peek(x) == 'S' && cxx_peek_second(x) != 't';
}

static cxx_id any_name(struct cxx_reader *x, struct name_end *e)
{
    if (cxx_peek(x) == 'N')
        return nested(x, e);
    if (cxx_peek(x) == 'Z')
        return local(x, e);
    return cxx_is_substitution_next(x) ? substituted_name(x, e) : unscoped(x, e);
}

cxx_id cxx_read_name(struct cxx_reader *x, struct name_end *e)
{
    return leave(x, cxx_enter(x->tree) ? any_name(x, e) : 0);
}

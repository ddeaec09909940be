/* The reader: the grammar of the Itanium C++ ABI, a function for each of its rules, text to tree.
 * Nothing is tried twice. The rules call each other in circles, as the grammar does: through the
 * six functions declared here; in files of their own they would be circles (tests/circles.sh). */
#include "src/symbol/demangle_cxx.h"

#include "src/symbol/demangle_cxx_codes.h"
#include "src/symbol/demangle_cxx_lexer.h"

#include <string.h>

/* What the end of a name says about the function type behind it. */
struct name_end {
    bool is_structor, has_arguments; /* neither has, and the latter has, a return type */
    uint8_t flags;
};

typedef cxx_id rule(struct cxx_reader *x);

static rule type, expression, argument;
static cxx_id encoding(struct cxx_reader *x, bool is_scope);
static cxx_id name(struct cxx_reader *x, struct name_end *e);
static cxx_id template_arguments(struct cxx_reader *x, bool is_of_encoding);

/* ---- nodes ----------------------------------------------------------------------------------- */

static cxx_id leave(struct cxx_reader *x, cxx_id node)
{
    cxx_leave(x->tree);
    return cxx_is_bad(x) ? 0 : node;
}

static cxx_id make(struct cxx_reader *x, struct cxx_node n)
{
    return cxx_make(x->tree, &n);
}

static cxx_id make_text(struct cxx_reader *x, const char *text, size_t bytes)
{
    return make(x, (struct cxx_node){.kind = CXX_NAME, .text = text, .bytes = (uint32_t)bytes});
}

static cxx_id name_of(struct cxx_reader *x, const char *text)
{
    return make_text(x, text, strlen(text));
}

static cxx_id make_with(struct cxx_reader *x, enum cxx_kind kind, const char *text, cxx_id a,
                        cxx_id b)
{
    return make(x, (struct cxx_node){.kind = (uint8_t)kind,
                                     .a = a,
                                     .b = b,
                                     .text = text,
                                     .bytes = (uint32_t)strlen(text)});
}

static cxx_id make_of(struct cxx_reader *x, enum cxx_kind kind, cxx_id a, cxx_id b)
{
    return make_with(x, kind, "", a, b);
}

static cxx_id make_numbered(struct cxx_reader *x, enum cxx_kind kind, const char *text,
                            unsigned number)
{
    const cxx_id n = make_with(x, kind, text, 0, 0);
    x->tree->nodes[n].number = number;
    return n;
}

static void remember(struct cxx_reader *x, cxx_id node)
{
    if (x->sub_count == CXX_SUBSTITUTIONS)
        cxx_bad(x);
    else
        x->subs[x->sub_count++] = node;
}

/* Nodes in a row. */
struct row {
    cxx_id first, last;
};

static void append(struct cxx_reader *x, struct row *r, cxx_id node)
{
    const cxx_id link = make_of(x, CXX_LIST, node, 0);
    if (r->last)
        x->tree->nodes[r->last].b = link;
    else
        r->first = link;
    r->last = link;
}

/* What the rule reads, again and again, up to the text. */
static cxx_id list_until(struct cxx_reader *x, rule *item, const char *end)
{
    struct row row = {0, 0};
    while (!cxx_is_bad(x) && !cxx_take(x, end))
        append(x, &row, item(x));
    return row.first;
}

/* The node, where the text ends it. */
static cxx_id ended(struct cxx_reader *x, cxx_id node, const char *end)
{
    return cxx_take(x, end) ? node : cxx_bad(x);
}

static cxx_id digits(struct cxx_reader *x)
{
    const char *const text = x->at;
    cxx_number(x);
    return make_text(x, text, (size_t)(x->at - text));
}

/* ---- names ----------------------------------------------------------------------------------- */

static cxx_id source_name(struct cxx_reader *x)
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

static const struct cxx_operator *operator_next(const struct cxx_reader *x)
{
    return cxx_operator_at(x->at, x->end);
}

static cxx_id conversion(struct cxx_reader *x, struct name_end *e)
{
    const bool allowed = x->allows_forward;
    x->allows_forward |= e != NULL;
    const cxx_id to = type(x);
    x->allows_forward = allowed;
    if (e)
        e->is_structor = true;
    return make_of(x, CXX_CONVERSION, to, 0);
}

static cxx_id operator_name(struct cxx_reader *x, struct name_end *e)
{
    const struct cxx_operator *const op = operator_next(x);
    if (cxx_take(x, "cv"))
        return conversion(x, e);
    if (cxx_take(x, "li"))
        return make_with(x, CXX_PREFIXED, "operator\"\" ", source_name(x), 0);
    if (cxx_peek(x) == 'v' && cxx_is_digit(cxx_peek_second(x))) {
        x->at += 2;
        return make_with(x, CXX_PREFIXED, "operator ", source_name(x), 0);
    }
    if (!op)
        return cxx_bad(x);
    x->at += 2;
    const char *const text = op->name ? op->name : op->text;
    const bool is_word = text[0] >= 'a' && text[0] <= 'z';
    return make_with(x, CXX_PREFIXED, is_word ? "operator " : "operator", name_of(x, text), 0);
}

static cxx_id parameters(struct cxx_reader *x)
{
    struct row row = {0, 0};
    if (cxx_take(x, "v"))
        return 0;
    while (!cxx_is_bad(x) && x->at < x->end && !strchr("E.Q", *x->at))
        append(x, &row, type(x));
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
    const cxx_id list = parameters(x);
    x->is_lambda = was_lambda;
    if (!cxx_take(x, "E"))
        return cxx_bad(x);
    const cxx_id n = make_numbered(x, CXX_LAMBDA, "", cxx_sequence(x, 10) + 1);
    x->tree->nodes[n].a = list;
    return n;
}

static cxx_id binding(struct cxx_reader *x)
{
    const cxx_id list = list_until(x, source_name, "E");
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
        return source_name(x);
    if (c == 'U')
        return unnamed(x);
    return cxx_take(x, "DC") ? binding(x) : operator_name(x, e);
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
        type(x);
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

static cxx_id substitution(struct cxx_reader *x)
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

static cxx_id template_parameter(struct cxx_reader *x)
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

static cxx_id decltype_(struct cxx_reader *x)
{
    if (!cxx_take(x, "Dt") && !cxx_take(x, "DT"))
        return cxx_bad(x);
    return ended(x, make_with(x, CXX_ENCLOSED, "decltype ", expression(x), 0), "E");
}

static cxx_id any_argument(struct cxx_reader *x)
{
    if (cxx_take(x, "X"))
        return ended(x, expression(x), "E");
    if (cxx_take(x, "J"))
        return make_of(x, CXX_ARGUMENTS, list_until(x, argument, "E"), 0);
    return cxx_peek(x) == 'L' ? expression(x) : type(x);
}

static cxx_id argument(struct cxx_reader *x)
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

static cxx_id template_arguments(struct cxx_reader *x, bool is_of_encoding)
{
    if (!cxx_take(x, "I"))
        return cxx_bad(x);
    const bool allowed = x->allows_forward;
    x->allows_forward = false;
    const cxx_id list = list_until(x, argument, "E");
    x->allows_forward = allowed;
    if (is_of_encoding)
        set_params(x, list);
    return list ? list : make_of(x, CXX_LIST, 0, 0);
}

static cxx_id with_arguments(struct cxx_reader *x, cxx_id of, bool is_of_encoding)
{
    const cxx_id list = template_arguments(x, is_of_encoding);
    return make_of(x, CXX_TEMPLATE, of, list);
}

/* The node, with the arguments that may be behind it. */
static cxx_id with_any_arguments(struct cxx_reader *x, cxx_id of)
{
    return cxx_peek(x) == 'I' ? with_arguments(x, of, false) : of;
}

/* ---- scopes ---------------------------------------------------------------------------------- */

static uint8_t qualifiers(struct cxx_reader *x)
{
    uint8_t flags = 0;
    flags |= cxx_take(x, "r") ? CXX_RESTRICT : 0;
    flags |= cxx_take(x, "V") ? CXX_VOLATILE : 0;
    flags |= cxx_take(x, "K") ? CXX_CONST : 0;
    return flags;
}

static cxx_id join(struct cxx_reader *x, cxx_id scope, cxx_id n)
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

/* The first part of a nested name, where it is no name; *is_new: it can be referred to. */
static rule *first_part(const struct cxx_reader *x, bool *is_new)
{
    *is_new = cxx_peek(x) != 'S';
    if (!*is_new)
        return substitution;
    if (cxx_peek(x) == 'T')
        return template_parameter;
    return is_decltype_next(x) ? decltype_ : NULL;
}

/* One part of a nested name, behind `scope`. *is_new: it can be referred to. */
static cxx_id part(struct cxx_reader *x, cxx_id scope, struct name_end *e, bool *is_new)
{
    rule *const first = first_part(x, is_new);
    if (cxx_peek(x) == 'I')
        return scope ? with_arguments(x, scope, e != NULL) : cxx_bad(x);
    if (first && scope)
        return cxx_bad(x);
    if (cxx_take(x, "St"))
        return name_of(x, "std");
    if (first)
        return first(x);
    return join(x, scope, is_structor_next(x) ? structor(x, scope, e) : unqualified(x, e));
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
    uint8_t flags = qualifiers(x);
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
    return make_of(x, CXX_LOCAL, scope, name(x, e));
}

static cxx_id local(struct cxx_reader *x, struct name_end *e)
{
    x->at++; /* Z */
    const cxx_id of = ended(x, encoding(x, true), "E");
    const cxx_id n = local_name(x, of, e);
    discriminator(x);
    return n;
}

static cxx_id unscoped(struct cxx_reader *x, struct name_end *e)
{
    const cxx_id scope = cxx_take(x, "St") ? name_of(x, "std") : 0;
    const cxx_id n = join(x, scope, unqualified(x, e));
    if (cxx_peek(x) != 'I')
        return n;
    remember(x, n);
    if (e)
        e->has_arguments = true;
    return with_arguments(x, n, e != NULL);
}

static cxx_id substituted_name(struct cxx_reader *x, struct name_end *e)
{
    const cxx_id n = substitution(x);
    if (e)
        e->has_arguments = true;
    return with_arguments(x, n, e != NULL);
}

static bool is_substitution_next(const struct cxx_reader *x)
{
    return cxx_peek(x) == 'S' && cxx_peek_second(x) != 't';
}

static cxx_id any_name(struct cxx_reader *x, struct name_end *e)
{
    if (cxx_peek(x) == 'N')
        return nested(x, e);
    if (cxx_peek(x) == 'Z')
        return local(x, e);
    return is_substitution_next(x) ? substituted_name(x, e) : unscoped(x, e);
}

static cxx_id name(struct cxx_reader *x, struct name_end *e)
{
    return leave(x, cxx_enter(x->tree) ? any_name(x, e) : 0);
}

/* ---- types ----------------------------------------------------------------------------------- */

/* What is thrown, in a function's type: "Do", "DO…E"; transactional "Dx". */
static uint8_t exceptions(struct cxx_reader *x)
{
    const bool has_expression = cxx_take(x, "DO");
    const bool is_noexcept = has_expression || cxx_take(x, "Do");
    if (has_expression)
        ended(x, expression(x), "E");
    cxx_take(x, "Dx");
    return is_noexcept ? CXX_NOEXCEPT : 0;
}

/* The end of a function's type, with the object it is called for. */
static bool function_ends(struct cxx_reader *x, uint8_t *flags)
{
    if (cxx_take(x, "RE"))
        *flags |= CXX_LREF;
    else if (cxx_take(x, "OE"))
        *flags |= CXX_RREF;
    else
        return cxx_take(x, "E");
    return true;
}

static cxx_id function(struct cxx_reader *x, uint8_t flags)
{
    struct row row = {0, 0};
    flags |= exceptions(x);
    if (!cxx_take(x, "F"))
        return cxx_bad(x);
    cxx_take(x, "Y");
    const cxx_id result = type(x);
    while (!cxx_is_bad(x) && !function_ends(x, &flags))
        if (!cxx_take(x, "v"))
            append(x, &row, type(x));
    return make(
        x, (struct cxx_node){.kind = CXX_FUNCTION, .a = result, .c = row.first, .flags = flags});
}

static bool is_function_next(const struct cxx_reader *x)
{
    const char second = cxx_peek_second(x);
    return cxx_peek(x) == 'F' || (cxx_peek(x) == 'D' && second && strchr("oOx", second));
}

/* So many (0: it is not said) of the type that follows. */
static cxx_id sized(struct cxx_reader *x, enum cxx_kind kind, cxx_id size)
{
    if (!cxx_take(x, "_"))
        return cxx_bad(x);
    const cxx_id of = type(x);
    return make_of(x, kind, of, size);
}

static cxx_id array(struct cxx_reader *x)
{
    const char c = cxx_peek(x);
    return sized(x, CXX_ARRAY, cxx_is_digit(c) ? digits(x) : c == '_' ? 0 : expression(x));
}

static cxx_id vector(struct cxx_reader *x)
{
    if (cxx_is_digit(cxx_peek(x)))
        return sized(x, CXX_VECTOR, digits(x));
    cxx_take(x, "_");
    return sized(x, CXX_VECTOR, expression(x));
}

static cxx_id sized_float(struct cxx_reader *x)
{
    const cxx_id n = digits(x);
    if (!cxx_take(x, "_"))
        cxx_take(x, "x");
    return make_with(x, CXX_PREFIXED, "_Float", n, 0);
}

static cxx_id parameter_type(struct cxx_reader *x)
{
    const cxx_id n = template_parameter(x);
    if (cxx_peek(x) != 'I' || cxx_is_bad(x) || x->allows_forward)
        return n;
    remember(x, n);
    return with_arguments(x, n, false);
}

static cxx_id member(struct cxx_reader *x)
{
    const cxx_id of = type(x);
    const cxx_id is = type(x);
    return make_of(x, CXX_MEMBER, of, is);
}

static cxx_id vendor_qualified(struct cxx_reader *x)
{
    const cxx_id n = source_name(x);
    if (cxx_peek(x) == 'I')
        template_arguments(x, false);
    const cxx_id of = type(x);
    return make_of(x, CXX_VENDOR, of, n);
}

static cxx_id vendor_type(struct cxx_reader *x)
{
    return with_any_arguments(x, source_name(x));
}

static cxx_id qualified_type(struct cxx_reader *x)
{
    const uint8_t flags = qualifiers(x);
    if (is_function_next(x))
        return function(x, flags);
    return make(x, (struct cxx_node){.kind = CXX_CV, .a = type(x), .flags = flags});
}

static cxx_id plain_function(struct cxx_reader *x)
{
    return function(x, 0);
}

static cxx_id plain_name(struct cxx_reader *x)
{
    return name(x, NULL);
}

/* What a code stands for: it is what `read` has behind the code, or has it within a node. */
struct form {
    char code[4];
    bool is_kept; /* the code is a part of what is read */
    rule *read;
    enum cxx_kind kind; /* CXX_NONE: what is read itself */
    const char *text;
};

static const struct form *form_next(struct cxx_reader *x, const struct form *forms, size_t count)
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

static cxx_id read_form(struct cxx_reader *x, const struct form *f)
{
    const cxx_id n = f->read(x);
    return f->kind == CXX_NONE ? n : make_with(x, f->kind, f->text, n, 0);
}

/* In this order; what none of them begins is a name. */
static const struct form type_forms[] = {
    {"P", false, type, CXX_POINTER, "*"},
    {"R", false, type, CXX_POINTER, "&"},
    {"O", false, type, CXX_POINTER, "&&"},
    {"K", true, qualified_type, CXX_NONE, ""},
    {"V", true, qualified_type, CXX_NONE, ""},
    {"r", true, qualified_type, CXX_NONE, ""},
    {"Ts", false, plain_name, CXX_NONE, ""}, /* struct, union, enum */
    {"Tu", false, plain_name, CXX_NONE, ""},
    {"Te", false, plain_name, CXX_NONE, ""},
    {"T", true, parameter_type, CXX_NONE, ""},
    {"Dp", false, type, CXX_EXPANSION, ""},
    {"Dt", true, decltype_, CXX_NONE, ""},
    {"DT", true, decltype_, CXX_NONE, ""},
    {"Dv", false, vector, CXX_NONE, ""},
    {"DF", false, sized_float, CXX_NONE, ""},
    {"D", true, plain_function, CXX_NONE, ""}, /* noexcept, transactional */
    {"F", true, plain_function, CXX_NONE, ""},
    {"A", false, array, CXX_NONE, ""},
    {"M", false, member, CXX_NONE, ""},
    {"C", false, type, CXX_SUFFIXED, " _Complex"},
    {"G", false, type, CXX_SUFFIXED, " _Imaginary"},
    {"Ut", true, plain_name, CXX_NONE, ""},
    {"Ul", true, plain_name, CXX_NONE, ""},
    {"U", false, vendor_qualified, CXX_NONE, ""},
    {"u", false, vendor_type, CXX_NONE, ""},
    {"", false, plain_name, CXX_NONE, ""},
};

static cxx_id builtin_type(struct cxx_reader *x)
{
    size_t bytes;
    const char *const text = cxx_builtin_at(x->at, x->end, &bytes);
    if (!text)
        return 0;
    x->at += bytes;
    return name_of(x, text);
}

static cxx_id substituted_type(struct cxx_reader *x)
{
    const cxx_id n = substitution(x);
    if (cxx_peek(x) != 'I' || cxx_is_bad(x))
        return n;
    const cxx_id with = with_arguments(x, n, false);
    remember(x, with);
    return with;
}

static cxx_id any_type(struct cxx_reader *x)
{
    const cxx_id builtin = builtin_type(x);
    if (builtin || cxx_is_bad(x))
        return builtin;
    if (is_substitution_next(x))
        return substituted_type(x);
    const cxx_id n =
        read_form(x, form_next(x, type_forms, sizeof type_forms / sizeof *type_forms));
    remember(x, n);
    return n;
}

static cxx_id type(struct cxx_reader *x)
{
    return leave(x, cxx_enter(x->tree) ? any_type(x) : 0);
}

/* ---- expressions ----------------------------------------------------------------------------- */

static cxx_id expressions(struct cxx_reader *x)
{
    return list_until(x, expression, "E");
}

static cxx_id plain_encoding(struct cxx_reader *x)
{
    return encoding(x, false);
}

static cxx_id literal(struct cxx_reader *x)
{
    if (cxx_take(x, "_Z") || cxx_take(x, "Z"))
        return ended(x, plain_encoding(x), "E");
    const cxx_id of = type(x);
    const char *const text = x->at;
    while (x->at < x->end && *x->at != 'E')
        x->at++;
    const uint32_t bytes = (uint32_t)(x->at - text);
    const struct cxx_node n = {.kind = CXX_LITERAL, .a = of, .text = text, .bytes = bytes};
    return cxx_take(x, "E") ? make(x, n) : cxx_bad(x);
}

/* "fp_", "fL0p_": a parameter of the function. */
static cxx_id function_parameter(struct cxx_reader *x)
{
    if (cxx_take(x, "fpT"))
        return name_of(x, "this");
    if (cxx_take(x, "fL"))
        cxx_number(x), cxx_take(x, "p");
    else if (!cxx_take(x, "fp"))
        return cxx_bad(x);
    qualifiers(x);
    return make_numbered(x, CXX_NUMBERED, "{parm#", cxx_sequence(x, 10) + 1);
}

static cxx_id fold(struct cxx_reader *x, bool is_binary, uint8_t flags)
{
    const struct cxx_operator *const op = operator_next(x);
    if (!op)
        return cxx_bad(x);
    x->at += 2;
    const cxx_id a = expression(x);
    const cxx_id b = is_binary ? expression(x) : 0;
    const cxx_id n = make_with(x, CXX_FOLD, op->text, a, b);
    x->tree->nodes[n].flags = flags;
    return n;
}

static cxx_id left_fold(struct cxx_reader *x)
{
    return fold(x, false, CXX_FOLD_LEFT);
}

static cxx_id right_fold(struct cxx_reader *x)
{
    return fold(x, false, 0);
}

static cxx_id binary_fold(struct cxx_reader *x)
{
    return fold(x, true, 0);
}

static cxx_id source_or_operator_name(struct cxx_reader *x)
{
    return cxx_is_digit(cxx_peek(x)) ? source_name(x) : operator_name(x, NULL);
}

/* "sr": a name in a scope that depends on the template arguments. */
static cxx_id unresolved_name(struct cxx_reader *x)
{
    if (cxx_take(x, "on"))
        return operator_name(x, NULL);
    if (!cxx_take(x, "dn"))
        return source_or_operator_name(x);
    const cxx_id of = cxx_is_digit(cxx_peek(x)) ? source_name(x) : type(x);
    return make_with(x, CXX_PREFIXED, "~", of, 0);
}

static cxx_id unresolved_base(struct cxx_reader *x)
{
    return with_any_arguments(x, unresolved_name(x));
}

static cxx_id unresolved_scope(struct cxx_reader *x)
{
    if (cxx_peek(x) != 'N' && !cxx_is_digit(cxx_peek(x)))
        return with_any_arguments(x, type(x));
    cxx_id scope = cxx_take(x, "N") ? type(x) : 0;
    while (!cxx_is_bad(x) && !cxx_take(x, "E"))
        scope = join(x, scope, with_any_arguments(x, source_name(x)));
    return scope;
}

static cxx_id unresolved(struct cxx_reader *x)
{
    const cxx_id scope = unresolved_scope(x);
    return join(x, scope, unresolved_base(x));
}

static cxx_id cast(struct cxx_reader *x)
{
    const cxx_id to = type(x);
    if (cxx_take(x, "_"))
        return make_of(x, CXX_CAST_LIST, to, expressions(x));
    return make_of(x, CXX_CAST, to, expression(x));
}

static cxx_id new_of(struct cxx_reader *x, const char *text)
{
    list_until(x, expression, "_"); /* where it is placed is not said */
    const cxx_id n = make_with(x, CXX_PREFIXED, text, type(x), 0);
    return cxx_take(x, "pi") ? make_of(x, CXX_CALL, n, expressions(x)) : ended(x, n, "E");
}

static cxx_id new_one(struct cxx_reader *x)
{
    return new_of(x, "new ");
}

static cxx_id new_array(struct cxx_reader *x)
{
    return new_of(x, "new[] ");
}

static cxx_id call(struct cxx_reader *x)
{
    const cxx_id of = expression(x);
    return make_of(x, CXX_CALL, of, expressions(x));
}

static cxx_id braces(struct cxx_reader *x)
{
    return make_with(x, CXX_BRACES, "{", 0, expressions(x));
}

static cxx_id typed_braces(struct cxx_reader *x)
{
    const cxx_id of = type(x);
    return make_with(x, CXX_BRACES, "{", of, expressions(x));
}

static cxx_id rethrow(struct cxx_reader *x)
{
    return name_of(x, "throw");
}

static cxx_id pack(struct cxx_reader *x)
{
    return cxx_peek(x) == 'T' ? template_parameter(x) : function_parameter(x);
}

static cxx_id argument_pack(struct cxx_reader *x)
{
    return make_of(x, CXX_PACK, list_until(x, argument, "E"), 0);
}

static cxx_id ternary(struct cxx_reader *x)
{
    const cxx_id a = expression(x), b = expression(x), c = expression(x);
    return make(x, (struct cxx_node){.kind = CXX_TERNARY, .a = a, .b = b, .c = c});
}

static cxx_id subscript(struct cxx_reader *x)
{
    const cxx_id a = expression(x), b = expression(x);
    return make_of(x, CXX_SUBSCRIPT, a, b);
}

static cxx_id named_cast(struct cxx_reader *x, const char *text)
{
    const cxx_id to = type(x);
    return make_with(x, CXX_NAMED_CAST, text, to, expression(x));
}

static cxx_id dynamic_cast_(struct cxx_reader *x)
{
    return named_cast(x, "dynamic_cast");
}

static cxx_id static_cast_(struct cxx_reader *x)
{
    return named_cast(x, "static_cast");
}

static cxx_id const_cast_(struct cxx_reader *x)
{
    return named_cast(x, "const_cast");
}

static cxx_id reinterpret_cast_(struct cxx_reader *x)
{
    return named_cast(x, "reinterpret_cast");
}

static bool is_parameter_of_outer_next(const struct cxx_reader *x)
{
    return x->end - x->at > 2 && memcmp(x->at, "fL", 2) == 0 && cxx_is_digit(x->at[2]);
}

/* In this order; what none of them begins is an operator with its operands. */
static const struct form expression_forms[] = {
    {"gs", false, expression, CXX_PREFIXED, "::"},
    {"L", false, literal, CXX_NONE, ""},
    {"T", true, template_parameter, CXX_NONE, ""},
    {"fp", true, function_parameter, CXX_NONE, ""},
    {"fl", false, left_fold, CXX_NONE, ""},
    {"fr", false, right_fold, CXX_NONE, ""},
    {"fL", false, binary_fold, CXX_NONE, ""},
    {"fR", false, binary_fold, CXX_NONE, ""},
    {"tl", false, typed_braces, CXX_NONE, ""},
    {"il", false, braces, CXX_NONE, ""},
    {"on", true, unresolved_base, CXX_NONE, ""},
    {"dn", true, unresolved_base, CXX_NONE, ""},
    {"cl", false, call, CXX_NONE, ""},
    {"cv", false, cast, CXX_NONE, ""},
    {"qu", false, ternary, CXX_NONE, ""},
    {"ix", false, subscript, CXX_NONE, ""},
    {"sr", false, unresolved, CXX_NONE, ""},
    {"sp", false, expression, CXX_EXPANSION, ""},
    {"sZ", false, pack, CXX_SIZE_OF_PACK, ""},
    {"sP", false, argument_pack, CXX_SIZE_OF_PACK, ""},
    {"tr", false, rethrow, CXX_NONE, ""},
    {"tw", false, expression, CXX_UNARY, "throw "},
    {"st", false, type, CXX_ENCLOSED, "sizeof "},
    {"at", false, type, CXX_ENCLOSED, "alignof "},
    {"ti", false, type, CXX_UNARY, "typeid "},
    {"sz", false, expression, CXX_ENCLOSED, "sizeof "},
    {"az", false, expression, CXX_ENCLOSED, "alignof "},
    {"te", false, expression, CXX_UNARY, "typeid "},
    {"nx", false, expression, CXX_UNARY, "noexcept "},
    {"nw", false, new_one, CXX_NONE, ""},
    {"na", false, new_array, CXX_NONE, ""},
    {"dc", false, dynamic_cast_, CXX_NONE, ""},
    {"sc", false, static_cast_, CXX_NONE, ""},
    {"cc", false, const_cast_, CXX_NONE, ""},
    {"rc", false, reinterpret_cast_, CXX_NONE, ""},
};

/* What is behind "." and "->" may be a name of its own. */
static bool is_name_of_member_next(const struct cxx_reader *x)
{
    const char c = cxx_peek(x);
    return (cxx_is_digit(c) || c == 'o' || c == 'd') && strncmp(x->at, "dt", 2) != 0;
}

static cxx_id binary(struct cxx_reader *x, const struct cxx_operator *op)
{
    const bool is_of_member = strcmp(op->code, "dt") == 0 || strcmp(op->code, "pt") == 0;
    const cxx_id a = expression(x);
    const bool is_name = is_of_member && is_name_of_member_next(x);
    return make_with(x, CXX_BINARY, op->text, a, is_name ? unresolved_base(x) : expression(x));
}

static cxx_id operation(struct cxx_reader *x)
{
    const struct cxx_operator *const op = operator_next(x);
    if (!op || op->arity == CXX_SPECIAL_OPERATOR)
        return cxx_bad(x);
    x->at += 2;
    if (op->arity == CXX_BINARY_OPERATOR)
        return binary(x, op);
    const bool is_behind = op->arity == CXX_STEP_OPERATOR && !cxx_take(x, "_");
    return make_with(x, is_behind ? CXX_POSTFIX : CXX_UNARY, op->text, expression(x), 0);
}

static cxx_id any_expression(struct cxx_reader *x)
{
    if (is_parameter_of_outer_next(x))
        return function_parameter(x);
    if (cxx_is_digit(cxx_peek(x)))
        return unresolved_base(x);
    const struct form *const form =
        form_next(x, expression_forms, sizeof expression_forms / sizeof *expression_forms);
    return form ? read_form(x, form) : operation(x);
}

static cxx_id expression(struct cxx_reader *x)
{
    return leave(x, cxx_enter(x->tree) ? any_expression(x) : 0);
}

/* ---- encodings ------------------------------------------------------------------------------- */

static void offsets(struct cxx_reader *x, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        cxx_take(x, "n");
        cxx_number(x);
        ended(x, 0, "_");
    }
}

static cxx_id thunk(struct cxx_reader *x)
{
    offsets(x, 1);
    return plain_encoding(x);
}

static cxx_id virtual_thunk(struct cxx_reader *x)
{
    offsets(x, 2);
    return plain_encoding(x);
}

static void call_offset(struct cxx_reader *x)
{
    const unsigned count = cxx_take(x, "h") ? 1 : cxx_take(x, "v") ? 2 : 0;
    if (!count)
        cxx_bad(x);
    offsets(x, count);
}

static cxx_id covariant_thunk(struct cxx_reader *x)
{
    call_offset(x);
    call_offset(x);
    return plain_encoding(x);
}

static cxx_id construction_vtable(struct cxx_reader *x)
{
    const cxx_id of = type(x);
    cxx_number(x);
    if (!cxx_take(x, "_"))
        return cxx_bad(x);
    return make_of(x, CXX_CONSTRUCTION, type(x), of);
}

static cxx_id reference_temporary(struct cxx_reader *x)
{
    const cxx_id of = plain_name(x);
    const cxx_id n = make_numbered(x, CXX_TEMPORARY, "", cxx_peek(x) ? cxx_sequence(x, 36) : 0);
    x->tree->nodes[n].a = of;
    return n;
}

static const struct form specials[] = {
    {"TV", false, type, CXX_PREFIXED, "vtable for "},
    {"TT", false, type, CXX_PREFIXED, "VTT for "},
    {"TI", false, type, CXX_PREFIXED, "typeinfo for "},
    {"TS", false, type, CXX_PREFIXED, "typeinfo name for "},
    {"TF", false, type, CXX_PREFIXED, "typeinfo fn for "},
    {"TJ", false, type, CXX_PREFIXED, "java Class for "},
    {"TC", false, construction_vtable, CXX_PREFIXED, "construction vtable for "},
    {"Th", false, thunk, CXX_PREFIXED, "non-virtual thunk to "},
    {"Tv", false, virtual_thunk, CXX_PREFIXED, "virtual thunk to "},
    {"Tc", false, covariant_thunk, CXX_PREFIXED, "covariant return thunk to "},
    {"TH", false, plain_name, CXX_PREFIXED, "TLS init function for "},
    {"TW", false, plain_name, CXX_PREFIXED, "TLS wrapper function for "},
    {"TA", false, argument, CXX_PREFIXED, "template parameter object for "},
    {"GV", false, plain_name, CXX_PREFIXED, "guard variable for "},
    {"GR", false, reference_temporary, CXX_PREFIXED, "reference temporary #"},
    {"GA", false, plain_encoding, CXX_PREFIXED, "hidden alias for "},
    {"GTt", false, plain_encoding, CXX_PREFIXED, "transaction clone for "},
    {"GTn", false, plain_encoding, CXX_PREFIXED, "non-transaction clone for "},
};

static cxx_id special(struct cxx_reader *x)
{
    const struct form *const form = form_next(x, specials, sizeof specials / sizeof *specials);
    return form ? read_form(x, form) : cxx_bad(x);
}

static void resolve_forwards(struct cxx_reader *x, unsigned from)
{
    for (unsigned i = from; i < x->forward_count; i++) {
        struct cxx_node *const f = &x->tree->nodes[x->forwards[i]];
        if (f->number >= x->param_count)
            cxx_bad(x);
        else
            f->a = x->params[f->number];
    }
    x->forward_count = from;
}

static bool is_end_of_name(const struct cxx_reader *x)
{
    return x->at == x->end || *x->at == 'E' || *x->at == '.';
}

/* What the name says decides what is behind it. */
static cxx_id function_type(struct cxx_reader *x, cxx_id n, struct name_end e, bool is_scope)
{
    if (cxx_take(x, "Ua9enable_if"))
        template_arguments(x, false);
    cxx_id result = !e.is_structor && e.has_arguments ? type(x) : 0;
    if (is_scope) /* it would read as the type of what stands inside */
        result = 0;
    if (x->at == x->end)
        return cxx_bad(x);
    const cxx_id list = parameters(x);
    return make(x, (struct cxx_node){
                       .kind = CXX_ENCODING, .a = result, .b = n, .c = list, .flags = e.flags});
}

static cxx_id function_encoding(struct cxx_reader *x, bool is_scope)
{
    struct name_end e = {false, false, 0};
    const unsigned forwards = x->forward_count;
    const cxx_id n = name(x, &e);
    resolve_forwards(x, forwards);
    if (cxx_is_bad(x))
        return 0;
    return is_end_of_name(x) ? n : function_type(x, n, e, is_scope);
}

static bool is_special_next(const struct cxx_reader *x)
{
    const char c = cxx_peek(x), second = cxx_peek_second(x);
    return (c == 'T' && second != '_' && !cxx_is_digit(second)) ||
           (c == 'G' && second && strchr("VRAT", second));
}

/* T_ means the arguments of the nearest function's name. */
static cxx_id inner_encoding(struct cxx_reader *x, bool is_scope)
{
    cxx_id params[CXX_PARAMS];
    const unsigned count = x->param_count;
    const bool was_lambda = x->is_lambda, allowed = x->allows_forward;
    memcpy(params, x->params, count * sizeof *params);
    x->is_lambda = x->allows_forward = false;
    const cxx_id n = is_special_next(x) ? special(x) : function_encoding(x, is_scope);
    x->is_lambda = was_lambda;
    x->allows_forward = allowed;
    memcpy(x->params, params, count * sizeof *params);
    x->param_count = count;
    return n;
}

static cxx_id encoding(struct cxx_reader *x, bool is_scope)
{
    return leave(x, cxx_enter(x->tree) ? inner_encoding(x, is_scope) : 0);
}

cxx_id cxx_read(struct cxx_tree *t, const char **at, const char *end)
{
    struct cxx_reader x;
    memset(&x, 0, offsetof(struct cxx_reader, subs)); /* of the rest the counts say what is set */
    x.tree = t;
    x.at = *at;
    x.end = end;
    const cxx_id n = encoding(&x, false);
    *at = x.at;
    return n;
}

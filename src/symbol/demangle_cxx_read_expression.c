/* Expressions as template arguments have them. */
#include "src/symbol/demangle_cxx_rules.h"

/* ---- expressions ----------------------------------------------------------------------------- */

static cxx_id expressions(struct cxx_reader *x)
{
    return list_until(x, cxx_read_expression, "E");
}

cxx_id cxx_read_plain_encoding(struct cxx_reader *x)
{
    return cxx_read_encoding(x, false);
}

static cxx_id literal(struct cxx_reader *x)
{
    if (cxx_take(x, "_Z") || cxx_take(x, "Z"))
        return ended(x, cxx_read_plain_encoding(x), "E");
    const cxx_id of = cxx_read_type(x);
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
    cxx_read_qualifiers(x);
    return make_numbered(x, CXX_NUMBERED, "{parm#", cxx_sequence(x, 10) + 1);
}

static cxx_id fold(struct cxx_reader *x, bool is_binary, uint8_t flags)
{
    const struct cxx_operator *const op = cxx_operator_next(x);
    if (!op)
        return cxx_bad(x);
    x->at += 2;
    const cxx_id a = cxx_read_expression(x);
    const cxx_id b = is_binary ? cxx_read_expression(x) : 0;
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
    return cxx_is_digit(cxx_peek(x)) ? cxx_read_source_name(x) : cxx_read_operator_name(x, NULL);
}

/* "sr": a name in a scope that depends on the template arguments. */
static cxx_id unresolved_name(struct cxx_reader *x)
{
    if (cxx_take(x, "on"))
        return cxx_read_operator_name(x, NULL);
    if (!cxx_take(x, "dn"))
        return source_or_operator_name(x);
    const cxx_id of = cxx_is_digit(cxx_peek(x)) ? cxx_read_source_name(x) : cxx_read_type(x);
    return make_with(x, CXX_PREFIXED, "~", of, 0);
}

static cxx_id unresolved_base(struct cxx_reader *x)
{
    return cxx_read_with_any_arguments(x, unresolved_name(x));
}

static cxx_id unresolved_scope(struct cxx_reader *x)
{
    if (cxx_peek(x) != 'N' && !cxx_is_digit(cxx_peek(x)))
        return cxx_read_with_any_arguments(x, cxx_read_type(x));
    cxx_id scope = cxx_take(x, "N") ? cxx_read_type(x) : 0;
    while (!cxx_is_bad(x) && !cxx_take(x, "E"))
        scope = cxx_join(x, scope, cxx_read_with_any_arguments(x, cxx_read_source_name(x)));
    return scope;
}

static cxx_id unresolved(struct cxx_reader *x)
{
    const cxx_id scope = unresolved_scope(x);
    return cxx_join(x, scope, unresolved_base(x));
}

static cxx_id cast(struct cxx_reader *x)
{
    const cxx_id to = cxx_read_type(x);
    if (cxx_take(x, "_"))
        return make_of(x, CXX_CAST_LIST, to, expressions(x));
    return make_of(x, CXX_CAST, to, cxx_read_expression(x));
}

static cxx_id new_of(struct cxx_reader *x, const char *text)
{
    list_until(x, cxx_read_expression, "_"); /* where it is placed is not said */
    const cxx_id n = make_with(x, CXX_PREFIXED, text, cxx_read_type(x), 0);
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
    const cxx_id of = cxx_read_expression(x);
    return make_of(x, CXX_CALL, of, expressions(x));
}

static cxx_id braces(struct cxx_reader *x)
{
    return make_with(x, CXX_BRACES, "{", 0, expressions(x));
}

static cxx_id typed_braces(struct cxx_reader *x)
{
    const cxx_id of = cxx_read_type(x);
    return make_with(x, CXX_BRACES, "{", of, expressions(x));
}

static cxx_id rethrow(struct cxx_reader *x)
{
    return name_of(x, "throw");
}

static cxx_id pack(struct cxx_reader *x)
{
    return cxx_peek(x) == 'T' ? cxx_read_template_parameter(x) : function_parameter(x);
}

static cxx_id argument_pack(struct cxx_reader *x)
{
    return make_of(x, CXX_PACK, list_until(x, cxx_read_argument, "E"), 0);
}

static cxx_id ternary(struct cxx_reader *x)
{
    const cxx_id a = cxx_read_expression(x), b = cxx_read_expression(x), c = cxx_read_expression(x);
    return make(x, (struct cxx_node){.kind = CXX_TERNARY, .a = a, .b = b, .c = c});
}

static cxx_id subscript(struct cxx_reader *x)
{
    const cxx_id a = cxx_read_expression(x), b = cxx_read_expression(x);
    return make_of(x, CXX_SUBSCRIPT, a, b);
}

static cxx_id named_cast(struct cxx_reader *x, const char *text)
{
    const cxx_id to = cxx_read_type(x);
    return make_with(x, CXX_NAMED_CAST, text, to, cxx_read_expression(x));
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
static const struct cxx_form expression_forms[] = {
    {"gs", false, cxx_read_expression, CXX_PREFIXED, "::"},
    {"L", false, literal, CXX_NONE, ""},
    {"T", true, cxx_read_template_parameter, CXX_NONE, ""},
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
    {"sp", false, cxx_read_expression, CXX_EXPANSION, ""},
    {"sZ", false, pack, CXX_SIZE_OF_PACK, ""},
    {"sP", false, argument_pack, CXX_SIZE_OF_PACK, ""},
    {"tr", false, rethrow, CXX_NONE, ""},
    {"tw", false, cxx_read_expression, CXX_UNARY, "throw "},
    {"st", false, cxx_read_type, CXX_ENCLOSED, "sizeof "},
    {"at", false, cxx_read_type, CXX_ENCLOSED, "alignof "},
    {"ti", false, cxx_read_type, CXX_UNARY, "typeid "},
    {"sz", false, cxx_read_expression, CXX_ENCLOSED, "sizeof "},
    {"az", false, cxx_read_expression, CXX_ENCLOSED, "alignof "},
    {"te", false, cxx_read_expression, CXX_UNARY, "typeid "},
    {"nx", false, cxx_read_expression, CXX_UNARY, "noexcept "},
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
    const cxx_id a = cxx_read_expression(x);
    const bool is_name = is_of_member && is_name_of_member_next(x);
    return make_with(x, CXX_BINARY, op->text, a,
                     is_name ? unresolved_base(x) : cxx_read_expression(x));
}

static cxx_id operation(struct cxx_reader *x)
{
    const struct cxx_operator *const op = cxx_operator_next(x);
    if (!op || op->arity == CXX_SPECIAL_OPERATOR)
        return cxx_bad(x);
    x->at += 2;
    if (op->arity == CXX_BINARY_OPERATOR)
        return binary(x, op);
    const bool is_behind = op->arity == CXX_STEP_OPERATOR && !cxx_take(x, "_");
    return make_with(x, is_behind ? CXX_POSTFIX : CXX_UNARY, op->text, cxx_read_expression(x), 0);
}

static cxx_id any_expression(struct cxx_reader *x)
{
    if (is_parameter_of_outer_next(x))
        return function_parameter(x);
    if (cxx_is_digit(cxx_peek(x)))
        return unresolved_base(x);
    const struct cxx_form *const form =
        form_next(x, expression_forms, sizeof expression_forms / sizeof *expression_forms);
    return form ? read_form(x, form) : operation(x);
}

cxx_id cxx_read_expression(struct cxx_reader *x)
{
    return leave(x, cxx_enter(x->tree) ? any_expression(x) : 0);
}

/* Types. */
#include "src/symbol/demangle_cxx_rules.h"

/* ---- types ----------------------------------------------------------------------------------- */

/* What is thrown, in a function's type: "Do", "DO…E"; transactional "Dx". */
static uint8_t exceptions(struct cxx_reader *x)
{
    const bool has_expression = cxx_take(x, "DO");
    const bool is_noexcept = has_expression || cxx_take(x, "Do");
    if (has_expression)
        ended(x, cxx_read_expression(x), "E");
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
    struct cxx_row row = {0, 0};
    flags |= exceptions(x);
    if (!cxx_take(x, "F"))
        return cxx_bad(x);
    cxx_take(x, "Y");
    const cxx_id result = cxx_read_type(x);
    while (!cxx_is_bad(x) && !function_ends(x, &flags))
        if (!cxx_take(x, "v"))
            append(x, &row, cxx_read_type(x));
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
    const cxx_id of = cxx_read_type(x);
    return make_of(x, kind, of, size);
}

static cxx_id array(struct cxx_reader *x)
{
    const char c = cxx_peek(x);
    return sized(x, CXX_ARRAY, cxx_is_digit(c) ? digits(x) : c == '_' ? 0 : cxx_read_expression(x));
}

static cxx_id vector(struct cxx_reader *x)
{
    if (cxx_is_digit(cxx_peek(x)))
        return sized(x, CXX_VECTOR, digits(x));
    cxx_take(x, "_");
    return sized(x, CXX_VECTOR, cxx_read_expression(x));
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
    const cxx_id n = cxx_read_template_parameter(x);
    if (cxx_peek(x) != 'I' || cxx_is_bad(x) || x->allows_forward)
        return n;
    remember(x, n);
    return cxx_read_with_arguments(x, n, false);
}

static cxx_id member(struct cxx_reader *x)
{
    const cxx_id of = cxx_read_type(x);
    const cxx_id is = cxx_read_type(x);
    return make_of(x, CXX_MEMBER, of, is);
}

static cxx_id vendor_qualified(struct cxx_reader *x)
{
    const cxx_id n = cxx_read_source_name(x);
    if (cxx_peek(x) == 'I')
        cxx_read_template_arguments(x, false);
    const cxx_id of = cxx_read_type(x);
    return make_of(x, CXX_VENDOR, of, n);
}

static cxx_id vendor_type(struct cxx_reader *x)
{
    return cxx_read_with_any_arguments(x, cxx_read_source_name(x));
}

static cxx_id qualified_type(struct cxx_reader *x)
{
    const uint8_t flags = cxx_read_qualifiers(x);
    if (is_function_next(x))
        return function(x, flags);
    return make(x, (struct cxx_node){.kind = CXX_CV, .a = cxx_read_type(x), .flags = flags});
}

static cxx_id plain_function(struct cxx_reader *x)
{
    return function(x, 0);
}

cxx_id cxx_read_plain_name(struct cxx_reader *x)
{
    return cxx_read_name(x, NULL);
}

/* In this order; what none of them begins is a name. */
static const struct cxx_form type_forms[] = {
    {"P", false, cxx_read_type, CXX_POINTER, "*"},
    {"R", false, cxx_read_type, CXX_POINTER, "&"},
    {"O", false, cxx_read_type, CXX_POINTER, "&&"},
    {"K", true, qualified_type, CXX_NONE, ""},
    {"V", true, qualified_type, CXX_NONE, ""},
    {"r", true, qualified_type, CXX_NONE, ""},
    {"Ts", false, cxx_read_plain_name, CXX_NONE, ""}, /* struct, union, enum */
    {"Tu", false, cxx_read_plain_name, CXX_NONE, ""},
    {"Te", false, cxx_read_plain_name, CXX_NONE, ""},
    {"T", true, parameter_type, CXX_NONE, ""},
    {"Dp", false, cxx_read_type, CXX_EXPANSION, ""},
    {"Dt", true, cxx_read_decltype, CXX_NONE, ""},
    {"DT", true, cxx_read_decltype, CXX_NONE, ""},
    {"Dv", false, vector, CXX_NONE, ""},
    {"DF", false, sized_float, CXX_NONE, ""},
    {"D", true, plain_function, CXX_NONE, ""}, /* noexcept, transactional */
    {"F", true, plain_function, CXX_NONE, ""},
    {"A", false, array, CXX_NONE, ""},
    {"M", false, member, CXX_NONE, ""},
    {"C", false, cxx_read_type, CXX_SUFFIXED, " _Complex"},
    {"G", false, cxx_read_type, CXX_SUFFIXED, " _Imaginary"},
    {"Ut", true, cxx_read_plain_name, CXX_NONE, ""},
    {"Ul", true, cxx_read_plain_name, CXX_NONE, ""},
    {"U", false, vendor_qualified, CXX_NONE, ""},
    {"u", false, vendor_type, CXX_NONE, ""},
    {"", false, cxx_read_plain_name, CXX_NONE, ""},
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
    const cxx_id n = cxx_read_substitution(x);
    if (cxx_peek(x) != 'I' || cxx_is_bad(x))
        return n;
    const cxx_id with = cxx_read_with_arguments(x, n, false);
    remember(x, with);
    return with;
}

static cxx_id any_type(struct cxx_reader *x)
{
    const cxx_id builtin = builtin_type(x);
    if (builtin || cxx_is_bad(x))
        return builtin;
    if (cxx_is_substitution_next(x))
        return substituted_type(x);
    const cxx_id n = read_form(x, form_next(x, type_forms, sizeof type_forms / sizeof *type_forms));
    remember(x, n);
    return n;
}

cxx_id cxx_read_type(struct cxx_reader *x)
{
    return leave(x, cxx_enter(x->tree) ? any_type(x) : 0);
}

/* The reader begins here: encodings, which are a name and the type of what it names. */
#include "src/symbol/demangle_cxx.h"

#include "src/symbol/demangle_cxx_rules.h"

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
    return cxx_read_plain_encoding(x);
}

static cxx_id virtual_thunk(struct cxx_reader *x)
{
    offsets(x, 2);
    return cxx_read_plain_encoding(x);
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
    return cxx_read_plain_encoding(x);
}

static cxx_id construction_vtable(struct cxx_reader *x)
{
    const cxx_id of = cxx_read_type(x);
    cxx_number(x);
    if (!cxx_take(x, "_"))
        return cxx_bad(x);
    return make_of(x, CXX_CONSTRUCTION, cxx_read_type(x), of);
}

static cxx_id reference_temporary(struct cxx_reader *x)
{
    const cxx_id of = cxx_read_plain_name(x);
    const cxx_id n = make_numbered(x, CXX_TEMPORARY, "", cxx_peek(x) ? cxx_sequence(x, 36) : 0);
    x->tree->nodes[n].a = of;
    return n;
}

static const struct cxx_form specials[] = {
    {"TV", false, cxx_read_type, CXX_PREFIXED, "vtable for "},
    {"TT", false, cxx_read_type, CXX_PREFIXED, "VTT for "},
    {"TI", false, cxx_read_type, CXX_PREFIXED, "typeinfo for "},
    {"TS", false, cxx_read_type, CXX_PREFIXED, "typeinfo name for "},
    {"TF", false, cxx_read_type, CXX_PREFIXED, "typeinfo fn for "},
    {"TJ", false, cxx_read_type, CXX_PREFIXED, "java Class for "},
    {"TC", false, construction_vtable, CXX_PREFIXED, "construction vtable for "},
    {"Th", false, thunk, CXX_PREFIXED, "non-virtual thunk to "},
    {"Tv", false, virtual_thunk, CXX_PREFIXED, "virtual thunk to "},
    {"Tc", false, covariant_thunk, CXX_PREFIXED, "covariant return thunk to "},
    {"TH", false, cxx_read_plain_name, CXX_PREFIXED, "TLS init function for "},
    {"TW", false, cxx_read_plain_name, CXX_PREFIXED, "TLS wrapper function for "},
    {"TA", false, cxx_read_argument, CXX_PREFIXED, "template parameter object for "},
    {"GV", false, cxx_read_plain_name, CXX_PREFIXED, "guard variable for "},
    {"GR", false, reference_temporary, CXX_PREFIXED, "reference temporary #"},
    {"GA", false, cxx_read_plain_encoding, CXX_PREFIXED, "hidden alias for "},
    {"GTt", false, cxx_read_plain_encoding, CXX_PREFIXED, "transaction clone for "},
    {"GTn", false, cxx_read_plain_encoding, CXX_PREFIXED, "non-transaction clone for "},
};

static cxx_id special(struct cxx_reader *x)
{
    const struct cxx_form *const form = form_next(x, specials, sizeof specials / sizeof *specials);
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
        cxx_read_template_arguments(x, false);
    cxx_id result = !e.is_structor && e.has_arguments ? cxx_read_type(x) : 0;
    if (is_scope) /* it would read as the type of what stands inside */
        result = 0;
    if (x->at == x->end)
        return cxx_bad(x);
    const cxx_id list = cxx_read_parameters(x);
    return make(x, (struct cxx_node){
                       .kind = CXX_ENCODING, .a = result, .b = n, .c = list, .flags = e.flags});
}

static cxx_id function_encoding(struct cxx_reader *x, bool is_scope)
{
    struct name_end e = {false, false, 0};
    const unsigned forwards = x->forward_count;
    const cxx_id n = cxx_read_name(x, &e);
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

cxx_id cxx_read_encoding(struct cxx_reader *x, bool is_scope)
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
    const cxx_id n = cxx_read_encoding(&x, false);
    *at = x.at;
    return n;
}

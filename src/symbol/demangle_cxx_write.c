/* The writer: tree to text. A type is written around what it is of, so each node has a left and a
 * right part. A name of 500 bytes can stand for a text of gigabytes (back references that double):
 * every level and step counts, and writing stops when the room is full. */
#include "src/symbol/demangle_cxx.h"

#include "src/symbol/demangle_cxx_writer.h"

#include <string.h>

static void left(struct cxx_writer *w, cxx_id n);
static void right(struct cxx_writer *w, cxx_id n);

/* ---- nodes within others --------------------------------------------------------------------- */

void cxx_put_node(struct cxx_writer *w, cxx_id n)
{
    left(w, n);
    right(w, n);
}

void cxx_put_between(struct cxx_writer *w, const char *before, cxx_id n, const char *after)
{
    puts_(w, before);
    cxx_put_node(w, n);
    puts_(w, after);
}

static void put_pair(struct cxx_writer *w, cxx_id a, const char *between, cxx_id b)
{
    cxx_put_node(w, a);
    puts_(w, between);
    cxx_put_node(w, b);
}

unsigned cxx_count_of(const struct cxx_writer *w, cxx_id list)
{
    unsigned count = 0;
    for (; list; list = node_of(w, list)->b)
        count++;
    return count;
}

/* The element of a pack that is being written; the first to be met says how many there are. */
static cxx_id element_of(struct cxx_writer *w, cxx_id list)
{
    const unsigned count = cxx_count_of(w, list);
    cxx_step(w->tree, count);
    if (w->pack_count == NO_PACK) {
        w->pack_count = count;
        w->pack_at = 0;
    }
    if (w->pack_at >= count)
        return 0;
    for (unsigned at = 0; at < w->pack_at; at++)
        list = node_of(w, list)->b;
    return node_of(w, list)->a;
}

static bool stands_for_another(uint8_t kind)
{
    return kind == CXX_FORWARD || kind == CXX_PACK;
}

/* The element of a pack that is being written, or of a forward reference what it means: the type
 * itself. */
static cxx_id meant(struct cxx_writer *w, cxx_id n)
{
    for (unsigned i = 0; i < CXX_DEPTH && stands_for_another(node_of(w, n)->kind); i++) {
        const struct cxx_node *const p = node_of(w, n);
        n = p->kind == CXX_FORWARD ? p->a : element_of(w, p->a);
        cxx_step(w->tree, 1);
    }
    return n;
}

const struct cxx_node *cxx_meant_node(struct cxx_writer *w, cxx_id n)
{
    return node_of(w, meant(w, n));
}

void cxx_put_list(struct cxx_writer *w, cxx_id list)
{
    bool is_first = true;
    for (; list && !is_over(w); list = node_of(w, list)->b) {
        const size_t before = w->used;
        if (!is_first)
            puts_(w, ", ");
        const size_t start = w->used;
        if (node_of(w, list)->a)
            cxx_put_node(w, node_of(w, list)->a);
        if (w->used == start && !w->is_full)
            w->used = before; /* an empty pack */
        else
            is_first = false;
        cxx_step(w->tree, 1);
    }
}

void cxx_put_parameters(struct cxx_writer *w, cxx_id list)
{
    puts_(w, "(");
    cxx_put_list(w, list);
    puts_(w, ")");
}

/* ---- names ----------------------------------------------------------------------------------- */

static void put_scoped(struct cxx_writer *w, const struct cxx_node *p)
{
    put_pair(w, p->a, "::", p->b);
}

static void put_template(struct cxx_writer *w, const struct cxx_node *p)
{
    cxx_put_node(w, p->a);
    puts_(w, last(w) == '<' ? " <" : "<");
    cxx_put_list(w, p->b);
    puts_(w, last(w) == '>' ? " >" : ">");
}

static void put_prefixed(struct cxx_writer *w, const struct cxx_node *p)
{
    put_text(w, p);
    cxx_put_node(w, p->a);
}

static void put_suffixed(struct cxx_writer *w, const struct cxx_node *p)
{
    cxx_put_node(w, p->a);
    put_text(w, p);
}

static void put_conversion(struct cxx_writer *w, const struct cxx_node *p)
{
    cxx_put_between(w, "operator ", p->a, "");
}

static void put_tagged(struct cxx_writer *w, const struct cxx_node *p)
{
    cxx_put_between(w, "", p->a, "[abi:");
    put_text(w, p);
    puts_(w, "]");
}

static void put_numbered(struct cxx_writer *w, const struct cxx_node *p)
{
    put_text(w, p);
    put_number(w, p->number);
    puts_(w, "}");
}

static void put_unnamed(struct cxx_writer *w, const struct cxx_node *p)
{
    puts_(w, "{unnamed type#");
    put_numbered(w, p);
}

static void put_lambda(struct cxx_writer *w, const struct cxx_node *p)
{
    puts_(w, "{lambda");
    cxx_put_parameters(w, p->a);
    puts_(w, "#");
    put_numbered(w, p);
}

static void put_temporary(struct cxx_writer *w, const struct cxx_node *p)
{
    put_number(w, p->number);
    cxx_put_between(w, " for ", p->a, "");
}

static void put_construction(struct cxx_writer *w, const struct cxx_node *p)
{
    put_pair(w, p->b, "-in-", p->a);
}

static void put_arguments(struct cxx_writer *w, const struct cxx_node *p)
{
    cxx_put_list(w, p->a);
}

static void put_expansion(struct cxx_writer *w, const struct cxx_node *p)
{
    const unsigned at = w->pack_at, count = w->pack_count;
    const size_t before = w->used;
    w->pack_count = NO_PACK;
    cxx_put_node(w, p->a);
    if (w->pack_count == NO_PACK) {
        puts_(w, "...");
    } else if (w->pack_count == 0) {
        w->used = before;
    } else {
        for (w->pack_at = 1; w->pack_at < w->pack_count && !is_over(w); w->pack_at++)
            cxx_put_between(w, ", ", p->a, "");
    }
    w->pack_at = at;
    w->pack_count = count;
}

/* ---- types ----------------------------------------------------------------------------------- */

static bool is_around(struct cxx_writer *w, cxx_id n, enum cxx_kind kind)
{
    for (unsigned i = 0; i < CXX_DEPTH; i++) {
        const struct cxx_node *const p = cxx_meant_node(w, n);
        cxx_step(w->tree, 1);
        if (p->kind != CXX_CV)
            return p->kind == kind;
        n = p->a;
    }
    return false;
}

static bool is_around_any(struct cxx_writer *w, cxx_id n)
{
    return is_around(w, n, CXX_ARRAY) || is_around(w, n, CXX_FUNCTION);
}

static bool is_reference(const struct cxx_node *p)
{
    return p->kind == CXX_POINTER && p->text[0] == '&';
}

/* References to references are one. */
static cxx_id referred(struct cxx_writer *w, const struct cxx_node *p, const char **text)
{
    cxx_id n = p->a;
    *text = p->text;
    for (unsigned i = 0; i < CXX_DEPTH && is_reference(p); i++) {
        const struct cxx_node *const q = cxx_meant_node(w, n);
        if (!is_reference(q))
            break;
        if (!q->text[1])
            *text = q->text;
        n = q->a;
    }
    return n;
}

static void left_of_first(struct cxx_writer *w, const struct cxx_node *p)
{
    left(w, p->a);
}

static void right_of_first(struct cxx_writer *w, const struct cxx_node *p)
{
    right(w, p->a);
}

/* Writes repeated const qualifiers once. */
static void left_of_cv(struct cxx_writer *w, const struct cxx_node *p)
{
    const struct cxx_node *const q = cxx_meant_node(w, p->a);
    left(w, p->a);
    put_flags(w, q->kind == CXX_CV ? p->flags & ~q->flags : p->flags);
}

static void left_of_pointer(struct cxx_writer *w, const struct cxx_node *p)
{
    const char *text;
    const cxx_id n = referred(w, p, &text);
    left(w, n);
    const bool is_array = is_around(w, n, CXX_ARRAY);
    puts_(w, is_array ? " (" : is_around(w, n, CXX_FUNCTION) ? "(" : "");
    puts_(w, text);
}

static void right_of_pointer(struct cxx_writer *w, const struct cxx_node *p)
{
    const char *text;
    const cxx_id n = referred(w, p, &text);
    puts_(w, is_around_any(w, n) ? ")" : "");
    right(w, n);
}

static void left_of_member(struct cxx_writer *w, const struct cxx_node *p)
{
    left(w, p->b);
    const bool is_array = is_around(w, p->b, CXX_ARRAY);
    const bool is_function = is_around(w, p->b, CXX_FUNCTION);
    cxx_put_between(w, is_array ? " (" : is_function ? "(" : " ", p->a, "::*");
}

static void right_of_member(struct cxx_writer *w, const struct cxx_node *p)
{
    puts_(w, is_around_any(w, p->b) ? ")" : "");
    right(w, p->b);
}

static void left_of_function(struct cxx_writer *w, const struct cxx_node *p)
{
    if (!p->a)
        return;
    left(w, p->a);
    puts_(w, " ");
}

static void right_of_function(struct cxx_writer *w, const struct cxx_node *p)
{
    cxx_put_parameters(w, p->c);
    put_flags(w, p->flags);
    if (p->a)
        right(w, p->a);
}

static void put_encoding(struct cxx_writer *w, const struct cxx_node *p)
{
    left_of_function(w, p);
    cxx_put_node(w, p->b);
    right_of_function(w, p);
}

static void right_of_array(struct cxx_writer *w, const struct cxx_node *p)
{
    puts_(w, last(w) == ']' ? "[" : " [");
    if (p->b)
        cxx_put_node(w, p->b);
    puts_(w, "]");
    right(w, p->a);
}

static void put_vector(struct cxx_writer *w, const struct cxx_node *p)
{
    put_pair(w, p->a, " __vector(", p->b);
    puts_(w, ")");
}

static void put_vendor(struct cxx_writer *w, const struct cxx_node *p)
{
    put_pair(w, p->a, " ", p->b);
}

/* ---- all kinds ------------------------------------------------------------------------------- */

/* NULL: nothing. */
static const struct {
    write_fn *left, *right;
} writers[CXX_KINDS] = {
    [CXX_NAME] = {put_text, NULL},
    [CXX_USUAL] = {put_text, NULL},
    [CXX_QUALIFIED] = {put_scoped, NULL},
    [CXX_LOCAL] = {put_scoped, NULL},
    [CXX_TEMPLATE] = {put_template, NULL},
    [CXX_ENCODING] = {put_encoding, NULL},
    [CXX_FUNCTION] = {left_of_function, right_of_function},
    [CXX_POINTER] = {left_of_pointer, right_of_pointer},
    [CXX_SUFFIXED] = {put_suffixed, NULL},
    [CXX_PREFIXED] = {put_prefixed, NULL},
    [CXX_CV] = {left_of_cv, right_of_first},
    [CXX_ARRAY] = {left_of_first, right_of_array},
    [CXX_VECTOR] = {put_vector, NULL},
    [CXX_VENDOR] = {put_vendor, NULL},
    [CXX_MEMBER] = {left_of_member, right_of_member},
    [CXX_CONVERSION] = {put_conversion, NULL},
    [CXX_ARGUMENTS] = {put_arguments, NULL},
    [CXX_EXPANSION] = {put_expansion, NULL},
    [CXX_LAMBDA] = {put_lambda, NULL},
    [CXX_UNNAMED] = {put_unnamed, NULL},
    [CXX_NUMBERED] = {put_numbered, NULL},
    [CXX_TEMPORARY] = {put_temporary, NULL},
    [CXX_CONSTRUCTION] = {put_construction, NULL},
    [CXX_TAGGED] = {put_tagged, NULL},
    [CXX_BINARY] = {cxx_put_binary, NULL},
    [CXX_UNARY] = {cxx_put_unary, NULL},
    [CXX_ENCLOSED] = {cxx_put_enclosed, NULL},
    [CXX_POSTFIX] = {cxx_put_postfix, NULL},
    [CXX_TERNARY] = {cxx_put_ternary, NULL},
    [CXX_CALL] = {cxx_put_call, NULL},
    [CXX_CAST] = {cxx_put_cast, NULL},
    [CXX_CAST_LIST] = {cxx_put_cast_list, NULL},
    [CXX_NAMED_CAST] = {cxx_put_named_cast, NULL},
    [CXX_BRACES] = {cxx_put_braces, NULL},
    [CXX_SUBSCRIPT] = {cxx_put_subscript, NULL},
    [CXX_SIZE_OF_PACK] = {cxx_put_size_of_pack, NULL},
    [CXX_LITERAL] = {cxx_put_literal, NULL},
    [CXX_FOLD] = {cxx_put_fold, NULL},
};

static void put_side(struct cxx_writer *w, cxx_id n, bool is_right)
{
    if (w->is_full || !cxx_enter(w->tree))
        return;
    const struct cxx_node *const p = cxx_meant_node(w, n);
    write_fn *const write = is_right ? writers[p->kind].right : writers[p->kind].left;
    if (write)
        write(w, p);
    cxx_leave(w->tree);
}

static void left(struct cxx_writer *w, cxx_id n)
{
    put_side(w, n, false);
}

static void right(struct cxx_writer *w, cxx_id n)
{
    const uint8_t kind = node_of(w, n)->kind;
    if (writers[kind].right || stands_for_another(kind))
        put_side(w, n, true);
    else
        cxx_step(w->tree, 1);
}

size_t cxx_write(struct cxx_tree *t, cxx_id n, char *out, size_t room)
{
    struct cxx_writer w = {.tree = t, .out = out, .room = room - 1, .pack_count = NO_PACK};
    t->depth = 0;
    cxx_put_node(&w, n);
    return w.used;
}

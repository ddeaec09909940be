/* Expressions as text. */
#include "src/symbol/demangle_cxx_writer.h"

#include <string.h>

static bool is_simple(const struct cxx_node *p)
{
    return p->kind == CXX_NAME || p->kind == CXX_USUAL || p->kind == CXX_QUALIFIED ||
           p->kind == CXX_BRACES || p->kind == CXX_NUMBERED;
}

static void put_operand(struct cxx_writer *w, cxx_id n)
{
    const bool is_bare = is_simple(cxx_meant_node(w, n));
    cxx_put_between(w, is_bare ? "" : "(", n, is_bare ? "" : ")");
}

void cxx_put_binary(struct cxx_writer *w, const struct cxx_node *p)
{
    const bool is_greater = strcmp(p->text, ">") == 0;
    puts_(w, is_greater ? "(" : "");
    put_operand(w, p->a);
    put_text(w, p);
    put_operand(w, p->b);
    puts_(w, is_greater ? ")" : "");
}

/* A member function whose address is taken: its name alone. */
static bool is_member_function(const struct cxx_writer *w, const struct cxx_node *p)
{
    const uint8_t kind = node_of(w, p->b)->kind;
    return p->kind == CXX_ENCODING && (kind == CXX_QUALIFIED || kind == CXX_USUAL);
}

void cxx_put_unary(struct cxx_writer *w, const struct cxx_node *p)
{
    const struct cxx_node *const of = cxx_meant_node(w, p->a);
    put_text(w, p);
    if (strcmp(p->text, "&") == 0 && is_member_function(w, of))
        cxx_put_node(w, of->b);
    else
        put_operand(w, p->a);
}

void cxx_put_enclosed(struct cxx_writer *w, const struct cxx_node *p)
{
    put_text(w, p);
    cxx_put_between(w, "(", p->a, ")");
}

void cxx_put_postfix(struct cxx_writer *w, const struct cxx_node *p)
{
    put_operand(w, p->a);
    put_text(w, p);
}

void cxx_put_ternary(struct cxx_writer *w, const struct cxx_node *p)
{
    put_operand(w, p->a);
    puts_(w, "?");
    put_operand(w, p->b);
    puts_(w, " : ");
    put_operand(w, p->c);
}

void cxx_put_call(struct cxx_writer *w, const struct cxx_node *p)
{
    const struct cxx_node *const of = cxx_meant_node(w, p->a);
    if (of->kind == CXX_ENCODING)
        cxx_put_node(w, of->b);
    else
        put_operand(w, p->a);
    cxx_put_parameters(w, p->b);
}

void cxx_put_cast(struct cxx_writer *w, const struct cxx_node *p)
{
    cxx_put_between(w, "(", p->a, ")");
    put_operand(w, p->b);
}

void cxx_put_cast_list(struct cxx_writer *w, const struct cxx_node *p)
{
    cxx_put_between(w, "(", p->a, ")");
    cxx_put_parameters(w, p->b);
}

void cxx_put_named_cast(struct cxx_writer *w, const struct cxx_node *p)
{
    put_text(w, p);
    cxx_put_between(w, "<", p->a, ">");
    cxx_put_between(w, "(", p->b, ")");
}

void cxx_put_braces(struct cxx_writer *w, const struct cxx_node *p)
{
    if (p->a)
        cxx_put_node(w, p->a);
    put_text(w, p);
    cxx_put_list(w, p->b);
    puts_(w, p->text[0] == '[' ? "]" : "}");
}

void cxx_put_subscript(struct cxx_writer *w, const struct cxx_node *p)
{
    put_operand(w, p->a);
    cxx_put_between(w, "[", p->b, "]");
}

void cxx_put_size_of_pack(struct cxx_writer *w, const struct cxx_node *p)
{
    const struct cxx_node *const pack = node_of(w, p->a);
    if (pack->kind == CXX_PACK)
        put_number(w, cxx_count_of(w, pack->a));
    else
        cxx_put_between(w, "sizeof...(", p->a, ")");
}

void cxx_put_fold(struct cxx_writer *w, const struct cxx_node *p)
{
    const bool is_left = p->flags & CXX_FOLD_LEFT;
    puts_(w, "(");
    if (!is_left) {
        put_operand(w, p->a);
        put_text(w, p);
    }
    puts_(w, "...");
    if (is_left || p->b) {
        put_text(w, p);
        put_operand(w, is_left ? p->a : p->b);
    }
    puts_(w, ")");
}

static bool is_named(const struct cxx_node *p, const char *name)
{
    return p->kind == CXX_NAME && p->bytes == strlen(name) && memcmp(p->text, name, p->bytes) == 0;
}

/* Behind a number of this type; NULL: the type goes before it. */
static const char *suffix_of(const struct cxx_node *type)
{
    static const struct {
        const char *type, *suffix;
    } suffixes[] = {{"int", ""},         {"unsigned int", "u"},
                    {"long", "l"},       {"unsigned long", "ul"},
                    {"long long", "ll"}, {"unsigned long long", "ull"}};
    for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++)
        if (is_named(type, suffixes[i].type))
            return suffixes[i].suffix;
    return NULL;
}

/* "n5" is -5. */
static bool is_negative(const struct cxx_node *p)
{
    return p->bytes && p->text[0] == 'n';
}

/* The number without its sign. */
static void put_digits(struct cxx_writer *w, const struct cxx_node *p)
{
    put(w, p->text + is_negative(p), p->bytes - is_negative(p));
}

/* "1" or "0" of type bool: its word; NULL where it is not that. */
static const char *truth_of(const struct cxx_node *p, const struct cxx_node *type)
{
    const char *const digits = p->text + is_negative(p);
    if (p->bytes - is_negative(p) != 1 || !is_named(type, "bool"))
        return NULL;
    return *digits == '1' ? "true" : *digits == '0' ? "false" : NULL;
}

static void put_typed_number(struct cxx_writer *w, const struct cxx_node *p)
{
    const struct cxx_node *const type = node_of(w, p->a);
    const bool is_real = type->kind == CXX_NAME && (type->text[0] == 'f' || type->text[0] == 'd');
    cxx_put_between(w, "(", p->a, is_negative(p) ? ")-" : ")");
    puts_(w, is_real ? "[" : "");
    put_digits(w, p);
    puts_(w, is_real ? "]" : "");
}

void cxx_put_literal(struct cxx_writer *w, const struct cxx_node *p)
{
    const struct cxx_node *const type = node_of(w, p->a);
    const char *const truth = truth_of(p, type), *const suffix = suffix_of(type);
    if (truth) {
        puts_(w, truth);
    } else if (!suffix) {
        put_typed_number(w, p);
    } else {
        puts_(w, is_negative(p) ? "-" : "");
        put_digits(w, p);
        puts_(w, suffix);
    }
}

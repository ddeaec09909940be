/* C++ names: the grammar of the Itanium C++ ABI, read into nodes and then written out.
 *
 * Names come from files nobody vouches for: a name of 500 bytes can stand for a text of gigabytes
 * (back references that double), or make a parser that goes back try for years. Here every node,
 * every step and every level has a limit, nothing is tried twice, and writing stops when the room
 * is full. What does not parse within them stays mangled. Why not a library: see src/demangle.h. */
#include "src/demangle.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    NODES = 4096,
    SUBS = 512,
    PARAMS = 256,
    FORWARDS = 16,
    DEPTH = 160,      /* of the grammar, and of writing */
    STEPS = 1 << 16,  /* of both together: some milliseconds */
    NO_PACK = 0xffff, /* no pack is being expanded */
};

enum kind {
    NONE,
    NAME,       /* text */
    QUALIFIED,  /* a::b */
    LOCAL,      /* a::b, of a function's inside */
    TEMPLATE,   /* a<b> */
    LIST,       /* a, then the list b */
    ENCODING,   /* a: return type, b: name, c: parameters */
    FUNCTION,   /* a: return type, c: parameters; flags */
    POINTER,    /* a and the text: "*", "&", "&&" */
    SUFFIXED,   /* a and the text behind it */
    PREFIXED,   /* the text and a behind it */
    CV,         /* a with flags */
    ARRAY,      /* a[b] */
    MEMBER,     /* pointer to a member: of class a, of type b */
    STRUCTOR,   /* of class name a; text: "~" or "" */
    CONVERSION, /* operator a */
    PACK,       /* list a: stands for one of them at a time */
    ARGUMENTS,  /* list a: a pack as an argument */
    EXPANSION,  /* a once for each of its packs' elements */
    FORWARD,    /* b: number of a template argument that comes later, a: that */
    LAMBDA,     /* list a, text: number */
    TAGGED,     /* a[abi:text] */
    BINARY,     /* a text b */
    UNARY,      /* text a */
    POSTFIX,    /* a text */
    TERNARY,    /* a ? b : c */
    CALL,       /* a(list b) */
    CAST,       /* (a)(list b); text: the keyword of a named one */
    BRACES,     /* a{list b} */
    SUBSCRIPT,  /* a[b] */
    LITERAL,    /* of type a: text */
    FOLD,       /* text: operator, a, b: NONE where there is none; flags: left */
};

enum { CONST = 1, VOLATILE = 2, RESTRICT = 4, LREF = 8, RREF = 16, NOEXCEPT = 32, FOLD_LEFT = 64 };

typedef uint16_t id;

struct node {
    uint8_t kind, flags;
    id a, b, c;
    uint32_t bytes;
    const char *text;
};

struct cxx {
    const char *at, *end;
    struct node nodes[NODES]; /* 0: none */
    unsigned count;
    id subs[SUBS], params[PARAMS], forwards[FORWARDS];
    unsigned sub_count, param_count, forward_count;
    unsigned depth, steps;
    bool is_lambda;         /* in its parameters: T_ is auto */
    bool allows_forward;    /* T_ may come later: in a conversion operator */
    bool is_bad;
    char *out;
    size_t used, room;
    bool is_full;
    unsigned pack_at, pack_count;
};

/* What the end of a name says about the function type behind it. */
struct state {
    bool is_structor, has_arguments; /* neither has, and the latter has, a return type */
    uint8_t flags;
};

/* ---- reading --------------------------------------------------------------------------------- */

static bool enter(struct cxx *x)
{
    if (x->is_bad || ++x->depth > DEPTH || ++x->steps > STEPS)
        x->is_bad = true;
    return !x->is_bad;
}

static id leave(struct cxx *x, id node)
{
    x->depth--;
    return x->is_bad ? 0 : node;
}

static id bad(struct cxx *x)
{
    x->is_bad = true;
    return 0;
}

static char peek(const struct cxx *x)
{
    return x->at < x->end ? *x->at : '\0';
}

static char peek_second(const struct cxx *x)
{
    return x->end - x->at > 1 ? x->at[1] : '\0';
}

static bool take_if(struct cxx *x, const char *text)
{
    const size_t bytes = strlen(text);
    if ((size_t)(x->end - x->at) < bytes || memcmp(x->at, text, bytes) != 0)
        return false;
    x->at += bytes;
    return true;
}

static id make(struct cxx *x, struct node n)
{
    if (x->count == NODES || ++x->steps > STEPS)
        return bad(x);
    x->nodes[x->count] = n;
    return (id)x->count++;
}

static id make_text(struct cxx *x, const char *text, size_t bytes)
{
    return make(x, (struct node){.kind = NAME, .text = text, .bytes = (uint32_t)bytes});
}

static id name_of(struct cxx *x, const char *text)
{
    return make_text(x, text, strlen(text));
}

static id make_with(struct cxx *x, enum kind kind, const char *text, id a, id b)
{
    return make(x, (struct node){.kind = (uint8_t)kind,
                                 .a = a,
                                 .b = b,
                                 .text = text,
                                 .bytes = (uint32_t)strlen(text)});
}

static void remember(struct cxx *x, id node)
{
    if (x->sub_count == SUBS)
        x->is_bad = true;
    else
        x->subs[x->sub_count++] = node;
}

/* Nodes in a row. */
struct row {
    id first, last;
};

static void append(struct cxx *x, struct row *r, id node)
{
    const id link = make(x, (struct node){.kind = LIST, .a = node});
    if (r->last)
        x->nodes[r->last].b = link;
    else
        r->first = link;
    r->last = link;
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static unsigned number(struct cxx *x)
{
    unsigned n = 0;
    if (!is_digit(peek(x)))
        return bad(x);
    for (; is_digit(peek(x)) && n < 100000; x->at++)
        n = n * 10 + (unsigned)(*x->at - '0');
    return n;
}

/* "_" is 0, "0_" is 1 …; base 36 in substitutions, 10 elsewhere. */
static unsigned sequence(struct cxx *x, unsigned base)
{
    unsigned n = 0;
    if (take_if(x, "_"))
        return 0;
    for (; !take_if(x, "_"); x->at++) {
        const char c = peek(x);
        const unsigned digit = is_digit(c)                           ? (unsigned)(c - '0')
                               : base == 36 && c >= 'A' && c <= 'Z' ? (unsigned)(c - 'A') + 10
                                                                     : base;
        if (digit >= base || n > 100000)
            return bad(x);
        n = n * base + digit;
    }
    return n + 1;
}

static id type(struct cxx *x);
static id expression(struct cxx *x);
static id encoding(struct cxx *x, bool is_scope);
static id name(struct cxx *x, struct state *s);
static id template_arguments(struct cxx *x, bool is_of_encoding);

/* ---- names ----------------------------------------------------------------------------------- */

static id source_name(struct cxx *x)
{
    const unsigned bytes = number(x);
    if (x->is_bad || !bytes || bytes > (size_t)(x->end - x->at))
        return bad(x);
    const char *const text = x->at;
    x->at += bytes;
    if (bytes > 9 && memcmp(text, "_GLOBAL_", 8) == 0 && strchr("_.$", text[8]) && text[9] == 'N')
        return name_of(x, "(anonymous namespace)");
    return make_text(x, text, bytes);
}

struct op {
    char code[3];
    char kind; /* b: binary, u: unary, p: postfix or prefix, s: special */
    const char *text;
};

static const struct op ops[] = {
    {"aN", 'b', "&="},  {"aS", 'b', "="},  {"aa", 'b', "&&"}, {"ad", 'u', "&"},  {"an", 'b', "&"},
    {"at", 's', "alignof "}, {"aw", 'u', "co_await "}, {"az", 's', "alignof "},
    {"cl", 's', "()"},  {"cm", 'b', ","},  {"co", 'u', "~"},  {"dV", 'b', "/="},
    {"dX", 's', "[...]="}, {"da", 'u', "delete[] "}, {"de", 'u', "*"}, {"dl", 'u', "delete "},
    {"ds", 'b', ".*"},  {"dt", 'b', "."},  {"dv", 'b', "/"},  {"eO", 'b', "^="}, {"eo", 'b', "^"},
    {"eq", 'b', "=="},  {"ge", 'b', ">="}, {"gt", 'b', ">"},  {"ix", 's', "[]"}, {"lS", 'b', "<<="},
    {"le", 'b', "<="},  {"ls", 'b', "<<"}, {"lt", 'b', "<"},  {"mI", 'b', "-="}, {"mL", 'b', "*="},
    {"mi", 'b', "-"},   {"ml", 'b', "*"},  {"mm", 'p', "--"}, {"na", 's', "new[]"},
    {"ne", 'b', "!="},  {"ng", 'u', "-"},  {"nt", 'u', "!"},  {"nw", 's', "new"}, {"oR", 'b', "|="},
    {"oo", 'b', "||"},  {"or", 'b', "|"},  {"pL", 'b', "+="}, {"pl", 'b', "+"},  {"pm", 'b', "->*"},
    {"pp", 'p', "++"},  {"ps", 'u', "+"},  {"pt", 'b', "->"}, {"qu", 's', "?"},  {"rM", 'b', "%="},
    {"rS", 'b', ">>="}, {"rm", 'b', "%"},  {"rs", 'b', ">>"}, {"ss", 'b', "<=>"},
    {"st", 's', "sizeof "}, {"sz", 's', "sizeof "},
};

static const struct op *find_op(const struct cxx *x)
{
    for (size_t i = 0; i < sizeof ops / sizeof *ops; i++)
        if (peek(x) == ops[i].code[0] && peek_second(x) == ops[i].code[1])
            return &ops[i];
    return NULL;
}

static id conversion(struct cxx *x, struct state *s)
{
    const bool allowed = x->allows_forward;
    x->allows_forward |= s != NULL;
    const id to = type(x);
    x->allows_forward = allowed;
    if (s)
        s->is_structor = true;
    return make(x, (struct node){.kind = CONVERSION, .a = to});
}

static id operator_name(struct cxx *x, struct state *s)
{
    const struct op *const op = find_op(x);
    if (take_if(x, "cv"))
        return conversion(x, s);
    if (take_if(x, "li"))
        return make_with(x, PREFIXED, "operator\"\" ", source_name(x), 0);
    if (peek(x) == 'v' && is_digit(peek_second(x))) {
        x->at += 2;
        return make_with(x, PREFIXED, "operator ", source_name(x), 0);
    }
    if (!op)
        return bad(x);
    x->at += 2;
    const char *const text = strcmp(op->code, "da") == 0   ? "delete[]"
                             : strcmp(op->code, "dl") == 0 ? "delete"
                             : strcmp(op->code, "aw") == 0 ? "co_await"
                                                           : op->text;
    const bool is_word = text[0] >= 'a' && text[0] <= 'z';
    return make_with(x, PREFIXED, is_word ? "operator " : "operator", name_of(x, text), 0);
}

static id parameters(struct cxx *x)
{
    struct row row = {0, 0};
    if (take_if(x, "v"))
        return 0;
    while (!x->is_bad && x->at < x->end && !strchr("E.Q", *x->at))
        append(x, &row, type(x));
    return row.first;
}

/* "Ut_", "UlvE_": what has no name of its own. */
static id unnamed(struct cxx *x)
{
    if (take_if(x, "Ut")) {
        const unsigned n = sequence(x, 10) + 1;
        return make(x, (struct node){.kind = LAMBDA, .bytes = n, .text = NULL});
    }
    if (!take_if(x, "Ul"))
        return bad(x);
    const bool was_lambda = x->is_lambda;
    x->is_lambda = true;
    const id list = parameters(x);
    x->is_lambda = was_lambda;
    if (!take_if(x, "E"))
        return bad(x);
    const unsigned n = sequence(x, 10) + 1;
    return make(x, (struct node){.kind = LAMBDA, .a = list, .bytes = n, .text = "lambda"});
}

static id binding(struct cxx *x)
{
    struct row row = {0, 0};
    do
        append(x, &row, source_name(x));
    while (!x->is_bad && !take_if(x, "E"));
    return make_with(x, BRACES, "[", 0, row.first);
}

static id unqualified(struct cxx *x, struct state *s)
{
    id n;
    take_if(x, "L"); /* internal linkage */
    const char c = peek(x);
    if (is_digit(c))
        n = source_name(x);
    else if (c == 'U')
        n = unnamed(x);
    else if (take_if(x, "DC"))
        n = binding(x);
    else
        n = operator_name(x, s);
    while (take_if(x, "B")) {
        const unsigned bytes = number(x);
        if (x->is_bad || bytes > (size_t)(x->end - x->at))
            return bad(x);
        n = make(x, (struct node){.kind = TAGGED, .a = n, .text = x->at, .bytes = bytes});
        x->at += bytes;
    }
    return n;
}

/* The name of a class without its scope and arguments: its constructors have it. */
static id base_of(const struct cxx *x, id n)
{
    for (unsigned i = 0; i < DEPTH; i++) {
        const struct node *const p = &x->nodes[n];
        if (p->kind == TEMPLATE || p->kind == TAGGED)
            n = p->a;
        else if (p->kind == QUALIFIED || p->kind == LOCAL)
            n = p->b;
        else
            break;
    }
    return n;
}

static id structor(struct cxx *x, id of, struct state *s)
{
    const bool is_end = peek(x) == 'D';
    x->at++;
    const bool inherits = !is_end && take_if(x, "I");
    const char c = peek(x);
    if (!of || (is_end ? c < '0' || c > '5' || c == '3' : c < '1' || c > '5'))
        return bad(x);
    x->at++;
    if (inherits)
        type(x);
    if (s)
        s->is_structor = true;
    id n = make_with(x, STRUCTOR, is_end ? "~" : "", base_of(x, of), 0);
    while (take_if(x, "B")) {
        const unsigned bytes = number(x);
        if (x->is_bad || bytes > (size_t)(x->end - x->at))
            return bad(x);
        n = make(x, (struct node){.kind = TAGGED, .a = n, .text = x->at, .bytes = bytes});
        x->at += bytes;
    }
    return n;
}

static const struct {
    char code;
    const char *text, *base, *whole;
} usual[] = {
    {'a', "std::allocator", "allocator", NULL},
    {'b', "std::basic_string", "basic_string", NULL},
    {'s', "std::string", "basic_string",
     "std::basic_string<char, std::char_traits<char>, std::allocator<char> >"},
    {'i', "std::istream", "basic_istream", "std::basic_istream<char, std::char_traits<char> >"},
    {'o', "std::ostream", "basic_ostream", "std::basic_ostream<char, std::char_traits<char> >"},
    {'d', "std::iostream", "basic_iostream", "std::basic_iostream<char, std::char_traits<char> >"},
};

/* As text and, for constructors, its last part: a text that hides one. */
static id usual_name(struct cxx *x)
{
    for (size_t i = 0; i < sizeof usual / sizeof *usual; i++) {
        if (peek(x) != usual[i].code)
            continue;
        x->at++;
        const bool is_whole = (peek(x) == 'C' || peek(x) == 'D') && usual[i].whole;
        id n = make_with(x, QUALIFIED, is_whole ? usual[i].whole : usual[i].text, 0,
                         name_of(x, usual[i].base));
        for (bool is_first = true; take_if(x, "B"); is_first = false) {
            const unsigned bytes = number(x);
            if (x->is_bad || bytes > (size_t)(x->end - x->at))
                return bad(x);
            n = make(x, (struct node){.kind = TAGGED, .a = n, .text = x->at, .bytes = bytes});
            x->at += bytes;
            if (is_first)
                remember(x, n);
        }
        return n;
    }
    return 0;
}

static id substitution(struct cxx *x)
{
    if (!take_if(x, "S"))
        return bad(x);
    const id known = usual_name(x);
    if (known || x->is_bad)
        return known;
    const unsigned i = sequence(x, 36);
    return x->is_bad || i >= x->sub_count ? bad(x) : x->subs[i];
}

/* ---- template parameters --------------------------------------------------------------------- */

static id forward(struct cxx *x, unsigned i)
{
    const id n = make(x, (struct node){.kind = FORWARD, .b = (id)i});
    if (x->forward_count == FORWARDS)
        return bad(x);
    x->forwards[x->forward_count++] = n;
    return n;
}

static id template_parameter(struct cxx *x)
{
    static const char *const autos[] = {"auto:1", "auto:2", "auto:3", "auto:4",
                                        "auto:5", "auto:6", "auto:7", "auto:8"};
    if (!take_if(x, "T"))
        return bad(x);
    if (take_if(x, "L"))
        sequence(x, 10);
    const unsigned i = sequence(x, 10);
    if (x->is_bad)
        return 0;
    if (x->is_lambda)
        return i < sizeof autos / sizeof *autos ? name_of(x, autos[i]) : bad(x);
    if (x->allows_forward)
        return forward(x, i);
    return i < x->param_count ? x->params[i] : bad(x);
}

static id decltype_(struct cxx *x)
{
    if (!take_if(x, "Dt") && !take_if(x, "DT"))
        return bad(x);
    const id n = make_with(x, UNARY, "decltype ", expression(x), 0);
    return take_if(x, "E") ? n : bad(x);
}

static id argument(struct cxx *x)
{
    id n;
    if (!enter(x))
        return leave(x, 0);
    if (take_if(x, "X")) {
        n = expression(x);
        if (!take_if(x, "E"))
            bad(x);
    } else if (take_if(x, "J")) {
        struct row row = {0, 0};
        while (!x->is_bad && !take_if(x, "E"))
            append(x, &row, argument(x));
        n = make(x, (struct node){.kind = ARGUMENTS, .a = row.first});
    } else {
        n = peek(x) == 'L' ? expression(x) : type(x);
    }
    return leave(x, n);
}

/* Those of a function's own name are what T_ means from then on. */
static id template_arguments(struct cxx *x, bool is_of_encoding)
{
    struct row row = {0, 0};
    id fresh[PARAMS];
    unsigned count = 0;
    if (!take_if(x, "I"))
        return bad(x);
    const bool allowed = x->allows_forward;
    x->allows_forward = false;
    while (!x->is_bad && !take_if(x, "E")) {
        const id n = argument(x);
        append(x, &row, n);
        const bool is_pack = x->nodes[n].kind == ARGUMENTS;
        if (is_of_encoding && count < PARAMS)
            fresh[count++] =
                is_pack ? make(x, (struct node){.kind = PACK, .a = x->nodes[n].a}) : n;
    }
    x->allows_forward = allowed;
    if (is_of_encoding) {
        memcpy(x->params, fresh, count * sizeof *fresh);
        x->param_count = count;
    }
    return row.first ? row.first : make(x, (struct node){.kind = LIST});
}

static id with_arguments(struct cxx *x, id of, bool is_of_encoding)
{
    const id list = template_arguments(x, is_of_encoding);
    return make(x, (struct node){.kind = TEMPLATE, .a = of, .b = list});
}

/* ---- scopes ---------------------------------------------------------------------------------- */

static uint8_t qualifiers(struct cxx *x)
{
    uint8_t flags = 0;
    flags |= take_if(x, "r") ? RESTRICT : 0;
    flags |= take_if(x, "V") ? VOLATILE : 0;
    flags |= take_if(x, "K") ? CONST : 0;
    return flags;
}

static id join(struct cxx *x, id scope, id n)
{
    return scope ? make(x, (struct node){.kind = QUALIFIED, .a = scope, .b = n}) : n;
}

static bool is_structor_next(const struct cxx *x)
{
    const char c = peek(x), second = peek_second(x);
    return (c == 'C' && (is_digit(second) || second == 'I')) || (c == 'D' && is_digit(second));
}

/* One part of a nested name, behind `scope`. *is_new: it can be referred to. */
static id part(struct cxx *x, id scope, struct state *s, bool *is_new)
{
    const char c = peek(x), second = peek_second(x);
    *is_new = true;
    if (c == 'I')
        return scope ? with_arguments(x, scope, s != NULL) : bad(x);
    if (c == 'S' && second == 't') {
        x->at += 2;
        *is_new = false;
        return scope ? bad(x) : name_of(x, "std");
    }
    if (c == 'S') {
        *is_new = false;
        return scope ? bad(x) : substitution(x);
    }
    if (c == 'T')
        return scope ? bad(x) : template_parameter(x);
    if (c == 'D' && (second == 't' || second == 'T'))
        return scope ? bad(x) : decltype_(x);
    return join(x, scope, is_structor_next(x) ? structor(x, scope, s) : unqualified(x, s));
}

static id nested(struct cxx *x, struct state *s)
{
    id scope = 0;
    x->at++; /* N */
    uint8_t flags = qualifiers(x);
    flags |= take_if(x, "R") ? LREF : take_if(x, "O") ? RREF : 0;
    bool is_new = false;
    while (!x->is_bad && !take_if(x, "E")) {
        if (take_if(x, "M")) /* the initializer of a data member */
            continue;
        const bool is_arguments = peek(x) == 'I';
        if (s && !is_arguments)
            s->has_arguments = s->is_structor = false;
        scope = part(x, scope, s, &is_new);
        if (s)
            s->has_arguments = is_arguments;
        if (is_new && peek(x) != 'E')
            remember(x, scope);
    }
    if (s)
        s->flags = flags;
    return scope ? scope : bad(x);
}

static void discriminator(struct cxx *x)
{
    if (take_if(x, "__")) {
        number(x);
        take_if(x, "_");
    } else if (peek(x) == '_' && is_digit(peek_second(x))) {
        x->at += 2;
    }
}

static id local(struct cxx *x, struct state *s)
{
    x->at++; /* Z */
    const id of = encoding(x, true);
    if (!take_if(x, "E"))
        return bad(x);
    if (take_if(x, "s")) {
        discriminator(x);
        return make(
            x, (struct node){.kind = LOCAL, .a = of, .b = name_of(x, "string literal")});
    }
    id scope = of;
    if (take_if(x, "d")) { /* in a default argument */
        const unsigned n = is_digit(peek(x)) ? number(x) + 2 : 1;
        if (!take_if(x, "_"))
            return bad(x);
        scope = make(x, (struct node){.kind = LOCAL,
                                      .a = of,
                                      .b = make(x, (struct node){.kind = LAMBDA,
                                                                 .text = "{default arg#",
                                                                 .bytes = n})});
    }
    const id n = name(x, s);
    discriminator(x);
    return make(x, (struct node){.kind = LOCAL, .a = scope, .b = n});
}

static id unscoped(struct cxx *x, struct state *s)
{
    const id scope = take_if(x, "St") ? name_of(x, "std") : 0;
    const id n = join(x, scope, unqualified(x, s));
    if (peek(x) != 'I')
        return n;
    remember(x, n);
    if (s)
        s->has_arguments = true;
    return with_arguments(x, n, s != NULL);
}

static id name(struct cxx *x, struct state *s)
{
    id n;
    if (!enter(x))
        return leave(x, 0);
    const char c = peek(x);
    if (c == 'N') {
        n = nested(x, s);
    } else if (c == 'Z') {
        n = local(x, s);
    } else if (c == 'S' && peek_second(x) != 't') {
        n = substitution(x);
        if (peek(x) != 'I')
            bad(x);
        else
            n = with_arguments(x, n, s != NULL);
        if (s)
            s->has_arguments = true;
    } else {
        n = unscoped(x, s);
    }
    return leave(x, n);
}

/* ---- types ----------------------------------------------------------------------------------- */

static const char *const builtin[26] = {
    ['v' - 'a'] = "void",          ['w' - 'a'] = "wchar_t",        ['b' - 'a'] = "bool",
    ['c' - 'a'] = "char",          ['a' - 'a'] = "signed char",    ['h' - 'a'] = "unsigned char",
    ['s' - 'a'] = "short",         ['t' - 'a'] = "unsigned short", ['i' - 'a'] = "int",
    ['j' - 'a'] = "unsigned int",  ['l' - 'a'] = "long",           ['m' - 'a'] = "unsigned long",
    ['x' - 'a'] = "long long",     ['y' - 'a'] = "unsigned long long",
    ['n' - 'a'] = "__int128",      ['o' - 'a'] = "unsigned __int128",
    ['f' - 'a'] = "float",         ['d' - 'a'] = "double",         ['e' - 'a'] = "long double",
    ['g' - 'a'] = "__float128",    ['z' - 'a'] = "...",
};

static const struct {
    char code[3];
    const char *text;
} more_builtin[] = {
    {"Da", "auto"},     {"Dc", "decltype(auto)"}, {"Dd", "decimal64"}, {"De", "decimal128"},
    {"Df", "decimal32"}, {"Dh", "_Float16"},           {"Di", "char32_t"},  {"Dn", "decltype(nullptr)"},
    {"Ds", "char16_t"}, {"Du", "char8_t"},
};

static id function(struct cxx *x, uint8_t flags)
{
    if (take_if(x, "Do")) {
        flags |= NOEXCEPT;
    } else if (take_if(x, "DO")) {
        expression(x);
        flags |= NOEXCEPT;
        if (!take_if(x, "E"))
            return bad(x);
    }
    take_if(x, "Dx");
    if (!take_if(x, "F"))
        return bad(x);
    take_if(x, "Y");
    const id result = type(x);
    struct row row = {0, 0};
    while (!x->is_bad && !take_if(x, "E")) {
        if (take_if(x, "v"))
            continue;
        if (take_if(x, "RE")) {
            flags |= LREF;
            break;
        }
        if (take_if(x, "OE")) {
            flags |= RREF;
            break;
        }
        append(x, &row, type(x));
    }
    return make(x, (struct node){.kind = FUNCTION, .a = result, .c = row.first, .flags = flags});
}

static bool is_function_next(const struct cxx *x)
{
    const char second = peek_second(x);
    return peek(x) == 'F' || (peek(x) == 'D' && (second == 'o' || second == 'O' || second == 'x'));
}

static id array(struct cxx *x)
{
    id size = 0;
    x->at++; /* A */
    if (is_digit(peek(x))) {
        const char *const text = x->at;
        number(x);
        size = make_text(x, text, (size_t)(x->at - text));
    } else if (peek(x) != '_') {
        size = expression(x);
    }
    if (!take_if(x, "_"))
        return bad(x);
    const id of = type(x);
    return make(x, (struct node){.kind = ARRAY, .a = of, .b = size});
}

static id vector(struct cxx *x)
{
    id size;
    x->at += 2; /* Dv */
    if (is_digit(peek(x))) {
        const char *const text = x->at;
        number(x);
        size = make_text(x, text, (size_t)(x->at - text));
    } else {
        take_if(x, "_");
        size = expression(x);
    }
    if (!take_if(x, "_"))
        return bad(x);
    const id of = type(x);
    return make_with(x, BINARY, "vector", of, size);
}

static id of_letter_d(struct cxx *x)
{
    const char second = peek_second(x);
    if (second == 'p') {
        x->at += 2;
        return make(x, (struct node){.kind = EXPANSION, .a = type(x)});
    }
    if (second == 't' || second == 'T')
        return decltype_(x);
    if (second == 'v')
        return vector(x);
    if (second == 'F') {
        x->at += 2;
        const char *const text = x->at;
        number(x);
        const id n = make_text(x, text, (size_t)(x->at - text));
        if (!take_if(x, "_"))
            take_if(x, "x");
        return make_with(x, PREFIXED, "_Float", n, 0);
    }
    return is_function_next(x) ? function(x, 0) : bad(x);
}

static id parameter_type(struct cxx *x)
{
    const id n = template_parameter(x);
    if (peek(x) != 'I' || x->is_bad || x->allows_forward)
        return n;
    remember(x, n);
    return with_arguments(x, n, false);
}

static id pointer(struct cxx *x, const char *text)
{
    x->at++;
    return make_with(x, POINTER, text, type(x), 0);
}

static id member(struct cxx *x)
{
    x->at++; /* M */
    const id of = type(x);
    const id is = type(x);
    return make(x, (struct node){.kind = MEMBER, .a = of, .b = is});
}

static id vendor(struct cxx *x)
{
    x->at++; /* U */
    const id n = source_name(x);
    if (peek(x) == 'I')
        template_arguments(x, false);
    const id of = type(x);
    return make_with(x, BINARY, " ", of, n);
}

static id qualified_type(struct cxx *x)
{
    const uint8_t flags = qualifiers(x);
    if (is_function_next(x))
        return function(x, flags);
    return make(x, (struct node){.kind = CV, .a = type(x), .flags = flags});
}

static id compound(struct cxx *x)
{
    switch (peek(x)) {
    case 'r':
    case 'V':
    case 'K':
        return qualified_type(x);
    case 'P':
        return pointer(x, "*");
    case 'R':
        return pointer(x, "&");
    case 'O':
        return pointer(x, "&&");
    case 'C':
        x->at++;
        return make_with(x, SUFFIXED, " _Complex", type(x), 0);
    case 'G':
        x->at++;
        return make_with(x, SUFFIXED, " _Imaginary", type(x), 0);
    case 'A':
        return array(x);
    case 'M':
        return member(x);
    case 'F':
        return function(x, 0);
    case 'D':
        return of_letter_d(x);
    case 'T':
        if (!strchr("sue", peek_second(x)) || !peek_second(x))
            return parameter_type(x);
        x->at += 2; /* struct, union, enum */
        return name(x, NULL);
    case 'U':
        return peek_second(x) == 't' || peek_second(x) == 'l' ? name(x, NULL) : vendor(x);
    default:
        return name(x, NULL);
    }
}

static id builtin_type(struct cxx *x)
{
    const char c = peek(x);
    if (c >= 'a' && c <= 'z' && builtin[c - 'a']) {
        x->at++;
        return name_of(x, builtin[c - 'a']);
    }
    for (size_t i = 0; c == 'D' && i < sizeof more_builtin / sizeof *more_builtin; i++)
        if (take_if(x, more_builtin[i].code))
            return name_of(x, more_builtin[i].text);
    return 0;
}

static id substituted_type(struct cxx *x)
{
    const id n = substitution(x);
    if (peek(x) != 'I' || x->is_bad)
        return n;
    const id with = with_arguments(x, n, false);
    remember(x, with);
    return with;
}

static id type(struct cxx *x)
{
    if (!enter(x))
        return leave(x, 0);
    id n = builtin_type(x);
    if (n || x->is_bad)
        return leave(x, n);
    if (peek(x) == 'S' && peek_second(x) != 't')
        return leave(x, substituted_type(x));
    if (take_if(x, "u")) {
        n = source_name(x);
        if (peek(x) == 'I')
            n = with_arguments(x, n, false);
    } else {
        n = compound(x);
    }
    remember(x, n);
    return leave(x, n);
}

/* ---- expressions ----------------------------------------------------------------------------- */

static id expressions(struct cxx *x)
{
    struct row row = {0, 0};
    while (!x->is_bad && !take_if(x, "E"))
        append(x, &row, expression(x));
    return row.first;
}

static id literal(struct cxx *x)
{
    x->at++; /* L */
    if (take_if(x, "_Z") || take_if(x, "Z")) {
        const id n = encoding(x, false);
        return take_if(x, "E") ? n : bad(x);
    }
    const id of = type(x);
    const char *const text = x->at;
    while (x->at < x->end && *x->at != 'E')
        x->at++;
    const size_t bytes = (size_t)(x->at - text);
    return take_if(x, "E") ? make(x, (struct node){.kind = LITERAL,
                                                   .a = of,
                                                   .text = text,
                                                   .bytes = (uint32_t)bytes})
                           : bad(x);
}

/* "fp_", "fL0p_": a parameter of the function. */
static id function_parameter(struct cxx *x)
{
    if (take_if(x, "fpT"))
        return name_of(x, "this");
    if (take_if(x, "fL"))
        number(x), take_if(x, "p");
    else if (!take_if(x, "fp"))
        return bad(x);
    qualifiers(x);
    const unsigned n = sequence(x, 10) + 1;
    return make(x, (struct node){.kind = LAMBDA, .text = "{parm#", .bytes = n});
}

static id fold(struct cxx *x)
{
    const char which = peek_second(x);
    x->at += 2;
    const struct op *const op = find_op(x);
    if (!op)
        return bad(x);
    x->at += 2;
    const id a = expression(x);
    const id b = which == 'L' || which == 'R' ? expression(x) : 0;
    struct node n = {.kind = FOLD, .a = a, .b = b, .text = op->text};
    n.bytes = (uint32_t)strlen(op->text);
    n.flags = which == 'l' ? FOLD_LEFT : 0;
    return make(x, n);
}

/* "sr": a name in a scope that only the arguments tell. */
static id unresolved_base(struct cxx *x)
{
    id n;
    if (take_if(x, "on"))
        n = operator_name(x, NULL);
    else if (take_if(x, "dn"))
        n = make_with(x, PREFIXED, "~", is_digit(peek(x)) ? source_name(x) : type(x), 0);
    else
        n = is_digit(peek(x)) ? source_name(x) : operator_name(x, NULL);
    return peek(x) == 'I' ? with_arguments(x, n, false) : n;
}

static id unresolved(struct cxx *x)
{
    id scope = 0;
    x->at += 2; /* sr */
    if (peek(x) == 'N' || is_digit(peek(x))) {
        if (take_if(x, "N"))
            scope = type(x);
        while (!x->is_bad && !take_if(x, "E")) {
            id n = source_name(x);
            n = peek(x) == 'I' ? with_arguments(x, n, false) : n;
            scope = join(x, scope, n);
        }
    } else {
        scope = type(x);
        if (peek(x) == 'I')
            scope = with_arguments(x, scope, false);
    }
    return join(x, scope, unresolved_base(x));
}

static id cast(struct cxx *x)
{
    x->at += 2; /* cv */
    const id to = type(x);
    if (take_if(x, "_")) {
        const id list = expressions(x);
        return make_with(x, CAST, "list", to, list);
    }
    struct row row = {0, 0};
    append(x, &row, expression(x));
    return make_with(x, CAST, "", to, row.first);
}

static id new_(struct cxx *x, const char *text)
{
    struct row row = {0, 0};
    x->at += 2;
    while (!x->is_bad && !take_if(x, "_"))
        append(x, &row, expression(x));
    const id of = type(x);
    if (take_if(x, "pi"))
        return make_with(x, CALL, "", make_with(x, PREFIXED, text, of, 0), expressions(x));
    return take_if(x, "E") ? make_with(x, PREFIXED, text, of, 0) : bad(x);
}

static id of_type(struct cxx *x, const char *text)
{
    x->at += 2;
    return make_with(x, UNARY, text, type(x), 0);
}

static id of_expression(struct cxx *x, const char *text)
{
    x->at += 2;
    return make_with(x, UNARY, text, expression(x), 0);
}

static id call(struct cxx *x)
{
    x->at += 2;
    const id of = expression(x);
    const id list = expressions(x);
    return make(x, (struct node){.kind = CALL, .a = of, .b = list, .text = ""});
}

static id named_cast(struct cxx *x, const char *text)
{
    x->at += 2;
    const id to = type(x);
    const id of = expression(x);
    return make_with(x, CAST, text, to, of);
}

static id braces(struct cxx *x, bool has_type)
{
    x->at += 2;
    const id of = has_type ? type(x) : 0;
    const id list = expressions(x);
    return make_with(x, BRACES, "{", of, list);
}

static id throw_(struct cxx *x)
{
    return of_expression(x, "throw ");
}

static id rethrow(struct cxx *x)
{
    x->at += 2;
    return name_of(x, "throw");
}

static id size_of_pack(struct cxx *x)
{
    x->at += 2;
    const id pack = peek(x) == 'T' ? template_parameter(x) : function_parameter(x);
    return make_with(x, SUFFIXED, "sizeof...", pack, 0);
}

static id size_of_arguments(struct cxx *x)
{
    struct row row = {0, 0};
    x->at += 2;
    while (!x->is_bad && !take_if(x, "E"))
        append(x, &row, argument(x));
    const id pack = make(x, (struct node){.kind = PACK, .a = row.first});
    return make_with(x, SUFFIXED, "sizeof...", pack, 0);
}

static id expansion(struct cxx *x)
{
    x->at += 2;
    return make(x, (struct node){.kind = EXPANSION, .a = expression(x)});
}

static id of_operator(struct cxx *x, const struct op *op)
{
    x->at += 2;
    if (op->kind == 'u')
        return make_with(x, UNARY, op->text, expression(x), 0);
    if (op->kind == 'p') {
        const bool is_prefix = take_if(x, "_");
        return make_with(x, is_prefix ? UNARY : POSTFIX, op->text, expression(x), 0);
    }
    const id a = expression(x);
    const bool is_name = strcmp(op->code, "dt") == 0 || strcmp(op->code, "pt") == 0;
    const id b = is_name && (is_digit(peek(x)) || peek(x) == 'o' || peek(x) == 'd') &&
                         strncmp(x->at, "dt", 2) != 0
                     ? unresolved_base(x)
                     : expression(x);
    return make_with(x, BINARY, op->text, a, b);
}

static id ternary(struct cxx *x)
{
    x->at += 2;
    const id a = expression(x), b = expression(x), c = expression(x);
    return make(x, (struct node){.kind = TERNARY, .a = a, .b = b, .c = c});
}

static id subscript(struct cxx *x)
{
    x->at += 2;
    const id a = expression(x), b = expression(x);
    return make(x, (struct node){.kind = SUBSCRIPT, .a = a, .b = b});
}

/* Those that need more than an operator's text; NULL in `with`: the text only. */
static const struct {
    char code[3];
    id (*read)(struct cxx *x);
    id (*with)(struct cxx *x, const char *text);
    const char *text;
} forms[] = {
    {"cl", call, NULL, NULL},
    {"cv", cast, NULL, NULL},
    {"qu", ternary, NULL, NULL},
    {"ix", subscript, NULL, NULL},
    {"sr", unresolved, NULL, NULL},
    {"sp", expansion, NULL, NULL},
    {"sZ", size_of_pack, NULL, NULL},
    {"sP", size_of_arguments, NULL, NULL},
    {"tr", rethrow, NULL, NULL},
    {"tw", throw_, NULL, NULL},
    {"st", NULL, of_type, "sizeof "},
    {"at", NULL, of_type, "alignof "},
    {"ti", NULL, of_type, "typeid "},
    {"sz", NULL, of_expression, "sizeof "},
    {"az", NULL, of_expression, "alignof "},
    {"te", NULL, of_expression, "typeid "},
    {"nx", NULL, of_expression, "noexcept "},
    {"nw", NULL, new_, "new "},
    {"na", NULL, new_, "new[] "},
    {"dc", NULL, named_cast, "dynamic_cast"},
    {"sc", NULL, named_cast, "static_cast"},
    {"cc", NULL, named_cast, "const_cast"},
    {"rc", NULL, named_cast, "reinterpret_cast"},
};

static id form(struct cxx *x)
{
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
        if (peek(x) == forms[i].code[0] && peek_second(x) == forms[i].code[1])
            return forms[i].read ? forms[i].read(x) : forms[i].with(x, forms[i].text);
    const struct op *const op = find_op(x);
    return op && op->kind != 's' ? of_operator(x, op) : bad(x);
}

static id any_expression(struct cxx *x)
{
    const char c = peek(x), second = peek_second(x);
    if (take_if(x, "gs"))
        return make_with(x, PREFIXED, "::", expression(x), 0);
    if (c == 'L')
        return literal(x);
    if (c == 'T')
        return template_parameter(x);
    if (c == 'f' && (second == 'p' || (second == 'L' && is_digit(x->at[2]))))
        return function_parameter(x);
    if (c == 'f' && strchr("lrLR", second) && second)
        return fold(x);
    if (c == 't' && second == 'l')
        return braces(x, true);
    if (c == 'i' && second == 'l')
        return braces(x, false);
    if (is_digit(c) || (c == 'o' && second == 'n') || (c == 'd' && second == 'n'))
        return unresolved_base(x);
    return form(x);
}

static id expression(struct cxx *x)
{
    if (!enter(x))
        return leave(x, 0);
    return leave(x, any_expression(x));
}

/* ---- encodings ------------------------------------------------------------------------------- */

static void call_offset(struct cxx *x)
{
    const unsigned numbers = take_if(x, "h") ? 1 : take_if(x, "v") ? 2 : 0;
    if (!numbers)
        x->is_bad = true;
    for (unsigned i = 0; i < numbers; i++) {
        take_if(x, "n");
        number(x);
        if (!take_if(x, "_"))
            x->is_bad = true;
    }
}

static const struct {
    char code[4];
    char of; /* t: type, n: name, e: encoding, 1, 2: offsets and an encoding */
    const char *text;
} specials[] = {
    {"TV", 't', "vtable for "},
    {"TT", 't', "VTT for "},
    {"TI", 't', "typeinfo for "},
    {"TS", 't', "typeinfo name for "},
    {"TF", 't', "typeinfo fn for "},
    {"TJ", 't', "java Class for "},
    {"Th", '1', "non-virtual thunk to "},
    {"Tv", '1', "virtual thunk to "},
    {"Tc", '2', "covariant return thunk to "},
    {"TH", 'n', "TLS init function for "},
    {"TW", 'n', "TLS wrapper function for "},
    {"TA", 'a', "template parameter object for "},
    {"GV", 'n', "guard variable for "},
    {"GR", 'r', "reference temporary #"},
    {"GA", 'e', "hidden alias for "},
    {"GTt", 'e', "transaction clone for "},
    {"GTn", 'e', "non-transaction clone for "},
};

static id construction_vtable(struct cxx *x)
{
    const id of = type(x);
    number(x);
    if (!take_if(x, "_"))
        return bad(x);
    const id in = type(x);
    return make_with(x, PREFIXED, "construction vtable for ",
                     make_with(x, QUALIFIED, "-in-", in, of), 0);
}

static id special(struct cxx *x)
{
    if (take_if(x, "TC"))
        return construction_vtable(x);
    for (size_t i = 0; i < sizeof specials / sizeof *specials; i++) {
        const char of = specials[i].of;
        if (of == '1' && peek(x) == 'T' && peek_second(x) == specials[i].code[1])
            x->at++;
        else if (of == '1' || !take_if(x, specials[i].code))
            continue;
        if (of == '1' || of == '2')
            call_offset(x);
        if (of == '2')
            call_offset(x);
        if (of == 'r') {
            const id n = name(x, NULL);
            const unsigned count = peek(x) == '_' || peek(x) ? sequence(x, 36) : 0;
            const id of_n = make(x, (struct node){.kind = LAMBDA, .text = " for ", .a = n,
                                                  .bytes = count});
            return make_with(x, PREFIXED, specials[i].text, of_n, 0);
        }
        const id n = of == 't'   ? type(x)
                     : of == 'n' ? name(x, NULL)
                     : of == 'a' ? argument(x)
                                 : encoding(x, false);
        return make_with(x, PREFIXED, specials[i].text, n, 0);
    }
    return bad(x);
}

static void resolve_forwards(struct cxx *x, unsigned from)
{
    for (unsigned i = from; i < x->forward_count; i++) {
        struct node *const f = &x->nodes[x->forwards[i]];
        if (f->b >= x->param_count)
            x->is_bad = true;
        else
            f->a = x->params[f->b];
    }
    x->forward_count = from;
}

static id function_encoding(struct cxx *x, bool is_scope)
{
    struct state s = {false, false, 0};
    const unsigned forwards = x->forward_count;
    const id n = name(x, &s);
    resolve_forwards(x, forwards);
    if (x->is_bad)
        return 0;
    if (x->at == x->end || *x->at == 'E' || *x->at == '.')
        return n;
    if (take_if(x, "Ua9enable_if"))
        template_arguments(x, false);
    id result = !s.is_structor && s.has_arguments ? type(x) : 0;
    if (is_scope) /* it would read as the type of what stands inside */
        result = 0;
    if (x->at == x->end)
        return bad(x);
    const id list = parameters(x);
    return make(x, (struct node){
                       .kind = ENCODING, .a = result, .b = n, .c = list, .flags = s.flags});
}

/* T_ means the arguments of the nearest function's name. */
static id encoding(struct cxx *x, bool is_scope)
{
    id params[PARAMS];
    const unsigned count = x->param_count;
    const bool was_lambda = x->is_lambda, allowed = x->allows_forward;
    if (!enter(x))
        return leave(x, 0);
    memcpy(params, x->params, count * sizeof *params);
    x->is_lambda = x->allows_forward = false;
    const char second = peek_second(x);
    const bool is_special = (peek(x) == 'T' && second != '_' && !is_digit(second)) ||
                            (peek(x) == 'G' && second && strchr("VRAT", second));
    const id n = is_special ? special(x) : function_encoding(x, is_scope);
    x->is_lambda = was_lambda;
    x->allows_forward = allowed;
    memcpy(x->params, params, count * sizeof *params);
    x->param_count = count;
    return leave(x, n);
}

/* ---- writing --------------------------------------------------------------------------------- */

static void left(struct cxx *x, id n);
static void right(struct cxx *x, id n);

static void put(struct cxx *x, const char *text, size_t bytes)
{
    if (bytes > x->room - 1 - x->used) {
        bytes = x->room - 1 - x->used;
        x->is_full = true;
    }
    memcpy(x->out + x->used, text, bytes);
    x->used += bytes;
}

static void puts_(struct cxx *x, const char *text)
{
    put(x, text, strlen(text));
}

static void put_number(struct cxx *x, unsigned n)
{
    char text[16];
    put(x, text, (size_t)snprintf(text, sizeof text, "%u", n));
}

static char last(const struct cxx *x)
{
    return x->used ? x->out[x->used - 1] : '\0';
}

static void write_node(struct cxx *x, id n)
{
    left(x, n);
    right(x, n);
}

/* The element of a pack that is being written, or of a forward reference what it means: the type
 * itself. */
static id meant(struct cxx *x, id n)
{
    for (unsigned i = 0; i < DEPTH && n; i++) {
        const struct node *const p = &x->nodes[n];
        if (p->kind == FORWARD) {
            n = p->a;
        } else if (p->kind == PACK) {
            unsigned count = 0;
            for (id l = p->a; l; l = x->nodes[l].b)
                count++;
            x->steps += count;
            if (x->pack_count == NO_PACK) {
                x->pack_count = count;
                x->pack_at = 0;
            }
            if (x->pack_at >= count)
                return 0;
            id l = p->a;
            for (unsigned at = 0; at < x->pack_at; at++)
                l = x->nodes[l].b;
            n = x->nodes[l].a;
        } else {
            return n;
        }
        if (++x->steps > STEPS)
            x->is_bad = true;
    }
    return n;
}

/* Types that are written around what they are of. */
static bool is_around(struct cxx *x, id n, enum kind kind)
{
    for (unsigned i = 0; i < DEPTH; i++) {
        n = meant(x, n);
        if (++x->steps > STEPS)
            x->is_bad = true;
        if (x->nodes[n].kind != CV)
            return x->nodes[n].kind == kind;
        n = x->nodes[n].a;
    }
    return false;
}

static void put_flags(struct cxx *x, unsigned flags)
{
    static const struct {
        unsigned flag;
        const char *text;
    } texts[] = {{CONST, " const"},  {VOLATILE, " volatile"}, {RESTRICT, " __restrict"},
                 {LREF, " &"}, {RREF, " &&"},           {NOEXCEPT, " noexcept"}};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (flags & texts[i].flag)
            puts_(x, texts[i].text);
}

static void put_list(struct cxx *x, id list)
{
    bool is_first = true;
    for (; list && !x->is_full && !x->is_bad; list = x->nodes[list].b) {
        const size_t before = x->used;
        if (!is_first)
            puts_(x, ", ");
        const size_t start = x->used;
        if (x->nodes[list].a)
            write_node(x, x->nodes[list].a);
        if (x->used == start && !x->is_full)
            x->used = before; /* an empty pack */
        else
            is_first = false;
        if (++x->steps > STEPS)
            x->is_bad = true;
    }
}

static void put_arguments(struct cxx *x, id list)
{
    puts_(x, last(x) == '<' ? " <" : "<");
    put_list(x, list);
    puts_(x, last(x) == '>' ? " >" : ">");
}

static void put_parameters(struct cxx *x, id list)
{
    puts_(x, "(");
    put_list(x, list);
    puts_(x, ")");
}

/* References to references are one. */
static id referred(struct cxx *x, const struct node *p, const char **text)
{
    id n = p->a;
    *text = p->text;
    for (unsigned i = 0; i < DEPTH && p->text[0] == '&'; i++) {
        const struct node *const q = &x->nodes[meant(x, n)];
        if (q->kind != POINTER || q->text[0] != '&')
            break;
        if (!q->text[1])
            *text = q->text;
        n = q->a;
    }
    return n;
}

/* "const" of what is const already is said once. */
static void left_of_cv(struct cxx *x, const struct node *p)
{
    const struct node *const q = &x->nodes[meant(x, p->a)];
    left(x, p->a);
    put_flags(x, q->kind == CV ? p->flags & ~q->flags : p->flags);
}

static void left_of_pointer(struct cxx *x, const struct node *p)
{
    const char *text;
    const id n = referred(x, p, &text);
    left(x, n);
    const bool is_array = is_around(x, n, ARRAY);
    if (is_array)
        puts_(x, " ");
    if (is_array || is_around(x, n, FUNCTION))
        puts_(x, "(");
    puts_(x, text);
}

static void right_of_pointer(struct cxx *x, const struct node *p)
{
    const char *text;
    const id n = referred(x, p, &text);
    if (is_around(x, n, ARRAY) || is_around(x, n, FUNCTION))
        puts_(x, ")");
    right(x, n);
}

static void left_of_member(struct cxx *x, const struct node *p)
{
    left(x, p->b);
    const bool is_array = is_around(x, p->b, ARRAY), is_function = is_around(x, p->b, FUNCTION);
    puts_(x, is_array ? " (" : is_function ? "(" : " ");
    write_node(x, p->a);
    puts_(x, "::*");
}

static void right_of_member(struct cxx *x, const struct node *p)
{
    if (is_around(x, p->b, ARRAY) || is_around(x, p->b, FUNCTION))
        puts_(x, ")");
    right(x, p->b);
}

static void left_of_function(struct cxx *x, const struct node *p)
{
    if (!p->a)
        return;
    left(x, p->a);
    puts_(x, " ");
}

static void right_of_function(struct cxx *x, const struct node *p)
{
    put_parameters(x, p->c);
    put_flags(x, p->flags);
    if (p->a)
        right(x, p->a);
}

static void put_encoding(struct cxx *x, const struct node *p)
{
    if (p->a) {
        left(x, p->a);
        puts_(x, " ");
    }
    write_node(x, p->b);
    put_parameters(x, p->c);
    put_flags(x, p->flags);
    if (p->a)
        right(x, p->a);
}

static void right_of_array(struct cxx *x, const struct node *p)
{
    puts_(x, last(x) == ']' ? "[" : " [");
    if (p->b)
        write_node(x, p->b);
    puts_(x, "]");
    right(x, p->a);
}

static void put_scoped(struct cxx *x, const struct node *p)
{
    if (p->text) { /* a usual name, or "b-in-a" */
        if (!p->a) {
            put(x, p->text, p->bytes);
            return;
        }
        write_node(x, p->b);
        put(x, p->text, p->bytes);
        write_node(x, p->a);
        return;
    }
    write_node(x, p->a);
    puts_(x, "::");
    write_node(x, p->b);
}

static void put_expansion(struct cxx *x, const struct node *p)
{
    const unsigned at = x->pack_at, count = x->pack_count;
    const size_t before = x->used;
    x->pack_count = NO_PACK;
    write_node(x, p->a);
    if (x->pack_count == NO_PACK) {
        puts_(x, "...");
    } else if (x->pack_count == 0) {
        x->used = before;
    } else {
        for (x->pack_at = 1; x->pack_at < x->pack_count && !x->is_full && !x->is_bad; x->pack_at++) {
            puts_(x, ", ");
            write_node(x, p->a);
        }
    }
    x->pack_at = at;
    x->pack_count = count;
}

static void put_lambda(struct cxx *x, const struct node *p)
{
    const bool is_unnamed = !p->text;
    if (is_unnamed) {
        puts_(x, "{unnamed type#");
    } else if (strcmp(p->text, "lambda") == 0) {
        puts_(x, "{lambda");
        put_parameters(x, p->a);
        puts_(x, "#");
    } else if (p->text[0] == ' ') {
        put_number(x, p->bytes);
        puts_(x, p->text);
        write_node(x, p->a);
        return;
    } else {
        puts_(x, p->text);
    }
    put_number(x, p->bytes);
    puts_(x, "}");
}

/* ---- writing expressions --------------------------------------------------------------------- */

static void put_operand(struct cxx *x, id n)
{
    const id is = meant(x, n);
    const uint8_t kind = x->nodes[is].kind;
    const bool is_simple = kind == NAME || kind == QUALIFIED || kind == BRACES ||
                           (kind == LAMBDA && x->nodes[is].text && x->nodes[is].text[0] == '{');
    if (!is_simple)
        puts_(x, "(");
    write_node(x, n);
    if (!is_simple)
        puts_(x, ")");
}

static void put_binary(struct cxx *x, const struct node *p)
{
    if (strcmp(p->text, "vector") == 0 || strcmp(p->text, " ") == 0) {
        write_node(x, p->a);
        puts_(x, p->text[0] == ' ' ? " " : " __vector(");
        write_node(x, p->b);
        puts_(x, p->text[0] == ' ' ? "" : ")");
        return;
    }
    const bool is_greater = strcmp(p->text, ">") == 0;
    puts_(x, is_greater ? "(" : "");
    put_operand(x, p->a);
    puts_(x, p->text);
    put_operand(x, p->b);
    puts_(x, is_greater ? ")" : "");
}

static void put_unary(struct cxx *x, const struct node *p)
{
    const id is = meant(x, p->a);
    puts_(x, p->text);
    if (strcmp(p->text, "&") == 0 && x->nodes[is].kind == ENCODING &&
        x->nodes[x->nodes[is].b].kind == QUALIFIED) {
        write_node(x, x->nodes[is].b); /* of a member function, by its name */
    } else if (strcmp(p->text, "sizeof ") == 0 || strcmp(p->text, "decltype ") == 0 ||
               strcmp(p->text, "alignof ") == 0) {
        puts_(x, "(");
        write_node(x, p->a);
        puts_(x, ")");
    } else {
        put_operand(x, p->a);
    }
}

static void put_cast(struct cxx *x, const struct node *p)
{
    if (p->text[0] && strcmp(p->text, "list") != 0) {
        puts_(x, p->text);
        puts_(x, "<");
        write_node(x, p->a);
        puts_(x, ">(");
        write_node(x, p->b);
        puts_(x, ")");
        return;
    }
    puts_(x, "(");
    write_node(x, p->a);
    puts_(x, ")");
    if (p->text[0])
        put_parameters(x, p->b);
    else
        put_operand(x, p->b ? x->nodes[p->b].a : 0);
}

static void put_literal(struct cxx *x, const struct node *p)
{
    static const struct {
        const char *type, *suffix;
    } plain[] = {{"int", ""},        {"unsigned int", "u"}, {"long", "l"},
                 {"unsigned long", "ul"}, {"long long", "ll"}, {"unsigned long long", "ull"}};
    const struct node *const t = &x->nodes[p->a];
    const bool is_negative = p->bytes && p->text[0] == 'n';
    const char *const digits = p->text + is_negative;
    const size_t count = p->bytes - is_negative;
    const char *suffix = NULL;
    for (size_t i = 0; i < sizeof plain / sizeof *plain && t->kind == NAME; i++)
        if (t->bytes == strlen(plain[i].type) && memcmp(t->text, plain[i].type, t->bytes) == 0)
            suffix = plain[i].suffix;
    const bool is_bool = t->kind == NAME && t->bytes == 4 && memcmp(t->text, "bool", 4) == 0;
    if (is_bool && count == 1 && (*digits == '0' || *digits == '1')) {
        puts_(x, *digits == '1' ? "true" : "false");
        return;
    }
    if (!suffix) {
        puts_(x, "(");
        write_node(x, p->a);
        puts_(x, ")");
    }
    const bool is_real = t->kind == NAME && (t->text[0] == 'f' || t->text[0] == 'd');
    puts_(x, is_negative ? "-" : "");
    puts_(x, is_real ? "[" : "");
    put(x, digits, count);
    puts_(x, is_real ? "]" : suffix ? suffix : "");
}

static void put_fold(struct cxx *x, const struct node *p)
{
    puts_(x, "(");
    if (p->b || !(p->flags & FOLD_LEFT))
        put_operand(x, p->a);
    else
        puts_(x, "...");
    put(x, p->text, p->bytes);
    if (p->b) {
        puts_(x, "...");
        put(x, p->text, p->bytes);
        put_operand(x, p->b);
    } else if (p->flags & FOLD_LEFT) {
        put_operand(x, p->a);
    } else {
        puts_(x, "...");
    }
    puts_(x, ")");
}

static void put_ternary(struct cxx *x, const struct node *p)
{
    put_operand(x, p->a);
    puts_(x, "?");
    put_operand(x, p->b);
    puts_(x, " : ");
    put_operand(x, p->c);
}

/* How many a pack has, where that is asked. */
static void put_size_of_pack(struct cxx *x, id n)
{
    unsigned count = 0;
    if (x->nodes[n].kind != PACK) {
        puts_(x, "sizeof...(");
        write_node(x, n);
        puts_(x, ")");
        return;
    }
    for (id l = x->nodes[n].a; l; l = x->nodes[l].b)
        count++;
    put_number(x, count);
}

static void put_suffixed(struct cxx *x, const struct node *p)
{
    if (strcmp(p->text, "sizeof...") == 0) {
        put_size_of_pack(x, p->a);
        return;
    }
    write_node(x, p->a);
    put(x, p->text, p->bytes);
}

static void put_braces(struct cxx *x, const struct node *p)
{
    if (p->a)
        write_node(x, p->a);
    puts_(x, p->text);
    put_list(x, p->b);
    puts_(x, p->text[0] == '[' ? "]" : "}");
}

static void put_call(struct cxx *x, const struct node *p)
{
    const id is = meant(x, p->a);
    if (x->nodes[is].kind == ENCODING)
        write_node(x, x->nodes[is].b);
    else
        put_operand(x, p->a);
    put_parameters(x, p->b);
}

/* ---- writing nodes --------------------------------------------------------------------------- */

static void left_of(struct cxx *x, const struct node *p)
{
    switch ((enum kind)p->kind) {
    case NONE:
    case LIST:
    case FORWARD:
    case PACK:
        break;
    case NAME:
        put(x, p->text, p->bytes);
        break;
    case QUALIFIED:
        put_scoped(x, p);
        break;
    case LOCAL:
        write_node(x, p->a);
        puts_(x, "::");
        write_node(x, p->b);
        break;
    case TEMPLATE:
        write_node(x, p->a);
        put_arguments(x, p->b);
        break;
    case ENCODING:
        put_encoding(x, p);
        break;
    case FUNCTION:
        left_of_function(x, p);
        break;
    case POINTER:
        left_of_pointer(x, p);
        break;
    case SUFFIXED:
        put_suffixed(x, p);
        break;
    case PREFIXED:
        put(x, p->text, p->bytes);
        write_node(x, p->a);
        break;
    case CV:
        left_of_cv(x, p);
        break;
    case ARRAY:
        left(x, p->a);
        break;
    case MEMBER:
        left_of_member(x, p);
        break;
    case STRUCTOR:
        put(x, p->text, p->bytes);
        write_node(x, p->a);
        break;
    case CONVERSION:
        puts_(x, "operator ");
        write_node(x, p->a);
        break;
    case ARGUMENTS:
        put_list(x, p->a);
        break;
    case EXPANSION:
        put_expansion(x, p);
        break;
    case LAMBDA:
        put_lambda(x, p);
        break;
    case TAGGED:
        write_node(x, p->a);
        puts_(x, "[abi:");
        put(x, p->text, p->bytes);
        puts_(x, "]");
        break;
    case BINARY:
        put_binary(x, p);
        break;
    case UNARY:
        put_unary(x, p);
        break;
    case POSTFIX:
        put_operand(x, p->a);
        puts_(x, p->text);
        break;
    case TERNARY:
        put_ternary(x, p);
        break;
    case CALL:
        put_call(x, p);
        break;
    case CAST:
        put_cast(x, p);
        break;
    case BRACES:
        put_braces(x, p);
        break;
    case SUBSCRIPT:
        put_operand(x, p->a);
        puts_(x, "[");
        write_node(x, p->b);
        puts_(x, "]");
        break;
    case LITERAL:
        put_literal(x, p);
        break;
    case FOLD:
        put_fold(x, p);
        break;
    }
}

static void right_of(struct cxx *x, const struct node *p)
{
    if (p->kind == FUNCTION)
        right_of_function(x, p);
    else if (p->kind == POINTER)
        right_of_pointer(x, p);
    else if (p->kind == CV)
        right(x, p->a);
    else if (p->kind == ARRAY)
        right_of_array(x, p);
    else if (p->kind == MEMBER)
        right_of_member(x, p);
}

static void write_part(struct cxx *x, id n, void (*write)(struct cxx *x, const struct node *p))
{
    if (x->is_full || !enter(x)) {
        x->depth -= x->is_bad; /* enter() has counted it */
        return;
    }
    write(x, &x->nodes[meant(x, n)]);
    x->depth--;
}

static void left(struct cxx *x, id n)
{
    write_part(x, n, left_of);
}

static void right(struct cxx *x, id n)
{
    write_part(x, n, right_of);
}

/* ---- the name -------------------------------------------------------------------------------- */

/* ".isra.0", ".cold": what compilers split off. */
static void put_clones(struct cxx *x)
{
    while (x->at < x->end && *x->at == '.') {
        const char *const from = x->at++;
        while (x->at < x->end && *x->at != '.')
            x->at++;
        while (x->end - x->at > 1 && x->at[0] == '.' && is_digit(x->at[1]))
            for (x->at++; x->at < x->end && is_digit(*x->at);)
                x->at++;
        puts_(x, " [clone ");
        put(x, from, (size_t)(x->at - from));
        puts_(x, "]");
    }
}

bool demangle_cxx(const char *mangled, char *out, size_t room)
{
    const size_t bytes = strlen(mangled);
    if (!room || bytes < 3 || bytes > 4096 || memcmp(mangled, "_Z", 2) != 0)
        return false;
    struct cxx *const x = malloc(sizeof *x);
    if (!x)
        return false;
    memset(x, 0, offsetof(struct cxx, nodes));
    memset((char *)x + offsetof(struct cxx, count), 0, sizeof *x - offsetof(struct cxx, count));
    x->nodes[0] = (struct node){.kind = NONE};
    x->count = 1;
    x->at = mangled + 2;
    x->end = mangled + bytes;
    x->out = out;
    x->room = room;
    x->pack_count = NO_PACK;
    const id n = encoding(x, false);
    bool is_good = !x->is_bad && n && (x->at == x->end || *x->at == '.');
    if (is_good) {
        x->depth = 0;
        write_node(x, n);
        put_clones(x);
        is_good = !x->is_bad && x->used > 0;
        out[x->used] = '\0';
    }
    free(x);
    return is_good;
}

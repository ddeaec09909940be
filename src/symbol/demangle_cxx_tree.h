/* A C++ name as a tree: what the reader makes and the writer turns into text, and the limits that
 * both keep to. */
#ifndef SRC_SYMBOL_DEMANGLE_CXX_TREE_H
#define SRC_SYMBOL_DEMANGLE_CXX_TREE_H

#include <stdbool.h>
#include <stdint.h>

enum {
    CXX_NODES = 4096,
    CXX_DEPTH = 160,     /* of the grammar, and of writing */
    CXX_STEPS = 1 << 16, /* of both together: some milliseconds */
};

enum cxx_kind {
    CXX_NONE,
    CXX_NAME,         /* text */
    CXX_USUAL,        /* text: one of std's, that has its own code; b: its name as a class */
    CXX_QUALIFIED,    /* a::b */
    CXX_LOCAL,        /* a::b, of a function's inside */
    CXX_TEMPLATE,     /* a<list b> */
    CXX_LIST,         /* a, then the list b */
    CXX_ENCODING,     /* a: return type, b: name, list c: parameters; flags */
    CXX_FUNCTION,     /* a: return type, list c: parameters; flags */
    CXX_POINTER,      /* a and the text: "*", "&", "&&" */
    CXX_SUFFIXED,     /* a and the text behind it */
    CXX_PREFIXED,     /* the text and a behind it */
    CXX_CV,           /* a with flags */
    CXX_ARRAY,        /* a[b] */
    CXX_VECTOR,       /* a __vector(b) */
    CXX_VENDOR,       /* a b: a type with a compiler's own qualifier */
    CXX_MEMBER,       /* pointer to a member: of class a, of type b */
    CXX_CONVERSION,   /* operator a */
    CXX_PACK,         /* list a: stands for one of them at a time */
    CXX_ARGUMENTS,    /* list a: a pack as an argument */
    CXX_EXPANSION,    /* a once for each of its packs' elements */
    CXX_FORWARD,      /* number: a template argument that comes later, a: that */
    CXX_LAMBDA,       /* list a: parameters; number */
    CXX_UNNAMED,      /* number: of a type without a name */
    CXX_NUMBERED,     /* text and number: "{parm#1}" */
    CXX_TEMPORARY,    /* number and name a: of a reference to it */
    CXX_CONSTRUCTION, /* b-in-a */
    CXX_TAGGED,       /* a[abi:text] */
    CXX_BINARY,       /* a text b */
    CXX_UNARY,        /* text a */
    CXX_ENCLOSED,     /* text (a) */
    CXX_POSTFIX,      /* a text */
    CXX_TERNARY,      /* a ? b : c */
    CXX_CALL,         /* a(list b) */
    CXX_CAST,         /* (a)b */
    CXX_CAST_LIST,    /* (a)(list b) */
    CXX_NAMED_CAST,   /* text<a>(b) */
    CXX_BRACES,       /* a{list b}; text: the opening one */
    CXX_SUBSCRIPT,    /* a[b] */
    CXX_SIZE_OF_PACK, /* sizeof...(a) */
    CXX_LITERAL,      /* of type a: text */
    CXX_FOLD,         /* text: operator, a, b: 0 where there is none; flags: left */
    CXX_KINDS
};

enum {
    CXX_CONST = 1,
    CXX_VOLATILE = 2,
    CXX_RESTRICT = 4,
    CXX_LREF = 8,
    CXX_RREF = 16,
    CXX_NOEXCEPT = 32,
    CXX_FOLD_LEFT = 64
};

typedef uint16_t cxx_id; /* of a node; 0: none */

struct cxx_node {
    uint8_t kind, flags;
    cxx_id a, b, c;
    uint32_t bytes; /* of the text */
    uint32_t number;
    const char *text;
};

struct cxx_tree {
    unsigned count, depth, steps;
    bool is_bad; /* no name, or one beyond the limits: nothing more is done */
    struct cxx_node nodes[CXX_NODES]; /* only the first `count` are set; 0: none */
};

static inline void cxx_step(struct cxx_tree *t, unsigned steps)
{
    t->steps += steps;
    if (t->steps > CXX_STEPS)
        t->is_bad = true;
}

/* 0 where there is no room. */
static inline cxx_id cxx_make(struct cxx_tree *t, const struct cxx_node *n)
{
    cxx_step(t, 1);
    if (t->count == CXX_NODES)
        t->is_bad = true;
    if (t->is_bad)
        return 0;
    t->nodes[t->count] = *n;
    return (cxx_id)t->count++;
}

/* One level more; false where that is too deep or it has gone on for too long. */
static inline bool cxx_enter(struct cxx_tree *t)
{
    cxx_step(t, 1);
    if (++t->depth > CXX_DEPTH)
        t->is_bad = true;
    return !t->is_bad;
}

static inline void cxx_leave(struct cxx_tree *t)
{
    t->depth--;
}

#endif

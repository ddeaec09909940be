/* Reading a mangled name from left to right: what the grammar's rules are made of. */
#ifndef SRC_SYMBOL_DEMANGLE_CXX_LEXER_H
#define SRC_SYMBOL_DEMANGLE_CXX_LEXER_H

#include "src/symbol/demangle_cxx_tree.h"

#include <stddef.h>
#include <string.h>

enum { CXX_SUBSTITUTIONS = 512, CXX_PARAMS = 256, CXX_FORWARDS = 16 };

struct cxx_reader {
    const char *at, *end;
    struct cxx_tree *tree;
    bool is_lambda;      /* in its parameters: T_ is auto */
    bool allows_forward; /* T_ may come later: in a conversion operator */
    unsigned sub_count, param_count, forward_count;
    cxx_id subs[CXX_SUBSTITUTIONS], params[CXX_PARAMS], forwards[CXX_FORWARDS];
};

static inline bool cxx_is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static inline char cxx_peek(const struct cxx_reader *x)
{
    return x->at < x->end ? *x->at : '\0';
}

static inline char cxx_peek_second(const struct cxx_reader *x)
{
    return x->end - x->at > 1 ? x->at[1] : '\0';
}

static inline bool cxx_is_bad(const struct cxx_reader *x)
{
    return x->tree->is_bad;
}

/* The text is no name: 0. */
cxx_id cxx_bad(struct cxx_reader *x);

static inline bool cxx_take(struct cxx_reader *x, const char *text)
{
    const size_t bytes = strlen(text);
    if ((size_t)(x->end - x->at) < bytes || memcmp(x->at, text, bytes) != 0)
        return false;
    x->at += bytes;
    return true;
}

unsigned cxx_number(struct cxx_reader *x);

/* "_" is 0, "0_" is 1 …; base 36 in substitutions, 10 elsewhere. */
unsigned cxx_sequence(struct cxx_reader *x, unsigned base);

/* So many bytes; false where there are fewer left. */
bool cxx_take_bytes(struct cxx_reader *x, unsigned bytes, const char **text);

#endif

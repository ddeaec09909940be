/* The codes of the Itanium C++ ABI that stand for a text. */
#ifndef SRC_SYMBOL_DEMANGLE_CXX_CODES_H
#define SRC_SYMBOL_DEMANGLE_CXX_CODES_H

#include <stddef.h>

enum cxx_arity {
    CXX_BINARY_OPERATOR,
    CXX_UNARY_OPERATOR,
    CXX_STEP_OPERATOR,    /* "++" and "--": before or behind */
    CXX_SPECIAL_OPERATOR, /* has a form of its own in expressions */
};

struct cxx_operator {
    char code[3];
    enum cxx_arity arity;
    const char *text; /* in expressions */
    const char *name; /* behind "operator", where that differs */
};

/* The operator whose code begins at `at`, or NULL. */
const struct cxx_operator *cxx_operator_at(const char *at, const char *end);

/* "int" …: the type whose code begins at `at`, or NULL; *bytes: of the code. */
const char *cxx_builtin_at(const char *at, const char *end, size_t *bytes);

/* Names of std that have codes of their own. */
struct cxx_usual {
    char code;
    const char *text;
    const char *base;  /* as its constructors are called */
    const char *whole; /* before these; NULL: as `text` */
};

const struct cxx_usual *cxx_usual_of(char code); /* or NULL */

#endif

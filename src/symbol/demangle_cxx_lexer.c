#include "src/symbol/demangle_cxx_lexer.h"

cxx_id cxx_bad(struct cxx_reader *x)
{
    x->tree->is_bad = true;
    return 0;
}

unsigned cxx_number(struct cxx_reader *x)
{
    unsigned n = 0;
    if (!cxx_is_digit(cxx_peek(x)))
        return cxx_bad(x);
    for (; cxx_is_digit(cxx_peek(x)) && n < 100000; x->at++)
        n = n * 10 + (unsigned)(*x->at - '0');
    return n;
}

/* The digit's value; `base` where it is none. */
static unsigned digit_of(char c, unsigned base)
{
    if (cxx_is_digit(c))
        return (unsigned)(c - '0');
    return base == 36 && c >= 'A' && c <= 'Z' ? (unsigned)(c - 'A') + 10 : base;
}

unsigned cxx_sequence(struct cxx_reader *x, unsigned base)
{
    unsigned n = 0;
    if (cxx_take(x, "_"))
        return 0;
    for (; !cxx_take(x, "_"); x->at++) {
        const unsigned digit = digit_of(cxx_peek(x), base);
        if (digit >= base || n > 100000)
            return cxx_bad(x);
        n = n * base + digit;
    }
    return n + 1;
}

bool cxx_take_bytes(struct cxx_reader *x, unsigned bytes, const char **text)
{
    *text = x->at;
    if (cxx_is_bad(x) || bytes > (size_t)(x->end - x->at)) {
        cxx_bad(x);
        return false;
    }
    x->at += bytes;
    return true;
}

/* Errors as sentences. A call that can fail takes a `struct err *` that the
 * caller may leave out (NULL) and returns false; the sentence names the place
 * (file, offset), what was expected and what was found. */
#ifndef SRC_BASE_ERR_H
#define SRC_BASE_ERR_H

#include <stdbool.h>

struct err {
    char text[1024];
};

/* Lets the compiler check a printf-like function: the number of its format, and of the
 * first argument behind it. (mingw calls the formats of C99 by a name of its own.) */
#ifdef __MINGW32__
#define PRINTF_LIKE(format_at, arguments_at)                                                       \
    __attribute__((format(gnu_printf, format_at, arguments_at)))
#else
#define PRINTF_LIKE(format_at, arguments_at)                                                       \
    __attribute__((format(printf, format_at, arguments_at)))
#endif

/* Writes the sentence into err (if given) and returns false, so that a failing
 * call is one line: `return fail(err, "…", …);`. Thread-safe. */
bool fail(struct err *err, const char *format, ...) PRINTF_LIKE(2, 3);

#endif

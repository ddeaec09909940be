/* Errors as sentences. A call that can fail takes a `struct err *` that the
 * caller may leave out (NULL) and returns false; the sentence names the place
 * (file, offset), what was expected and what was found. */
#ifndef SRC_ERR_H
#define SRC_ERR_H

#include <stdbool.h>

struct err {
    char text[1024];
};

/* Writes the sentence into err (if given) and returns false, so that a failing
 * call is one line: `return fail(err, "…", …);`. Thread-safe. */
bool fail(struct err *err, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif

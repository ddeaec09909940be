/* Regular expressions that users type; only regex.c calls PCRE2. Any bytes are safe to
 * search. A search that exceeds its limits ends with an error. One thread at a time per
 * expression. */
#ifndef SRC_BASE_REGEX_H
#define SRC_BASE_REGEX_H

#include "src/base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { REGEX_BYTES = 1024 }; /* longer expressions are refused */

struct regex;

/* NULL with a sentence and, in *at, the byte of the pattern where it is wrong. */
struct regex *regex_new(const char *pattern, size_t bytes, bool ignores_case, size_t *at,
                        struct err *err);
void regex_free(struct regex *r); /* NULL is fine */

/* Is there a match anywhere? A search that reached its limits counts as none. */
bool regex_in(struct regex *r, const char *text, size_t bytes);

/* How many searches reached their limits so far. */
uint64_t regex_given_up(const struct regex *r);

#endif

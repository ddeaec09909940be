/* "Did you mean": the closest of some names to a mistyped word. */
#ifndef SRC_BASE_SUGGEST_H
#define SRC_BASE_SUGGEST_H

#include <stddef.h>

struct suggestion {
    const char *name; /* the best so far; NULL when nothing is close */
    unsigned distance;
};

/* Considers one name; start from an empty struct. A name counts as close when at most
 * a third of the word (at least one letter) must change. */
void suggest(struct suggestion *s, const char *word, const char *name);

#endif

/* "Did you mean": the closest of some names to a mistyped word. */
#ifndef SRC_BASE_SUGGEST_H
#define SRC_BASE_SUGGEST_H

#include "src/base/err.h"

#include <stddef.h>

struct suggestion {
    const char *name; /* the best so far; NULL when nothing is close */
    unsigned distance;
};

/* Considers one name; start from an empty struct. A name counts as close when at most
 * a third of the word (at least one letter) must change. */
void suggest(struct suggestion *s, const char *word, const char *name);

/* Adds a name to a list of them, which is cut where there is no room. */
void suggest_list(char *list, size_t room, const char *name);

/* False, with a sentence about a word that nothing is called: the nearest name, or all there are.
 */
bool suggest_refuse(struct err *err, const char *what, const char *word, const struct suggestion *s,
                    const char *list);

#endif

/* The texts of symbols' names, each once. When there is no room for another one, names that nobody
 * has met for the longest time make room: a number is never given again, and one whose text has
 * gone answers NULL. One owner. */
#ifndef SRC_SYMBOL_NAMES_H
#define SRC_SYMBOL_NAMES_H

#include "src/base/map.h"

struct symbol_names {
    struct generation_table names;
    struct map number_of; /* hash of a text → number */
    size_t most, bytes;   /* of texts */
    uint64_t added;       /* bytes of texts since the start: the clock of who was met when */
    uint32_t hand;        /* the place to look at next for a name that may go */
    uint64_t recycled;    /* names that made room */
};

/* Up to `most` bytes of texts. */
void symbol_names_init(struct symbol_names *n, size_t most);
void symbol_names_fini(struct symbol_names *n);

/* The number of a text, the same for equal ones while it stays; never 0. Copies. */
uint32_t symbol_names_add(struct symbol_names *n, const char *text);

/* NULL when there is none of this number, or none any more. It has been met now. */
const char *symbol_names_text(const struct symbol_names *n, uint32_t number);

size_t symbol_names_bytes(const struct symbol_names *n);

#endif

/* Plain-text filters: words, all of which must be found in what is searched; `!` or
 * `not` before a word: must not be found; "quotes" keep blanks. Case is ignored
 * unless the word has a capital letter. */
#ifndef SRC_FILTER_H
#define SRC_FILTER_H

#include "src/text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { FILTER_WORDS = 16 };

struct filter {
    unsigned count;
    uint16_t wanted, unwanted; /* bit per word */
    struct text_needle *words[FILTER_WORDS];
};

/* Words beyond the sixteenth are left out, and so is a word that is not there yet
 * (a lone `!`). filter_fini() it. */
void filter_init(struct filter *f, const char *text);
void filter_fini(struct filter *f);

/* Which words this text holds, as bits; what several texts hold is or'ed. */
uint16_t filter_bits(const struct filter *f, const char *text, size_t bytes);

static inline bool filter_passes(const struct filter *f, uint16_t bits)
{
    return (bits & f->wanted) == f->wanted && !(bits & f->unwanted);
}

#endif

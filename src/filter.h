/* Plain-text filters: words, all of which must be found in what is searched; `!` or
 * `not` before a word: must not be found; "quotes" keep blanks. Case is ignored
 * unless the word has a capital letter. */
#ifndef SRC_FILTER_H
#define SRC_FILTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { FILTER_WORDS = 16, FILTER_TEXT = 1024 };

struct filter {
    unsigned count;
    uint16_t wanted, unwanted; /* bit per word */
    uint16_t with_case;
    uint16_t at[FILTER_WORDS], bytes[FILTER_WORDS];
    char text[FILTER_TEXT];
};

/* Words beyond the sixteenth are left out; an unfinished "! is no word yet. */
void filter_parse(struct filter *f, const char *text);

/* Which words this text holds, as bits; what several texts hold is or'ed. */
uint16_t filter_bits(const struct filter *f, const char *text, size_t bytes);

static inline bool filter_passes(const struct filter *f, uint16_t bits)
{
    return (bits & f->wanted) == f->wanted && !(bits & f->unwanted);
}

#endif

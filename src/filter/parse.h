/* Inside the filter language: what its parts (filter_*.c) share. */
#ifndef SRC_FILTER_PARSE_H
#define SRC_FILTER_PARSE_H

#include "src/filter/filter.h"

enum filter_op { IS, IS_NOT, BELOW, AT_MOST, ABOVE, AT_LEAST, HOLDS, MATCHES, MATCHES_NOT };

/* A value as it was typed, without its quotes or slashes. */
struct filter_word_read {
    const char *text;
    size_t bytes;
    size_t at;         /* where it begins in the filter */
    enum { WORD_PLAIN, WORD_QUOTED, WORD_REGEX } form;
    enum pattern_case how;
    char room[512];    /* of a quoted one: without doubled quotes */
};

/* Fills one value of a term of `type` (value.c); false with *error. */
bool filter_value_read(const struct filter_term *t, enum filter_op op,
                       const struct filter_word_read *w, const struct filter_span *span,
                       struct filter_value *out, struct filter_error *error);

/* The same for a field of any type: a value for each form in which it is looked for, as a number, an
 * address and a text. Returns how many; 0 with *error. */
enum { FILTER_FORMS = 3 };
unsigned filter_any_read(const struct filter_term *t, enum filter_op op,
                         const struct filter_word_read *w, struct filter_value out[FILTER_FORMS],
                         struct filter_error *error);

/* Notes something that all facts must pass (part.c); then, once for all, what terms and parts
 * look at. */
void filter_part_add(struct filter *f, uint8_t node, uint64_t terms);
void filter_parts_end(struct filter *f);

/* error->at = at, and the sentence (filter.c); returns false. */
bool filter_wrong(struct filter_error *error, size_t at, const char *format, ...)
    PRINTF_LIKE(3, 4);

#endif

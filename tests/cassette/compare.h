/* The comparer: is each event of a file in another one, byte for byte? */
#ifndef TESTS_CASSETTE_COMPARE_H
#define TESTS_CASSETTE_COMPARE_H

#include "tests/cassette/load.h"

#include <stdio.h>

enum { DIFFERENCES_MOST = 16 };

struct compared {
    size_t records, same;
    size_t by_difference[DIFFERENCES_MOST]; /* records that one of the table explains */
};

/* Differences that are permitted, in the order in which they are applied: NULL beyond the last. */
const char *difference_name(unsigned index);
const char *difference_why(unsigned index);

/* `made` has a log header of its own in front; apart from that each record of `original` is there,
 * on the same processor, in its order, with its bytes, but for differences of the table. Prints
 * what is not so, at most `most` records, and answers false. */
bool compare_files(const struct loaded *original, const struct loaded *made, FILE *report,
                   unsigned most, struct compared *out);

#endif

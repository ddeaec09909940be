/* Numbers that may be fractions, for exact sums: 192 bits in two's complement, 96 of them behind
 * the point. Sums are the same in any order. Of a number, what is below 2^-96 is lost. */
#ifndef SRC_BASE_FIXED_H
#define SRC_BASE_FIXED_H

#include <stdbool.h>
#include <stdint.h>

enum { FIXED_WORDS = 3 };

struct fixed {
    uint64_t words[FIXED_WORDS]; /* the lowest first */
};

struct fixed fixed_of_whole(uint64_t number);
bool fixed_of_real(double number, struct fixed *out); /* false from 2^64 on, and where it is none */

struct fixed fixed_minus(struct fixed f);
void fixed_add(struct fixed *to, const struct fixed *from);

double fixed_real(struct fixed f);
bool fixed_is_negative(struct fixed f);
int64_t fixed_floor(struct fixed f); /* the nearest there is, where that has no 64 bits */
bool fixed_is_whole(struct fixed f, bool *negative, uint64_t *size); /* of at most 64 bits */

#endif

/* Remarks about the filter itself for the reader of a filtered answer. */
#ifndef SRC_FILTER_REMARK_H
#define SRC_FILTER_REMARK_H

#include "src/filter/filter.h"

#include <stdio.h>

struct schemas;

enum { FILTER_REMARK = 200 }; /* as FRAME_REMARK */

/* How many texts its expressions gave up on; those count as no match. */
uint64_t filter_given_up(const struct filter *f);

/* True, and a sentence: the filter asks for an opcode, a task or a keyword by a name that no
 * provider of these schemas gives. Schemas come with events: ask when the events were read. */
bool filter_unknown_name(const struct filter *f, const struct schemas *s, char out[FILTER_REMARK]);

/* Both, in words for standard error. */
void filter_remarks_print(const struct filter *f, const struct schemas *s, FILE *to);

/* The sentence about so many texts; false: there are none. */
bool filter_given_up_text(uint64_t count, char *out, size_t room);

#endif

/* The texts of values, one behind the other in one growing block. A value holds the offset of its
 * text (src/table/value.h). */
#ifndef SRC_TABLE_VALUE_TEXT_H
#define SRC_TABLE_VALUE_TEXT_H

#include "src/table/value.h"

#include <stddef.h>
#include <stdint.h>

/* Zero to begin with. `bytes` is the owner's to free(). */
struct value_texts {
    char *bytes;
    size_t used, room;
    uint32_t cut_sign; /* offset of a sign for cut texts, + 1; 0 = there is none yet */
};

/* Adds a text: a value of type VALUE_TEXT, VALUE_PATH or VALUE_SERIES. A text that finds no room is
 * cut and ends with "…". `t` NULL: an empty text. */
struct value texts_add(struct value_texts *t, enum value_type type, const char *text,
                        size_t bytes);

#endif

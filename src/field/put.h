/* What getters put values with. Included by src/field/ only. */
#ifndef SRC_FIELD_PUT_H
#define SRC_FIELD_PUT_H

#include "src/field/get.h"

#include <string.h>

static inline struct field_value *field_put_value(struct field_values *out,
                                                  enum field_value_kind kind)
{
    struct field_value *const v =
        &out->of[out->count < FIELD_VALUES ? out->count++ : FIELD_VALUES - 1];
    v->kind = (uint8_t)kind;
    return v;
}

static inline void field_put_number(struct field_values *out, uint64_t number)
{
    field_put_value(out, FIELD_NUMBER)->number = number;
}

static inline void field_put_flag(struct field_values *out, bool is_set)
{
    field_put_value(out, FIELD_FLAG)->number = is_set;
}

/* A NULL text is none. */
static inline void field_put_text(struct field_values *out, const char *text)
{
    if (!text)
        return;
    struct field_value *const v = field_put_value(out, FIELD_TEXT);
    v->text = text;
    v->bytes = strlen(text);
}

/* The record of the subject's fact, read if it is not yet; NULL: it is not known (any more). */
const struct event *field_record_of(const struct field_subject *s);

/* Room for a text that is made. All texts of one getter fit. */
static inline char *field_put_room(struct field_values *out, size_t bytes)
{
    char *const room = out->room + out->used;
    out->used += bytes;
    return room;
}

#endif

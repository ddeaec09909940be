/* Inside the decoder: sizes of values. */
#ifndef SRC_EVENT_DECODE_VALUE_H
#define SRC_EVENT_DECODE_VALUE_H

#include "src/event/decode.h"

/* Bytes of one value of a type of fixed size; 0 for the others. */
size_t decode_value_bytes(unsigned type, unsigned pointer);

/* The number of an element of a list of fixed-size numbers; `index` is below its `elements`. */
uint64_t decode_number_at(const struct decoded *list, uint32_t index);

#endif

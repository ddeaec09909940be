/* Inside the decoder: sizes of values. */
#ifndef SRC_EVENT_DECODE_VALUE_H
#define SRC_EVENT_DECODE_VALUE_H

#include "src/event/decode.h"

/* Bytes of one value of a type of fixed size; 0 for the others. */
size_t decode_value_bytes(unsigned type, unsigned pointer);

#endif

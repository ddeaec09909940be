/* From a record as it lies in a buffer to the EVENT_RECORD that Windows gives to consumers
 * (../shared/reference/etl-file-format.md, sections 4 and 5; etw-api.md, section 2). Knows nothing
 * of src/event/event.c: what is compared is not to err in the same way.
 *
 * Events of the kernel come by the GUID of their class, with their type as opcode; EVENT_NO_ID for
 * both ids where the header has none; counters of the processor as an extended item. ETW adds the
 * flags of a header's kind and width. */
#ifndef TESTS_CASSETTE_DELIVER_H
#define TESTS_CASSETTE_DELIVER_H

#include "collectors/windows/etw_event.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { DELIVER_ITEMS = 32 };

struct delivery {
    EVENT_RECORD record;
    EVENT_HEADER_EXTENDED_DATA_ITEM items[DELIVER_ITEMS];
};

/* Where a record lies: what its buffer's header says. */
struct delivery_place {
    uint16_t client_context; /* processor: an index, or a number and the alignment */
    bool has_index;          /* an index */
    uint16_t logger;
    int64_t ts; /* of the record before: for messages without a time */
};

/* Pointers are into the record, whose bytes must stay. False where it is no record, or one of a
 * kernel's group whose class nobody knows: there is no GUID to give it. */
bool deliver_record(struct delivery *d, const uint8_t *record, size_t bytes,
                    const struct delivery_place *place);

/* Leaves out the items that `wants` does not. */
void deliver_choose(struct delivery *d, bool (*wants)(void *of, unsigned type), void *of);

#endif

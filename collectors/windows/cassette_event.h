/* An EVENT_RECORD as a cassette keeps it (src/etl/cassette.h). */
#ifndef COLLECTORS_WINDOWS_CASSETTE_EVENT_H
#define COLLECTORS_WINDOWS_CASSETTE_EVENT_H

#include "collectors/windows/etw_event.h"

#include "src/etl/cassette.h"

/* Fills an event's frame; pointers are those of the record. False where it has more items than a
 * cassette bears. Looks at no payload. */
bool cassette_event_of(const EVENT_RECORD *r, int64_t arrived, struct cassette_event *out);

#endif

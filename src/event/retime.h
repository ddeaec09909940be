/* Times inside records: setting them, and moving a record to another clock. */
#ifndef SRC_EVENT_RETIME_H
#define SRC_EVENT_RETIME_H

#include "src/base/clock.h"
#include "src/event/event.h"

/* Sets the raw time in the header of `record`, of which `e` is the parsed look. A message
 * without a time stays without. */
void record_set_time(uint8_t *record, const struct event *e, int64_t ts);

/* Turns the raw times of `record` from one clock into another's: the header's, and those that
 * known payloads carry (the event a stack belongs to, the start of a routine or an
 * operation, response times). Returns the new time of the header. */
int64_t record_change_clock(uint8_t *record, const struct event *e, const struct trace_clock *from,
                            const struct trace_clock *to);

/* Do both give the same raw time to every instant? */
bool trace_clock_is_same(const struct trace_clock *a, const struct trace_clock *b);

#endif

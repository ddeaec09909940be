/* How much of a stretch of time the sources were recording: two files of different
 * days make one timeline, but nobody was there in between. */
#ifndef SRC_COLLECT_COVERAGE_H
#define SRC_COLLECT_COVERAGE_H

#include "src/collect/collector.h"

/* Live collectors: from now on these classes are recorded (bits of enum fact_class). Notes when each
 * was switched on or off. Collector's thread. */
void coverage_switch(struct collector *c, uint32_t active);

/* Of the source whose header counts most. */
unsigned coverage_processors(struct collector *const *collectors, size_t count);

/* Time between from and to that lies between the recordings. 0 unless every source
 * states its span; what lies before the first or after the last counts as covered. */
int64_t coverage_gap_ns(struct collector *const *collectors, size_t count, int64_t from,
                        int64_t to);

#endif

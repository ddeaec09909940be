/* What the synthetic machine has of memory, once in each of its seconds: records that a collector
 * of a real machine samples (src/model/gauge_record.h). They are no part of what the generator
 * makes, and none of its totals counts them. */
#ifndef COLLECTORS_SYNTHETIC_GAUGES_H
#define COLLECTORS_SYNTHETIC_GAUGES_H

#include "collectors/feed.h"
#include "collectors/synthetic/synthetic.h"

struct demo_gauges {
    int64_t next;  /* raw time of the next samples; 0: nothing has happened yet */
    unsigned turn; /* the process that is read next */
    unsigned seconds;
    uint32_t newest;          /* number of the newest process that was read */
    _Atomic uint64_t records; /* put so far */
    uint64_t room[512];
};

/* Puts what is due behind the records that were made. False when the collector is to stop. */
bool demo_gauges_put(struct demo_gauges *g, const struct synthetic *s, struct feed *feed);

#endif

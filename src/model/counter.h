/* Counters of processors by which samples are taken (PMC): their names, and how many of their
 * events a sample stands for. */
#ifndef SRC_MODEL_COUNTER_H
#define SRC_MODEL_COUNTER_H

#include "src/model/types.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { COUNTERS = 64 }; /* of all sources; samples of others have none */

struct counter {
    uint32_t id; /* the kernel's number of the profile source */
    source_id source;
    uint64_t interval; /* events from one sample to the next; 0 = unknown */
    bool is_met;
    char *name; /* NULL = unknown */
};

/* The counter of the source at hand, from 1 on; 0: there is no room. */
uint32_t model_counter(struct model *m, uint32_t id);

struct counter *model_counter_at(struct model *m, uint32_t number);

/* "CacheMisses", else "counter 29"; NULL for a number that no counter has. */
const char *model_counter_name(const struct model *m, uint32_t number, char *room, size_t bytes);

void model_counters_fini(struct model *m);

#endif

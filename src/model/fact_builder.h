/* How events become facts: a table of fact builders, one function for each kind of event. */
#ifndef SRC_MODEL_FACT_BUILDER_H
#define SRC_MODEL_FACT_BUILDER_H

#include "src/model/fact.h"
#include "src/model/types.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

static inline void fact_latency(struct fact *f, int64_t ns)
{
    static const int64_t LONGEST = INT64_MAX / 4; /* like times: differences stay numbers */
    f->latency = ns <= 0 ? 0 : (uint64_t)(ns < LONGEST ? ns : LONGEST);
    f->flags |= FACT_HAS_LATENCY;
}

enum { FACT_BUILDER_FIELDS = 9 };

/* How some events become facts: a row of the table in fact_builder.c or of that in
 * fact_builder_manifest.c, and a function in src/model/fact_builder/. */
struct fact_builder {
    uint16_t first, last; /* hooks; of manifest providers the ids of events */
    uint8_t class, op;
    make_fact *make;      /* NULL: the common part is all */
    const char *fields[FACT_BUILDER_FIELDS];
};

const struct fact_builder *fact_builder_find(uint16_t hook);

/* Likewise of the events of manifest providers; NULL for all others. */
const struct fact_builder *fact_builder_of_manifest(const struct event *e);

/* Does its provider record what the kernel logger does not? Then both count. */
bool fact_builder_is_beside(const struct event *e);

/* Does it say what there is: processes, threads, images, names? Filters leave that in traces. */
static inline bool fact_builder_tells_names(const struct fact_builder *b)
{
    return b && (b->class == FACT_PROCESS || b->class == FACT_THREAD || b->class == FACT_IMAGE ||
                 b->class == FACT_NAME || b->op == OP_JIT || b->op == OP_LOAD);
}

/* Likewise of the events of tracetop's provider (tracetop_provider.h), by name; NULL for all
 * others. */
const struct fact_builder *fact_builder_of_tracetop(const struct event *e);

/* Likewise of calls of functions (function_call.c). */
const struct fact_builder *fact_builder_of_function(const struct event *e);

/* Likewise of events with the drive of a volume (volume.c). */
const struct fact_builder *fact_builder_of_volume(const struct event *e);
make_fact make_physical_disk, make_logical_disk; /* disk.c */

/* For kinds without a fact builder whose payload says the process [0] or the thread [1]. */
make_fact make_owned;

/* Interrupts, deferred calls, system calls (routine.c). */
make_fact make_routine, make_call_enter, make_call_exit;

#endif

/* What all parts of the model share: numbers of sources, and that things live for a while. */
#ifndef SRC_MODEL_TYPES_H
#define SRC_MODEL_TYPES_H

#include "src/event/event.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Sources of all collectors in one number space: collector × SOURCE_MAX + source. */
typedef uint16_t source_id;

/* Processors have lower numbers: Windows ends there, and a wilder one is damage. */
enum { PROCESSORS_MOST = 2048 };

enum lifetime_flag {
    LIFETIME_STARTED = 1, /* its Start event was seen */
    LIFETIME_ENDED = 2,
    LIFETIME_BOUND = 4, /* files: the address still means this file */
    /* Of Start and End, the event that came first was the provider's, not the kernel logger's. */
    LIFETIME_STARTED_BY_PROVIDER = 8,
    LIFETIME_ENDED_BY_PROVIDER = 16,
};

struct fact;
struct kind;
struct model;

/* Turns one event into the rest of its fact; the common part (time, ids from the
 * header, kind, class, op) has been filled. */
typedef void make_fact(struct model *m, const struct event *e, const struct kind *k,
                       struct fact *f);

#endif

/* What the files of the rundown share. */
#ifndef SRC_TRACE_RUNDOWN_INSIDE_H
#define SRC_TRACE_RUNDOWN_INSIDE_H

#include "src/base/bytes.h"
#include "src/base/map.h"
#include "src/event/decode.h"
#include "src/trace/rundown.h"
#include "src/trace/rundown_rule.h"

#include <string.h>

struct update {
    struct update *next; /* newer */
    enum update_kind kind;
    uint32_t bytes;
    uint8_t record[];
};

struct rundown_lifetime {
    int64_t from, to; /* INT64_MIN, INT64_MAX: not known */
    int64_t began;    /* as an event reported it; INT64_MIN: none did */
    uint8_t *record;
    uint32_t bytes;
    struct update *updates[2]; /* as of either edge */
    uint32_t before;           /* the thing's previous one that is kept, + 1 */
    uint8_t class, source;
    bool is_reported_at_start, is_reported_at_end; /* by records of its own in the stretch */
    bool has_changed_behind;                       /* runs another program behind the stretch */
    bool is_by_provider;                           /* Kernel-Process alone reported it */
};

struct thing {
    uint64_t key, more;
    int64_t freed;     /* when the key was last given up; INT64_MIN: never seen */
    uint32_t lifetime; /* the open one, + 1; 0: there is none */
    uint32_t latest;   /* of those that are kept, + 1 */
    uint8_t class, source;
};

struct rundown {
    int64_t from, to;
    struct rundown_lifetime *lifetimes;
    uint32_t lifetime_count, lifetime_room;
    struct thing *things; /* by index from 1 on; `map` finds the first of a hash */
    uint32_t thing_count, thing_room;
    struct map map;
    uint64_t forgotten;
    uint32_t limit;          /* of both, when rundown_make_room() acts; 0: it never did */
    struct schemas *schemas; /* of Kernel-Process; NULL: none was wanted yet */
};

bool rundown_thing_key(const struct event *e, enum rundown_class class, struct thing *out);
/* Two things of one hash: the second stands under the next. NULL where there is none yet;
 * *hash is then the place for it. */
struct thing *rundown_find(const struct rundown *r, const struct thing *like, uint64_t *hash);

#endif

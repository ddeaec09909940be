/* What the synthetic machine made, made once more: the same records from the same seed, one after
 * the other. */
#ifndef TESTS_AGAIN_H
#define TESTS_AGAIN_H

#include "collectors/synthetic/synthetic.h"
#include "src/base/mem.h"
#include "src/event/event.h"
#include "src/ring/ring.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { AGAIN_ROOM = 1 << 20 };

struct again {
    struct synthetic *machine;
    uint8_t *bytes;
    size_t used, at;
};

static inline struct again again_new(const struct synthetic_options *o)
{
    return (struct again){.machine = synthetic_new(o), .bytes = mem_new(AGAIN_ROOM, 1)};
}

static inline void again_free(struct again *a)
{
    synthetic_free(a->machine);
    free(a->bytes);
}

/* The next record; NULL where the machine is to end. Good until the next call. */
static inline const struct record_head *again_next(struct again *a)
{
    if (a->at == a->used) {
        a->used = synthetic_fill(a->machine, a->bytes, AGAIN_ROOM, INT64_MAX);
        a->at = 0;
    }
    if (!a->used)
        return NULL;
    const struct record_head *const h = (const struct record_head *)(void *)(a->bytes + a->at);
    a->at += ring_padded(h->bytes);
    return h;
}

/* The next with from ≤ raw time ≤ to. */
static inline const struct record_head *again_within(struct again *a, int64_t from, int64_t to)
{
    const struct record_head *h = again_next(a);
    while (h && (h->ts < from || h->ts > to))
        h = again_next(a);
    return h;
}

/* Is a file's event this record? */
static inline bool again_is(const struct record_head *h, const struct event *e)
{
    return h->ts == e->ts && h->bytes == sizeof *h + e->record_bytes &&
           memcmp(h + 1, e->record, e->record_bytes) == 0;
}

#endif

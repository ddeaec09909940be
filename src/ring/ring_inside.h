/* Inside the ring: what its two files share. ring.c has the rules. */
#ifndef SRC_RING_RING_INSIDE_H
#define SRC_RING_RING_INSIDE_H

#include "src/ring/ring.h"

#include <assert.h>
#include <stdatomic.h>
#include <string.h>

/* Two 64-byte lines: processors fetch them in pairs. */
enum { LINE = 128 };

/* How far ahead both sides ask for memory. A page: processors see by themselves that
 * memory is read in order, but only up to the next page, and each costs them anew.
 * Of a large record only the first lines, the rest comes by itself. */
enum { AHEAD = 4096, AHEAD_MOST = 512, AHEAD_STEP = 64 };

#define PIN_NONE UINT64_MAX

/* In front of each segment's records. The number is written when the segment is
 * opened, the rest when it is closed; until then the producer keeps it to itself. */
struct segment_head {
    uint64_t number;           /* of its first record, counted from the ring's start */
    int64_t first_ts, last_ts; /* smallest and largest raw timestamp */
    uint64_t lost;             /* records refused while it was open */
    uint32_t count;            /* its records … */
    uint32_t used;             /* … and where they end, from the segment's start */
};

_Static_assert(sizeof(struct segment_head) % 8 == 0, "records stay aligned");

struct producer {
    uint8_t *at;              /* where the next record goes */
    size_t left;              /* bytes left in its segment */
    size_t reserved;          /* bytes of the record between reserve and commit; 0: none */
    uint64_t position;        /* of `at` */
    uint64_t read;            /* the consumer's position when last read */
    struct segment_head open; /* what will be known of the open segment */
    _Atomic uint64_t put, put_bytes, lost, lost_bytes, pinned;
    _Atomic uint64_t tail;
};

/* What the consumer polls. */
struct published {
    _Atomic uint64_t head;
    _Atomic int64_t completed;
    _Atomic bool finished;
};

struct ring_consumer {
    const uint8_t *at; /* the next record */
    size_t left;       /* bytes of records behind `at` that are known to be there */
    size_t held;       /* bytes of the record between peek and release; 0: none */
    uint64_t position; /* of `at` */
    _Atomic uint64_t read;
    _Atomic uint64_t delivered;
};

struct pin {
    _Alignas(LINE) _Atomic uint64_t position;
};

struct ring {
    _Alignas(LINE) uint8_t *segments;
    size_t segment, capacity;
    size_t guard;      /* an eighth in whole segments: what pins leave to the producer */
    void *ring_memory; /* as allocated, before alignment */
    void *segment_memory; /* likewise; of the heap where page_bytes is 0 */
    size_t page_bytes;

    _Alignas(LINE) struct producer producer;
    _Alignas(LINE) struct published published;
    _Alignas(LINE) struct ring_consumer consumer;
    struct pin pins[RING_PINS];
};

/* ---- places ------------------------------------------------------------------ */

static inline uint64_t segment_start(const struct ring *r, uint64_t position)
{
    return position & ~(uint64_t)(r->segment - 1);
}

static inline uint8_t *place(const struct ring *r, uint64_t position)
{
    return r->segments + position % r->capacity;
}

static inline struct segment_head *segment_head(const struct ring *r, uint64_t start)
{
    return (struct segment_head *)place(r, start);
}

static inline const struct record_head *record_head(const struct ring *r, uint64_t position)
{
    return (const struct record_head *)place(r, position);
}

/* Is the segment that starts here closed, for somebody who saw this head? */
static inline bool is_closed(const struct ring *r, uint64_t start, uint64_t head)
{
    return head > start + r->segment;
}

/* Where the records of a segment end, for somebody who saw this head. */
static inline uint64_t records_end(const struct ring *r, uint64_t start, uint64_t head)
{
    return is_closed(r, start, head) ? start + segment_head(r, start)->used : head;
}

/* Records that lie one behind the other. */
struct ring_run {
    uint64_t position;
    size_t bytes;
};

/* The run from `position` on: what is left of its segment, or else of the next
 * one; empty at the head. */
static inline struct ring_run run_at(const struct ring *r, uint64_t position, uint64_t head)
{
    uint64_t start = segment_start(r, position);
    if (is_closed(r, start, head) && position == records_end(r, start, head))
        position = start += r->segment;
    if (position >= head)
        return (struct ring_run){.position = position};
    if (position == start)
        position += sizeof(struct segment_head);
    return (struct ring_run){position, (size_t)(records_end(r, start, head) - position)};
}

static inline void count(_Atomic uint64_t *counter, uint64_t more)
{
    const uint64_t now = atomic_load_explicit(counter, memory_order_relaxed);
    atomic_store_explicit(counter, now + more, memory_order_relaxed);
}

/* Points 2 and 3 at the top: takes the oldest segment back, unless the consumer
 * or a pin still needs it. */

static inline uint64_t head_seen(const struct ring *r)
{
    return atomic_load_explicit(&r->published.head, memory_order_acquire);
}

#endif

/* What any thread may ask of a ring, also while it is written. See ring.h, and ring.c for the
 * rules. */
#include "src/ring/ring.h"
#include "src/ring/ring_inside.h"

#include <assert.h>
#include <stdatomic.h>
#include <string.h>

struct ring_figures ring_figures(const struct ring *r)
{
    const struct producer *const p = &r->producer;
    /* What follows first: see the top. */
    struct ring_figures f;
    f.tail = atomic_load_explicit(&p->tail, memory_order_seq_cst);
    f.delivered = atomic_load_explicit(&r->consumer.delivered, memory_order_acquire);
    f.read = atomic_load_explicit(&r->consumer.read, memory_order_acquire);
    f.head = head_seen(r);
    f.put = atomic_load_explicit(&p->put, memory_order_relaxed);
    f.put_bytes = atomic_load_explicit(&p->put_bytes, memory_order_relaxed);
    f.lost = atomic_load_explicit(&p->lost, memory_order_relaxed);
    f.lost_bytes = atomic_load_explicit(&p->lost_bytes, memory_order_relaxed);
    f.pinned = atomic_load_explicit(&p->pinned, memory_order_relaxed);
    return f;
}

size_t ring_held(const struct ring *r)
{
    const uint64_t head = r ? head_seen(r) : 0;
    return !r ? 0 : head < r->capacity ? (size_t)head : r->capacity;
}

static uint64_t tail_seen(const struct ring *r)
{
    return atomic_load_explicit(&r->producer.tail, memory_order_seq_cst);
}

/* The oldest position that may be pinned: it leaves the producer an eighth of the
 * ring before the tail must pass it. Nothing is left to one that has finished. */
static uint64_t pin_floor(const struct ring *r)
{
    const size_t guard =
        atomic_load_explicit(&r->published.finished, memory_order_acquire) ? 0 : r->guard;
    const uint64_t tail = tail_seen(r);
    const uint64_t filled = segment_start(r, head_seen(r) + r->segment - 1) + guard;
    return filled > tail + r->capacity ? filled - r->capacity : tail;
}

/* The owner's side of point 3: publish, then look at the tail again. */
static bool pin_holds(struct ring *r, unsigned slot, uint64_t position)
{
    atomic_store_explicit(&r->pins[slot].position, position, memory_order_seq_cst);
    return tail_seen(r) <= position;
}

uint64_t ring_pin(struct ring *r, unsigned slot, uint64_t from)
{
    assert(slot < RING_PINS);
    /* A retry means that the producer took an eighth of the ring meanwhile. */
    for (;;) {
        const uint64_t floor = pin_floor(r);
        const uint64_t position = from > floor ? from : floor;
        if (pin_holds(r, slot, position))
            return position;
    }
}

void ring_pin_move(struct ring *r, unsigned slot, uint64_t position)
{
    _Atomic uint64_t *const pin = &r->pins[slot].position;
    assert(atomic_load_explicit(pin, memory_order_relaxed) <= position);
    atomic_store_explicit(pin, position, memory_order_release);
}

void ring_unpin(struct ring *r, unsigned slot)
{
    atomic_store_explicit(&r->pins[slot].position, PIN_NONE, memory_order_release);
}

/* How many bytes of whole records fit in `room`. */
static size_t whole_records(const uint8_t *at, size_t bytes, size_t room)
{
    if (bytes <= room)
        return bytes;
    size_t whole = 0;
    for (;;) {
        const size_t size = ring_padded(((const struct record_head *)(at + whole))->bytes);
        if (size > room - whole)
            return whole;
        whole += size;
    }
}

size_t ring_copy(const struct ring *r, uint64_t *position, void *to, size_t room)
{
    const uint64_t head = head_seen(r);
    size_t copied = 0;
    for (;;) {
        const struct ring_run run = run_at(r, *position, head);
        if (!run.bytes)
            return copied;
        const uint8_t *const from = place(r, run.position);
        const size_t bytes = whole_records(from, run.bytes, room - copied);
        memcpy((uint8_t *)to + copied, from, bytes);
        copied += bytes;
        *position = run.position + bytes;
        if (bytes < run.bytes)
            return copied;
    }
}

size_t ring_fetch(struct ring *r, unsigned slot, uint64_t position, void *to, size_t room)
{
    assert(slot < RING_PINS);
    const uint64_t own = atomic_load_explicit(&r->pins[slot].position, memory_order_relaxed);
    assert(own == PIN_NONE || own <= position);
    const bool is_covered = own <= position;
    size_t bytes = 0;
    if (position < head_seen(r) &&
        (is_covered || (position >= pin_floor(r) && pin_holds(r, slot, position)))) {
        const struct record_head *const record = record_head(r, position);
        bytes = record->bytes;
        memcpy(to, record, bytes < room ? bytes : room);
    }
    if (!is_covered)
        ring_unpin(r, slot);
    return bytes;
}

bool ring_oldest(struct ring *r, unsigned slot, struct record_head *oldest)
{
    const struct ring_run run = run_at(r, ring_pin(r, slot, 0), head_seen(r));
    if (run.bytes)
        *oldest = *record_head(r, run.position);
    ring_unpin(r, slot);
    return run.bytes != 0;
}

struct ring_segment ring_segment(const struct ring *r, uint64_t position)
{
    const uint64_t head = head_seen(r);
    assert(position < head);
    const uint64_t start = segment_start(r, position);
    const struct segment_head *const h = segment_head(r, start);
    struct ring_segment s = {
        .start = start,
        .next = start + r->segment,
        .first = start + sizeof(struct segment_head),
        .end = is_closed(r, start, head) ? start + h->used : head,
        .number = h->number,
    };
    if (is_closed(r, start, head)) {
        s.is_closed = true;
        s.first_ts = h->first_ts;
        s.last_ts = h->last_ts;
        s.lost = h->lost;
        s.count = h->count;
    }
    return s;
}

uint64_t ring_number(const struct ring *r, uint64_t position)
{
    assert(position < head_seen(r));
    const uint64_t start = segment_start(r, position);
    uint64_t number = segment_head(r, start)->number;
    for (uint64_t at = start + sizeof(struct segment_head); at < position; number++)
        at += ring_padded(record_head(r, at)->bytes);
    return number;
}

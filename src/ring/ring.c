/* The ring's protocol and its memory order, once.
 *
 *          tail                      read            head
 *   ────────┴──────────┬──────────┬───┴──────┬────────┴─┬──────────┐
 *    …      │ segment  │ segment  │ segment  │ segment  │  free    │
 *   ───────────────────┴──────────┴──────────┴──────────┴──────────┘
 *           │  history: still readable  │  waiting  │
 *
 * Positions count bytes since the ring was made and never wrap (64 bits); a
 * position's place is its remainder by the capacity. A segment is its head and
 * then records, padded to 8, one behind the other. A record that does not fit in
 * what is left of a segment opens the next one; the segment's head says where
 * its records end, so the gap behind them needs no filler.
 *
 * Who writes what. Every variable has one writer:
 *   producer: head, tail, completed, finished, segments     consumer: read
 *   a pin's owner: that pin (PIN_NONE when it holds nothing)
 *
 * Which write pairs with which read:
 *
 * 1. head, release in ring_commit ↔ acquire in ring_peek and the copying readers.
 *    A record's bytes, and the segment heads that were closed before it, are
 *    written before head passes them. The head of a segment is read only once
 *    head is beyond that segment's end; until then its records end at head.
 *
 * 2. read, release in ring_release ↔ acquire in tail_move. The consumer is done
 *    with everything below read before the producer may take it back.
 *
 * 3. tail and the pins, seq_cst on both sides:
 *
 *        producer                           a pin's owner
 *        tail = new                         pin = p
 *        look at every pin                  look at tail
 *        pin in [old, new): tail = old      tail > p: choose a higher p, again
 *        else: overwrite [old, new)         else: read from p on
 *
 *    These are a store and then a load of something else on each side (Dekker's
 *    shape), and that is the one place where acquire and release are too weak. In the single
 *    order of seq_cst operations one of the stores comes first, so at least one
 *    side sees the other: the owner sees the new tail and retries, or the
 *    producer sees the pin and rolls back. Both at once is harmless: the owner
 *    goes higher, the producer refuses one record. The operations themselves
 *    are seq_cst rather than followed by fences: the promise is the same, the
 *    cost too (once per segment), and thread sanitizers understand them, while they
 *    do not follow fences.
 *
 *    A pin below `old` is not a conflict: tail never returns below `old`, so its
 *    owner cannot have been confirmed and is about to retry. Were it honored,
 *    an owner put to sleep between its two steps would stop the producer.
 *
 * 4. A pin moves up, or is taken away, by release ↔ the producer's look at it:
 *    what was read under the pin was read before the bytes are overwritten.
 *
 * 5. completed and finished, release ↔ acquire: who sees the time (or the end)
 *    sees the records put before it was said.
 *
 * Counters are relaxed where they only inform; `delivered` and the positions are
 * read in the order that keeps delivered ≤ put and tail ≤ read ≤ head true in
 * every answer of ring_figures.
 *
 * Speed. What one side writes per record lies on lines of its own, and so does
 * what it remembers of the other side: the producer looks at `read` and the
 * pins once per segment at most, the consumer at `head` when it has used up what
 * it saw last. Only head's line travels between the cores for each record. What
 * remains is waiting for memory that was last touched a lap ago; both sides ask
 * for it a page before they need it.
 *
 * tests/model/ring.pml checks 2 to 4 for every interleaving. */
#include "src/ring/ring.h"

#include "src/base/mem.h"
#include "src/os/os.h"
#include "src/ring/ring_inside.h"

#include <assert.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

/* ---- making ------------------------------------------------------------------ */

static void *aligned(void *memory)
{
    return (void *)(((uintptr_t)memory + LINE - 1) & ~(uintptr_t)(LINE - 1));
}

/* Pages that are never written are never there. A small ring lies on the heap. */
static bool take_segments(struct ring *r, size_t capacity)
{
    const size_t all = capacity + LINE + AHEAD + AHEAD_MOST;
    r->page_bytes = all < OS_LARGE_PAGE ? 0 : os_page_bytes(all);
    r->segment_memory = r->page_bytes ? os_pages(r->page_bytes) : mem_try(1, all);
    if (r->segment_memory)
        r->segments = aligned(r->segment_memory);
    return r->segment_memory;
}

struct ring *ring_new(size_t bytes, size_t segment)
{
    assert(segment >= 256 && segment <= UINT32_MAX && (segment & (segment - 1)) == 0);
    if (bytes > SIZE_MAX / 2 || segment > SIZE_MAX / 8)
        return NULL;
    size_t capacity = (bytes + segment - 1) & ~(segment - 1);
    if (capacity / segment < 4)
        capacity = 4 * segment;
    void *const ring_memory = mem_try(1, sizeof(struct ring) + LINE);
    struct ring *const r = ring_memory ? aligned(ring_memory) : NULL;
    if (!r || !take_segments(r, capacity)) {
        free(ring_memory);
        return NULL;
    }
    r->segment = segment;
    r->capacity = capacity;
    r->guard = (capacity / 8 + segment - 1) & ~(segment - 1);
    r->ring_memory = ring_memory;
    atomic_init(&r->published.completed, INT64_MIN);
    for (unsigned i = 0; i < RING_PINS; i++)
        atomic_init(&r->pins[i].position, PIN_NONE);
    return r;
}

void ring_free(struct ring *r)
{
    if (!r)
        return;
    if (r->page_bytes)
        os_pages_free(r->segment_memory, r->page_bytes);
    else
        free(r->segment_memory);
    free(r->ring_memory);
}

size_t ring_capacity(const struct ring *r)
{
    return r->capacity;
}

size_t ring_largest(const struct ring *r)
{
    return r->segment - sizeof(struct segment_head);
}

/* ---- producer ---------------------------------------------------------------- */

/* For what comes a page after these bytes (at the ring's end: nothing worth having). */
static void prefetch_to_write(const uint8_t *at, size_t bytes)
{
    for (size_t i = 0; i < bytes && i < AHEAD_MOST; i += AHEAD_STEP)
        __builtin_prefetch(at + AHEAD + i, 1);
}

static void prefetch_to_read(const uint8_t *at, size_t bytes)
{
    for (size_t i = 0; i < bytes && i < AHEAD_MOST; i += AHEAD_STEP)
        __builtin_prefetch(at + AHEAD + i, 0);
}

/* One writer: no read-modify-write is needed. */
static bool tail_move(struct ring *r)
{
    struct producer *const p = &r->producer;
    const uint64_t old = atomic_load_explicit(&p->tail, memory_order_relaxed);
    const uint64_t new = old + r->segment;
    if (p->read < new)
        p->read = atomic_load_explicit(&r->consumer.read, memory_order_acquire);
    if (p->read < new)
        return false;
    atomic_store_explicit(&p->tail, new, memory_order_seq_cst);
    for (unsigned i = 0; i < RING_PINS; i++) {
        const uint64_t pin = atomic_load_explicit(&r->pins[i].position, memory_order_seq_cst);
        if (pin < old || pin >= new)
            continue;
        atomic_store_explicit(&p->tail, old, memory_order_seq_cst);
        count(&p->pinned, 1);
        return false;
    }
    return true;
}

/* Where the segment after the open one starts. */
static uint64_t next_start(const struct producer *p)
{
    return p->position + p->left;
}

/* Makes room for one more segment, if it is not there already. */
static bool room_for_segment(struct ring *r)
{
    const struct producer *const p = &r->producer;
    const uint64_t tail = atomic_load_explicit(&p->tail, memory_order_relaxed);
    return next_start(p) + r->segment - tail <= r->capacity || tail_move(r);
}

static void segment_close(struct ring *r)
{
    struct producer *const p = &r->producer;
    if (p->position == 0)
        return;
    const uint64_t start = next_start(p) - r->segment;
    const uint64_t put = atomic_load_explicit(&p->put, memory_order_relaxed);
    struct segment_head *const h = segment_head(r, start);
    h->first_ts = p->open.first_ts;
    h->last_ts = p->open.last_ts;
    h->lost = p->open.lost;
    h->count = (uint32_t)(put - p->open.number);
    h->used = (uint32_t)(p->position - start);
}

static bool segment_open(struct ring *r)
{
    struct producer *const p = &r->producer;
    if (!room_for_segment(r))
        return false;
    segment_close(r);
    const uint64_t start = next_start(p);
    p->position = start + sizeof p->open;
    p->at = place(r, p->position);
    p->left = ring_largest(r);
    p->open = (struct segment_head){
        .number = atomic_load_explicit(&p->put, memory_order_relaxed),
        .first_ts = INT64_MAX,
        .last_ts = INT64_MIN,
    };
    segment_head(r, start)->number = p->open.number;
    return true;
}

static void *refuse(struct producer *p, const struct record_head *head)
{
    count(&p->lost, 1);
    count(&p->lost_bytes, head->bytes);
    p->open.lost++;
    return NULL;
}

void ring_refuse(struct ring *r, const struct record_head *head)
{
    refuse(&r->producer, head);
}

void *ring_reserve(struct ring *r, const struct record_head *head)
{
    struct producer *const p = &r->producer;
    assert(head->bytes >= sizeof *head);
    const size_t size = ring_padded(head->bytes);
    if (size > p->left && (size > ring_largest(r) || !segment_open(r)))
        return refuse(p, head);
    prefetch_to_write(p->at, size);
    memcpy(p->at, head, sizeof *head);
    p->reserved = size;
    return p->at + sizeof *head;
}

void ring_commit(struct ring *r)
{
    struct producer *const p = &r->producer;
    const struct record_head *const head = (const struct record_head *)p->at;
    assert(p->reserved);
    if (head->ts < p->open.first_ts)
        p->open.first_ts = head->ts;
    if (head->ts > p->open.last_ts)
        p->open.last_ts = head->ts;
    count(&p->put, 1);
    count(&p->put_bytes, head->bytes);
    p->at += p->reserved;
    p->left -= p->reserved;
    p->position += p->reserved;
    p->reserved = 0;
    atomic_store_explicit(&r->published.head, p->position, memory_order_release);
}

bool ring_put(struct ring *r, const struct record_head *head, const void *body)
{
    void *const to = ring_reserve(r, head);
    if (!to)
        return false;
    if (head->bytes > sizeof *head)
        memcpy(to, body, head->bytes - sizeof *head);
    ring_commit(r);
    return true;
}

bool ring_has_room(struct ring *r, size_t bytes)
{
    return bytes > ring_largest(r) || ring_padded(bytes) <= r->producer.left || room_for_segment(r);
}

uint64_t ring_backlog(struct ring *r, uint64_t unless_over)
{
    struct producer *const p = &r->producer;
    if (p->position - p->read > unless_over)
        p->read = atomic_load_explicit(&r->consumer.read, memory_order_acquire);
    return p->position - p->read;
}

void ring_complete(struct ring *r, int64_t time_ns)
{
    atomic_store_explicit(&r->published.completed, time_ns, memory_order_release);
}

void ring_finish(struct ring *r)
{
    ring_complete(r, INT64_MAX);
    atomic_store_explicit(&r->published.finished, true, memory_order_release);
}

/* ---- consumer ---------------------------------------------------------------- */

static void consumer_move(struct ring_consumer *c, uint64_t position)
{
    c->position = position;
    atomic_store_explicit(&c->read, position, memory_order_release);
}

/* Looks at the head again; false when there is nothing new. */
static bool refill(struct ring *r)
{
    struct ring_consumer *const c = &r->consumer;
    const struct ring_run run = run_at(r, c->position, head_seen(r));
    if (!run.bytes)
        return false;
    consumer_move(c, run.position);
    c->at = place(r, run.position);
    c->left = run.bytes;
    return true;
}

const struct record_head *ring_peek(struct ring *r, uint64_t *position)
{
    struct ring_consumer *const c = &r->consumer;
    if (!c->left && !refill(r))
        return NULL;
    const struct record_head *const head = (const struct record_head *)c->at;
    c->held = ring_padded(head->bytes);
    prefetch_to_read(c->at, c->held);
    if (position)
        *position = c->position;
    return head;
}

void ring_release(struct ring *r)
{
    struct ring_consumer *const c = &r->consumer;
    assert(c->held);
    c->at += c->held;
    c->left -= c->held;
    const uint64_t now = atomic_load_explicit(&c->delivered, memory_order_relaxed);
    atomic_store_explicit(&c->delivered, now + 1, memory_order_release);
    consumer_move(c, c->position + c->held);
    c->held = 0;
}

void ring_release_all(struct ring *r)
{
    const uint64_t head = head_seen(r);
    while (r->consumer.position < head && ring_peek(r, NULL))
        ring_release(r);
}

int64_t ring_completed(const struct ring *r)
{
    return atomic_load_explicit(&r->published.completed, memory_order_acquire);
}

bool ring_is_finished(const struct ring *r)
{
    return atomic_load_explicit(&r->published.finished, memory_order_acquire) &&
           !run_at(r, r->consumer.position, head_seen(r)).bytes;
}

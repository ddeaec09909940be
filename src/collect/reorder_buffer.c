/* Records lie in chunks as they came, the chunks in a circle. The memory of a chunk that was used
 * up is that of the next one: it was read just now, and there is no more of it than is needed.
 *
 * Which record is late is found out when they come (late ones go into a heap as well) and once
 * more when their turn comes (they have gone, or go now): both times by the same rule, that a
 * younger one came before. */
#include "src/collect/reorder_buffer.h"

#include "src/base/mem.h"
#include "src/event/reorder_list.h"

#include <stdlib.h>

enum {
    CHUNK = 1 << 20,
    CHUNKS = 64, /* half a second of two million events a second */
    ROOM_LEAST = 256 << 10,
};

/* Who looks more often than this finds the chunk that is there again. */
static const int64_t SLICE_NS = 16 * 1000000;

_Static_assert((int)ROOM_LEAST >= (int)RING_SEGMENT, "the largest record has room");

struct chunk {
    uint8_t *bytes;
    size_t used, at;      /* `at`: what is before was given on */
    int64_t begun, ended; /* when its first and last records came; os_now() */
};

struct reorder_buffer {
    const struct collector *collector;
    int64_t hold_ns;
    struct chunk chunks[CHUNKS];
    unsigned first, count; /* those that hold something; of the others none has memory */
    uint8_t *spare[CHUNKS];
    unsigned spare_count;
    struct reorder_list late;
    int64_t newest_in, newest_out;
    uint64_t too_late;
};

struct reorder_buffer *reorder_new(const struct collector *c, int64_t hold_ns)
{
    struct reorder_buffer *const d = mem_new(1, sizeof *d);
    d->collector = c;
    d->hold_ns = hold_ns;
    d->newest_in = d->newest_out = INT64_MIN;
    return d;
}

static struct chunk *chunk_at(struct reorder_buffer *d, unsigned index)
{
    return &d->chunks[(d->first + index) % CHUNKS];
}

void reorder_free(struct reorder_buffer *d)
{
    if (!d)
        return;
    for (unsigned i = 0; i < d->count; i++)
        free(chunk_at(d, i)->bytes);
    while (d->spare_count)
        free(d->spare[--d->spare_count]);
    reorder_list_clear(&d->late);
    free(d);
}

static int64_t time_of(const struct reorder_buffer *d, const struct record_head *h)
{
    return h->form == RECORD_ETW && h->source < SOURCE_MAX
               ? trace_clock_ns(&d->collector->sources[h->source].clock, h->ts)
               : 0;
}

/* ---- in ---------------------------------------------------------------------------------- */

static bool goes_on(const struct chunk *c, int64_t now)
{
    return now - c->begun < SLICE_NS && CHUNK - c->used >= ROOM_LEAST;
}

uint8_t *reorder_room(struct reorder_buffer *d, int64_t now, size_t *bytes)
{
    if (!d->count || !goes_on(chunk_at(d, d->count - 1), now)) {
        if (d->count == CHUNKS)
            return NULL;
        struct chunk *const c = chunk_at(d, d->count++);
        c->used = c->at = 0;
        c->begun = c->ended = now;
        c->bytes = d->spare_count ? d->spare[--d->spare_count] : mem_new(CHUNK, 1);
    }
    const struct chunk *const c = chunk_at(d, d->count - 1);
    *bytes = CHUNK - c->used;
    return c->bytes + c->used;
}

size_t reorder_put(struct reorder_buffer *d, size_t bytes, int64_t now)
{
    size_t records = 0;
    struct chunk *const c = chunk_at(d, d->count - 1);
    const size_t end = c->used + bytes;
    for (; c->used < end; records++) {
        const struct record_head *const h =
            (const struct record_head *)(const void *)(c->bytes + c->used);
        const int64_t ns = time_of(d, h);
        c->used += ring_padded(h->bytes);
        if (ns && ns < d->newest_in)
            reorder_list_add(&d->late, ns, h);
        else if (ns)
            d->newest_in = ns;
    }
    c->ended = now;
    return records;
}

/* ---- out --------------------------------------------------------------------------------- */

/* The oldest chunk with a record that has not been given on and is due; NULL where there is none.
 * A chunk that is used up makes room when the next record is asked for: until then its records
 * are in use. */
static struct chunk *due(struct reorder_buffer *d, int64_t now)
{
    while (d->count) {
        struct chunk *const c = chunk_at(d, 0);
        const bool is_due = now - c->ended >= d->hold_ns || d->count == CHUNKS;
        if (c->at < c->used)
            return is_due ? c : NULL;
        if (d->count == 1 && c->used < CHUNK && now != INT64_MAX && goes_on(c, now))
            return NULL; /* more may come into it */
        d->spare[d->spare_count++] = c->bytes;
        d->first = (d->first + 1) % CHUNKS;
        d->count--;
    }
    return NULL;
}

static bool take_late(struct reorder_buffer *d, struct reordered *out)
{
    out->ns = reorder_list_oldest(&d->late);
    out->head = reorder_list_take(&d->late);
    out->is_too_late = out->ns < d->newest_out;
    d->too_late += out->is_too_late;
    return true;
}

bool reorder_next(struct reorder_buffer *d, int64_t now, struct reordered *out)
{
    for (struct chunk *c; (c = due(d, now));) {
        const struct record_head *const h =
            (const struct record_head *)(const void *)(c->bytes + c->at);
        const int64_t ns = time_of(d, h);
        const bool is_late = ns && ns < d->newest_out;
        if (d->late.heap.count &&
            reorder_list_oldest(&d->late) < (ns && !is_late ? ns : d->newest_out))
            return take_late(d, out);
        c->at += ring_padded(h->bytes);
        if (is_late)
            continue; /* it was given on at its time */
        if (ns)
            d->newest_out = ns;
        *out = (struct reordered){.head = h, .ns = ns};
        return true;
    }
    return false;
}

uint64_t reorder_too_late(const struct reorder_buffer *d)
{
    return d->too_late;
}

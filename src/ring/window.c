#include "src/ring/window.h"

#include "src/base/mem.h"
#include "src/os/os.h"

#include <stdlib.h>
#include <string.h>

/* The records of one segment, which lie side by side from position `first` on. */
struct piece {
    uint64_t first;
    size_t bytes;
    uint8_t *records;
};

/* Memory of its own for pieces side by side, which goes back to the system as a whole: a ring's
 * worth of pieces of the heap would leave holes in it. */
struct block {
    struct block *next;
    size_t bytes, used;
    uint8_t *pages;
};

struct window {
    struct ring *ring;
    unsigned slot;
    bool is_done;
    uint64_t next, until; /* positions: what is still to be copied */
    struct piece *pieces;
    struct block *blocks; /* the newest first */
    size_t count, room;
    size_t block_bytes;
    uint64_t lost;
    bool is_short; /* memory ended */
};

struct window *window_new(struct ring *r, unsigned slot)
{
    struct window *w = mem_new(1, sizeof *w);
    w->ring = r;
    w->slot = slot;
    w->next = ring_pin(r, slot, 0);
    w->until = ring_figures(r).head;
    return w;
}

static void finish(struct window *w)
{
    w->is_done = true;
    ring_unpin(w->ring, w->slot);
}

/* NULL when memory ends. */
static uint8_t *take(struct window *w, size_t bytes)
{
    bytes = ring_padded(bytes); /* records begin at multiples of 8 */
    struct block *b = w->blocks;
    if (!b || bytes > b->bytes - b->used) {
        const size_t all = os_page_bytes(bytes);
        uint8_t *const pages = os_pages(all);
        if (!pages)
            return NULL;
        b = mem_new(1, sizeof *b);
        *b = (struct block){w->blocks, all, 0, pages};
        w->blocks = b;
        w->block_bytes += all;
    }
    b->used += bytes;
    return b->pages + b->used - bytes;
}

/* One segment more; false when it was the last, or memory has ended. */
static bool copy_piece(struct window *w)
{
    if (w->next >= w->until)
        return false;
    const struct ring_segment s = ring_segment(w->ring, w->next);
    const size_t bytes = (size_t)(s.end - s.first);
    uint8_t *const records = take(w, bytes);
    if (!records) {
        w->is_short = true;
        return false;
    }
    w->lost += s.lost;
    if (w->count == w->room) {
        w->room = w->room ? w->room * 2 : 64;
        w->pieces = mem_grow(w->pieces, w->room, sizeof *w->pieces);
    }
    uint64_t position = s.first;
    w->pieces[w->count++] = (struct piece){
        .first = s.first,
        .bytes = ring_copy(w->ring, &position, records, bytes),
        .records = records,
    };
    w->next = s.next;
    if (!s.is_closed)
        return false;
    ring_pin_move(w->ring, w->slot, w->next);
    return true;
}

bool window_work(struct window *w, int64_t deadline)
{
    while (!w->is_done) {
        if (!copy_piece(w))
            finish(w);
        else if (os_now() >= deadline)
            return true;
    }
    return false;
}

size_t window_fetch(const struct window *w, uint64_t position, void *to, size_t room)
{
    size_t low = 0, high = w->count;
    while (low < high) {
        const size_t middle = (low + high) / 2;
        if (w->pieces[middle].first + w->pieces[middle].bytes <= position)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == w->count || position < w->pieces[low].first)
        return 0;
    const struct piece *p = &w->pieces[low];
    struct record_head head;
    memcpy(&head, p->records + (position - p->first), sizeof head);
    const size_t left = p->bytes - (size_t)(position - p->first);
    size_t take = head.bytes < room ? head.bytes : room;
    take = take < left ? take : left;
    memcpy(to, p->records + (position - p->first), take);
    return head.bytes;
}

const uint8_t *window_piece(const struct window *w, size_t index, size_t *bytes)
{
    if (index >= w->count)
        return NULL;
    *bytes = w->pieces[index].bytes;
    return w->pieces[index].records;
}

uint64_t window_lost(const struct window *w)
{
    return w->lost;
}

bool window_is_whole(const struct window *w)
{
    return w->is_done && !w->is_short;
}

size_t window_bytes(const struct window *w)
{
    return w->block_bytes + w->room * sizeof *w->pieces;
}

void window_free(struct window *w)
{
    if (!w)
        return;
    if (!w->is_done)
        ring_unpin(w->ring, w->slot);
    for (struct block *b = w->blocks; b;) {
        struct block *const next = b->next;
        os_pages_free(b->pages, b->bytes);
        free(b);
        b = next;
    }
    free(w->pieces);
    free(w);
}

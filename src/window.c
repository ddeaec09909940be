#include "src/window.h"

#include "src/mem.h"
#include "src/os.h"

#include <stdlib.h>
#include <string.h>

/* The records of one segment, which lie side by side from position `first` on. */
struct piece {
    uint64_t first;
    size_t bytes;
    uint8_t *records;
};

struct window {
    struct ring *ring;
    unsigned slot;
    bool is_done;
    uint64_t next, until; /* positions: what is still to be copied */
    struct piece *pieces;
    size_t count, room;
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

/* One segment more; false when it was the last, or memory has ended. */
static bool copy_piece(struct window *w)
{
    if (w->next >= w->until)
        return false;
    const struct ring_segment s = ring_segment(w->ring, w->next);
    const size_t bytes = (size_t)(s.end - s.first);
    uint8_t *const records = mem_try(bytes, 1);
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

void window_free(struct window *w)
{
    if (!w)
        return;
    if (!w->is_done)
        ring_unpin(w->ring, w->slot);
    for (size_t i = 0; i < w->count; i++)
        free(w->pieces[i].records);
    free(w->pieces);
    free(w);
}

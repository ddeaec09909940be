#include "src/model/memory_history.h"

#include "src/base/mem.h"

#include <stdlib.h>

enum { FIRST_ROOM = 2 };

size_t memory_history_bytes(const struct memory_history *h)
{
    return h ? sizeof *h + h->room * sizeof *h->readings : 0;
}

/* Says it what the last one says? Then that one stands for both. */
static bool is_same(const struct memory_reading *a, const struct memory_reading *b)
{
    return a->rss == b->rss && a->own == b->own && a->shared == b->shared && a->swap == b->swap &&
           a->threads == b->threads && a->files == b->files;
}

/* Every second one of the older half goes. */
static void thin(struct memory_history *h)
{
    uint32_t to = 1;
    for (uint32_t i = 2; i < h->count; i++)
        if (i >= h->count / 2 || i % 2 == 0)
            h->readings[to++] = h->readings[i];
    h->count = to;
}

static size_t grow(struct memory_history **h)
{
    const size_t before = memory_history_bytes(*h);
    const uint32_t count = *h ? (*h)->count : 0, room = *h ? (*h)->room * 2 : FIRST_ROOM;
    const size_t bytes = sizeof **h + room * sizeof *(*h)->readings;
    *h = mem_grow(*h, bytes, 1);
    (*h)->count = count;
    (*h)->room = room;
    return bytes - before;
}

size_t memory_history_add(struct memory_history **h, const struct memory_reading *r, uint32_t most)
{
    size_t grown = 0;
    const struct memory_reading *const last =
        *h && (*h)->count ? &(*h)->readings[(*h)->count - 1] : NULL;
    if (last && (r->ns <= last->ns || is_same(last, r)))
        return 0;
    if (!*h || ((*h)->count == (*h)->room && (*h)->room < most))
        grown = grow(h);
    else if ((*h)->count == (*h)->room)
        thin(*h);
    (*h)->readings[(*h)->count++] = *r;
    return grown;
}

const struct memory_reading *memory_history_at(const struct memory_history *h, int64_t ns)
{
    uint32_t low = 0, high = h ? h->count : 0;
    while (low < high) {
        const uint32_t middle = (low + high) / 2;
        if (h->readings[middle].ns <= ns)
            low = middle + 1;
        else
            high = middle;
    }
    return low ? &h->readings[low - 1] : NULL;
}

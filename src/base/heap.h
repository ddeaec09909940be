/* A binary heap: of items with a time, the earliest is first; of one time, the one with the lower
 * number. The room for the items is the caller's. */
#ifndef SRC_BASE_HEAP_H
#define SRC_BASE_HEAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct heap_key {
    int64_t time;
    uint64_t number;
};

struct heap_item {
    struct heap_key key;
    void *what; /* the caller's */
};

struct heap {
    struct heap_item *items; /* items[0] is the first */
    size_t count;
    uint16_t *where; /* NULL, or for each number its place + 1, 0 where it has none */
};

static inline bool heap_key_is_before(const struct heap_key *a, const struct heap_key *b)
{
    return a->time < b->time || (a->time == b->time && a->number < b->number);
}

static inline void heap_put_at(struct heap *h, size_t at, struct heap_item item)
{
    h->items[at] = item;
    if (h->where)
        h->where[item.key.number] = (uint16_t)(at + 1);
}

/* Puts the item at the place or above it. */
static inline size_t heap_rise(struct heap *h, size_t at, struct heap_item item)
{
    for (; at && heap_key_is_before(&item.key, &h->items[(at - 1) / 2].key); at = (at - 1) / 2)
        heap_put_at(h, at, h->items[(at - 1) / 2]);
    heap_put_at(h, at, item);
    return at;
}

/* Puts the item at the place or below it. */
static inline void heap_sink(struct heap *h, size_t at, struct heap_item item)
{
    for (size_t child; (child = 2 * at + 1) < h->count; at = child) {
        if (child + 1 < h->count &&
            heap_key_is_before(&h->items[child + 1].key, &h->items[child].key))
            child++;
        if (!heap_key_is_before(&h->items[child].key, &item.key))
            break;
        heap_put_at(h, at, h->items[child]);
    }
    heap_put_at(h, at, item);
}

/* There is room for it. */
static inline void heap_add(struct heap *h, struct heap_item item)
{
    heap_rise(h, h->count++, item);
}

/* Another time for the item at a place. */
static inline void heap_move(struct heap *h, size_t at, int64_t time)
{
    struct heap_item item = h->items[at];
    item.key.time = time;
    heap_sink(h, heap_rise(h, at, item), item);
}

/* The first has another time, which is no earlier. */
static inline void heap_move_first(struct heap *h, int64_t time)
{
    struct heap_item item = h->items[0];
    item.key.time = time;
    heap_sink(h, 0, item);
}

static inline void heap_remove(struct heap *h, size_t at)
{
    const struct heap_item gone = h->items[at], last = h->items[--h->count];
    if (h->where)
        h->where[gone.key.number] = 0;
    if (at < h->count)
        heap_sink(h, heap_rise(h, at, last), last);
}

/* Takes the first out; there is one. */
static inline struct heap_item heap_take(struct heap *h)
{
    const struct heap_item first = h->items[0];
    heap_remove(h, 0);
    return first;
}

#endif

/* The intake is a ring of bytes. Positions run free; `head` is the producer's, `tail` the
 * consumer's. A record stands in one piece: where it does not fit before the ring's end, what
 * is left there is passed over.
 *
 *     struct item | bytes, padded to 8
 *
 * The consumer links the records of each processor into a list of their own (through the
 * items themselves) and keeps the lists in a heap by the time of their first record. Space is
 * given back in the order of the ring: the tail passes what was taken, up to the first that
 * was not. That is why a nearly full intake is emptied whatever the time: it must not lose
 * what comes only because something old waits for its turn.
 *
 *     producer  item and bytes, then head (release)   pairs with   the consumer's acquire
 *     consumer  what it read, then tail (release)     pairs with   the producer's acquire */
#include "collectors/intake.h"

#include "src/base/heap.h"
#include "src/base/mem.h"
#include "src/os/os.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum { LINE = 64, LEAST = 256 * 1024 };

struct item {
    uint64_t next;  /* of the same list: its position + 1, 0 = the last; consumer's */
    uint32_t bytes; /* of item and record, padded; 0: nothing more before the ring's end */
    uint32_t is_taken;
    struct record_head head;
};

struct intake {
    uint8_t *ring;
    uint64_t room;
    /* Producer. */
    _Atomic uint64_t head;
    uint64_t tail_seen, reserved;
    _Atomic uint64_t put, lost;
    uint8_t apart[LINE];
    /* Consumer. */
    _Atomic uint64_t tail;
    uint64_t seen; /* up to here records are in lists */
};

struct list {
    uint64_t first, last; /* positions + 1; 0 = empty */
};

struct order {
    unsigned processors;
    struct intake *intakes[ORDER_INTAKES];
    uint64_t waiting[ORDER_INTAKES]; /* records in lists */
    struct list *lists;              /* ORDER_INTAKES × processors */
    struct heap heap;                /* of lists that hold something, by their first record */
};

/* ---- producer ------------------------------------------------------------------------ */

static struct item *item_at(const struct intake *i, uint64_t position)
{
    return (struct item *)(void *)(i->ring + (position & (i->room - 1)));
}

struct intake *intake_new(size_t bytes)
{
    if (bytes < LEAST)
        return NULL;
    struct intake *const i = mem_new(1, sizeof *i);
    i->room = bytes;
    i->ring = os_pages(bytes);
    if (i->ring)
        return i;
    free(i);
    return NULL;
}

void intake_free(struct intake *i)
{
    if (!i)
        return;
    os_pages_free(i->ring, i->room);
    free(i);
}

static bool has_room(struct intake *i, uint64_t end)
{
    if (end - i->tail_seen <= i->room)
        return true;
    i->tail_seen = atomic_load_explicit(&i->tail, memory_order_acquire);
    return end - i->tail_seen <= i->room;
}

static void count(_Atomic uint64_t *counter)
{
    atomic_store_explicit(counter, atomic_load_explicit(counter, memory_order_relaxed) + 1,
                          memory_order_relaxed);
}

uint8_t *intake_reserve(struct intake *i, const struct record_head *head)
{
    const uint32_t bytes =
        (uint32_t)((sizeof(struct item) - sizeof *head + head->bytes + 7) & ~(size_t)7);
    uint64_t at = atomic_load_explicit(&i->head, memory_order_relaxed);
    const uint64_t left = i->room - (at & (i->room - 1)); /* a multiple of 8 */
    const bool is_cut = left < bytes;
    const uint64_t start = is_cut ? at + left : at;
    if (bytes > i->room / 4 || !has_room(i, start + bytes)) {
        count(&i->lost);
        return NULL;
    }
    /* An item's head may not fit either: then its first bytes, which say so, do. */
    if (is_cut && left >= sizeof(struct item))
        item_at(i, at)->bytes = 0;
    struct item *const item = item_at(i, start);
    item->next = 0;
    item->bytes = bytes;
    item->is_taken = 0;
    item->head = *head;
    i->reserved = start + bytes;
    return (uint8_t *)(item + 1);
}

void intake_commit(struct intake *i)
{
    count(&i->put);
    atomic_store_explicit(&i->head, i->reserved, memory_order_release);
}

struct intake_figures intake_figures(const struct intake *i)
{
    const uint64_t tail = atomic_load_explicit(&i->tail, memory_order_relaxed);
    const uint64_t head = atomic_load_explicit(&i->head, memory_order_relaxed);
    return (struct intake_figures){
        .put = atomic_load_explicit(&i->put, memory_order_relaxed),
        .lost = atomic_load_explicit(&i->lost, memory_order_relaxed),
        .used = head > tail ? head - tail : 0,
        .room = i->room,
    };
}

/* ---- consumer: lists -------------------------------------------------------------------- */

struct order *order_new(unsigned processors)
{
    struct order *const o = mem_new(1, sizeof *o);
    o->processors = processors ? processors : 1;
    o->lists = mem_new((size_t)ORDER_INTAKES * o->processors, sizeof *o->lists);
    o->heap.items = mem_new((size_t)ORDER_INTAKES * o->processors, sizeof *o->heap.items);
    return o;
}

void order_free(struct order *o)
{
    if (!o)
        return;
    free(o->lists);
    free(o->heap.items);
    free(o);
}

void order_add(struct order *o, struct intake *i)
{
    unsigned n = 0;
    while (n < ORDER_INTAKES && o->intakes[n])
        n++;
    if (n == ORDER_INTAKES)
        return;
    o->intakes[n] = i;
    o->waiting[n] = 0;
}

static void append(struct order *o, unsigned n, uint64_t position, struct item *item)
{
    const unsigned cpu = item->head.cpu < o->processors ? item->head.cpu : o->processors - 1;
    const uint32_t index = n * o->processors + cpu;
    struct list *const l = &o->lists[index];
    o->waiting[n]++;
    if (l->first) {
        item_at(o->intakes[n], l->last - 1)->next = position + 1;
        l->last = position + 1;
        return;
    }
    l->first = l->last = position + 1;
    heap_add(&o->heap, (struct heap_item){.key = {item->head.ts, index}});
}

/* The next position that holds an item, at or behind this one. */
static uint64_t pass_end(const struct intake *i, uint64_t position)
{
    const uint64_t left = i->room - (position & (i->room - 1));
    const bool is_end = left < sizeof(struct item) || !item_at(i, position)->bytes;
    return is_end ? position + left : position;
}

static void look_at(struct order *o, unsigned n)
{
    struct intake *const i = o->intakes[n];
    const uint64_t head = atomic_load_explicit(&i->head, memory_order_acquire);
    while (i->seen != head) {
        const uint64_t at = pass_end(i, i->seen);
        struct item *const item = item_at(i, at);
        append(o, n, at, item);
        i->seen = at + item->bytes;
    }
}

void order_look(struct order *o)
{
    for (unsigned n = 0; n < ORDER_INTAKES; n++)
        if (o->intakes[n])
            look_at(o, n);
}

static bool is_crowded(const struct order *o)
{
    for (unsigned n = 0; n < ORDER_INTAKES; n++) {
        const struct intake *const i = o->intakes[n];
        if (i && i->seen - atomic_load_explicit(&i->tail, memory_order_relaxed) > i->room / 2)
            return true;
    }
    return false;
}

static struct item *first_item(const struct order *o, uint32_t index)
{
    return item_at(o->intakes[index / o->processors], o->lists[index].first - 1);
}

static uint32_t first_list(const struct order *o)
{
    return (uint32_t)o->heap.items[0].key.number;
}

const struct record_head *order_next(struct order *o, int64_t until)
{
    if (!o->heap.count || (o->heap.items[0].key.time > until && !is_crowded(o)))
        return NULL;
    return &first_item(o, first_list(o))->head;
}

static void move_tail(struct intake *i)
{
    uint64_t tail = atomic_load_explicit(&i->tail, memory_order_relaxed);
    while (tail != i->seen) {
        const uint64_t at = pass_end(i, tail);
        const struct item *const item = item_at(i, at);
        if (!item->is_taken)
            break;
        tail = at + item->bytes;
    }
    atomic_store_explicit(&i->tail, tail, memory_order_release);
}

void order_take(struct order *o)
{
    const uint32_t index = first_list(o);
    struct intake *const i = o->intakes[index / o->processors];
    struct list *const l = &o->lists[index];
    struct item *const item = first_item(o, index);
    l->first = item->next;
    if (l->first)
        heap_move_first(&o->heap, first_item(o, index)->head.ts);
    else
        heap_take(&o->heap);
    o->waiting[index / o->processors]--;
    item->is_taken = 1;
    move_tail(i);
}

#include "collectors/linux/kernel/ring.h"

#include "src/base/bytes.h"

#include <string.h>

void kernel_ring_init(struct kernel_ring *r, const void *data, size_t bytes, const uint64_t *head,
                      uint64_t *tail, uint8_t *bounce)
{
    *r = (struct kernel_ring){
        .data = data, .mask = bytes - 1, .head = head, .tail = tail, .bounce = bounce};
    r->at = r->end = r->released = *tail;
}

/* The kernel stores the head behind the records' bytes: acquire pairs with its barrier. */
static uint64_t head_now(const struct kernel_ring *r)
{
    return __atomic_load_n(r->head, __ATOMIC_ACQUIRE);
}

void kernel_ring_look(struct kernel_ring *r)
{
    const uint64_t head = head_now(r);
    if (head - r->released <= r->mask + 1 && head - r->released >= r->at - r->released) {
        r->end = head;
    } else { /* no head of this ring: the records between are not readable */
        r->damaged++;
        r->at = r->end = head;
    }
}

static void give_up(struct kernel_ring *r)
{
    r->damaged++;
    r->damaged_bytes += r->end - r->at;
    r->at = r->end;
}

const uint8_t *kernel_ring_peek(struct kernel_ring *r, size_t *bytes)
{
    enum { HEADER = 8, SIZE_AT = 6, AHEAD = 1024 };
    const uint64_t left = r->end - r->at;
    if (!left)
        return NULL;
    const uint64_t from = r->at & r->mask;
    /* Records begin at multiples of 8, so a header never wraps. */
    const uint16_t size = left < HEADER || from % 8 ? 0 : load_u16(r->data + from + SIZE_AT);
    if (size < HEADER || size % 8 || size > left) {
        give_up(r);
        return NULL;
    }
    r->record_bytes = size;
    *bytes = size;
    /* The kernel writes on another processor: what comes is asked for before it is needed. */
    __builtin_prefetch(r->data + ((from + AHEAD) & r->mask));
    const uint64_t whole = r->mask + 1 - from;
    if (size <= whole)
        return r->data + from;
    memcpy(r->bounce, r->data + from, whole);
    memcpy(r->bounce + whole, r->data, size - whole);
    return r->bounce;
}

void kernel_ring_take(struct kernel_ring *r)
{
    r->at += r->record_bytes;
    r->record_bytes = 0;
    /* In steps: storing the tail costs a cache line that the writer reads. */
    if (r->at - r->released >= (r->mask + 1) / 8)
        kernel_ring_release(r);
}

/* Release: the reads of the bytes come before the kernel may write there again. */
void kernel_ring_release(struct kernel_ring *r)
{
    if (r->released == r->at)
        return;
    __atomic_store_n(r->tail, r->at, __ATOMIC_RELEASE);
    r->released = r->at;
}

uint64_t kernel_ring_waiting(const struct kernel_ring *r)
{
    return head_now(r) - r->at;
}

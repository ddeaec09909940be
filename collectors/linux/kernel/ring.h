/* One ring that the kernel writes and we read: records of perf_event_open(2), one after
 * the other, padded to 8, wrapping at the end. It works on memory and two counters; whose
 * memory that is (a mapping, a test's bytes) is the caller's affair. Reader's thread only.
 *
 * Nothing in the memory is trusted: a size that cannot be costs everything up to the head
 * that was seen, and is counted. */
#ifndef COLLECTORS_LINUX_KERNEL_RING_H
#define COLLECTORS_LINUX_KERNEL_RING_H

#include <stddef.h>
#include <stdint.h>

enum { KERNEL_RECORD_MAX = 65536 }; /* the size of a record is 16 bits */

struct kernel_ring {
    const uint8_t *data;
    uint64_t mask;         /* bytes - 1; bytes are a power of two */
    const uint64_t *head;  /* the kernel's: bytes ever written; loaded with acquire … */
    uint64_t *tail;        /* … ours: bytes ever read; stored with release */
    uint64_t at, end;      /* next record; head as last seen */
    uint64_t released;     /* tail as last stored */
    uint32_t record_bytes; /* of the record that was peeked; 0 = none */
    uint64_t damaged, damaged_bytes;
    uint8_t *bounce; /* KERNEL_RECORD_MAX bytes, for records that wrap */
};

/* `bytes` is a power of two; `bounce` stays the caller's. */
void kernel_ring_init(struct kernel_ring *r, const void *data, size_t bytes, const uint64_t *head,
                      uint64_t *tail, uint8_t *bounce);

/* Looks how far the kernel has written; records up to there can be peeked. */
void kernel_ring_look(struct kernel_ring *r);

/* The next record, whole and in one piece, or NULL when there is none up to the head that was
 * seen. Good until kernel_ring_take(). */
const uint8_t *kernel_ring_peek(struct kernel_ring *r, size_t *bytes);

/* Goes on behind the record that was peeked; gives its room back now and then. */
void kernel_ring_take(struct kernel_ring *r);

/* Gives back the room of everything that was taken. */
void kernel_ring_release(struct kernel_ring *r);

/* Bytes that wait, as of now. */
uint64_t kernel_ring_waiting(const struct kernel_ring *r);

#endif

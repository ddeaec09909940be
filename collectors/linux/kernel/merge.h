/* Merging the kernel's rings by time: what several processors wrote comes out as one
 * stream. Within a ring the order is the kernel's. */
#ifndef COLLECTORS_LINUX_KERNEL_MERGE_H
#define COLLECTORS_LINUX_KERNEL_MERGE_H

#include "collectors/linux/kernel/ring.h"

#include "src/base/heap.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct stream {
    struct kernel_ring ring;
    uint16_t cpu;
    bool is_on;            /* takes part */
    int64_t time;          /* of the record at its front; never falls within the ring */
    const uint8_t *record; /* at its front, or NULL */
    size_t bytes;
};

struct merge {
    struct stream *streams; /* the caller's */
    size_t stream_count;
    struct heap due; /* the streams that have something to give; room for all: the caller's */
    int64_t until, now;
    uint64_t futures;       /* records that claimed to be younger than now */
};

/* Begins a pass over all streams that are on: everything in the rings by now that is not
 * later than `until`. No record is younger than `now`: one that claims so counts as one of the
 * time before it, or it would hold up all behind it. */
void merge_begin(struct merge *m, int64_t until, int64_t now);

/* The stream whose front record is next, or NULL at the end of the pass; merge_take() goes on
 * behind that record. */
struct stream *merge_next(struct merge *m);
void merge_take(struct merge *m);

/* Ends the pass: all room goes back to the kernel. */
void merge_end(struct merge *m);

#endif

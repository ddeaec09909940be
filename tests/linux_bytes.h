/* Bytes as the kernel writes them into a ring, for tests of the Linux collector. */
#ifndef TESTS_LINUX_BYTES_H
#define TESTS_LINUX_BYTES_H

#include "collectors/linux/kernel/ring.h"
#include "collectors/linux/kernel/sample.h"

#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

/* A record that is being written; 8-aligned as in a ring. */
struct made_record {
    _Alignas(8) uint8_t bytes[KERNEL_RECORD_MAX];
    size_t used;
};

static inline void made_bytes(struct made_record *m, const void *from, size_t bytes)
{
    memcpy(m->bytes + m->used, from, bytes);
    m->used += bytes;
}

static inline void made_u32(struct made_record *m, uint32_t v)
{
    made_bytes(m, &v, sizeof v);
}

static inline void made_u64(struct made_record *m, uint64_t v)
{
    made_bytes(m, &v, sizeof v);
}

static inline void made_begin(struct made_record *m, uint32_t type, uint16_t misc)
{
    const uint16_t size = 0;
    m->used = 0;
    made_u32(m, type);
    made_bytes(m, &misc, sizeof misc);
    made_bytes(m, &size, sizeof size);
}

/* Pads to 8 and fills in the size. */
static inline void made_end(struct made_record *m)
{
    while (m->used % 8)
        m->bytes[m->used++] = 0;
    const uint16_t size = (uint16_t)m->used;
    memcpy(m->bytes + 6, &size, sizeof size);
}

/* The fixed part of a sample. */
static inline void made_sample(struct made_record *m, uint64_t id, uint32_t pid, uint32_t tid,
                               uint64_t time, uint32_t cpu)
{
    made_begin(m, PERF_RECORD_SAMPLE, 0);
    made_u64(m, id);
    made_u64(m, 0xffffffff81000000u); /* ip */
    made_u32(m, pid);
    made_u32(m, tid);
    made_u64(m, time);
    made_u64(m, 0x7f0000001000u); /* addr */
    made_u32(m, cpu);
    made_u32(m, 0);
}

static inline void made_raw(struct made_record *m, const void *raw, uint32_t bytes)
{
    made_u32(m, bytes);
    made_bytes(m, raw, bytes);
}

/* What ends records of the side band. */
static inline void made_trailer(struct made_record *m, uint32_t pid, uint32_t tid, uint64_t time,
                                uint32_t cpu)
{
    made_u32(m, pid);
    made_u32(m, tid);
    made_u64(m, time);
    made_u32(m, cpu);
    made_u32(m, 0);
    made_u64(m, 77);
}

/* A ring of `bytes` (a power of two) with the kernel's side in the test's hands. */
struct made_ring {
    uint8_t *data;
    size_t bytes;
    uint64_t head, tail;
    uint8_t *bounce;
    struct kernel_ring ring;
};

/* The counters begin at `start`, a multiple of 8, so that records wrap where a test wants. */
static inline void made_ring_init(struct made_ring *r, size_t bytes, uint64_t start)
{
    memset(r, 0, sizeof *r);
    r->bytes = bytes;
    r->data = calloc(1, bytes);
    r->bounce = malloc(KERNEL_RECORD_MAX);
    r->head = r->tail = start;
    kernel_ring_init(&r->ring, r->data, bytes, &r->head, &r->tail, r->bounce);
}

static inline void made_ring_fini(struct made_ring *r)
{
    free(r->data);
    free(r->bounce);
}

/* As the kernel does: bytes first, then the head. */
static inline void made_ring_put(struct made_ring *r, const void *from, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++)
        r->data[(r->head + i) & (r->bytes - 1)] = ((const uint8_t *)from)[i];
    r->head += bytes;
}

#endif

/* What comes out of a ring, given on a while later and in order of time: a record that came late
 * finds its place as long as what is younger is still held. Holding is bounded, in time and in
 * memory; what comes later yet is given on at once, and counted.
 *
 * One thread. Memory is taken as it is needed, none for a record. */
#ifndef SRC_COLLECT_REORDER_BUFFER_H
#define SRC_COLLECT_REORDER_BUFFER_H

#include "src/collect/collector.h"

struct reorder_buffer;

/* Records of this collector, for `hold_ns` (of os_now()). */
struct reorder_buffer *reorder_new(const struct collector *c, int64_t hold_ns);
void reorder_free(struct reorder_buffer *d); /* NULL is fine */

/* Where the next records may be copied to, side by side and each padded to 8: *bytes of them, room
 * for ring_largest() at least. NULL where all places are taken: then the oldest records are due,
 * whatever their time. */
uint8_t *reorder_room(struct reorder_buffer *d, int64_t now, size_t *bytes);

/* So many bytes were copied there; the records that they are. */
size_t reorder_put(struct reorder_buffer *d, size_t bytes, int64_t now);

struct reordered {
    const struct record_head *head; /* good until the next call */
    int64_t ns;                     /* since 1970; 0: it has no time, and stays where it came */
    bool is_too_late;               /* a younger one was given on before */
};

/* The next record that is due; with `now` INT64_MAX all are. False: none is. */
bool reorder_next(struct reorder_buffer *d, int64_t now, struct reordered *out);

/* Records that were given on behind a younger one all the same. */
uint64_t reorder_too_late(const struct reorder_buffer *d);

#endif

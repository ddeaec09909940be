/* The ring: one producer thread, one consumer thread (the engine), and the
 * flight recorder in one. Records are `struct record_head` plus bytes, padded to
 * 8, and never cross a segment. Positions run free in bytes; the tail moves by
 * whole segments and never past `read`, so that what was processed stays
 * readable until it is overwritten. Pins hold the tail for copying readers.
 *
 * The protocol (who writes what, which store pairs with which load) is written
 * and argued once, in ring.c, and model-checked in tests/model/. */
#ifndef SRC_RING_RING_H
#define SRC_RING_RING_H

#include "src/event/event.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A record's size is 16 bits in the format, so with its head it can exceed 64 KiB: segments are
 * the next power of two, and no event that a file holds is too large for the ring. */
enum { RING_SEGMENT = 128 * 1024, RING_PINS = 4 };

/* Whose pin is whose; one thread each. */
enum ring_pin_slot { PIN_RECORDER, PIN_SNAPSHOT, PIN_FREEZE, PIN_ENGINE };

struct ring;

/* What a record takes in a ring and in what ring_copy() gives: its bytes, padded to 8. */
static inline size_t ring_padded(size_t bytes)
{
    return (bytes + 7) & ~(size_t)7;
}

/* `bytes` is rounded up to whole segments (at least 4); `segment` is a power of
 * two of at least 256 (RING_SEGMENT in the program, tiny in tests) and caps a
 * record at segment - sizeof(segment header). NULL when there is no memory. */
struct ring *ring_new(size_t bytes, size_t segment);
void ring_free(struct ring *r);
size_t ring_capacity(const struct ring *r);
size_t ring_held(const struct ring *r); /* of its memory that was written; any thread. NULL: 0 */
size_t ring_largest(const struct ring *r); /* bytes of the largest record that fits */

/* ---- producer thread --------------------------------------------------------- */

/* Room for a record of head->bytes, or NULL when the reader (or a pin) is in the
 * way: then the loss has been counted. The head is copied; the caller fills
 * head->bytes - sizeof *head bytes behind it and commits. */
void *ring_reserve(struct ring *r, const struct record_head *head);
void ring_commit(struct ring *r);

/* Counts a record as lost that is not to be put though there may be room. */
void ring_refuse(struct ring *r, const struct record_head *head);

/* Reserve, copy, commit. */
bool ring_put(struct ring *r, const struct record_head *head, const void *body);

/* Would a record of these bytes (head included) fit just now? For producers that may
 * wait (files): nothing is counted as lost, and after a yes the next record of up to
 * these bytes does fit. Yes, too, for a record larger than ring_largest(): waiting
 * is no use, ring_put() counts it as lost. */
bool ring_has_room(struct ring *r, size_t bytes);

/* Bytes that wait for the consumer: exact where they are more than `unless_over`, else
 * perhaps less by now. A producer that may wait leaves the rest of the ring to history. */
uint64_t ring_backlog(struct ring *r, uint64_t unless_over);

/* Everything up to this time (ns since 1970) has been put (for the engine's merge). */
void ring_complete(struct ring *r, int64_t time_ns);
void ring_finish(struct ring *r); /* no more records will ever come; complete for good */

/* ---- consumer thread (engine) ------------------------------------------------ */

/* The next record, or NULL when there is none yet. Good until ring_release(). The
 * position names it for later: ring_copy() with a pin finds it again. */
const struct record_head *ring_peek(struct ring *r, uint64_t *position);
void ring_release(struct ring *r);

/* Lets go of everything that is there (the slow ring's consumer does this). */
void ring_release_all(struct ring *r);

/* See ring_complete: INT64_MIN at first, INT64_MAX once finished. Ask before peeking:
 * what was put up to that time is then sure to be seen. */
int64_t ring_completed(const struct ring *r);
bool ring_is_finished(const struct ring *r);  /* finished *and* everything was consumed */

/* ---- any thread --------------------------------------------------------------- */

struct ring_figures {
    uint64_t put, put_bytes;   /* records committed since the start */
    uint64_t lost, lost_bytes; /* records refused because there was no room */
    uint64_t delivered;        /* records released by the consumer */
    uint64_t pinned;           /* times the producer rolled back for a pin */
    uint64_t head, read, tail; /* positions */
};
struct ring_figures ring_figures(const struct ring *r);

/* A pin: holds the tail at or below a position while its owner copies. Slot is
 * 0..RING_PINS-1, one owner thread each. Returns the position pinned: the oldest
 * segment that is still whole and leaves the producer an eighth of the ring to go on
 * (once the ring has filled: an eighth above the tail), or `from` where that is younger.
 * Never held across I/O or waiting: a producer that meets a pin loses its event. */
uint64_t ring_pin(struct ring *r, unsigned slot, uint64_t from);
void ring_pin_move(struct ring *r, unsigned slot, uint64_t position); /* only upwards */
void ring_unpin(struct ring *r, unsigned slot);

/* Copies whole records from *position (which a pin of the caller's must cover) up to
 * the head or until `room` is full, into `to`, each padded to 8. Moves *position; returns
 * bytes copied. Room for less than ring_largest() may not be enough for one record. In
 * large copies, go in steps of a megabyte or so and move the pin up after each. */
size_t ring_copy(const struct ring *r, uint64_t *position, void *to, size_t room);

/* The record at `position` (from ring_peek), copied into `to` (up to `room` bytes)
 * if it has not been overwritten; its full size, or 0 when it is gone (or so old that
 * a pin may not hold it). Uses `slot`, which must be free or cover the position. */
size_t ring_fetch(struct ring *r, unsigned slot, uint64_t position, void *to, size_t room);

/* The head of the oldest record that a pin can hold; the reader knows its source's clock. False
 * when empty. Uses `slot`, which must be free. */
bool ring_oldest(struct ring *r, unsigned slot, struct record_head *oldest);

/* What a segment knows of its records. `number` is that of the first (the first ever
 * put is 0); the rest is known once the segment is closed, until then it is 0. */
struct ring_segment {
    uint64_t start, next;      /* positions of this segment and of the one behind it */
    uint64_t first, end;       /* of its records, which lie side by side; `end` moves with the
                                * head while the segment is open */
    uint64_t number;
    int64_t first_ts, last_ts; /* smallest and largest raw timestamp */
    uint64_t lost;             /* records refused while it was the producer's */
    uint32_t count;
    bool is_closed;
};

/* The segment of a pinned position below the head. */
struct ring_segment ring_segment(const struct ring *r, uint64_t position);

/* Number of the record at a pinned position below the head (the first ever put is 0): the
 * difference of two is how many records an overtaken reader missed. */
uint64_t ring_number(const struct ring *r, uint64_t position);

#endif

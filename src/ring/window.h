/* A private copy of what a ring still holds, for a picture that was frozen: the ring
 * goes on and overwrites, the copy stays. Made a few segments at a time, so that its
 * owner (the engine's thread) stays answerable; a pin keeps the rest there meanwhile. */
#ifndef SRC_RING_WINDOW_H
#define SRC_RING_WINDOW_H

#include "src/ring/ring.h"

#include <stdbool.h>

struct window;

/* Pins what there is now with `slot`; copies nothing yet. */
struct window *window_new(struct ring *r, unsigned slot);

/* Copies until `deadline` (os_now()); false when there is nothing left to copy. Where
 * memory ends, the copy ends: the oldest records are there, the newest are not. */
bool window_work(struct window *w, int64_t deadline);

/* Like ring_fetch(): the record's bytes in full, 0 when it is not in the copy. */
size_t window_fetch(const struct window *w, uint64_t position, void *to, size_t room);

/* Piece by piece, oldest first: records side by side, each padded to 8 as ring_copy() gives
 * them, of one segment; NULL behind the last. */
const uint8_t *window_piece(const struct window *w, size_t index, size_t *bytes);

/* Records that the ring refused while the copied segments were its newest, and whether the
 * copy is all that was wanted. */
uint64_t window_lost(const struct window *w);
bool window_is_whole(const struct window *w);

size_t window_bytes(const struct window *w); /* of memory */
void window_free(struct window *w); /* NULL is fine */

#endif

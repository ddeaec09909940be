/* Manifests that EventSources of .NET write into traces, cut into pieces: events with id 0xFFFE of
 * the provider itself, each a head of eight bytes and a part of the XML. Pieces of several
 * processes and threads may be mixed, and come in any order. Anybody may have written them: memory
 * is bounded. One owner. */
#ifndef SRC_EVENT_MANIFEST_PIECES_H
#define SRC_EVENT_MANIFEST_PIECES_H

#include "src/event/decode.h"

/* The fields of such an event. */
extern const struct payload_layout manifest_piece_layout;

/* Is it such an event, by its header? */
bool manifest_is_piece(const struct event *e);

struct manifest_pieces;
struct manifest_pieces *manifest_pieces_new(void);
void manifest_pieces_free(struct manifest_pieces *p); /* NULL is fine */

/* Takes a piece. Returns the text of the manifest, for free(), when that was the last one missing;
 * else NULL. A piece that is there already replaces the older one. */
uint8_t *manifest_pieces_take(struct manifest_pieces *p, uint32_t source, const struct event *e,
                              size_t *bytes);

/* How many pieces of how many are here, where the manifest of the event's process and thread is not
 * complete; false where nothing is missing. */
bool manifest_pieces_missing(const struct manifest_pieces *p, uint32_t source,
                             const struct event *e, unsigned *here, unsigned *all);

/* Incomplete manifests, including those dropped because there was no room. */
uint64_t manifest_pieces_incomplete(const struct manifest_pieces *p);

/* Pieces that contradict themselves: no head, or a number beyond their count. */
uint64_t manifest_pieces_bad(const struct manifest_pieces *p);

size_t manifest_pieces_bytes(const struct manifest_pieces *p);

#endif

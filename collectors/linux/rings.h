/* The kernel's rings, one per processor: opened, replaced by larger or fresh ones, given up.
 * Control's thread (and the owner's before that one runs). */
#ifndef COLLECTORS_LINUX_RINGS_H
#define COLLECTORS_LINUX_RINGS_H

#include "collectors/linux/live.h"

/* Makes what has a place per processor; opens a ring on each that is online. False with a
 * sentence; rings_close() in either case. */
bool rings_open(struct linux_live *l, struct err *err);
void rings_close(struct linux_live *l);

/* The ring in use of a processor; NULL where it has none. */
struct live_ring *ring_in_use(const struct linux_live *l, uint32_t cpu);

/* Looks which processors are online. Rings of those that went are left; those that came get
 * one. True when some came or went. */
bool rings_follow_cpus(struct linux_live *l);

/* Frees the rings that the collector has left. */
void rings_drop_left(struct linux_live *l);

/* Opens rings twice as large, which take the old ones' place when rings_move() has redirected
 * every event. False where there is nothing more to be had (said in `why`), or just now not. */
bool rings_grow(struct linux_live *l, struct err *why);

/* Redirects events into the rings that grew, the busiest first, for some time at most: of each
 * the kernel makes us wait. What is left is done by the next call. */
void rings_move(struct linux_live *l);
bool rings_are_moving(const struct linux_live *l);

/* Whether rings are on their way: made and not yet in use, or left and not yet freed. */
bool rings_are_settled(const struct linux_live *l);

/* Replaces rings that woke the collector far more often since the last call than their records ask
 * for (see is_restless() in rings.c). Once a second, before rings_most_written(). */
void rings_renew(struct linux_live *l);

/* The most bytes that any ring took since the last call. */
uint64_t rings_most_written(struct linux_live *l);

/* No more fork, exit, comm, mmap. */
void rings_disable_side_band(struct linux_live *l);

#endif

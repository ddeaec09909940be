/* What is alive at the ends of a stretch of a trace, as the records that say so.
 *
 * Processes, threads, images, names of files and registry keys are known by events that may lie
 * before the stretch, or behind it (a rundown at the end lists things that were there all along).
 * So the whole trace is noted first, in time order. Then each thing alive at the start gets a
 * record "DCStart", and each alive at the end a "DCEnd": its own record under the other type, for
 * all types of a class have one layout. Behind it stand later records about the thing: its start,
 * its user, its program by then. Things whose own records lie in the stretch need none. Connections
 * have no such records; one that is open at the start gets a copy of the record that opened it.
 *
 * Keeps only what reaches the stretch; one thread. */
#ifndef SRC_TRACE_RUNDOWN_H
#define SRC_TRACE_RUNDOWN_H

#include "src/event/event.h"

struct rundown;

enum rundown_class {
    RUNDOWN_NONE,
    RUNDOWN_PROCESS,
    RUNDOWN_THREAD,
    RUNDOWN_IMAGE,
    RUNDOWN_FILE,
    RUNDOWN_KEY,
    RUNDOWN_CONNECTION,
    RUNDOWN_RUNTIME, /* of .NET, in its process */
    RUNDOWN_CLASSES,
};

/* The class of thing that the event is about. */
enum rundown_class rundown_class_of(const struct event *e);

/* The stretch: from ≤ time ≤ to, ns since 1970 UTC. */
struct rundown *rundown_new(int64_t from, int64_t to);
void rundown_free(struct rundown *r);

/* Takes note of an event; all come, in time order. */
void rundown_note(struct rundown *r, const struct event *e, int64_t ns);

/* For events without an end, before each is noted: where there is much, forgets what ended before this
 * time, and if that is little, the older names of files. The stretch is then any time. */
void rundown_make_room(struct rundown *r, int64_t ns);

/* Things that found no room (see LIFETIMES_MOST) or were forgotten for want of it: they are missing at the ends. */
uint64_t rundown_forgotten(const struct rundown *r);

enum rundown_edge { RUNDOWN_START, RUNDOWN_END };

/* The next record of that edge into `out` (EVENT_RECORD_ROOM bytes), without a time; *at
 * starts at 0. Its bytes, and the source it is of; 0 behind the last. */
enum { EVENT_RECORD_ROOM = 65536 };
uint32_t rundown_next(const struct rundown *r, enum rundown_edge edge, size_t *at, uint8_t *out,
                      unsigned *source);

/* Is it the record that opened a connection which is still open at the start? */
bool rundown_wants(const struct rundown *r, const struct event *e);

/* The record that names this file (by object or key) or registry key at that time, parsed; where it
 * had none then, the last one before, else the next: names may come after operations. False where
 * there is none at all. Knows what reaches the stretch. */
bool rundown_name(const struct rundown *r, enum rundown_class class, unsigned source,
                  uint64_t object, int64_t ns, struct event *out);

#endif

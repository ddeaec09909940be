/* Schemas that the operating system knows: those of the providers that are installed on this
 * machine (Windows: TDH). src/event/schema.h asks where no other schema describes an event.
 *
 * The system may be slow, or never come back, and no answer is to be trusted. It is asked on a
 * thread of its own, about each kind of events once; answers are kept for whoever asks again. */
#ifndef SRC_EVENT_SCHEMA_SYSTEM_H
#define SRC_EVENT_SCHEMA_SYSTEM_H

#include "src/event/event.h"
#include "src/event/manifest/manifest.h"

/* Functions for the asking thread. They look at the event's kind, provider, id, version and opcode,
 * and at the size of its pointers; not at its payload, which is not there. */
struct schema_system {
    /* The event's TRACE_EVENT_INFO, as EventInfo records hold it; false when none is known. */
    bool (*event)(const struct event *e, struct manifest_blob *out);
    /* The map of that name (UTF-8) of the event's provider: its GUID and an EVENT_MAP_INFO. */
    bool (*map)(const struct event *e, const char *name, struct manifest_blob *out);
};

/* Before other threads begin. NULL: the system knows none. What was answered is forgotten; a
 * question under way is waited for, but not for long. */
void schema_system_set(const struct schema_system *system);
bool schema_system_is_there(void);

enum system_answer {
    SYSTEM_UNKNOWN,
    SYSTEM_KNOWN,
    SYSTEM_PENDING, /* ask again later */
};

/* The event's TRACE_EVENT_INFO; waits for it, no longer than that. 16384 kinds of events are asked
 * about, the others are unknown. Any thread but a collector's. */
enum system_answer schema_system_event(const struct event *e, int64_t wait_ns,
                                       struct manifest_blob *out);

/* A map of an event that is known: its provider's GUID and an EVENT_MAP_INFO; false: there is none.
 */
bool schema_system_map(const struct event *e, const char *name, struct manifest_blob *out);

/* How many answers have come. When it changes, callers that got SYSTEM_PENDING may ask again. */
uint32_t schema_system_answers(void);

#endif

/* Schemas that the operating system knows: those of the providers that are installed on this
 * machine (Windows: TDH). src/event/schema.h asks where no other schema describes an event.
 *
 * Answers may be slow, and none is to be trusted. Never asked on a collector's thread; by
 * src/event/schema.c 16384 times at most, and for three seconds in all. */
#ifndef SRC_EVENT_SCHEMA_SYSTEM_H
#define SRC_EVENT_SCHEMA_SYSTEM_H

#include "src/event/event.h"
#include "src/event/manifest/manifest.h"

/* Functions for any thread. They look at the event's kind, provider, id, version and opcode, and at
 * the size of its pointers; not at its payload. */
struct schema_system {
    /* The event's TRACE_EVENT_INFO, as EventInfo records hold it; false when none is known. */
    bool (*event)(const struct event *e, struct manifest_blob *out);
    /* The map of that name (UTF-8) of the event's provider: its GUID and an EVENT_MAP_INFO. */
    bool (*map)(const struct event *e, const char *name, struct manifest_blob *out);
};

/* Before other threads begin. NULL: the system knows none. */
void schema_system_set(const struct schema_system *system);
const struct schema_system *schema_system(void);

#endif

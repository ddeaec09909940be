/* What an event is called and how its payload lies, wherever that is known from. The sources are
 * asked in this order:
 *
 *   built in      the tables of src/event/decode/: kernel classes and what merge tools add; and the
 *                 pieces of manifests (src/event/manifest/pieces.h)
 *   TraceLogging  the description in the event itself (src/event/tracelogging.h)
 *   trace         EventInfo records of the same source; mostly they come after their events. MOF
 *                 classes are in traces in this form alone
 *   trace         manifests that EventSources wrote into the same source, the first one first
 *   manifest      files that the user names, in that order (src/event/schema_file.h)
 *   built in      the table of manifest providers (src/event/manifest_table.h)
 *   TDH           what the system knows of its providers (src/event/schema_system.h)
 *
 * Answers are kept per source, provider, id (of classic events the opcode) and version, or per
 * description, a miss as well. An
 * EventInfo record or a manifest that comes later goes before what stands behind it here. Not
 * locked: one thread at a time.
 *
 * Where the table has several layouts for one event, it is the one that fits the payload: the first
 * that consumes it exactly, else the first that leaves trailing bytes. An event whose version the
 * table lacks has the layout of the nearest lower version, if it fits in that way; else none. */
#ifndef SRC_EVENT_SCHEMA_H
#define SRC_EVENT_SCHEMA_H

#include "src/event/decode.h"
#include "src/event/provider_names.h"

enum schema_origin {
    SCHEMA_NONE,
    SCHEMA_BUILT_IN,
    SCHEMA_TRACELOGGING,
    SCHEMA_TRACE,
    SCHEMA_MANIFEST,
    SCHEMA_SYSTEM,
    SCHEMA_PENDING, /* none so far: the system has been asked */
};

struct schema {
    enum schema_origin origin;
    const struct payload_layout *layout; /* NULL: not known */
    /* Any bytes; "" where there is none, never NULL. */
    const char *provider, *event;
    const char *message;                /* a text with %1 … %99 for the fields */
    const struct provider_names *names; /* of levels, tasks …; NULL: only standard ones */
    const char *file;                   /* of SCHEMA_MANIFEST; else "" */
    bool is_transient; /* of a TraceLogging event beyond the room, see schema_find() */
};

/* "built in", "TraceLogging", "trace", "manifest", "TDH"; "none" where there is no schema, "TDH is being
 * asked" where there may be one later. */
const char *schema_origin_name(enum schema_origin origin);

/* Has a built-in layout a field of that name, whatever its case? Any thread. */
bool schema_has_field(const char *name, size_t bytes);

struct schemas;
struct schemas *schemas_new(void);
void schemas_free(struct schemas *s);

/* The system's answers are not waited for, from here on: until they are there, such an event has no
 * schema, and its origin is SCHEMA_PENDING. Others wait three seconds in all. */
void schemas_never_wait(struct schemas *s);

/* The schema of the event, which comes from that source; false when there is none. Good until the
 * schemas are freed, but of a TraceLogging event beyond the room only as long as its record is and
 * until the next call. */
bool schema_find(struct schemas *s, uint32_t source, const struct event *e, struct schema *out);

/* Is it a record about schemas: an EventInfo record, a layout or a map, or a piece of a manifest?
 */
bool schema_is_about(const struct event *e);

/* Learns from EventInfo records and from pieces of manifests; other events are left alone. True
 * when a kind of events has got a schema: `about` is then an event of that kind, without a record.
 * After a manifest it is a piece of it (manifest_is_piece()), for all kinds of its provider. */
bool schema_learn(struct schemas *s, uint32_t source, const struct event *e, struct event *about);

/* May schemas come from outside the trace: from the user's files or the system? */
bool schema_has_outside(void);

/* Takes the payload of a record about a schema: an EventInfo record's or a map's, by the opcode
 * that the record has. Good until the function returns. False: no more is wanted. */
typedef bool (*schema_payload)(void *state, uint8_t opcode, const uint8_t *payload, size_t bytes);

/* Where the event's schema comes from outside the trace: hands over the payloads of the records by
 * which a trace would describe it, first the maps of its fields. True when all were taken, or there
 * is no such schema. Asks the system again. */
bool schema_export(struct schemas *s, uint32_t source, const struct event *e, schema_payload take,
                   void *state);

/* What became of the manifest that the piece belongs to, into `out`: "complete, 12 events", "2 of 3
 * pieces are here", … */
void schema_describe_piece(const struct schemas *s, uint32_t source, const struct event *piece,
                           char *out, size_t room);

/* Does any provider whose schemas are known give such a name, or is it a standard one? */
bool schemas_have_name(const struct schemas *s, enum provider_name kind, const struct pattern *p);

/* Schemas that there was no room for, and the bytes that the others take. */
uint64_t schemas_dropped(const struct schemas *s);
size_t schemas_bytes(const struct schemas *s);

/* What is wrong with manifests in the trace: a sentence, NULL behind the last. `room` is for it. */
enum { SCHEMAS_SENTENCE = 400 };
const char *schemas_sentence(const struct schemas *s, unsigned index, char room[SCHEMAS_SENTENCE]);

#endif

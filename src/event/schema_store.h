/* What a table of schemas keeps, for the files that fill it and ask it: schema.c, schema_learn.c,
 * schema_info.c. One thread at a time, as schema.h says. */
#ifndef SRC_EVENT_SCHEMA_STORE_H
#define SRC_EVENT_SCHEMA_STORE_H

#include "src/base/err.h"
#include "src/base/hash_index.h"
#include "src/event/event_info.h"
#include "src/event/manifest/manifest.h"
#include "src/event/manifest/pieces.h"
#include "src/event/schema.h"
#include "src/event/tracelogging.h"

enum { SCHEMAS_BYTES_MOST = 64 << 20 }; /* names and layouts: what a trace can fill */

/* Opcodes of the records that describe: TRACE_EVENT_INFO, EVENT_MAP_INFO. */
enum { EVENT_INFO = 32, EVENT_MAP_INFO = 33 };

/* What is known, or known to be unknown, about one kind of events. */
struct schema_entry {
    struct guid provider;
    uint32_t source;
    uint16_t id, version;
    uint32_t description_hash; /* of TraceLogging; else 0 */
    uint32_t description_bytes;
    uint8_t *description; /* a copy, which names and fields point into; NULL = none */
    struct field *fields; /* and behind them names */
    struct payload_layout layout;
    struct schema schema;
    struct schema_entry *next_variant; /* of a built-in layout, NULL behind the last */
};

/* Entries and maps that are no source's: built-in ones, the system's and those of manifests are
 * kept once, and each manifest has a number in place of a source. */
enum { MANIFEST_FIRST = 1 << 24, FILE_FIRST = 1 << 25 };
#define BUILT_IN  UINT32_MAX
#define OF_SYSTEM (UINT32_MAX - 1)

/* A manifest that came in pieces. */
struct schema_manifest {
    struct guid provider;
    uint32_t source;
    uint64_t hash;             /* of its text: most processes write the same one */
    struct manifest *manifest; /* NULL: it cannot be used */
    struct err why;
};

/* A map is there as soon as a field has it, and has names when its own record was met. */
struct schema_map {
    struct guid provider;
    uint32_t source;
    struct value_map map;
    struct value_name *entries; /* and behind them their texts */
    char name[];
};

/* Names that a provider's schemas of one source give. */
struct schema_provider {
    struct guid provider;
    uint32_t source;
    struct provider_names *names;
};

struct schemas {
    struct schema_entry **entries; /* [0] is none */
    uint32_t entry_count, entry_room;
    struct hash_index entry_index;
    struct schema_map **maps; /* [0] is none */
    uint32_t map_count, map_room;
    struct hash_index map_index;
    struct schema_provider *providers; /* [0] is none */
    uint32_t provider_count, provider_room;
    struct hash_index provider_index;
    size_t bytes;
    uint64_t dropped;
    uint32_t asked;   /* answers of the system so far … */
    int64_t asked_ns; /* … and how long slow ones were waited for */
    bool never_waits;
    struct schema_manifest **manifests;
    uint32_t manifest_count;
    struct manifest_pieces *pieces;   /* NULL until there is one */
    struct manifest_blob blob;        /* scratch */
    struct tracelogging tracelogging; /* room for one at a time */
    struct event_info info;
};

/* What makes an entry the one for an event. */
struct schema_key {
    const struct guid *provider;
    uint32_t source;
    uint16_t id, version;
    struct tracelogging_description description; /* of TraceLogging; else nothing */
};

/* In keys, the version distinguishes classic events from those of manifests. */
enum { CLASSIC = 0x100 };

/* True: there is room for so many bytes, which count from now on. */
bool schemas_reserve(struct schemas *s, size_t bytes);

uint64_t schema_guid_hash(const struct guid *g);

struct schema_key schema_key_of(const struct event *e, uint32_t source);

/* NULL: there is none, and a new one belongs `at`. */
struct schema_entry *schema_entry_find(struct schemas *s, const struct schema_key *k, uint32_t *at);

/* NULL: there is no more room. */
struct schema_entry *schema_entry_add(struct schemas *s, const struct schema_key *k, uint32_t at);

#endif

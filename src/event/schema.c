#include "src/event/schema.h"

#include "src/base/bytes.h"
#include "src/base/hash_index.h"
#include "src/base/map.h"
#include "src/base/mem.h"
#include "src/event/decode/classes.h"
#include "src/event/event_info.h"
#include "src/event/manifest/pieces.h"
#include "src/event/manifest_table.h"
#include "src/event/schema_file.h"
#include "src/event/schema_system.h"
#include "src/event/tracelogging.h"
#include "src/os/os.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* Room that a trace can fill: with names and layouts, and with kinds that it has no schema for. */
enum {
    BYTES_MOST = 64 << 20,
    ENTRIES_MOST = 1 << 17,
    MAPS_MOST = 1 << 14,
    MAP_ENTRIES_MOST = 4096,
    MANIFESTS_MOST = 256,
    ASKED_MOST = 1 << 14, /* questions to the system */
};

/* Most of its answers take a tenth of a millisecond, about classes perhaps a second. Who asks
 * waits, and does so no longer than this in all. */
static const int64_t ASKED_NS = 3 * 1000000000ll, USUAL_NS = 20 * 1000000;

/* What is known, or known to be unknown, about one kind of events. */
struct entry {
    struct guid provider;
    uint32_t source;
    uint16_t id, version;
    uint32_t description_hash; /* of TraceLogging; else 0 */
    uint32_t description_bytes;
    uint8_t *description; /* a copy, which names and fields point into; NULL = none */
    struct field *fields; /* and behind them names */
    struct layout layout;
    struct schema schema;
    struct entry *next_variant; /* of a built-in layout, NULL behind the last */
};

/* Entries and maps that are no source's: built-in ones, the system's and those of manifests are
 * kept once, and each manifest has a number in place of a source. */
enum { MANIFEST_FIRST = 1 << 24, FILE_FIRST = 1 << 25 };
#define BUILT_IN UINT32_MAX
#define OF_SYSTEM (UINT32_MAX - 1)

/* A manifest that came in pieces. */
struct source_manifest {
    struct guid provider;
    uint32_t source;
    uint64_t hash;             /* of its text: most processes write the same one */
    struct manifest *manifest; /* NULL: it cannot be used */
    struct err why;
};

/* A map is there as soon as a field has it, and has names when its own record was met. */
struct named_map {
    struct guid provider;
    uint32_t source;
    struct value_map map;
    struct value_name *entries; /* and behind them their texts */
    char name[];
};

/* Names that a provider's schemas of one source give. */
struct named_provider {
    struct guid provider;
    uint32_t source;
    struct provider_names *names;
};

struct schemas {
    struct entry **entries; /* [0] is none */
    uint32_t entry_count, entry_room;
    struct hash_index entry_index;
    struct named_map **maps; /* [0] is none */
    uint32_t map_count, map_room;
    struct hash_index map_index;
    struct named_provider *providers; /* [0] is none */
    uint32_t provider_count, provider_room;
    struct hash_index provider_index;
    size_t bytes;
    uint64_t dropped;
    uint32_t asked;   /* answers of the system so far … */
    int64_t asked_ns; /* … and how long slow ones were waited for */
    bool never_waits;
    struct source_manifest **manifests;
    uint32_t manifest_count;
    struct manifest_pieces *pieces;   /* NULL until there is one */
    struct manifest_blob blob;        /* scratch */
    struct tracelogging tracelogging; /* room for one at a time */
    struct event_info info;
};

const char *schema_origin_name(enum schema_origin origin)
{
    static const char *const names[] = {"none",  "built in", "TraceLogging",
                                        "trace", "manifest", "TDH",          "TDH, pending"};
    return names[origin];
}

void schemas_never_wait(struct schemas *s)
{
    s->never_waits = true;
}

struct schemas *schemas_new(void)
{
    enum { ROOM = 64 };
    struct schemas *const s = mem_new(1, sizeof *s);
    s->entries = mem_new(ROOM, sizeof(void *));
    s->maps = mem_new(ROOM, sizeof(void *));
    s->providers = mem_new(ROOM, sizeof *s->providers);
    s->entry_room = s->map_room = s->provider_room = ROOM;
    s->entry_count = s->map_count = s->provider_count = 1;
    hash_index_init(&s->entry_index, ROOM);
    hash_index_init(&s->map_index, ROOM);
    hash_index_init(&s->provider_index, ROOM);
    return s;
}

void schemas_free(struct schemas *s)
{
    if (!s)
        return;
    for (uint32_t i = 1; i < s->entry_count; i++)
        for (struct entry *x = s->entries[i], *next; x; x = next) {
            next = x->next_variant;
            free(x->fields);
            free(x->description);
            free(x);
        }
    for (uint32_t i = 1; i < s->map_count; i++) {
        free(s->maps[i]->entries);
        free(s->maps[i]);
    }
    for (uint32_t i = 1; i < s->provider_count; i++)
        provider_names_free(s->providers[i].names);
    for (uint32_t i = 0; i < s->manifest_count; i++) {
        manifest_free(s->manifests[i]->manifest);
        free(s->manifests[i]);
    }
    free(s->manifests);
    manifest_pieces_free(s->pieces);
    free(s->blob.at);
    free(s->entries);
    free(s->maps);
    free(s->providers);
    hash_index_fini(&s->entry_index);
    hash_index_fini(&s->map_index);
    hash_index_fini(&s->provider_index);
    free(s);
}

uint64_t schemas_dropped(const struct schemas *s)
{
    return s->dropped;
}

size_t schemas_bytes(const struct schemas *s)
{
    const size_t pieces = s->pieces ? manifest_pieces_bytes(s->pieces) : 0;
    return sizeof *s + s->bytes + pieces + s->blob.room +
           (s->entry_room + s->map_room) * sizeof(void *) +
           s->provider_room * sizeof *s->providers + hash_index_bytes(&s->entry_index) +
           hash_index_bytes(&s->map_index) + hash_index_bytes(&s->provider_index);
}

static bool reserve(struct schemas *s, size_t bytes)
{
    if (bytes > BYTES_MOST || s->bytes > BYTES_MOST - bytes) {
        s->dropped++;
        return false;
    }
    s->bytes += bytes;
    return true;
}

/* ---- entries ------------------------------------------------------------------------------ */

static uint64_t guid_hash(const struct guid *g)
{
    return hash_mix(load_u64(g->b) ^ hash_mix(load_u64(g->b + 8)));
}

static uint64_t entry_hash(const struct guid *provider, uint32_t source, uint16_t id,
                           uint16_t version, uint32_t description)
{
    const uint64_t number = (uint64_t)source << 32 | (uint32_t)id << 16 | version;
    return hash_mix(guid_hash(provider) ^ hash_mix(number) ^ description) >> 16;
}

static uint64_t hash_of_entry(const void *entries, uint32_t number)
{
    const struct entry *const x = ((struct entry *const *)entries)[number];
    return entry_hash(&x->provider, x->source, x->id, x->version, x->description_hash);
}

/* What makes an entry the one for an event. */
struct key {
    const struct guid *provider;
    uint32_t source;
    uint16_t id, version;
    struct tracelogging_description description; /* of TraceLogging; else nothing */
};

static bool is_entry(const struct entry *x, const struct key *k)
{
    return x->source == k->source && x->id == k->id && x->version == k->version &&
           x->description_hash == k->description.hash &&
           x->description_bytes == k->description.bytes && guid_equal(&x->provider, k->provider) &&
           (!x->description_bytes ||
            memcmp(x->description, k->description.at, x->description_bytes) == 0);
}

/* In keys, the version tells classic events from those of manifests. */
enum { CLASSIC = 0x100 };

static struct key key_of(const struct event *e, uint32_t source)
{
    const bool is_classic = e->kind == HEADER_CLASSIC;
    return (struct key){.provider = &e->provider,
                        .source = source,
                        .id = is_classic ? e->opcode : e->id,
                        .version =
                            (uint16_t)(is_classic ? CLASSIC | (uint8_t)e->version : e->version)};
}

/* NULL: there is none, and a new one belongs `at`. */
static struct entry *entry_find(struct schemas *s, const struct key *k, uint32_t *at)
{
    const struct hash_index *const x = &s->entry_index;
    *at = hash_index_first(
        x, entry_hash(k->provider, k->source, k->id, k->version, k->description.hash));
    for (uint32_t number; (number = x->numbers[*at]); *at = hash_index_next(x, *at))
        if (is_entry(s->entries[number], k))
            return s->entries[number];
    return NULL;
}

/* NULL: there is no more room. */
static struct entry *entry_add(struct schemas *s, const struct key *k, uint32_t at)
{
    if (s->entry_count == ENTRIES_MOST || !reserve(s, sizeof(struct entry)))
        return NULL;
    if (s->entry_count == s->entry_room) {
        s->entry_room *= 2;
        s->entries = mem_grow(s->entries, s->entry_room, sizeof(void *));
    }
    const uint32_t number = s->entry_count++;
    struct entry *const x = mem_new(1, sizeof *x);
    *x = (struct entry){.provider = *k->provider,
                        .source = k->source,
                        .id = k->id,
                        .version = k->version,
                        .schema = {.provider = "", .event = "", .message = "", .file = ""}};
    s->entries[number] = x;
    if (k->description.bytes) {
        x->description_hash = k->description.hash;
        x->description_bytes = k->description.bytes;
        x->description = mem_copy(k->description.at, k->description.bytes);
    }
    hash_index_put(&s->entry_index, at, number, hash_of_entry, s->entries);
    return x;
}

/* ---- TraceLogging --------------------------------------------------------------------------- */

static void answer_tracelogging(const struct tracelogging *t, struct schema *out)
{
    *out = (struct schema){.origin = SCHEMA_TRACELOGGING,
                           .layout = &t->layout,
                           .provider = t->provider,
                           .event = t->event,
                           .message = "",
                           .file = "",
                           .is_transient = true};
}

/* Fields and the provider's name; everything else points into the copy of the description. */
static bool keep_tracelogging(struct schemas *s, struct entry *x, const char *provider)
{
    struct tracelogging *const t = &s->tracelogging;
    if (!tracelogging_read_description(x->description, x->description_bytes, t))
        return false;
    const size_t fields = t->layout.field_count * sizeof *t->fields;
    const size_t name = strlen(provider) + 1;
    if (!reserve(s, fields + name))
        return false;
    x->fields = mem_new(fields + name, 1);
    char *const provider_copy = (char *)x->fields + fields;
    memcpy(x->fields, t->fields, fields);
    memcpy(provider_copy, provider, name);
    x->layout = (struct layout){.fields = x->fields, .field_count = t->layout.field_count};
    answer_tracelogging(t, &x->schema);
    x->schema.layout = &x->layout;
    x->schema.provider = provider_copy;
    x->schema.is_transient = false;
    return true;
}

static bool find_tracelogging(struct schemas *s, const struct event *e,
                              const struct tracelogging_description *description,
                              struct schema *out)
{
    const struct key k = {.provider = &e->provider, .description = *description};
    uint32_t at;
    struct entry *x = entry_find(s, &k, &at);
    if (!x && !tracelogging_read(e, &s->tracelogging))
        return false;
    if (!x) {
        const char *const provider = s->tracelogging.provider;
        const bool has_room = reserve(s, description->bytes);
        x = has_room ? entry_add(s, &k, at) : NULL;
        if (x && !keep_tracelogging(s, x, provider))
            x = NULL;
    }
    if (x && x->schema.origin != SCHEMA_NONE) {
        *out = x->schema;
        return true;
    }
    if (!tracelogging_read(e, &s->tracelogging))
        return false;
    answer_tracelogging(&s->tracelogging, out);
    return true;
}

/* ---- names that providers give ------------------------------------------------------------------ */

static uint64_t hash_of_provider(const void *providers, uint32_t number)
{
    const struct named_provider *const p = &((const struct named_provider *)providers)[number];
    return hash_mix(guid_hash(&p->provider) ^ p->source) >> 16;
}

/* NULL: there is no room. */
static struct provider_names *names_of(struct schemas *s, const struct guid *provider,
                                       uint32_t source)
{
    const struct hash_index *const x = &s->provider_index;
    uint32_t at = hash_index_first(x, hash_mix(guid_hash(provider) ^ source) >> 16);
    for (uint32_t number; (number = x->numbers[at]); at = hash_index_next(x, at)) {
        const struct named_provider *const p = &s->providers[number];
        if (p->source == source && guid_equal(&p->provider, provider))
            return p->names;
    }
    struct provider_names *const names = provider_names_new();
    if (!reserve(s, provider_names_bytes(names))) {
        provider_names_free(names);
        return NULL;
    }
    if (s->provider_count == s->provider_room) {
        s->provider_room *= 2;
        s->providers = mem_grow(s->providers, s->provider_room, sizeof *s->providers);
    }
    const uint32_t number = s->provider_count++;
    s->providers[number] = (struct named_provider){*provider, source, names};
    hash_index_put(&s->provider_index, at, number, hash_of_provider, s->providers);
    return names;
}

/* Bits below these are names of their own; these stand for a channel each. */
enum { CHANNEL_BIT = 56 };

/* As many names as bits are in the order of these. */
static void put_keywords(struct provider_names *n, const struct event_info *info)
{
    const uint64_t named = info->keyword & ((UINT64_C(1) << CHANNEL_BIT) - 1);
    const uint64_t channel = info->keyword >> CHANNEL_BIT;
    const char *text = info->keyword_names;
    if ((unsigned)__builtin_popcountll(named) == info->keyword_name_count)
        for (unsigned bit = 0; bit < CHANNEL_BIT; bit++)
            if (named >> bit & 1) {
                provider_names_put(n, PROVIDER_KEYWORD, bit, text);
                text += strlen(text) + 1;
            }
    if (channel && !(channel & (channel - 1)))
        provider_names_put(n, PROVIDER_KEYWORD, CHANNEL_BIT + (unsigned)__builtin_ctzll(channel),
                           info->channel_name);
}

/* The names of the event's numbers are its provider's. */
static const struct provider_names *keep_names(struct schemas *s, const struct entry *x,
                                               const struct event_info *info)
{
    struct provider_names *const n = names_of(s, &x->provider, x->source);
    if (!n || s->bytes > BYTES_MOST)
        return n;
    const size_t before = provider_names_bytes(n);
    provider_names_put(n, PROVIDER_LEVEL, info->level, info->level_name);
    provider_names_put(n, PROVIDER_CHANNEL, info->channel, info->channel_name);
    provider_names_put(n, PROVIDER_TASK, info->task, info->task_name);
    provider_names_put(n, PROVIDER_OPCODE, provider_opcode(info->task, info->opcode),
                       info->opcode_name);
    put_keywords(n, info);
    s->bytes += provider_names_bytes(n) - before;
    return n;
}

/* ---- EventInfo records ------------------------------------------------------------------------ */

static uint64_t map_hash(const struct guid *provider, uint32_t source, const char *name)
{
    uint64_t hash = guid_hash(provider) ^ source;
    for (; *name; name++)
        hash = hash_mix(hash ^ (uint8_t)*name);
    return hash >> 16;
}

static uint64_t hash_of_map(const void *maps, uint32_t number)
{
    const struct named_map *const m = ((struct named_map *const *)maps)[number];
    return map_hash(&m->provider, m->source, m->name);
}

/* The map of that name; without names as long as its record was not met. NULL: there is no room. */
static struct named_map *map_named(struct schemas *s, const struct guid *provider, uint32_t source,
                                   const char *name)
{
    const struct hash_index *const x = &s->map_index;
    uint32_t at = hash_index_first(x, map_hash(provider, source, name));
    for (uint32_t number; (number = x->numbers[at]); at = hash_index_next(x, at)) {
        struct named_map *const m = s->maps[number];
        if (m->source == source && guid_equal(&m->provider, provider) && strcmp(m->name, name) == 0)
            return m;
    }
    const size_t bytes = sizeof(struct named_map) + strlen(name) + 1;
    if (s->map_count == MAPS_MOST || !reserve(s, bytes))
        return NULL;
    if (s->map_count == s->map_room) {
        s->map_room *= 2;
        s->maps = mem_grow(s->maps, s->map_room, sizeof(void *));
    }
    const uint32_t number = s->map_count++;
    struct named_map *const m = mem_new(1, bytes);
    m->provider = *provider;
    m->source = source;
    memcpy(m->name, name, strlen(name) + 1);
    s->maps[number] = m;
    hash_index_put(&s->map_index, at, number, hash_of_map, s->maps);
    return m;
}

static char *put_name(char **to, const char *name)
{
    char *const at = *to;
    *to += strlen(name) + 1;
    return memcpy(at, name, strlen(name) + 1);
}

static int by_value(const void *a, const void *b)
{
    const struct value_name *const x = a, *const y = b;
    return x->value < y->value ? -1 : x->value > y->value;
}

/* Fills a map from an EVENT_MAP_INFO. */
static void fill_map(struct schemas *s, struct named_map *m, const struct event_map *read)
{
    char text[EVENT_INFO_NAME];
    size_t bytes = read->count * sizeof *m->entries;
    for (uint32_t i = 0; i < read->count; i++) {
        event_map_entry(read, i, text);
        bytes += strlen(text) + 1;
    }
    if (!reserve(s, bytes))
        return;
    m->entries = mem_new(bytes ? bytes : 1, 1);
    char *names = (char *)(m->entries + read->count);
    for (uint32_t i = 0; i < read->count; i++) {
        const uint32_t value = event_map_entry(read, i, text);
        m->entries[i] = (struct value_name){value, put_name(&names, text)};
    }
    qsort(m->entries, read->count, sizeof *m->entries, by_value);
    m->map =
        (struct value_map){.entries = m->entries, .count = read->count, .is_bits = read->is_bits};
}

static void learn_map(struct schemas *s, uint32_t source, const struct event *e)
{
    struct event_map read;
    if (!event_map_read(e->payload, e->payload_bytes, &read) || read.count > MAP_ENTRIES_MOST)
        return;
    struct named_map *const m = map_named(s, &read.provider, source, read.name);
    if (m && !m->entries)
        fill_map(s, m, &read);
}

/* Of built-in layouts the map is there already. */
static void fill_built_in_map(struct schemas *s, struct named_map *m)
{
    struct manifest_map table;
    if (!manifest_table_map(&m->provider, m->name, &table))
        return;
    char text[EVENT_INFO_NAME];
    const size_t bytes = table.count * sizeof *m->entries + table.text_bytes;
    if (!reserve(s, bytes))
        return;
    m->entries = mem_new(bytes, 1);
    char *names = (char *)(m->entries + table.count);
    for (uint32_t i = 0; i < table.count; i++) {
        const uint32_t value = manifest_map_entry(&table, text);
        m->entries[i] = (struct value_name){value, put_name(&names, text)};
    }
    m->map =
        (struct value_map){.entries = m->entries, .count = table.count, .is_bits = table.is_bits};
}

static void fill_read_map(struct schemas *s, struct named_map *m, const struct manifest_blob *b)
{
    struct event_map read;
    if (event_map_read(b->at, b->bytes, &read) && read.count <= MAP_ENTRIES_MOST)
        fill_map(s, m, &read);
}

/* So it is in manifests. */
static void fill_manifest_map(struct schemas *s, struct named_map *m, const struct manifest *of)
{
    if (manifest_map_info(of, &m->provider, m->name, &s->blob))
        fill_read_map(s, m, &s->blob);
}

/* The system is asked about an event that has the map. A map that it does not know stays without
 * names, and is asked for with each schema that has it. Those of classes have another form. */
static void fill_system_map(struct schemas *s, struct named_map *m, const struct entry *of)
{
    if (of->version & CLASSIC)
        return;
    const struct event e = {.kind = HEADER_MANIFEST,
                            .provider = of->provider,
                            .id = of->id,
                            .version = of->version,
                            .pointer = sizeof(uint64_t)};
    if (schema_system_map(&e, m->name, &s->blob))
        fill_read_map(s, m, &s->blob);
}

/* The manifest that entries and maps with that number in place of a source are of; or NULL. */
static const struct manifest *manifest_of(const struct schemas *s, uint32_t source)
{
    if (source == BUILT_IN || source == OF_SYSTEM || source < MANIFEST_FIRST)
        return NULL;
    return source >= FILE_FIRST ? schema_file_at(source - FILE_FIRST)->manifest
                                : s->manifests[source - MANIFEST_FIRST]->manifest;
}

static struct named_map *map_of_field(struct schemas *s, const struct entry *x, const char *name)
{
    struct named_map *const m = map_named(s, &x->provider, x->source, name);
    const struct manifest *const of = manifest_of(s, x->source);
    if (m && !m->entries && of)
        fill_manifest_map(s, m, of);
    else if (m && !m->entries && x->source == BUILT_IN)
        fill_built_in_map(s, m);
    else if (m && !m->entries && x->source == OF_SYSTEM)
        fill_system_map(s, m, x);
    return m;
}

static bool keep_info(struct schemas *s, struct entry *x, const struct event_info *info,
                      enum schema_origin origin)
{
    const size_t fields = info->field_count * sizeof *x->fields;
    size_t bytes =
        fields + strlen(info->provider_name) + strlen(info->event_name) + strlen(info->message) + 3;
    for (unsigned i = 0; i < info->field_count; i++)
        bytes += strlen(info->names[i]) + 1;
    if (!reserve(s, bytes))
        return false;
    x->fields = mem_new(bytes, 1);
    char *names = (char *)x->fields + fields;
    for (unsigned i = 0; i < info->field_count; i++) {
        const struct named_map *const m =
            info->maps[i][0] ? map_of_field(s, x, info->maps[i]) : NULL;
        x->fields[i] = info->fields[i];
        x->fields[i].name = put_name(&names, info->names[i]);
        if (m) /* else that of its type */
            x->fields[i].map = &m->map;
    }
    layout_fix_offsets(x->fields, info->field_count);
    x->layout = (struct layout){
        .fields = x->fields, .field_count = (uint16_t)info->field_count, .version = info->version};
    x->schema = (struct schema){.origin = origin,
                                .layout = &x->layout,
                                .provider = put_name(&names, info->provider_name),
                                .event = put_name(&names, info->event_name),
                                .message = put_name(&names, info->message),
                                .names = keep_names(s, x, info),
                                .file = ""};
    return true;
}

/* ---- built-in layouts of manifests --------------------------------------------------------------- */

/* Reads every variant of the layout into a list that `first` begins; it stays without a schema
 * where the table has none. */
static void read_built_in(struct schemas *s, struct entry *first, const struct event *e)
{
    struct entry **next = &first->next_variant, *x = first;
    for (unsigned i = 0; manifest_table_read(e, i, &s->info); i++) {
        if (i && !reserve(s, sizeof *x))
            return;
        if (i) {
            x = *next = mem_new(1, sizeof *x);
            *x = (struct entry){.provider = first->provider, .source = BUILT_IN};
            next = &x->next_variant;
        }
        if (!keep_info(s, x, &s->info, SCHEMA_BUILT_IN))
            return;
    }
}

/* How well a layout fits a payload, from worst to best. */
enum fit { FIT_NONE, FIT_TRAILING, FIT_EXACT };

static enum fit fit_of(const struct layout *l, const struct event *e)
{
    struct decoded fields[DECODE_FIELDS];
    const unsigned count = decode_fields(l, e, fields, DECODE_FIELDS);
    size_t end = 0;
    for (unsigned i = 0; i < count; i++) {
        if (fields[i].is_member)
            continue;
        if (!fields[i].is_present)
            return FIT_NONE;
        end = fields[i].end > end ? fields[i].end : end;
    }
    return end == e->payload_bytes ? FIT_EXACT : FIT_TRAILING;
}

/* The first variant that consumes the payload exactly, else the first that leaves trailing bytes.
 * Where the payload is too short for all: the first variant, whose last fields are missing, or no
 * layout when these are of a lower version. */
static const struct entry *best_variant(const struct entry *first, const struct event *e)
{
    const bool is_own_version = first->layout.version == e->version;
    if (first->schema.origin == SCHEMA_NONE)
        return NULL;
    if (is_own_version && !first->next_variant)
        return first;
    const struct entry *best = is_own_version ? first : NULL;
    enum fit best_fit = FIT_NONE;
    for (const struct entry *x = first; x && best_fit < FIT_EXACT; x = x->next_variant) {
        const enum fit fit = x->schema.layout ? fit_of(x->schema.layout, e) : FIT_NONE;
        if (fit > best_fit) {
            best = x;
            best_fit = fit;
        }
    }
    return best;
}

static bool find_built_in(struct schemas *s, const struct event *e, struct schema *out)
{
    const struct key k = key_of(e, BUILT_IN);
    uint32_t at;
    struct entry *x = entry_find(s, &k, &at);
    if (!x && (x = entry_add(s, &k, at)))
        read_built_in(s, x, e);
    const struct entry *const best = x ? best_variant(x, e) : NULL;
    if (best)
        *out = best->schema;
    return best != NULL;
}

/* ---- manifests ------------------------------------------------------------------------------------ */

/* The event's schema in that manifest, which has `source` in place of a source. */
static bool find_in_manifest(struct schemas *s, const struct manifest *m, uint32_t source,
                             enum schema_origin origin, const struct event *e, struct schema *out)
{
    const struct key k = key_of(e, source);
    uint32_t at;
    struct entry *x = entry_find(s, &k, &at);
    if (!x && (x = entry_add(s, &k, at)) &&
        manifest_event_info(m, &e->provider, e->id, e->version, &s->blob) &&
        event_info_read(s->blob.at, s->blob.bytes, &s->info))
        keep_info(s, x, &s->info, origin);
    if (!x || x->schema.origin == SCHEMA_NONE)
        return false;
    *out = x->schema;
    return true;
}

static bool find_in_pieces(struct schemas *s, uint32_t source, const struct event *e,
                           struct schema *out)
{
    for (uint32_t i = 0; i < s->manifest_count; i++) {
        const struct source_manifest *const m = s->manifests[i];
        if (m->source == source && m->manifest && guid_equal(&m->provider, &e->provider) &&
            find_in_manifest(s, m->manifest, MANIFEST_FIRST + i, SCHEMA_TRACE, e, out))
            return true;
    }
    return false;
}

static bool find_in_files(struct schemas *s, const struct event *e, struct schema *out)
{
    const struct schema_file *f;
    for (unsigned i = 0; (f = schema_file_at(i)); i++)
        if (manifest_provider(f->manifest, &e->provider) &&
            find_in_manifest(s, f->manifest, FILE_FIRST + i, SCHEMA_MANIFEST, e, out)) {
            out->file = f->name;
            return true;
        }
    return false;
}

/* ---- the system --------------------------------------------------------------------------------- */

/* Asks; time beyond what an answer usually takes counts against the patience of `s`. */
static enum system_answer ask_system(struct schemas *s, const struct event *e)
{
    const int64_t left = s->never_waits ? 0 : ASKED_NS - s->asked_ns;
    const int64_t began = os_now();
    const enum system_answer answer = schema_system_event(e, left, &s->blob);
    const int64_t took = os_now() - began;
    s->asked_ns += took > USUAL_NS ? took : 0;
    return answer;
}

static bool find_in_system(struct schemas *s, const struct event *e, struct schema *out)
{
    if (!schema_system_is_there())
        return false;
    const struct key k = key_of(e, OF_SYSTEM);
    uint32_t at;
    struct entry *x = entry_find(s, &k, &at);
    if (!x && s->asked == ASKED_MOST) {
        s->dropped++;
        return false;
    }
    const enum system_answer answer = x ? SYSTEM_UNKNOWN : ask_system(s, e);
    if (answer == SYSTEM_PENDING) {
        s->dropped += !s->never_waits;
        out->origin = SCHEMA_PENDING;
        return false;
    }
    if (!x && (x = entry_add(s, &k, at))) {
        s->asked++;
        if (answer == SYSTEM_KNOWN && event_info_read(s->blob.at, s->blob.bytes, &s->info))
            keep_info(s, x, &s->info, SCHEMA_SYSTEM);
    }
    if (!x || x->schema.origin == SCHEMA_NONE)
        return false;
    *out = x->schema;
    return true;
}

/* ---- finding ---------------------------------------------------------------------------------- */

static bool find_in_trace(struct schemas *s, uint32_t source, const struct event *e,
                          struct schema *out)
{
    const struct key k = key_of(e, source);
    uint32_t at;
    const struct entry *const x = entry_find(s, &k, &at);
    if (x)
        *out = x->schema;
    else
        entry_add(s, &k, at);
    return x && x->schema.origin != SCHEMA_NONE;
}

/* Pieces have the provider's name as soon as a manifest is known that has it. */
static bool answer_piece(const struct schemas *s, uint32_t source, const struct event *e,
                         struct schema *out)
{
    const struct schema_file *f;
    const char *name = NULL;
    for (uint32_t i = 0; !name && i < s->manifest_count; i++)
        if (s->manifests[i]->source == source && s->manifests[i]->manifest)
            name = manifest_provider(s->manifests[i]->manifest, &e->provider);
    for (unsigned i = 0; !name && (f = schema_file_at(i)); i++)
        name = manifest_provider(f->manifest, &e->provider);
    *out = (struct schema){.origin = SCHEMA_BUILT_IN,
                           .layout = &manifest_piece_layout,
                           .provider = name ? name : "",
                           .event = "ManifestData",
                           .message = "",
                           .file = ""};
    return true;
}

bool schema_find(struct schemas *s, uint32_t source, const struct event *e, struct schema *out)
{
    struct tracelogging_description description;
    *out = (struct schema){
        .layout = decode_layout(e), .provider = "", .event = "", .message = "", .file = ""};
    if (out->layout) {
        out->origin = SCHEMA_BUILT_IN;
        decode_name(e, &out->provider, &out->event);
        return true;
    }
    if (e->kind == HEADER_CLASSIC)
        return find_in_trace(s, source, e, out) || find_built_in(s, e, out) ||
               find_in_system(s, e, out);
    if (e->kind != HEADER_MANIFEST)
        return false;
    if (tracelogging_describe(e, &description))
        return find_tracelogging(s, e, &description, out);
    if (manifest_is_piece(e))
        return answer_piece(s, source, e, out);
    return find_in_trace(s, source, e, out) || find_in_pieces(s, source, e, out) ||
           find_in_files(s, e, out) || find_built_in(s, e, out) || find_in_system(s, e, out);
}

/* ---- describing ---------------------------------------------------------------------------------- */

enum { EVENT_INFO = 32, EVENT_MAP_INFO = 33 };

bool schema_has_outside(void)
{
    return schema_system_is_there() || schema_file_at(0);
}

/* The file that the schema is of; NULL: none. */
static const struct schema_file *file_of(const struct schema *schema)
{
    const struct schema_file *f = NULL;
    if (schema->origin == SCHEMA_MANIFEST)
        for (unsigned i = 0; (f = schema_file_at(i)) && f->name != schema->file; i++)
            continue;
    return f;
}

/* Has the field a map that none before it has? */
static bool is_first_with_map(const struct event_info *info, unsigned field)
{
    for (unsigned i = 0; i < field; i++)
        if (strcmp(info->maps[i], info->maps[field]) == 0)
            return false;
    return info->maps[field][0] != '\0';
}

static bool export_maps(struct schemas *s, const struct schema_file *f, const struct event *e,
                        schema_payload take, void *state)
{
    for (unsigned i = 0; i < s->info.field_count; i++) {
        const char *const name = s->info.maps[i];
        if (!is_first_with_map(&s->info, i))
            continue;
        const bool is_there = f ? manifest_map_info(f->manifest, &e->provider, name, &s->blob)
                                : schema_system_map(e, name, &s->blob);
        if (is_there && !take(state, EVENT_MAP_INFO, s->blob.at, s->blob.bytes))
            return false;
    }
    return true;
}

bool schema_export(struct schemas *s, uint32_t source, const struct event *e, schema_payload take,
                   void *state)
{
    struct schema schema;
    struct manifest_blob info = {NULL, 0, 0};
    if (!schema_find(s, source, e, &schema))
        return true;
    const struct schema_file *const f = file_of(&schema);
    if (!f && schema.origin != SCHEMA_SYSTEM)
        return true;
    const bool is_there =
        f ? manifest_event_info(f->manifest, &e->provider, e->id, e->version, &info)
          : schema_system_event(e, 0, &info) == SYSTEM_KNOWN;
    const bool is_done =
        !is_there || !event_info_read(info.at, info.bytes, &s->info) ||
        (export_maps(s, f, e, take, state) && take(state, EVENT_INFO, info.at, info.bytes));
    free(info.at);
    return is_done;
}

/* ---- learning ---------------------------------------------------------------------------------- */

static bool learn_info(struct schemas *s, uint32_t source, const struct event *e,
                       struct event *about)
{
    struct event_info *const info = &s->info;
    if (!event_info_read(e->payload, e->payload_bytes, info))
        return false;
    const struct event kind = {.kind = info->is_classic ? HEADER_CLASSIC : HEADER_MANIFEST,
                               .provider = info->provider,
                               .id = info->id,
                               .version = info->version,
                               .opcode = info->opcode};
    const struct key k = key_of(&kind, source);
    uint32_t at;
    struct entry *x = entry_find(s, &k, &at);
    if (!x)
        x = entry_add(s, &k, at);
    s->dropped += !x;
    if (!x || x->schema.origin != SCHEMA_NONE || !keep_info(s, x, info, SCHEMA_TRACE))
        return false;
    *about = kind;
    return true;
}

static uint64_t hash_of_text(const uint8_t *text, size_t bytes)
{
    uint64_t hash = bytes;
    size_t at = 0;
    for (; bytes - at >= 8; at += 8)
        hash = hash_mix(hash ^ load_u64(text + at));
    for (; at < bytes; at++)
        hash = hash_mix(hash ^ text[at]);
    return hash;
}

static bool has_manifest(const struct schemas *s, const struct source_manifest *m)
{
    for (uint32_t i = 0; i < s->manifest_count; i++) {
        const struct source_manifest *const x = s->manifests[i];
        if (x->source == m->source && x->hash == m->hash && guid_equal(&x->provider, &m->provider))
            return true;
    }
    return false;
}

/* A manifest is about the provider that wrote it, and about no other. */
static struct manifest *read_manifest(const uint8_t *text, size_t bytes,
                                      const struct guid *provider, struct err *why)
{
    struct manifest *const m = manifest_read(text, bytes, why);
    if (!m || manifest_provider(m, provider))
        return m;
    fail(why, "it defines no event of the provider that wrote it");
    manifest_free(m);
    return NULL;
}

/* True when the manifest is new and can be used. */
static bool learn_manifest(struct schemas *s, const struct source_manifest *head,
                           const uint8_t *text, size_t bytes)
{
    if (has_manifest(s, head))
        return false;
    if (s->manifest_count == MANIFESTS_MOST) {
        s->dropped++;
        return false;
    }
    struct source_manifest *const m = mem_copy(head, sizeof *head);
    m->manifest = read_manifest(text, bytes, &m->provider, &m->why);
    if (m->manifest && !reserve(s, manifest_bytes(m->manifest))) {
        fail(&m->why, "there is no memory for it");
        manifest_free(m->manifest);
        m->manifest = NULL;
    }
    s->manifests = mem_grow(s->manifests, s->manifest_count + 1, sizeof(void *));
    s->manifests[s->manifest_count++] = m;
    return m->manifest != NULL;
}

static bool learn_piece(struct schemas *s, uint32_t source, const struct event *e,
                        struct event *about)
{
    size_t bytes;
    if (!s->pieces)
        s->pieces = manifest_pieces_new();
    uint8_t *const text = manifest_pieces_take(s->pieces, source, e, &bytes);
    if (!text)
        return false;
    const struct source_manifest head = {
        .provider = e->provider, .source = source, .hash = hash_of_text(text, bytes)};
    const bool is_new = learn_manifest(s, &head, text, bytes);
    free(text);
    *about = (struct event){.kind = HEADER_MANIFEST,
                            .provider = e->provider,
                            .id = e->id,
                            .version = e->version,
                            .opcode = e->opcode};
    return is_new;
}

bool schema_is_about(const struct event *e)
{
    return manifest_is_piece(e) ||
           (e->kind == HEADER_CLASSIC && (e->opcode == EVENT_INFO || e->opcode == EVENT_MAP_INFO) &&
            guid_equal(&e->provider, &decode_event_metadata.guid));
}

bool schema_learn(struct schemas *s, uint32_t source, const struct event *e, struct event *about)
{
    if (!schema_is_about(e))
        return false;
    if (manifest_is_piece(e))
        return learn_piece(s, source, e, about);
    if (e->opcode == EVENT_MAP_INFO)
        learn_map(s, source, e);
    return e->opcode == EVENT_INFO && learn_info(s, source, e, about);
}

bool schema_has_field(const char *name, size_t bytes)
{
    const struct schema_file *f;
    for (unsigned i = 0; (f = schema_file_at(i)); i++)
        if (manifest_has_field(f->manifest, name, bytes))
            return true;
    return decode_has_field(name, bytes) || manifest_table_has_field(name, bytes);
}

/* ---- answers about manifests ------------------------------------------------------------------- */

/* The last one of the provider: that is what the pieces near it are of. */
static const struct source_manifest *last_manifest(const struct schemas *s, uint32_t source,
                                                   const struct guid *provider)
{
    for (uint32_t i = s->manifest_count; i-- > 0;)
        if (s->manifests[i]->source == source && guid_equal(&s->manifests[i]->provider, provider))
            return s->manifests[i];
    return NULL;
}

void schema_describe_piece(const struct schemas *s, uint32_t source, const struct event *piece,
                           char *out, size_t room)
{
    unsigned here, all;
    const struct source_manifest *const m = last_manifest(s, source, &piece->provider);
    if (s->pieces && manifest_pieces_missing(s->pieces, source, piece, &here, &all))
        snprintf(out, room, "%u of %u pieces are here", here, all);
    else if (!m)
        snprintf(out, room, "pieces are missing");
    else if (!m->manifest)
        snprintf(out, room, "cannot be used: %.200s", m->why.text);
    else
        snprintf(out, room, "complete, %" PRIu32 " events", manifest_event_count(m->manifest));
}

const char *schemas_sentence(const struct schemas *s, unsigned index, char room[SCHEMAS_SENTENCE])
{
    const uint64_t incomplete = s->pieces ? manifest_pieces_incomplete(s->pieces) : 0;
    const uint64_t bad = s->pieces ? manifest_pieces_bad(s->pieces) : 0;
    unsigned at = 0;
    if (incomplete && index == at++) {
        snprintf(room, SCHEMAS_SENTENCE,
                 "incomplete manifests of EventSources: %" PRIu64
                 "; events that only these define are shown as bytes",
                 incomplete);
        return room;
    }
    if (bad && index == at++) {
        snprintf(room, SCHEMAS_SENTENCE,
                 "damaged pieces of manifests: %" PRIu64 "; they were left out", bad);
        return room;
    }
    for (uint32_t i = 0; i < s->manifest_count; i++) {
        char guid[GUID_TEXT];
        if (s->manifests[i]->manifest || index != at++)
            continue;
        snprintf(room, SCHEMAS_SENTENCE, "the manifest of provider %s cannot be used: %.250s",
                 guid_format(&s->manifests[i]->provider, guid), s->manifests[i]->why.text);
        return room;
    }
    return NULL;
}

/* What is kept of an EventInfo: its fields, the names of its provider's levels, tasks and so on,
 * and the maps of its fields. */
#include "src/event/schema_info.h"

#include "src/base/bytes.h"
#include "src/base/map.h"
#include "src/base/mem.h"
#include "src/event/known_keywords.h"
#include "src/event/known_maps.h"
#include "src/event/manifest_table.h"
#include "src/event/schema_file.h"
#include "src/event/schema_system.h"

#include <stdlib.h>

enum { MAPS_MOST = 1 << 14, MAP_ENTRIES_MOST = 4096 };

/* ---- names that providers give ------------------------------------------------------------------ */

static uint64_t hash_of_provider(const void *providers, uint32_t number)
{
    const struct schema_provider *const p = &((const struct schema_provider *)providers)[number];
    return hash_mix(schema_guid_hash(&p->provider) ^ p->source) >> 16;
}

/* NULL: there is no room. */
static struct provider_names *names_of(struct schemas *s, const struct guid *provider,
                                       uint32_t source)
{
    const struct hash_index *const x = &s->provider_index;
    uint32_t at = hash_index_first(x, hash_mix(schema_guid_hash(provider) ^ source) >> 16);
    for (uint32_t number; (number = x->numbers[at]); at = hash_index_next(x, at)) {
        const struct schema_provider *const p = &s->providers[number];
        if (p->source == source && guid_equal(&p->provider, provider))
            return p->names;
    }
    struct provider_names *const names = provider_names_new(known_keywords(provider));
    if (!schemas_reserve(s, provider_names_bytes(names))) {
        provider_names_free(names);
        return NULL;
    }
    if (s->provider_count == s->provider_room) {
        s->provider_room *= 2;
        s->providers = mem_grow(s->providers, s->provider_room, sizeof *s->providers);
    }
    const uint32_t number = s->provider_count++;
    s->providers[number] = (struct schema_provider){*provider, source, names};
    hash_index_put(&s->provider_index, at, number, hash_of_provider, s->providers);
    return names;
}

bool schemas_have_name(const struct schemas *s, enum provider_name kind, const struct pattern *p)
{
    bool has = provider_names_have(NULL, kind, p);
    for (uint32_t i = 1; i < s->provider_count && !has; i++)
        has = provider_names_have(s->providers[i].names, kind, p);
    return has;
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
static const struct provider_names *keep_names(struct schemas *s, const struct schema_entry *x,
                                               const struct event_info *info)
{
    struct provider_names *const n = names_of(s, &x->provider, x->source);
    if (!n || s->bytes > SCHEMAS_BYTES_MOST)
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
    uint64_t hash = schema_guid_hash(provider) ^ source;
    for (; *name; name++)
        hash = hash_mix(hash ^ (uint8_t)*name);
    return hash >> 16;
}

static uint64_t hash_of_map(const void *maps, uint32_t number)
{
    const struct schema_map *const m = ((struct schema_map *const *)maps)[number];
    return map_hash(&m->provider, m->source, m->name);
}

/* The map of that name; without names as long as its record was not met. NULL: there is no room. */
static struct schema_map *map_named(struct schemas *s, const struct guid *provider, uint32_t source,
                                    const char *name)
{
    const struct hash_index *const x = &s->map_index;
    uint32_t at = hash_index_first(x, map_hash(provider, source, name));
    for (uint32_t number; (number = x->numbers[at]); at = hash_index_next(x, at)) {
        struct schema_map *const m = s->maps[number];
        if (m->source == source && guid_equal(&m->provider, provider) && strcmp(m->name, name) == 0)
            return m;
    }
    const size_t bytes = sizeof(struct schema_map) + strlen(name) + 1;
    if (s->map_count == MAPS_MOST || !schemas_reserve(s, bytes))
        return NULL;
    if (s->map_count == s->map_room) {
        s->map_room *= 2;
        s->maps = mem_grow(s->maps, s->map_room, sizeof(void *));
    }
    const uint32_t number = s->map_count++;
    struct schema_map *const m = mem_new(1, bytes);
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
static void fill_map(struct schemas *s, struct schema_map *m, const struct event_map *read)
{
    char text[EVENT_INFO_NAME];
    size_t bytes = read->count * sizeof *m->entries;
    for (uint32_t i = 0; i < read->count; i++) {
        event_map_entry(read, i, text);
        bytes += strlen(text) + 1;
    }
    if (!schemas_reserve(s, bytes))
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

void schema_learn_map(struct schemas *s, uint32_t source, const struct event *e)
{
    struct event_map read;
    if (!event_map_read(e->payload, e->payload_bytes, &read) || read.count > MAP_ENTRIES_MOST)
        return;
    struct schema_map *const m = map_named(s, &read.provider, source, read.name);
    if (m && !m->entries)
        fill_map(s, m, &read);
}

/* Of built-in layouts the map is there already. */
static void fill_built_in_map(struct schemas *s, struct schema_map *m)
{
    struct manifest_map table;
    if (!manifest_table_map(&m->provider, m->name, &table))
        return;
    char text[EVENT_INFO_NAME];
    const size_t bytes = table.count * sizeof *m->entries + table.text_bytes;
    if (!schemas_reserve(s, bytes))
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

static void fill_read_map(struct schemas *s, struct schema_map *m, const struct manifest_blob *b)
{
    struct event_map read;
    if (event_map_read(b->at, b->bytes, &read) && read.count <= MAP_ENTRIES_MOST)
        fill_map(s, m, &read);
}

/* So it is in manifests. */
static void fill_manifest_map(struct schemas *s, struct schema_map *m, const struct manifest *of)
{
    if (manifest_map_info(of, &m->provider, m->name, &s->blob))
        fill_read_map(s, m, &s->blob);
}

/* The system is asked about an event that has the map. A map that it does not know stays without
 * names, and is asked for with each schema that has it. Those of classes have another form. */
static void fill_system_map(struct schemas *s, struct schema_map *m, const struct schema_entry *of)
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

static struct schema_map *map_of_field(struct schemas *s, const struct schema_entry *x,
                                       const char *name)
{
    struct schema_map *const m = map_named(s, &x->provider, x->source, name);
    const struct manifest *const of = manifest_of(s, x->source);
    if (m && !m->entries && of)
        fill_manifest_map(s, m, of);
    else if (m && !m->entries && x->source == BUILT_IN)
        fill_built_in_map(s, m);
    else if (m && !m->entries && x->source == OF_SYSTEM)
        fill_system_map(s, m, x);
    return m;
}

bool schema_keep_info(struct schemas *s, struct schema_entry *x, const struct event_info *info,
                      enum schema_origin origin)
{
    const size_t fields = info->field_count * sizeof *x->fields;
    size_t bytes =
        fields + strlen(info->provider_name) + strlen(info->event_name) + strlen(info->message) + 3;
    for (unsigned i = 0; i < info->field_count; i++)
        bytes += strlen(info->names[i]) + 1;
    if (!schemas_reserve(s, bytes))
        return false;
    x->fields = mem_new(bytes, 1);
    char *names = (char *)x->fields + fields;
    for (unsigned i = 0; i < info->field_count; i++) {
        const struct schema_map *const m =
            info->maps[i][0] ? map_of_field(s, x, info->maps[i]) : NULL;
        x->fields[i] = info->fields[i];
        x->fields[i].name = put_name(&names, info->names[i]);
        if (m) /* else that of its type */
            x->fields[i].map = &m->map;
        else if (!x->fields[i].map)
            x->fields[i].map = known_map(&x->provider, x->id, info->names[i], x->fields[i].type);
    }
    layout_fix_offsets(x->fields, info->field_count);
    x->layout = (struct payload_layout){
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

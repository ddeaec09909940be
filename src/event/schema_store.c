/* The table of schemas: its memory, and its entries by what makes an event of their kind. */
#include "src/event/schema_store.h"

#include "src/base/bytes.h"
#include "src/base/map.h"
#include "src/base/mem.h"

#include <stdlib.h>

/* Kinds of events; those without a schema count, too. */
enum { ENTRIES_MOST = 1 << 17 };

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
        for (struct schema_entry *x = s->entries[i], *next; x; x = next) {
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

bool schemas_reserve(struct schemas *s, size_t bytes)
{
    if (bytes > SCHEMAS_BYTES_MOST || s->bytes > SCHEMAS_BYTES_MOST - bytes) {
        s->dropped++;
        return false;
    }
    s->bytes += bytes;
    return true;
}

/* ---- entries ------------------------------------------------------------------------------ */

uint64_t schema_guid_hash(const struct guid *g)
{
    return hash_mix(load_u64(g->b) ^ hash_mix(load_u64(g->b + 8)));
}

static uint64_t entry_hash(const struct guid *provider, uint32_t source, uint16_t id,
                           uint16_t version, uint32_t description)
{
    const uint64_t number = (uint64_t)source << 32 | (uint32_t)id << 16 | version;
    return hash_mix(schema_guid_hash(provider) ^ hash_mix(number) ^ description) >> 16;
}

static uint64_t hash_of_entry(const void *entries, uint32_t number)
{
    const struct schema_entry *const x = ((struct schema_entry *const *)entries)[number];
    return entry_hash(&x->provider, x->source, x->id, x->version, x->description_hash);
}

static bool is_entry(const struct schema_entry *x, const struct schema_key *k)
{
    return x->source == k->source && x->id == k->id && x->version == k->version &&
           x->description_hash == k->description.hash &&
           x->description_bytes == k->description.bytes && guid_equal(&x->provider, k->provider) &&
           (!x->description_bytes ||
            memcmp(x->description, k->description.at, x->description_bytes) == 0);
}

struct schema_key schema_key_of(const struct event *e, uint32_t source)
{
    const bool is_classic = e->kind == HEADER_CLASSIC;
    return (struct schema_key){
        .provider = &e->provider,
        .source = source,
        .id = is_classic ? e->opcode : e->id,
        .version = (uint16_t)(is_classic ? CLASSIC | (uint8_t)e->version : e->version)};
}

/* NULL: there is none, and a new one belongs `at`. */
struct schema_entry *schema_entry_find(struct schemas *s, const struct schema_key *k, uint32_t *at)
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
struct schema_entry *schema_entry_add(struct schemas *s, const struct schema_key *k, uint32_t at)
{
    if (s->entry_count == ENTRIES_MOST || !schemas_reserve(s, sizeof(struct schema_entry)))
        return NULL;
    if (s->entry_count == s->entry_room) {
        s->entry_room *= 2;
        s->entries = mem_grow(s->entries, s->entry_room, sizeof(void *));
    }
    const uint32_t number = s->entry_count++;
    struct schema_entry *const x = mem_new(1, sizeof *x);
    *x = (struct schema_entry){.provider = *k->provider,
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

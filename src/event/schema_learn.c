/* What a trace says of its schemas: records of EventInfo and maps, manifests in pieces; and what
 * came of the manifests, in sentences. */
#include "src/base/bytes.h"
#include "src/base/map.h"
#include "src/base/mem.h"
#include "src/base/text.h"
#include "src/event/decode/classes.h"
#include "src/event/schema_info.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { MANIFESTS_MOST = 256 };

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
    const struct schema_key k = schema_key_of(&kind, source);
    uint32_t at;
    struct schema_entry *x = schema_entry_find(s, &k, &at);
    if (!x)
        x = schema_entry_add(s, &k, at);
    s->dropped += !x;
    if (!x || x->schema.origin != SCHEMA_NONE || !schema_keep_info(s, x, info, SCHEMA_TRACE))
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

static bool has_manifest(const struct schemas *s, const struct schema_manifest *m)
{
    for (uint32_t i = 0; i < s->manifest_count; i++) {
        const struct schema_manifest *const x = s->manifests[i];
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
static bool learn_manifest(struct schemas *s, const struct schema_manifest *head,
                           const uint8_t *text, size_t bytes)
{
    if (has_manifest(s, head))
        return false;
    if (s->manifest_count == MANIFESTS_MOST) {
        s->dropped++;
        return false;
    }
    struct schema_manifest *const m = mem_copy(head, sizeof *head);
    m->manifest = read_manifest(text, bytes, &m->provider, &m->why);
    if (m->manifest && !schemas_reserve(s, manifest_bytes(m->manifest))) {
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
    const struct schema_manifest head = {
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
        schema_learn_map(s, source, e);
    return e->opcode == EVENT_INFO && learn_info(s, source, e, about);
}

/* ---- answers about manifests ------------------------------------------------------------------- */

/* The last one of the provider: that is what the pieces near it are of. */
static const struct schema_manifest *last_manifest(const struct schemas *s, uint32_t source,
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
    char count[TEXT_COUNT];
    const struct schema_manifest *const m = last_manifest(s, source, &piece->provider);
    if (s->pieces && manifest_pieces_missing(s->pieces, source, piece, &here, &all))
        snprintf(out, room, "%u of %u pieces are here", here, all);
    else if (!m)
        snprintf(out, room, "pieces are missing");
    else if (!m->manifest)
        snprintf(out, room, "cannot be used: %.200s", m->why.text);
    else
        snprintf(out, room, "complete, %s",
                 text_count(count, manifest_event_count(m->manifest), "event"));
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

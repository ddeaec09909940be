#include "src/trace/schema_records.h"

#include "src/base/bytes.h"
#include "src/base/hash.h"
#include "src/base/map.h"
#include "src/base/mem.h"
#include "src/base/payload_writer.h"
#include "src/event/decode/classes.h"
#include "src/event/tracelogging.h"

#include <stdlib.h>
#include <string.h>

enum {
    KINDS_MOST = 1 << 16,  /* of events, in a file */
    BYTES_MOST = 16 << 20, /* of payloads, in a file */
    PART = 8,              /* of a file that has a limit: one of so many bytes */
};

struct schema_records {
    struct schemas *schemas;
    struct map noted;    /* kinds that the file has events of */
    struct map exported; /* payloads that it has */
    struct event *kinds; /* those of `noted` whose schema is from outside; without records */
    uint32_t kind_count, kind_room;
    uint32_t next;       /* of the kinds: those before are exported */
    size_t bytes, most;  /* of payloads */
    schema_payload take; /* while they are exported … */
    void *state;         /* … to whom */
};

struct schema_records *schema_records_new(uint64_t most_bytes)
{
    if (!schema_has_outside())
        return NULL;
    struct schema_records *const r = mem_new(1, sizeof *r);
    const uint64_t part = most_bytes ? most_bytes / PART : BYTES_MOST;
    r->most = part < BYTES_MOST ? (size_t)part : BYTES_MOST;
    r->schemas = schemas_new();
    map_init(&r->noted);
    map_init(&r->exported);
    return r;
}

void schema_records_free(struct schema_records *r)
{
    if (!r)
        return;
    schemas_free(r->schemas);
    map_fini(&r->noted);
    map_fini(&r->exported);
    free(r->kinds);
    free(r);
}

/* Two kinds of one hash are one: then the second lacks its schema. */
static uint64_t kind_hash(const struct event *e)
{
    const uint64_t name = (uint64_t)e->id | (uint64_t)e->version << 16 | (uint64_t)e->kind << 32 |
                          (uint64_t)e->source << 40;
    const uint64_t opcode = e->kind == HEADER_CLASSIC ? e->opcode : 0;
    return hash_mix(hash_mix(load_u64(e->provider.b) ^ name) ^ load_u64(e->provider.b + 8)) ^
           hash_mix(opcode + 1);
}

/* Most records are the kernel's own: a look at a byte. */
static bool may_have_schema(const struct record_head *head, const uint8_t *record)
{
    enum { CLASSIC32 = 10, CLASSIC64 = 20, MANIFEST32 = 18, MANIFEST64 = 19, TYPE_AT = 2 };
    if (head->form != RECORD_ETW || head->bytes < sizeof *head + TYPE_AT + 1)
        return false;
    const uint8_t type = record[TYPE_AT];
    return type == CLASSIC32 || type == CLASSIC64 || type == MANIFEST32 || type == MANIFEST64;
}

static void add_kind(struct schema_records *r, const struct event *e)
{
    if (r->kind_count == r->kind_room) {
        r->kind_room = r->kind_room ? r->kind_room * 2 : 64;
        r->kinds = mem_grow(r->kinds, r->kind_room, sizeof *r->kinds);
    }
    r->kinds[r->kind_count++] = event_about(e);
}

static void note_kind(struct schema_records *r, const struct event *e)
{
    const uint64_t hash = kind_hash(e);
    struct schema schema;
    if (map_get(&r->noted, hash) || r->noted.count == KINDS_MOST)
        return;
    map_put(&r->noted, hash, 1);
    schema_find(r->schemas, e->source, e, &schema);
    if (schema.origin == SCHEMA_MANIFEST || schema.origin == SCHEMA_SYSTEM)
        add_kind(r, e);
}

void schema_records_note(struct schema_records *r, const struct record_head *head,
                         const void *record)
{
    struct event e, about;
    struct tracelogging_description description;
    if (!may_have_schema(head, record) ||
        event_parse(record, head->bytes - sizeof *head, &e) != EVENT_OK)
        return;
    e.source = head->source;
    if (schema_is_about(&e))
        schema_learn(r->schemas, e.source, &e, &about);
    else if (!e.extended || !tracelogging_describe(&e, &description))
        note_kind(r, &e);
}

static uint64_t payload_hash(uint8_t opcode, const uint8_t *payload, size_t bytes)
{
    uint64_t hash = hash_mix(bytes ^ (uint64_t)opcode << 32);
    size_t at = 0;
    for (; bytes - at >= 8; at += 8)
        hash = hash_mix(hash ^ load_u64(payload + at));
    for (; at < bytes; at++)
        hash = hash_mix(hash ^ payload[at]);
    return hash;
}

/* Events share maps: each goes in once. What there is no room for is left out. */
static bool export_one(void *state, uint8_t opcode, const uint8_t *payload, size_t bytes)
{
    struct schema_records *const r = state;
    const uint64_t hash = payload_hash(opcode, payload, bytes);
    if (map_get(&r->exported, hash) || bytes > r->most - r->bytes)
        return true;
    if (!r->take(r->state, opcode, payload, bytes))
        return false;
    map_put(&r->exported, hash, 1);
    r->bytes += bytes;
    return true;
}

void schema_records_export(struct schema_records *r, schema_payload take, void *state)
{
    r->take = take;
    r->state = state;
    while (r->next < r->kind_count &&
           schema_export(r->schemas, r->kinds[r->next].source, &r->kinds[r->next], export_one, r))
        r->next++;
}

void schema_records_again(struct schema_records *r)
{
    map_fini(&r->exported);
    map_init(&r->exported);
    r->bytes = 0;
    r->next = 0;
}

void schema_records_begin_file(struct schema_records *r)
{
    schema_records_again(r);
    map_fini(&r->noted);
    map_init(&r->noted);
    r->kind_count = 0;
}

struct record_head schema_record(uint8_t *room, uint8_t opcode, const uint8_t *payload,
                                 size_t bytes, int64_t ts, uint16_t cpu)
{
    enum { FULL_HEADER64 = 20, MARK = 0xc0, HEADER = 48 };
    const size_t size = HEADER + bytes;
    if (size > UINT16_MAX)
        return (struct record_head){.bytes = 0};
    struct payload_writer p = {room, room, room + SCHEMA_RECORD_ROOM};
    put_u16(&p, (unsigned)size);
    put_u8(&p, FULL_HEADER64);
    put_u8(&p, MARK);
    put_u8(&p, opcode);
    put_u8(&p, 0);  /* level */
    put_u16(&p, 0); /* version */
    put_u32(&p, EVENT_NO_ID);
    put_u32(&p, EVENT_NO_ID);
    put_u64(&p, (uint64_t)ts);
    put_bytes(&p, &decode_event_metadata.guid, sizeof decode_event_metadata.guid);
    put_u64(&p, 0); /* processor times */
    put_bytes(&p, payload, bytes);
    return (struct record_head){.bytes = (uint32_t)(sizeof(struct record_head) + size),
                                .form = RECORD_ETW,
                                .cpu = cpu,
                                .ts = ts};
}

/* Any bytes as an EventInfo record, a map and the payload of an event that they are about, each in
 * memory of exactly its size. The first bytes are the sizes of the first two; the record's
 * provider, id and version are always the event's, and the map's name is what the record asks for.
 * The same bytes as the system's answers about an event of a manifest and one of a class. And the
 * payload as that of an event with a built-in layout, which these sizes choose. */
#include "tests/fuzz/fields.h"

#include "src/event/decode/classes.h"
#include "src/event/manifest_table.h"
#include "src/event/schema.h"
#include "src/event/schema_system.h"
#include "src/event/tdh_layout.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

enum { MOST = 32 << 10, GUID_BYTES = 16, ID = 32, SOURCE = 48, EVENT_INFO = 32, MAP_INFO = 33 };

static void learn(struct schemas *s, const uint8_t *blob, size_t bytes, uint8_t opcode)
{
    struct event about;
    const struct event e = {.kind = HEADER_CLASSIC,
                            .provider = decode_event_metadata.guid,
                            .opcode = opcode,
                            .pointer = 8,
                            .payload = blob,
                            .payload_bytes = (uint32_t)bytes};
    schema_learn(s, 0, &e, &about);
}

/* ---- the system ------------------------------------------------------------------------------- */

static struct manifest_blob system_info, system_map;

static bool answer(const struct manifest_blob *b, struct manifest_blob *out)
{
    free(out->at);
    out->at = malloc(b->bytes ? b->bytes : 1); /* of exactly its size */
    must(out->at != NULL);
    memcpy(out->at, b->at, b->bytes);
    out->bytes = out->room = b->bytes;
    return true;
}

static bool answer_event(const struct event *e, struct manifest_blob *out)
{
    (void)e;
    return answer(&system_info, out);
}

static bool answer_map(const struct event *e, const char *name, struct manifest_blob *out)
{
    (void)e, (void)name;
    return answer(&system_map, out);
}

static bool count_payload(void *state, uint8_t opcode, const uint8_t *payload, size_t bytes)
{
    const struct manifest_blob *const b = opcode == EVENT_INFO ? &system_info : &system_map;
    ++*(unsigned *)state;
    must(bytes == b->bytes && memcmp(payload, b->at, bytes) == 0);
    return true;
}

static void check_event(struct schemas *s, const struct event *e);

/* Events that only the system knows: one has a schema if and only if there is one to be exported.
 */
static void check_system(struct event e, const struct manifest_blob *info,
                         const struct manifest_blob *map)
{
    static const struct schema_system system = {answer_event, answer_map};
    struct schemas *const s = schemas_new();
    system_info = *info;
    system_map = *map;
    schema_system_set(&system);
    for (unsigned i = 0; i < 2; i++) {
        struct schema schema;
        unsigned exported = 0;
        e.kind = i ? HEADER_CLASSIC : HEADER_MANIFEST;
        memset(e.provider.b, 0xee, sizeof e.provider.b);
        check_event(s, &e);
        must(schema_export(s, 0, &e, count_payload, &exported));
        must(schema_find(s, 0, &e, &schema) == (exported > 0));
    }
    schema_system_set(NULL);
    schemas_free(s);
}

/* ------------------------------------------------------------------------------------------------- */

static void check_event(struct schemas *s, const struct event *e)
{
    struct schema schema;
    if (!schema_find(s, 0, e, &schema))
        return;
    check_fields(e, schema.layout);
    check_lines(&(struct line_event){.event = e,
                                     .layout = schema.layout,
                                     .class_name = schema.provider,
                                     .event_name = schema.event,
                                     .message = schema.message,
                                     .names = schema.names,
                                     .owner = {EVENT_NO_ID, EVENT_NO_ID, NULL}});
}

/* The line number `index` of a provider's lines, around again behind the last; NULL: it is no
 * event. */
static const char *line_of(const char *block, size_t index)
{
    size_t lines = 0;
    for (const char *at = block; *at; at++)
        lines += *at == '\n';
    for (index %= lines; index--; block = strchr(block, '\n') + 1)
        continue;
    return *block >= '0' && *block <= '9' ? block : NULL;
}

static void check_built_in(struct schemas *s, struct event e, size_t provider, size_t line)
{
    enum { GUID_AT = 9 };
    char guid[GUID_TEXT] = "";
    const char *const block = manifest_table[provider % manifest_table_count];
    const char *const at = line_of(block, line);
    memcpy(guid, block + GUID_AT, GUID_TEXT - 1);
    must(guid_parse(guid, &e.provider));
    if (!at)
        return;
    const unsigned long id = strtoul(at, NULL, 10);
    e.kind = strncmp(block + GUID_AT + GUID_TEXT, "classic", 7) ? HEADER_MANIFEST : HEADER_CLASSIC;
    e.id = (uint16_t)(e.kind == HEADER_CLASSIC ? 0 : id);
    e.opcode = (uint8_t)id;
    e.version = (uint16_t)strtoul(strchr(at, '.') + 1, NULL, 10);
    check_event(s, &e);
    e.version = 255;
    check_event(s, &e);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    struct bytes b = bytes_of(data, bytes < MOST ? bytes : MOST);
    const size_t info_wanted = bytes_u16(&b), map_wanted = bytes_u16(&b);
    const size_t info_bytes = info_wanted < b.left ? info_wanted : b.left;
    uint8_t *const info = copy_of(&b, info_bytes, 0);
    const size_t map_bytes = map_wanted < b.left ? map_wanted : b.left;
    uint8_t *const map = copy_of(&b, map_bytes, 0);
    const size_t payload_bytes = b.left;
    uint8_t *const payload = copy_of(&b, payload_bytes, 0);
    struct schemas *const s = schemas_new();
    struct event e = {.kind = HEADER_MANIFEST,
                      .id = 1,
                      .pointer = info_bytes & 1 ? 4 : 8,
                      .payload = payload,
                      .payload_bytes = (uint32_t)payload_bytes};
    if (info_bytes >= SOURCE + 4) {
        memset(info, 0, GUID_BYTES);
        store_u32(info + ID, 1);
        store_u32(info + SOURCE, 0);
    }
    if (map_bytes >= GUID_BYTES)
        memset(map, 0, GUID_BYTES);
    check_event(s, &e);
    learn(s, info, info_bytes, EVENT_INFO);
    check_event(s, &e);
    learn(s, map, map_bytes, MAP_INFO);
    learn(s, info, info_bytes, EVENT_INFO);
    check_event(s, &e);
    check_built_in(s, e, info_wanted, map_wanted);
    check_system(e, &(struct manifest_blob){info, info_bytes, info_bytes},
                 &(struct manifest_blob){map, map_bytes, map_bytes});
    if (info_bytes >= SOURCE + 4) {
        store_u32(info + SOURCE, SOURCE_IS_CLASS);
        learn(s, info, info_bytes, EVENT_INFO);
        check_system(e, &(struct manifest_blob){info, info_bytes, info_bytes},
                     &(struct manifest_blob){map, map_bytes, map_bytes});
    }
    schemas_free(s);
    free(info);
    free(map);
    free(payload);
    return 0;
}

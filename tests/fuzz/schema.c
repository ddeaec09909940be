/* Any bytes as an EventInfo record, a map and the payload of an event that they are about, each in
 * memory of exactly its size. The first bytes are the sizes of the first two; the record's
 * provider, id and version are always the event's, and the map's name is what the record asks for.
 * And the payload as that of an event with a built-in layout, which these sizes choose. */
#include "tests/fuzz/fields.h"

#include "src/event/decode/classes.h"
#include "src/event/manifest_table.h"
#include "src/event/schema.h"

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
    schemas_free(s);
    free(info);
    free(map);
    free(payload);
    return 0;
}

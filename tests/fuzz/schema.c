/* Any bytes as an EventInfo record, a map and the payload of an event that they are about, each in
 * memory of exactly its size. The first bytes are the sizes of the first two; the record's
 * provider, id and version are always the event's, and the map's name is what the record asks for.
 */
#include "src/base/bytes.h"
#include "src/event/schema.h"
#include "src/export/line.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

enum { MOST = 32 << 10, GUID_BYTES = 16, ID = 32, SOURCE = 48, EVENT_INFO = 32, MAP_INFO = 33 };

static void must(bool holds)
{
    if (!holds)
        abort();
}

static uint8_t *copy_of(struct bytes *b, size_t bytes)
{
    uint8_t *const copy = calloc(1, bytes);
    must(copy);
    memcpy(copy, b->at, bytes);
    bytes_skip(b, bytes);
    return copy;
}

static void learn(struct schemas *s, const uint8_t *blob, size_t bytes, uint8_t opcode)
{
    struct event about;
    const struct event e = {.kind = HEADER_CLASSIC,
                            .provider = {{0xc1, 0xf6, 0xcc, 0xbb, 0xd1, 0x6c, 0xc4, 0x48, 0x80,
                                          0xff, 0x83, 0x94, 0x82, 0xe3, 0x76, 0x71}},
                            .opcode = opcode,
                            .pointer = 8,
                            .payload = blob,
                            .payload_bytes = (uint32_t)bytes};
    schema_learn(s, 0, &e, &about);
}

static void check_field(const struct event *e, const struct decoded *d)
{
    static char text[LINE_VALUE];
    const size_t n = decode_format(d, text, sizeof text);
    must(n < sizeof text && text[n] == '\0');
    must(decode_format(d, text, 9) < 9);
    if (!d->is_present)
        return;
    must(d->end <= e->payload_bytes);
    if (d->bytes)
        must(d->data >= e->payload && d->data + d->bytes <= e->payload + e->payload_bytes);
    struct decoded element;
    size_t cursor = 0;
    uint32_t elements = 0;
    while (d->members ? decode_structure(d, &cursor) : decode_element(d, &cursor, &element))
        elements++;
    must(!d->is_list || elements == d->elements);
}

static void check_event(struct schemas *s, const struct event *e)
{
    static char text[LINE_ROOM], value[LINE_VALUE];
    struct schema schema;
    struct decoded fields[DECODE_FIELDS];
    if (!schema_find(s, 0, e, &schema))
        return;
    const unsigned count = decode_fields(schema.layout, e, fields, DECODE_FIELDS);
    must(count == schema.layout->field_count);
    for (unsigned i = 0; i < count; i++)
        if (!fields[i].is_member)
            check_field(e, &fields[i]);
    const struct line_event le = {.event = e,
                                  .layout = schema.layout,
                                  .class_name = schema.provider,
                                  .event_name = schema.event,
                                  .owner = {EVENT_NO_ID, EVENT_NO_ID, NULL}};
    struct line line = {.at = text, .value = value};
    line_jsonl(&line, &le);
    must(line.at[-1] == '\n' && line.at < text + LINE_ROOM);
    line.at = text;
    line_text(&line, &le);
    must(line.at[-1] == '\n' && line.at < text + LINE_ROOM);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    struct bytes b = bytes_of(data, bytes < MOST ? bytes : MOST);
    const size_t info_wanted = bytes_u16(&b), map_wanted = bytes_u16(&b);
    const size_t info_bytes = info_wanted < b.left ? info_wanted : b.left;
    uint8_t *const info = copy_of(&b, info_bytes);
    const size_t map_bytes = map_wanted < b.left ? map_wanted : b.left;
    uint8_t *const map = copy_of(&b, map_bytes);
    const size_t payload_bytes = b.left;
    uint8_t *const payload = copy_of(&b, payload_bytes);
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
    schemas_free(s);
    free(info);
    free(map);
    free(payload);
    return 0;
}

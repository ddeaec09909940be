/* Any bytes as the template of a message, its fields and their payload, each in memory of exactly
 * its size. The first two bytes are the size of the template, the third how many fields there are,
 * the fourth the room; each field has a byte, its type. */
#include "tests/fuzz/fields.h"

#include "src/event/message.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

enum { FIELDS = 16, MOST = 64 << 10, ROOM_STEP = 37 };

static const struct value_name names[] = {{0, "zero"}, {1, "one"}, {2, "\n"}, {4, "\xff"}};
static const struct value_map maps[] = {{.entries = names, .count = 4},
                                        {.entries = names, .count = 4, .is_bits = true}};

/* The high bits may say that it has a map or a role. */
static struct field field_of(uint8_t byte)
{
    struct field f = {.name = "f", .count = 1, .offset32 = -1, .offset64 = -1};
    f.type = (byte & 63) % FIELD_STRUCT;
    f.map = byte >> 6 == 1 ? &maps[0] : byte >> 6 == 2 ? &maps[1] : NULL;
    f.role = byte >> 6 == 3 ? FIELD_IS_STATUS : FIELD_PLAIN;
    return f;
}

static void check_message(const char *template, const struct event *e,
                          const struct payload_layout *l, size_t room)
{
    struct decoded fields[DECODE_FIELDS];
    char *const text = malloc(room);
    must(text);
    const unsigned count = decode_fields(l, e, fields, DECODE_FIELDS);
    const size_t length = message_format(template, fields, count, false, text, room);
    must(length < room && text[length] == '\0');
    free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    struct bytes b = bytes_of(data, bytes < MOST ? bytes : MOST);
    struct field fields[FIELDS];
    const size_t wanted = bytes_u16(&b);
    const uint16_t count = bytes_u8(&b) % (FIELDS + 1);
    const size_t room = MESSAGE_ROOM + bytes_u8(&b) * ROOM_STEP;
    for (unsigned i = 0; i < count; i++)
        fields[i] = field_of(bytes_u8(&b));
    layout_fix_offsets(fields, count);
    const size_t template_bytes = wanted < b.left ? wanted : b.left;
    char *const template = malloc(template_bytes + 1);
    must(template);
    memcpy(template, b.at, template_bytes);
    template[template_bytes] = '\0';
    bytes_skip(&b, template_bytes);
    const size_t payload_bytes = b.left;
    uint8_t *const payload = copy_of(&b, payload_bytes, 0);
    const struct event e = {.kind = HEADER_MANIFEST,
                            .pointer = wanted & 1 ? 4 : 8,
                            .payload = payload,
                            .payload_bytes = (uint32_t)payload_bytes};
    check_message(template, &e, &(struct payload_layout){.fields = fields, .field_count = count},
                  room);
    free(template);
    free(payload);
    return 0;
}

/* Arbitrary records through the decoder and out as lines. The first byte chooses: a whole
 * on-disk record, or (so that each layout is met soon) a kernel event whose hook, version
 * and pointer size the next bytes say, or a classic event of one of the known classes. */
#include "src/base/bytes.h"
#include "src/event/attribution.h"
#include "src/event/decode.h"
#include "src/event/decode/table.h"
#include "src/export/line.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

enum { PAYLOAD_MOST = 65535 - 16 };

static void must(bool holds)
{
    if (!holds)
        abort();
}

static bool event_of_input(struct bytes *b, struct event *e)
{
    const uint8_t form = bytes_u8(b);
    if (form % 4 == 0)
        return event_parse(b->at, b->left, e) == EVENT_OK;
    *e = (struct event){.kind = form % 4 == 3 ? HEADER_CLASSIC : HEADER_PERFINFO};
    const uint16_t hook = bytes_u16(b);
    const uint8_t how = bytes_u8(b);
    e->version = how & 7;
    e->pointer = how & 8 ? 4 : 8;
    e->opcode = hook & 0xff;
    if (header_is_kernel(e->kind))
        e->id = hook & 0x1fff;
    else if (decode_class(hook >> 8))
        e->provider = *decode_class_guid(hook >> 8);
    e->payload = b->at;
    e->payload_bytes = (uint32_t)(b->left < PAYLOAD_MOST ? b->left : PAYLOAD_MOST);
    return !b->bad;
}

static void check_text(const struct decoded *d, size_t room)
{
    static char text[LINE_VALUE];
    const size_t n = decode_format(d, text, room);
    must(n < room && text[n] == '\0');
}

/* Everything lies in the payload; a list has as many elements as it says. */
static void check_field(const struct event *e, const struct decoded *d)
{
    check_text(d, LINE_VALUE);
    check_text(d, 7);
    if (!d->is_present)
        return;
    must(d->end <= e->payload_bytes);
    if (d->data && d->bytes)
        must(d->data >= e->payload && d->data + d->bytes <= e->payload + e->payload_bytes);
    struct decoded element;
    size_t cursor = 0;
    uint32_t elements = 0;
    while (decode_element(d, &cursor, &element)) {
        must(element.data + element.bytes <= e->payload + e->payload_bytes);
        elements++;
    }
    must(!d->is_list || elements == d->elements);
}

static void check_fields(const struct event *e, const struct layout *l)
{
    struct decoded fields[DECODE_FIELDS];
    const unsigned count = decode_fields(l, e, fields, DECODE_FIELDS);
    must(count == l->field_count);
    for (unsigned i = 0; i < count; i++)
        check_field(e, &fields[i]);
    decode_fields(l, e, fields, 1);
}

/* Whose event it is, when it was itself what was learnt. */
static void check_owner(const struct event *e)
{
    struct attribution *a = attribution_new();
    attribution_learn(a, e);
    attribution_settle(a);
    const struct owner o = attribution_of(a, e);
    must(!o.name || o.pid != EVENT_NO_ID);
    attribution_free(a);
}

static void check_lines(const struct event *e, const struct layout *l)
{
    static char text[LINE_ROOM], value[LINE_VALUE];
    uint32_t pid, tid;
    decode_owner(e, &pid, &tid);
    const struct line_event le = {
        .event = e,
        .layout = l,
        .owner = {.pid = pid, .tid = tid, .name = pid == EVENT_NO_ID ? NULL : "\x1b\xff\""},
        .ns = e->ts,
    };
    struct line line = {.at = text, .value = value};
    line_jsonl(&line, &le);
    must(line.at[-1] == '\n' && line.at < text + LINE_ROOM);
    line.at = text;
    line_text(&line, &le);
    must(line.at[-1] == '\n' && memchr(text, '\n', LINE_ROOM) == line.at - 1);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    struct bytes b = bytes_of(data, bytes);
    struct event e;
    if (!event_of_input(&b, &e))
        return 0;
    const char *class, *name;
    decode_name(&e, &class, &name);
    must(class && name);
    const struct layout *l = decode_layout(&e);
    if (l)
        check_fields(&e, l);
    check_lines(&e, l);
    const uint16_t group = decode_hook(&e) >> 8;
    if (group == 0x03 || group == 0x05)
        check_owner(&e);
    return 0;
}

/* Arbitrary records through the decoder and out as lines. The first byte chooses: a whole
 * on-disk record, or (so that each layout is met soon) a kernel event whose hook, version
 * and pointer size the next bytes say, or a classic event of one of the known classes. */
#include "tests/fuzz/fields.h"

#include "src/event/attribution.h"
#include "src/event/decode/table.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

enum { PAYLOAD_MOST = 65535 - 16 };

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

/* Whose event it is, when it was itself what was learned. */
static void check_owner(const struct event *e)
{
    struct attribution *a = attribution_new();
    attribution_learn(a, e);
    attribution_settle(a);
    const struct owner o = attribution_of(a, e);
    must(!o.name || o.pid != EVENT_NO_ID);
    attribution_free(a);
}

static void check_lines_of(const struct event *e, const struct payload_layout *l)
{
    uint32_t pid, tid;
    decode_owner(e, &pid, &tid);
    check_lines(&(struct line_event){
        .event = e,
        .layout = l,
        .owner = {.pid = pid, .tid = tid, .name = pid == EVENT_NO_ID ? NULL : "\x1b\xff\""},
        .ns = e->ts,
    });
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
    const struct payload_layout *l = decode_layout(&e);
    if (l)
        check_fields(&e, l);
    check_lines_of(&e, l);
    const uint16_t group = decode_hook(&e) >> 8;
    if (group == 0x03 || group == 0x05)
        check_owner(&e);
    return 0;
}

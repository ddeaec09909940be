/* Event headers, as Windows writes them into buffers.
 *
 * The first u32 of a record gives the kind of its header: the high byte is 0xC0 for headers with a
 * type byte (bits 16..23), 0x90 for WPP messages. Where Size lies, how long the fixed header is and
 * how big the payload's pointers are follows from the type; `headers` below is that table, one
 * filler per kind does the rest.
 *
 *   SYSTEM, COMPACT   u16 version, type, flags, u16 size, u8 opcode, u8 group,
 *                     u32 thread, u32 process, i64 time, [u32 kernel, u32 user]
 *   PERFINFO          the same up to the group, then i64 time
 *   CLASSIC, INSTANCE u16 size, type, flags, u8 opcode, u8 level, u16 version,
 *                     u32 thread, u32 process, i64 time, guid, u64 times,
 *                     [u32 instance, u32 parent, guid parent's class]
 *   MANIFEST          u16 size, type, flags, u16 flags, u16 property, u32 thread,
 *                     u32 process, i64 time, guid, u16 id, u8 version, u8 channel,
 *                     u8 level, u8 opcode, u16 task, u64 keyword, u64 times,
 *                     guid activity, [extended items]
 *   MESSAGE           u16 size, u8, 0x90, u16 number, u16 options, [what they say]
 *
 * Every filler is called with the whole fixed header inside the record and the
 * whole record inside the span; beyond that it trusts nothing. */
#include "src/event/event.h"

#include "src/base/bytes.h"
#include "src/event/decode.h"

const char *header_kind_name(enum header_kind kind)
{
    static const char *const names[HEADER_KINDS] = {
        [HEADER_SYSTEM] = "system",     [HEADER_PERFINFO] = "perfinfo",
        [HEADER_COMPACT] = "compact",   [HEADER_CLASSIC] = "classic",
        [HEADER_INSTANCE] = "instance", [HEADER_MANIFEST] = "manifest",
        [HEADER_MESSAGE] = "message",
    };
    return (unsigned)kind < HEADER_KINDS ? names[kind] : "";
}

/* ---- one filler per kind of header ------------------------------------------------ */

static void set_payload(struct event *e, const uint8_t *at, uint32_t header)
{
    e->payload = at + header;
    e->payload_bytes = e->record_bytes - header;
}

/* The version word of kernel headers counts what stands between header and payload:
 * bit 15 a PEBS index, bits 8..10 a number of counter values, 8 bytes each. */
static enum event_parsed set_kernel(struct event *e, const uint8_t *at, uint32_t header)
{
    const uint16_t word = load_u16(at);
    const uint32_t pebs = word & 0x8000 ? 8 : 0;
    const uint8_t counters = (word & 0x0700) >> 8;
    if (header + pebs + 8u * counters > e->record_bytes)
        return EVENT_BAD_SIZE;
    e->version = word & 0xff;
    e->id = load_u16(at + 6);
    e->opcode = at[6];
    e->counters = counters;
    e->pmc = counters ? at + header + pebs : NULL;
    set_payload(e, at, header + pebs + 8u * counters);
    return EVENT_OK;
}

static enum event_parsed fill_system(struct event *e, const uint8_t *at, uint32_t header)
{
    e->tid = load_u32(at + 8);
    e->pid = load_u32(at + 12);
    e->ts = (int64_t)load_u64(at + 16);
    return set_kernel(e, at, header);
}

static enum event_parsed fill_perfinfo(struct event *e, const uint8_t *at, uint32_t header)
{
    e->tid = e->pid = EVENT_NO_ID;
    e->ts = (int64_t)load_u64(at + 8);
    return set_kernel(e, at, header);
}

static enum event_parsed fill_classic(struct event *e, const uint8_t *at, uint32_t header)
{
    e->opcode = at[4];
    e->level = at[5];
    e->version = load_u16(at + 6);
    e->tid = load_u32(at + 8);
    e->pid = load_u32(at + 12);
    e->ts = (int64_t)load_u64(at + 16);
    memcpy(&e->provider, at + 24, sizeof e->provider);
    set_payload(e, at, header);
    if (e->pointer == 4)
        e->pointer = decode_pointer(e);
    return EVENT_OK;
}

static void set_manifest(struct event *e, const uint8_t *at)
{
    e->flags = load_u16(at + 4);
    e->tid = load_u32(at + 8);
    e->pid = load_u32(at + 12);
    e->ts = (int64_t)load_u64(at + 16);
    memcpy(&e->provider, at + 24, sizeof e->provider);
    e->id = load_u16(at + 40);
    e->version = at[42];
    e->channel = at[43];
    e->level = at[44];
    e->opcode = at[45];
    e->task = load_u16(at + 46);
    e->keyword = load_u64(at + 48);
    e->activity = at + 64;
}

/* An item: u16 size (with its 8-byte head and padding), u16 type, u16 linkage (bit
 * 0: another one follows), u16 data bytes. The chain's length, or 0 when it does
 * not fit in `left`. */
static uint32_t items_bytes(const uint8_t *at, uint32_t left)
{
    for (uint32_t used = 0; left - used >= 8;) {
        const uint32_t size = load_u16(at + used);
        if (size < 8 || size % 8 || size > left - used || load_u16(at + used + 6) > size - 8)
            return 0;
        const bool is_last = !(load_u16(at + used + 4) & 1);
        used += size;
        if (is_last)
            return used;
    }
    return 0;
}

static enum event_parsed fill_manifest(struct event *e, const uint8_t *at, uint32_t header)
{
    set_manifest(e, at);
    if (e->flags & EVENT_FLAG_EXTENDED) {
        e->extended_bytes = items_bytes(at + header, e->record_bytes - header);
        if (!e->extended_bytes)
            return EVENT_BAD_ITEMS;
        e->extended = at + header;
    }
    set_payload(e, at, header + e->extended_bytes);
    return EVENT_OK;
}

/* Logged in place of an event that could not be: the header is an EVENT_HEADER, what
 * follows it is not documented. */
static enum event_parsed fill_error(struct event *e, const uint8_t *at, uint32_t header)
{
    (void)header;
    set_manifest(e, at);
    set_payload(e, at, e->record_bytes);
    return EVENT_OK;
}

/* The optional fields stand in the order of these lines; GUID and component id
 * exclude each other. */
static enum event_parsed fill_message(struct event *e, const uint8_t *at, uint32_t header)
{
    enum { SEQUENCE = 1, CLASS = 2, COMPONENT = 4, TIMESTAMP = 8, IDS = 0x20, POINTER32 = 0x40 };
    struct bytes b = bytes_of(at + header, e->record_bytes - header);
    e->id = load_u16(at + 4);
    e->flags = load_u16(at + 6);
    e->tid = e->pid = EVENT_NO_ID;
    e->pointer = e->flags & POINTER32 ? 4 : 8;
    if (e->flags & SEQUENCE)
        bytes_skip(&b, 4);
    const uint8_t *guid = e->flags & CLASS ? bytes_take(&b, sizeof e->provider) : NULL;
    if (guid)
        memcpy(&e->provider, guid, sizeof e->provider);
    if ((e->flags & (CLASS | COMPONENT)) == COMPONENT)
        bytes_skip(&b, 4);
    if (e->flags & TIMESTAMP)
        e->ts = (int64_t)bytes_u64(&b);
    if (e->flags & IDS) {
        e->tid = bytes_u32(&b);
        e->pid = bytes_u32(&b);
    }
    if (b.bad)
        return EVENT_BAD_SIZE;
    set_payload(e, at, e->record_bytes - (uint32_t)b.left);
    return EVENT_OK;
}

/* ---- the table ---------------------------------------------------------------------- */

struct header {
    uint8_t kind;
    uint8_t bytes;   /* of the fixed header; 0 = no such type */
    uint8_t pointer; /* of the payload */
    uint8_t size_at; /* where the u16 Size stands */
    enum event_parsed (*fill)(struct event *e, const uint8_t *at, uint32_t header);
};

/* Types 12 (TIMED) and 14 (WNODE) are named in headers but never produced. */
static const struct header headers[22] = {
    [1] = {HEADER_SYSTEM, 32, 4, 4, fill_system},
    [2] = {HEADER_SYSTEM, 32, 8, 4, fill_system},
    [3] = {HEADER_COMPACT, 24, 4, 4, fill_system},
    [4] = {HEADER_COMPACT, 24, 8, 4, fill_system},
    [10] = {HEADER_CLASSIC, 48, 4, 0, fill_classic},
    [11] = {HEADER_INSTANCE, 72, 4, 0, fill_classic},
    [13] = {HEADER_MANIFEST, 80, 8, 0, fill_error},
    [16] = {HEADER_PERFINFO, 16, 4, 4, fill_perfinfo},
    [17] = {HEADER_PERFINFO, 16, 8, 4, fill_perfinfo},
    [18] = {HEADER_MANIFEST, 80, 4, 0, fill_manifest},
    [19] = {HEADER_MANIFEST, 80, 8, 0, fill_manifest},
    [20] = {HEADER_CLASSIC, 48, 8, 0, fill_classic},
    [21] = {HEADER_INSTANCE, 72, 8, 0, fill_classic},
};

static const struct header message_header = {HEADER_MESSAGE, 8, 8, 0, fill_message};

static const struct header *header_of(uint32_t mark)
{
    const unsigned type = mark >> 16 & 0xff;
    if (mark >> 24 == 0xc0 && type < sizeof headers / sizeof *headers && headers[type].bytes)
        return &headers[type];
    return mark >> 24 == 0x90 ? &message_header : NULL;
}

/* All zero, in pieces that compilers store at once: as a whole it becomes a string
 * instruction, which takes longer than all the rest of the parsing. */
static inline void clear(struct event *e)
{
    enum { PIECE = 24, PIECES = 5 };
    _Static_assert(sizeof *e == PIECE * PIECES, "clear() covers the event");
    uint8_t *const at = (uint8_t *)e;
    memset(at, 0, PIECE);
    memset(at + PIECE, 0, PIECE);
    memset(at + 2 * PIECE, 0, PIECE);
    memset(at + 3 * PIECE, 0, PIECE);
    memset(at + 4 * PIECE, 0, PIECE);
}

enum event_parsed event_parse(const uint8_t *at, size_t left, struct event *out)
{
    clear(out);
    out->record = at;
    if (left < 8)
        return EVENT_BAD_SIZE;
    const uint32_t mark = load_u32(at);
    const struct header *h = header_of(mark);
    if (!h)
        return EVENT_BAD_MARKER;
    const uint16_t size = load_u16(at + h->size_at);
    out->record_bytes = size;
    out->kind = h->kind;
    if (size < h->bytes || size > left)
        return EVENT_BAD_SIZE;
    out->type = h->kind == HEADER_MESSAGE ? 0 : (uint8_t)(mark >> 16);
    out->pointer = h->pointer;
    return h->fill(out, at, h->bytes);
}

bool event_time(const uint8_t *at, size_t left, int64_t *ts)
{
    const struct header *h = left < 8 ? NULL : header_of(load_u32(at));
    if (!h || left < h->bytes || load_u16(at + h->size_at) < h->bytes)
        return false;
    struct event e = {.record_bytes = load_u16(at + h->size_at)};
    if (h->kind == HEADER_MESSAGE &&
        (e.record_bytes > left || h->fill(&e, at, h->bytes) != EVENT_OK))
        return false;
    if (h->kind == HEADER_MESSAGE)
        *ts = e.ts;
    else
        *ts = (int64_t)load_u64(at + (h->kind == HEADER_PERFINFO ? 8 : 16));
    return h->kind != HEADER_MESSAGE || e.flags & EVENT_MESSAGE_TIME;
}

bool event_item_next(const struct event *e, uint32_t *at, struct event_item *out)
{
    if (*at > e->extended_bytes || e->extended_bytes - *at < 8)
        return false;
    const uint8_t *item = e->extended + *at;
    const uint16_t size = load_u16(item), data = load_u16(item + 6);
    if (size < 8 || size > e->extended_bytes - *at || data > size - 8)
        return false;
    *out = (struct event_item){.type = load_u16(item + 2), .size = data, .data = item + 8};
    *at += size;
    return true;
}

/* Its data where that is `least` bytes or more, else NULL. */
static const uint8_t *item_of(const struct event *e, unsigned type, size_t least, size_t *bytes)
{
    uint32_t at = 0;
    struct event_item item;
    while (event_item_next(e, &at, &item))
        if (item.type == type && item.size >= least) {
            *bytes = item.size;
            return item.data;
        }
    return NULL;
}

const uint8_t *event_related(const struct event *e)
{
    enum { RELATED = 1 };
    size_t bytes;
    return item_of(e, RELATED, sizeof(struct guid), &bytes);
}

const uint8_t *event_sid(const struct event *e, size_t *bytes)
{
    enum { SID = 2, HEAD = 8, PART = 4 };
    const uint8_t *const sid = item_of(e, SID, HEAD, bytes);
    if (!sid || HEAD + PART * (size_t)sid[1] > *bytes)
        return NULL;
    *bytes = HEAD + PART * (size_t)sid[1];
    return sid;
}

bool event_times(const struct event *e, uint32_t *kernel, uint32_t *user)
{
    static const uint8_t places[HEADER_KINDS] = {[HEADER_SYSTEM] = 24,
                                                 [HEADER_CLASSIC] = 40,
                                                 [HEADER_INSTANCE] = 40,
                                                 [HEADER_MANIFEST] = 56};
    const bool has_none =
        e->kind == HEADER_MANIFEST && e->flags & (EVENT_FLAG_PRIVATE | EVENT_FLAG_NO_TIMES);
    if (!e->record || !places[e->kind] || has_none)
        return false;
    *kernel = load_u32(e->record + places[e->kind]);
    *user = load_u32(e->record + places[e->kind] + sizeof *kernel);
    return true;
}

enum event_parsed event_of_record(const struct record_head *head, struct event *out)
{
    if (head->bytes < sizeof *head || head->form != RECORD_ETW) {
        *out = (struct event){0};
        return head->form == RECORD_ETW ? EVENT_BAD_SIZE : EVENT_BAD_MARKER;
    }
    const enum event_parsed parsed =
        event_parse((const uint8_t *)(head + 1), head->bytes - sizeof *head, out);
    out->cpu = head->cpu;
    out->source = head->source;
    out->ts = head->ts; /* a message without a time got one from its neighbors */
    return parsed;
}

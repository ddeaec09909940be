/* Event headers, as Windows writes them into buffers.
 *
 * The first u32 of a record tells its header: the high byte is 0xC0 for headers
 * with a type byte (bits 16..23), 0x90 for WPP messages. Where Size lies, how
 * long the fixed header is and how big the payload's pointers are follows from
 * the type; `headers` below is that table, one filler per kind does the rest.
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
    out->ts = head->ts; /* a message without a time got one from its neighbours */
    return parsed;
}

/* ---- kernel groups and their MOF classes -------------------------------------------- */

/* The last eight bytes of a GUID stand in the order in which they are written. */
#define BYTE(value, at) (uint8_t)((value) >> (8 * (at)))
#define GUID(a, b, c, rest)                                                                        \
    {                                                                                              \
        {                                                                                          \
            BYTE(a, 0), BYTE(a, 1), BYTE(a, 2), BYTE(a, 3), BYTE(b, 0), BYTE(b, 1), BYTE(c, 0),    \
                BYTE(c, 1), BYTE(rest, 7), BYTE(rest, 6), BYTE(rest, 5), BYTE(rest, 4),            \
                BYTE(rest, 3), BYTE(rest, 2), BYTE(rest, 1), BYTE(rest, 0)                         \
        }                                                                                          \
    }

enum { GROUP_IMAGE = 0x14, GROUPS = 0x1f, HOOK_IMAGE_LOAD = 0x030a };

static const struct guid classes[GROUPS] = {
    [0x00] = GUID(0x68fdd900u, 0x4a3eu, 0x11d1u, 0x84f40000f80464e3u), /* EventTraceEvent */
    [0x01] = GUID(0x3d6fa8d4u, 0xfe05u, 0x11d0u, 0x9dda00c04fd7ba7cu), /* DiskIo */
    [0x02] = GUID(0x3d6fa8d3u, 0xfe05u, 0x11d0u, 0x9dda00c04fd7ba7cu), /* PageFault */
    [0x03] = GUID(0x3d6fa8d0u, 0xfe05u, 0x11d0u, 0x9dda00c04fd7ba7cu), /* Process */
    [0x04] = GUID(0x90cbdc39u, 0x4a3eu, 0x11d1u, 0x84f40000f80464e3u), /* FileIo */
    [0x05] = GUID(0x3d6fa8d1u, 0xfe05u, 0x11d0u, 0x9dda00c04fd7ba7cu), /* Thread */
    [0x06] = GUID(0x9a280ac0u, 0xc8e0u, 0x11d1u, 0x84e200c04fb998a2u), /* TcpIp */
    [0x07] = GUID(0x3282fc76u, 0xfeedu, 0x498eu, 0x8aa7e70f459d430eu), /* Job */
    [0x08] = GUID(0xbf3a50c5u, 0xa9c9u, 0x4988u, 0xa0052df0b7c80f80u), /* UdpIp */
    [0x09] = GUID(0xae53722eu, 0xc863u, 0x11d2u, 0x865900c04fa321a1u), /* Registry */
    [0x0a] = GUID(0x13976d09u, 0xa327u, 0x438cu, 0x950b7f03192815c7u), /* DbgPrint */
    [0x0b] = GUID(0x01853a65u, 0x418fu, 0x4f36u, 0xaefcdc0f1d2fd235u), /* SystemConfig */
    [0x0c] = GUID(0x99134383u, 0x5248u, 0x43fcu, 0x834b529454e75df3u), /* last branches */
    [0x0d] = GUID(0x42695762u, 0xea50u, 0x497au, 0x90685cbbb35e0b95u), /* Wnf */
    [0x0e] = GUID(0x0268a8b6u, 0x74fdu, 0x4302u, 0x9dd06e8f1795c0cfu), /* Pool */
    [0x0f] = GUID(0xce1dbfb4u, 0x137eu, 0x4da6u, 0x87b03f59aa102cbcu), /* PerfInfo */
    [0x10] = GUID(0x222962abu, 0x6180u, 0x4b88u, 0xa825346b75f2a24au), /* Heap */
    [0x11] = GUID(0x89497f50u, 0xeffeu, 0x4440u, 0x8cf2ce6b1cdcaca7u), /* Object */
    [0x12] = GUID(0xe43445e0u, 0x0903u, 0x48c3u, 0xb878ff0fccebdd04u), /* Power */
    [0x13] = GUID(0xa9152f00u, 0x3f58u, 0x4beeu, 0x92a170c7d079d5ddu), /* ModBound */
    [0x14] = GUID(0x2cb15d1du, 0x5fc1u, 0x11d2u, 0xabe100a0c911f518u), /* Image */
    [0x15] = GUID(0xb2d14872u, 0x7c5bu, 0x463du, 0x8419ee9bf7d23e04u), /* Dpc */
    [0x16] = GUID(0x7687a439u, 0xf752u, 0x45b8u, 0xb741321aec0f8df9u), /* Cc */
    [0x17] = GUID(0x3ac66736u, 0xcc59u, 0x4cffu, 0x81158df50e39816bu), /* CritSec */
    [0x18] = GUID(0xdef2fe46u, 0x7bd6u, 0x4b80u, 0xbd94f57fe20d0ce3u), /* StackWalk */
    [0x19] = GUID(0x9aec974bu, 0x5b8eu, 0x4118u, 0x9b923186d8002ce5u), /* UMS */
    [0x1a] = GUID(0x45d8cccdu, 0x539fu, 0x4b72u, 0xa8b75c683142609au), /* ALPC */
    [0x1b] = GUID(0xd837ca92u, 0x12b9u, 0x44a5u, 0xad6a3a65b3578aa8u), /* SplitIo */
    [0x1c] = GUID(0xc861d0e2u, 0xa2c1u, 0x4d36u, 0x9f9c970bab943a12u), /* ThreadPool */
    [0x1d] = GUID(0x7f2a405cu, 0x69b5u, 0x4bf9u, 0xa1f530e8f1afab5eu), /* Hypervisor */
    [0x1e] = GUID(0x2ce9a149u, 0xeffeu, 0x42f0u, 0xa635a1d39e26c8f2u), /* HypervisorX */
};

const struct guid *event_class_guid(uint16_t hook)
{
    static const struct guid none = {{0}};
    const unsigned group = hook == HOOK_IMAGE_LOAD ? GROUP_IMAGE : hook >> 8;
    return group < GROUPS ? &classes[group] : &none;
}

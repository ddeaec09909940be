/* A file with a record of each kind of header and item, including kinds that no real trace here
 * has. */
#include "tests/cassette/make.h"

#include "src/base/payload_writer.h"
#include "src/etl/write.h"
#include "src/os/os.h"

#include <string.h>

enum {
    TYPED = 0xc0,
    MESSAGE = 0x90,
    CPU = 3,
    HOOK_SWITCH = 0x0524,
    HOOK_START = 0x0501,
    PID = 1234,
    TID = 5678,
    COUNTERS = 2,
    PEBS = 0x8000,
    SPARE = 0x1800,
};

struct kinds {
    struct etl_write *write;
    int64_t ts;
    uint8_t record[2048];
    struct payload_writer p;
};

static const uint8_t class[16] = {0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88,
                                  0x99, 0xaa, 0xbb, 0xcc, 0xdd, 0xee, 0xff, 0x01};

/* ---- writing ------------------------------------------------------------------------------------ */

static struct payload_writer *begin(struct kinds *k)
{
    k->ts += 1000;
    k->p = (struct payload_writer){k->record, k->record, k->record + sizeof k->record};
    return &k->p;
}

static bool end(struct kinds *k, unsigned size_at, struct err *err)
{
    put_text(&k->p, "payload", 7);
    const uint16_t bytes = (uint16_t)(k->p.at - k->p.start);
    const struct record_head head = {
        .bytes = (uint32_t)sizeof head + bytes, .form = RECORD_ETW, .cpu = CPU, .ts = k->ts};
    memcpy(k->record + size_at, &bytes, sizeof bytes);
    return etl_write_append(k->write, &head, k->record, err);
}

struct kernel_row {
    uint8_t type;
    uint16_t version, hook;
    uint32_t ids;
};

static bool put_kernel(struct kinds *k, const struct kernel_row *r, struct err *err)
{
    enum { COMPACT_FIRST = 3, COMPACT_LAST = 4, PERFINFO_FIRST = 16 };
    struct payload_writer *const p = begin(k);
    put_u16(p, r->version);
    put_u8(p, r->type);
    put_u8(p, TYPED);
    put_u16(p, 0);
    put_u16(p, r->hook);
    if (r->type < PERFINFO_FIRST) {
        put_u32(p, r->ids ? TID : EVENT_NO_ID);
        put_u32(p, r->ids ? PID : EVENT_NO_ID);
    }
    put_u64(p, (uint64_t)k->ts);
    if (r->type < COMPACT_FIRST)
        put_u64(p, 0x0000000700000009u);
    if (r->version & PEBS)
        put_u64(p, 0x5555);
    for (unsigned i = 0; i < (r->version >> 8 & 7u); i++)
        put_u64(p, 1000 + i);
    return end(k, 4, err);
}

static bool put_full(struct kinds *k, unsigned type, const void *guid, struct err *err)
{
    enum { INSTANCE32 = 11, INSTANCE64 = 21, OPCODE = 10 };
    struct payload_writer *const p = begin(k);
    put_u16(p, 0);
    put_u8(p, type);
    put_u8(p, TYPED);
    put_u8(p, OPCODE);
    put_u8(p, 4);
    put_u16(p, 2);
    put_u32(p, TID);
    put_u32(p, PID);
    put_u64(p, (uint64_t)k->ts);
    put_bytes(p, guid, 16);
    put_u64(p, 0x0000000300000004u);
    if (type == INSTANCE32 || type == INSTANCE64) {
        put_u32(p, 77);
        put_u32(p, 66);
        put_bytes(p, class, sizeof class);
    }
    return end(k, 0, err);
}

/* Data of 1 to 18 bytes by type, so that there is padding of every length. */
static void put_item(struct payload_writer *p, unsigned type, bool goes_on)
{
    const unsigned data = type, bytes = (8 + data + 7) & ~7u;
    put_u16(p, bytes);
    put_u16(p, type);
    put_u16(p, goes_on);
    put_u16(p, data);
    for (unsigned i = 0; i < data; i++)
        put_u8(p, 0x40 + i);
    for (unsigned i = 8 + data; i < bytes; i++)
        put_u8(p, 0xee); /* stale, as on disk */
}

static bool put_event(struct kinds *k, unsigned type, unsigned flags, unsigned items,
                      struct err *err)
{
    enum { EXTENDED = 1 };
    struct payload_writer *const p = begin(k);
    put_u16(p, 0);
    put_u8(p, type);
    put_u8(p, TYPED);
    put_u16(p, flags | (items ? EXTENDED : 0));
    put_u16(p, 1);
    put_u32(p, TID);
    put_u32(p, PID);
    put_u64(p, (uint64_t)k->ts);
    put_bytes(p, class, sizeof class);
    put_u64(p, 0x0005060403020100u);
    put_u64(p, 0x8000000000000010u);
    put_u64(p, 0x0000000100000002u);
    put_bytes(p, class, sizeof class);
    for (unsigned i = 1; i <= items; i++)
        put_item(p, i, i < items);
    return end(k, 0, err);
}

static bool put_message(struct kinds *k, unsigned options, struct err *err)
{
    enum { SEQUENCE = 1, CLASS = 2, COMPONENT = 4, TIME = 8, IDS = 0x20 };
    struct payload_writer *const p = begin(k);
    put_u16(p, 0);
    put_u8(p, 0x40);
    put_u8(p, MESSAGE);
    put_u16(p, 12);
    put_u16(p, options);
    if (options & SEQUENCE)
        put_u32(p, 99);
    if (options & CLASS)
        put_bytes(p, class, sizeof class);
    if (options & COMPONENT)
        put_u32(p, 5);
    if (options & TIME)
        put_u64(p, (uint64_t)k->ts);
    if (options & IDS) {
        put_u32(p, TID);
        put_u32(p, PID);
    }
    return end(k, 0, err);
}

/* ---- all of them ------------------------------------------------------------------------------ */

static bool put_kernels(struct kinds *k, struct err *err)
{
    static const struct kernel_row rows[] = {
        {1, 2, HOOK_START, 1},
        {2, 2, HOOK_START, 1},
        {2, 2, HOOK_START, 0},
        {3, 2, HOOK_START, 1},
        {4, 2, HOOK_START, 1},
        {16, 2, HOOK_SWITCH, 0},
        {17, 2, HOOK_SWITCH, 0},
        {17, 2 | COUNTERS << 8, HOOK_SWITCH, 0},
        {17, 2 | PEBS, HOOK_SWITCH, 0},
        {2, 2 | PEBS | 7 << 8, HOOK_START, 1},
        {17, 2 | SPARE, HOOK_SWITCH, 0},
        {2, 2, 0x030a, 1}, /* an image loaded: an event of another group's class */
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (!put_kernel(k, &rows[i], err))
            return false;
    for (uint16_t group = 1; group < 0x1f; group++) {
        const struct kernel_row each = {17, 1, (uint16_t)(group << 8 | 0x42), 0};
        if (!put_kernel(k, &each, err))
            return false;
    }
    return true;
}

static bool put_others(struct kinds *k, struct err *err)
{
    static const uint8_t full[] = {10, 20, 11, 21};
    static const uint16_t flags[] = {0x02, 0x04, 0x10, 0x80};
    static const uint16_t options[] = {0x00, 0x02, 0x2a, 0x6a, 0xaa, 0x2b, 0x2c, 0x08};
    enum { ITEMS = 18, EVENT32 = 18, EVENT64 = 19, IMAGE = 0x1400 };
    for (size_t i = 0; i < sizeof full; i++)
        if (!put_full(k, full[i], class, err))
            return false;
    if (!put_full(k, 20, event_class_guid(IMAGE), err))
        return false;
    for (unsigned items = 0; items <= ITEMS; items++)
        if (!put_event(k, items % 2 ? EVENT32 : EVENT64, 0, items, err))
            return false;
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
        if (!put_event(k, EVENT64, flags[i], 1, err))
            return false;
    for (size_t i = 0; i < sizeof options / sizeof *options; i++)
        if (!put_message(k, options[i], err))
            return false;
    return true;
}

bool make_kinds(const char *name, struct err *err)
{
    uint8_t record[ETL_WRITE_HEADER_ROOM];
    const struct etl_header h = {.cpus = CPU + 1,
                                 .build = 22621,
                                 .pointer = 8,
                                 .clock_type = 1,
                                 .frequency = 10000000,
                                 .ts = 1000,
                                 .start = 133000000000000000,
                                 .logger = "kinds"};
    const struct etl_write_options o = {
        .name = name, .header = record, .header_bytes = etl_log_header(&h, 0, 0, record)};
    struct os_file *const file = os_create(name, err);
    struct kinds k = {.ts = h.ts, .write = file ? etl_write_new(file, &o, err) : NULL};
    const bool is_good =
        k.write && put_kernels(&k, err) && put_others(&k, err) && etl_write_finish(k.write, 0, err);
    etl_write_free(k.write);
    os_close(file);
    return is_good;
}

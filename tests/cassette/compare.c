/* A permitted difference is what it turns a record into: all of the table are applied to the
 * original, one after the other, and the outcome must be the record that was made, to the byte. So
 * nothing is forgiven that has no name here. */
#include "tests/cassette/compare.h"

#include "src/base/bytes.h"
#include "src/base/mem.h"
#include "src/event/event.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
    SYSTEM32 = 1,
    SYSTEM64 = 2,
    COMPACT32 = 3,
    COMPACT64 = 4,
    FULL32 = 10,
    FULL64 = 20,
    PERFINFO32 = 16,
    PERFINFO64 = 17,
    EVENT32 = 18,
    EVENT64 = 19,
    SYSTEM_BYTES = 32,
    COMPACT_BYTES = 24,
    FULL_BYTES = 48,
    PERFINFO_BYTES = 16,
    MESSAGE = 0x90,
    TYPED = 0xc0,
    ROOM = 65536 + 64, /* of a record that has become longer */
};

/* A record that is being turned into what is expected of it. */
struct expected {
    uint8_t bytes[ROOM];
    uint32_t count;
    int64_t ts;
};

/* ---- what is permitted --------------------------------------------------------------------------- */

static bool is_type(const struct expected *e, unsigned a, unsigned b)
{
    return e->bytes[3] == TYPED && (e->bytes[2] == a || e->bytes[2] == b);
}

static void set_size(struct expected *e, unsigned at, uint32_t count)
{
    e->count = count;
    store_u16(e->bytes + at, (uint16_t)count);
}

/* Another header in front of the same payload. */
static void replace_header(struct expected *e, uint32_t was, const uint8_t *header, uint32_t is)
{
    memmove(e->bytes + is, e->bytes + was, e->count - was);
    memcpy(e->bytes, header, is);
    e->count = e->count - was + is;
}

static void widen_log_header(struct expected *e)
{
    enum { ZONE_AT = 64, ZONE_END = 236, TAIL_AT = 240, WIDER = 8, POINTERS_AT = 56, LEAST = 272 };
    uint8_t *const p = e->bytes + SYSTEM_BYTES;
    if (!is_type(e, SYSTEM32, SYSTEM32) || load_u16(e->bytes + 6) || e->count < SYSTEM_BYTES + LEAST)
        return;
    memmove(p + TAIL_AT + WIDER, p + TAIL_AT, e->count - SYSTEM_BYTES - TAIL_AT);
    memset(p + ZONE_END + WIDER, 0, 4);
    memmove(p + ZONE_AT + WIDER, p + ZONE_AT, ZONE_END - ZONE_AT);
    memcpy(p + POINTERS_AT + WIDER, p + POINTERS_AT + 4, 4);
    memset(p + POINTERS_AT + 4, 0, 4);
    memset(p + POINTERS_AT + WIDER + 4, 0, 4);
    e->bytes[2] = SYSTEM64;
    set_size(e, 4, e->count + WIDER);
}

static unsigned group_of(const uint8_t *class)
{
    enum { GROUPS = 0x1f };
    for (unsigned g = 0; g < GROUPS; g++)
        if (memcmp(event_class_guid((uint16_t)(g << 8)), class, sizeof(struct guid)) == 0)
            return g;
    return GROUPS;
}

static void full_to_system(struct expected *e)
{
    enum { GROUPS = 0x1f, IMAGE = 0x14, LOAD = 0x0a, PROCESS = 0x03, CLASS_AT = 24, TIMES_AT = 40 };
    const unsigned group = is_type(e, FULL32, FULL64) ? group_of(e->bytes + CLASS_AT) : GROUPS;
    uint8_t header[SYSTEM_BYTES];
    if (group == GROUPS)
        return;
    const unsigned opcode = e->bytes[4];
    store_u16(header, load_u16(e->bytes + 6) & 0xff);
    header[2] = e->bytes[2] == FULL32 ? SYSTEM32 : SYSTEM64;
    header[3] = TYPED;
    header[6] = (uint8_t)opcode;
    header[7] = (uint8_t)(group == IMAGE && opcode == LOAD ? PROCESS : group);
    memcpy(header + 8, e->bytes + 8, 16);
    memcpy(header + 24, e->bytes + TIMES_AT, 8);
    replace_header(e, FULL_BYTES, header, SYSTEM_BYTES);
    set_size(e, 4, e->count);
}

static void compact_to_system(struct expected *e)
{
    uint8_t header[SYSTEM_BYTES] = {0};
    if (!is_type(e, COMPACT32, COMPACT64))
        return;
    memcpy(header, e->bytes, COMPACT_BYTES);
    header[2] = e->bytes[2] == COMPACT32 ? SYSTEM32 : SYSTEM64;
    replace_header(e, COMPACT_BYTES, header, SYSTEM_BYTES);
    set_size(e, 4, e->count);
}

static void system_to_perfinfo(struct expected *e)
{
    uint8_t header[PERFINFO_BYTES];
    if (!is_type(e, SYSTEM32, SYSTEM64) || load_u32(e->bytes + 8) != EVENT_NO_ID ||
        load_u32(e->bytes + 12) != EVENT_NO_ID)
        return;
    memcpy(header, e->bytes, 8);
    header[2] = e->bytes[2] == SYSTEM32 ? PERFINFO32 : PERFINFO64;
    memcpy(header + 8, e->bytes + 16, 8);
    replace_header(e, SYSTEM_BYTES, header, PERFINFO_BYTES);
    set_size(e, 4, e->count);
}

static void drop_spare_version_bits(struct expected *e)
{
    enum { SPARE = 0x7800 };
    if (is_type(e, SYSTEM32, SYSTEM64) || is_type(e, PERFINFO32, PERFINFO64))
        store_u16(e->bytes, load_u16(e->bytes) & ~SPARE & 0xffff);
}

static void zero_item_padding(struct expected *e)
{
    enum { HEADER = 80, EXTENDED = 1, HEAD = 8, ANOTHER = 1 };
    if (!is_type(e, EVENT32, EVENT64) || !(load_u16(e->bytes + 4) & EXTENDED))
        return;
    for (uint32_t at = HEADER; at + HEAD <= e->count;) {
        uint8_t *const item = e->bytes + at;
        const uint32_t bytes = load_u16(item), data = load_u16(item + 6);
        if (bytes < HEAD + data || bytes > e->count - at)
            return;
        memset(item + HEAD + data, 0, bytes - HEAD - data);
        if (!(load_u16(item + 4) & ANOTHER))
            return;
        at += bytes;
    }
}

static void rewrite_message(struct expected *e)
{
    enum { SEQUENCE = 1, CLASS = 2, COMPONENT = 4, TIME = 8, IDS = 0x20, POINTER32 = 0x40, POINTER64 = 0x80 };
    enum { HEAD = 8, BYTES = 40 };
    if (e->bytes[3] != MESSAGE)
        return;
    const unsigned options = load_u16(e->bytes + 6);
    uint8_t header[BYTES] = {0};
    struct bytes b = bytes_of(e->bytes + HEAD, e->count - HEAD);
    memcpy(header, e->bytes, HEAD);
    header[2] = 0;
    store_u16(header + 6, CLASS | TIME | IDS | (options & POINTER32 ? POINTER32 : POINTER64));
    bytes_skip(&b, options & SEQUENCE ? 4 : 0);
    if (options & CLASS)
        memcpy(header + 8, bytes_take(&b, 16), 16);
    bytes_skip(&b, (options & (CLASS | COMPONENT)) == COMPONENT ? 4 : 0);
    store_u64(header + 24, options & TIME ? bytes_u64(&b) : (uint64_t)e->ts);
    store_u32(header + 32, options & IDS ? bytes_u32(&b) : EVENT_NO_ID);
    store_u32(header + 36, options & IDS ? bytes_u32(&b) : EVENT_NO_ID);
    replace_header(e, e->count - (uint32_t)b.left, header, BYTES);
    set_size(e, 0, e->count);
}

static const struct difference {
    const char *name, *why;
    void (*apply)(struct expected *e);
} differences[] = {
    {"log header widened",
     "ProcessTrace gives the header of a 32-bit log in the layout of the consumer, 64 bit",
     widen_log_header},
    {"full header of a kernel's class",
     "EVENT_RECORD does not tell which header an event had: by class and opcode it is the kernel's",
     full_to_system},
    {"compact header", "likewise: the system header with no times is the one that bears the ids",
     compact_to_system},
    {"system header without ids",
     "likewise: an event without process and thread gets the header that has neither",
     system_to_perfinfo},
    {"spare bits of a version", "EVENT_DESCRIPTOR.Version has 8 bits", drop_spare_version_bits},
    {"padding of an item", "stale bytes on disk: EVENT_RECORD has the data alone",
     zero_item_padding},
    {"options of a message",
     "EVENT_RECORD has class, time and ids of a WPP message, never its sequence number",
     rewrite_message},
};

enum { DIFFERENCES = sizeof differences / sizeof *differences };
_Static_assert((int)DIFFERENCES <= (int)DIFFERENCES_MOST, "a count for each");

const char *difference_name(unsigned index)
{
    return index < DIFFERENCES ? differences[index].name : NULL;
}

const char *difference_why(unsigned index)
{
    return differences[index].why;
}

/* ---- pairs --------------------------------------------------------------------------------------- */

/* Records by processor, in order: [0, count) of `all`. */
struct side {
    const struct loaded *file;
    struct loaded_record *all;
    size_t count;
};

struct pairing {
    FILE *report;
    unsigned most, printed;
    size_t wrong;
    struct compared *out;
    struct expected expected;
};

static uint16_t cpu_of(const struct side *s, size_t i)
{
    return s->file->buffers[s->all[i].buffer].cpu;
}

/* Keeps the records of a side that `takes`, ordered by processor; within one as they were. */
static void by_processor(struct side *s)
{
    enum { CPUS = 2048 };
    size_t *const starts = mem_new(CPUS + 1, sizeof *starts);
    struct loaded_record *const sorted = mem_new(s->count + 1, sizeof *sorted);
    for (size_t i = 0; i < s->count; i++)
        starts[cpu_of(s, i) % CPUS + 1]++;
    for (size_t c = 0; c < CPUS; c++)
        starts[c + 1] += starts[c];
    for (size_t i = 0; i < s->count; i++)
        sorted[starts[cpu_of(s, i) % CPUS]++] = s->all[i];
    free(starts);
    free(s->all);
    s->all = sorted;
}

static struct side side_of(const struct loaded *l, size_t skipped)
{
    struct side s = {.file = l};
    s.all = load_in_order(l, &s.count);
    s.count -= skipped < s.count ? skipped : s.count;
    memmove(s.all, s.all + skipped, s.count * sizeof *s.all);
    return s;
}

static void print_bytes(FILE *to, const char *what, const uint8_t *bytes, uint32_t count)
{
    enum { SHOWN = 96 };
    fprintf(to, "    %s (%" PRIu32 " bytes):", what, count);
    for (uint32_t i = 0; i < count && i < SHOWN; i++)
        fprintf(to, i % 8 ? "%02x" : " %02x", bytes[i]);
    fputc('\n', to);
}

static void report(struct pairing *p, const struct loaded_record *r, const char *what,
                   const struct loaded_record *got)
{
    p->wrong++;
    if (p->printed++ >= p->most)
        return;
    fprintf(p->report, "  %s: time %" PRId64 ", buffer %" PRIu32 "\n", what, r->ts, r->buffer);
    print_bytes(p->report, "in the file", r->at, r->bytes);
    if (got) {
        print_bytes(p->report, "expected", p->expected.bytes, p->expected.count);
        print_bytes(p->report, "made", got->at, got->bytes);
    }
}

/* Applies the table; *changed has a bit for each row that changed something. */
static void expect(struct pairing *p, const struct loaded_record *r, uint32_t *changed)
{
    struct expected *const e = &p->expected;
    static uint8_t before[ROOM];
    memcpy(e->bytes, r->at, r->bytes);
    e->count = r->bytes;
    e->ts = r->ts;
    *changed = 0;
    for (unsigned i = 0; i < DIFFERENCES; i++) {
        const uint32_t count = e->count;
        memcpy(before, e->bytes, count);
        differences[i].apply(e);
        if (e->count != count || memcmp(before, e->bytes, count) != 0)
            *changed |= 1u << i;
    }
}

static void pair(struct pairing *p, const struct loaded_record *r, const struct loaded_record *got)
{
    uint32_t changed;
    expect(p, r, &changed);
    if (got->bytes != p->expected.count ||
        memcmp(got->at, p->expected.bytes, got->bytes) != 0) {
        report(p, r, "another record was made of it", got);
        return;
    }
    p->out->records++;
    p->out->same += !changed;
    for (unsigned i = 0; i < DIFFERENCES; i++)
        p->out->by_difference[i] += changed >> i & 1;
}

/* Both sides stand at the same processor, or one has nothing left of it. */
static void walk(struct pairing *p, const struct side *a, const struct side *b)
{
    size_t i = 0, j = 0;
    while (i < a->count || j < b->count) {
        const unsigned x = i < a->count ? cpu_of(a, i) : UINT16_MAX + 1u;
        const unsigned y = j < b->count ? cpu_of(b, j) : UINT16_MAX + 1u;
        if (x == y)
            pair(p, &a->all[i++], &b->all[j++]);
        else if (x < y)
            report(p, &a->all[i++], "missing", NULL);
        else
            report(p, &b->all[j++], "not in the original", NULL);
    }
}

bool compare_files(const struct loaded *original, const struct loaded *made, FILE *to,
                   unsigned most, struct compared *out)
{
    static struct pairing p;
    struct side a = side_of(original, 0), b = side_of(made, 1);
    p = (struct pairing){.report = to, .most = most, .out = out};
    *out = (struct compared){0};
    by_processor(&a);
    by_processor(&b);
    walk(&p, &a, &b);
    if (p.wrong > p.most)
        fprintf(to, "  … %zu more\n", p.wrong - p.most);
    free(a.all);
    free(b.all);
    return !p.wrong;
}

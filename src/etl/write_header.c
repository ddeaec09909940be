/* TRACE_LOGFILE_HEADER from the writer's side. Behind the record's header:
 *
 *   00 u32 buffer size       04 u8 major, minor, log format (2)   08 u32 build
 *   0c u32 processors        10 i64 end          18 u32 timer resolution
 *   1c u32 maximum size      20 u32 mode         24 u32 buffers written
 *   28 u32 start buffers     2c u32 pointer      30 u32 events lost    34 u32 MHz
 *   38 two pointers, then, for 8 bytes each (32-bit layout: 8 less):
 *   48 time zone, 172        f8 i64 boot         100 i64 frequency     108 i64 start
 *  110 u32 clock            114 u32 buffers lost 118 two strings, UTF-16 */
#include "src/etl/write_header.h"

#include "src/base/bytes.h"
#include "src/etl/write.h"

enum {
    RECORD_HEADER = 32, /* SYSTEM_TRACE_HEADER */
    FIXED = 280,
    AT_BUFFER_BYTES = 0x00,
    AT_FORMAT = 0x06,
    AT_CPUS = 0x0c,
    AT_END = 0x10,
    AT_MAXIMUM_SIZE = 0x1c,
    AT_MODE = 0x20,
    AT_BUFFERS_WRITTEN = 0x24,
    AT_START_BUFFERS = 0x28,
    AT_EVENTS_LOST = 0x30,
    AT_START = 0x108,
    AT_BUFFERS_LOST = 0x114,
    AT_TIME = 16, /* of the record's header */
    PACKED = 8,   /* so many bytes less before what follows two pointers of 4 bytes */
};

/* Log formats: 2.0 is that of compressed logs, 1.5 that of all others since Windows 7. */
static const uint8_t format_plain[2] = {1, 5}, format_compressed[2] = {2, 0};
static const uint32_t windows_10 = 0x000a; /* major in the low byte, minor in the next */

/* Instead of 0: there are readers that divide by it. */
enum { MHZ_UNKNOWN = 1000 };

void etl_header_set(uint8_t *record, uint32_t bytes, const struct etl_header_counts *c)
{
    struct event e;
    if (event_parse(record, bytes, &e) != EVENT_OK)
        return;
    uint8_t *const p = record + (e.payload - record);
    store_u32(p + AT_BUFFER_BYTES, c->buffer_bytes);
    if (c->mode & ETL_MODE_COMPRESSED)
        memcpy(p + AT_FORMAT, format_compressed, sizeof format_compressed);
    else if (p[AT_FORMAT] == format_compressed[0])
        memcpy(p + AT_FORMAT, format_plain, sizeof format_plain);
    store_u32(p + AT_CPUS, c->cpus);
    store_u64(p + AT_END, (uint64_t)c->end);
    store_u32(p + AT_MAXIMUM_SIZE, c->maximum_size);
    store_u32(p + AT_MODE, c->mode);
    store_u32(p + AT_BUFFERS_WRITTEN, c->buffers_written);
    store_u32(p + AT_START_BUFFERS, c->start_buffers);
    store_u32(p + AT_EVENTS_LOST, c->events_lost);
    store_u32(p + AT_BUFFERS_LOST - (e.pointer == 4 ? PACKED : 0), c->buffers_lost);
}

void etl_header_set_start(uint8_t *record, uint32_t bytes, int64_t ts, int64_t start)
{
    struct event e;
    if (event_parse(record, bytes, &e) != EVENT_OK)
        return;
    store_u64(record + AT_TIME, (uint64_t)ts);
    store_u64(record + (e.payload - record) + AT_START - (e.pointer == 4 ? PACKED : 0),
              (uint64_t)start);
}

/* ---- a new one --------------------------------------------------------------------------- */

/* The next character of a UTF-8 text; what is ill-formed becomes U+FFFD, byte by byte. */
static uint32_t next_character(const uint8_t **at)
{
    const uint8_t *p = *at;
    const unsigned more = p[0] < 0x80   ? 0
                          : p[0] < 0xc2 ? 9
                          : p[0] < 0xe0 ? 1
                          : p[0] < 0xf0 ? 2
                          : p[0] < 0xf5 ? 3
                                        : 9;
    static const uint8_t mask[] = {0x7f, 0x1f, 0x0f, 0x07};
    static const uint32_t least[] = {0, 0x80, 0x800, 0x10000};
    uint32_t c = more == 9 ? 0 : p[0] & mask[more];
    unsigned i = 1;
    while (more != 9 && i <= more && (p[i] & 0xc0) == 0x80)
        c = c << 6 | (p[i++] & 0x3f);
    if (more == 9 || i <= more || c < least[more] || c > 0x10ffff || (c >= 0xd800 && c < 0xe000)) {
        *at = p + 1;
        return 0xfffd;
    }
    *at = p + more + 1;
    return c;
}

/* A NUL-terminated UTF-16 text; its size in bytes. No more units than `text` has bytes. */
static uint32_t put_text(uint8_t *to, const char *text)
{
    uint32_t used = 0;
    for (const uint8_t *at = (const uint8_t *)text; *at;) {
        const uint32_t c = next_character(&at);
        if (c >= 0x10000) {
            store_u16(to + used, (uint16_t)(0xd800 + ((c - 0x10000) >> 10)));
            used += 2;
        }
        store_u16(to + used, (uint16_t)(c >= 0x10000 ? 0xdc00 + (c & 0x3ff) : c));
        used += 2;
    }
    store_u16(to + used, 0);
    return used + 2;
}

/* Behind the two pointers in the middle. */
static uint32_t put_rest(uint8_t *p, const struct etl_header *h)
{
    enum { TIME_ZONE = 0x48, BOOT = 0xf8, FREQUENCY = 0x100, CLOCK = 0x110 };
    uint8_t *const rest = h->pointer == 4 ? p - PACKED : p;
    store_u32(rest + TIME_ZONE, (uint32_t)h->bias_minutes);
    store_u64(rest + BOOT, (uint64_t)h->boot);
    store_u64(rest + FREQUENCY, (uint64_t)h->frequency);
    store_u64(rest + AT_START, (uint64_t)h->start);
    store_u32(rest + CLOCK, h->clock_type);
    uint32_t bytes = FIXED;
    bytes += put_text(rest + bytes, h->logger);
    bytes += put_text(rest + bytes, h->file);
    return bytes - (uint32_t)(p - rest);
}

uint32_t etl_log_header(const struct etl_header *h, uint32_t pid, uint32_t tid, uint8_t *out)
{
    enum { SYSTEM32 = 1, SYSTEM64 = 2 };
    uint8_t *const p = out + RECORD_HEADER;
    memset(out, 0, RECORD_HEADER + FIXED);
    store_u16(out, 2); /* version; hook 0 */
    out[2] = h->pointer == 4 ? SYSTEM32 : SYSTEM64;
    out[3] = 0xc0;
    store_u32(out + 8, tid);
    store_u32(out + 12, pid);
    store_u64(out + 16, (uint64_t)h->ts);
    store_u32(p + 0x04, h->version ? h->version : windows_10);
    memcpy(p + AT_FORMAT, format_plain, sizeof format_plain); /* ours, whatever the machine's is */
    store_u32(p + 0x08, h->build);
    store_u32(p + 0x0c, h->cpus);
    store_u32(p + 0x18, h->timer_resolution ? h->timer_resolution : 156250); /* 15.625 ms */
    store_u32(p + 0x2c, h->pointer == 4 ? 4 : 8);
    store_u32(p + 0x34, h->cpu_mhz ? h->cpu_mhz : MHZ_UNKNOWN);
    const uint32_t bytes = RECORD_HEADER + put_rest(p, h);
    store_u16(out + 4, (uint16_t)bytes);
    return bytes;
}

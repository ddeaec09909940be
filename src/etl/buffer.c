#include "src/etl/buffer.h"

#include "src/base/bytes.h"
#include "src/etl/xpress.h"

#include <inttypes.h>
#include <stdio.h>

/* ---- buffer headers ------------------------------------------------------------------ */

enum {
    FLAG_PROCESSOR_INDEX = 0x20,
    FLAG_COMPRESSED = 0x40,
    FLAGS_KNOWN = 0x7f, /* 0 to 6; the field's upper half was never used */
    FLAGS_MOST = 0xff,
    TYPES_KNOWN = 8,
    TYPES_MOST = 16,
};

static bool all_bytes(const uint8_t *at, size_t bytes, uint8_t value)
{
    return bytes == 0 || (*at == value && memcmp(at, at + 1, bytes - 1) == 0);
}

struct etl_buffer etl_buffer_read(const uint8_t *at)
{
    const uint16_t flags = load_u16(at + 0x34);
    return (struct etl_buffer){
        .bytes = load_u32(at),
        .end = load_u32(at + 0x30),
        .cpu = flags & FLAG_PROCESSOR_INDEX ? load_u16(at + 0x28) & 0x7ff : at[0x28],
        .flags = flags,
        .type = load_u16(at + 0x36),
        .is_compressed = flags & FLAG_COMPRESSED,
        .is_zero = all_bytes(at, ETL_BUFFER_HEADER, 0),
    };
}

bool etl_buffer_check(const struct etl_buffer *b, struct err *err)
{
    if (b->bytes < ETL_BUFFER_HEADER || b->bytes > ETL_BUFFER_MOST)
        return fail(err, "expected a buffer size from %d to %d bytes, found %" PRIu32,
                    ETL_BUFFER_HEADER, ETL_BUFFER_MOST, b->bytes);
    if (b->type >= TYPES_MOST)
        return fail(err, "expected a buffer type from 0 to %d, found %u", TYPES_KNOWN - 1, b->type);
    if (b->flags > FLAGS_MOST)
        return fail(err, "expected buffer flags within 0x%02x, found 0x%04x", FLAGS_KNOWN,
                    b->flags);
    const uint32_t most = b->is_compressed ? ETL_DATA_MOST : b->bytes;
    if (b->end < ETL_BUFFER_HEADER || b->end > most)
        return fail(err, "expected an end of data from %d to %" PRIu32 ", found %" PRIu32,
                    ETL_BUFFER_HEADER, most, b->end);
    return true;
}

bool etl_buffer_is_familiar(const struct etl_buffer *b)
{
    return b->type < TYPES_KNOWN && b->flags <= FLAGS_KNOWN && etl_buffer_check(b, NULL);
}

bool etl_buffer_has_events(const struct etl_buffer *b)
{
    /* 2 holds bare context switches of old systems, 3 a reference time, 6 is a mark, 7
     * holds debug data: none of them records with headers. */
    enum { GENERAL = 0, RUNDOWN = 1, HEADER = 4, BATCHED = 5 };
    return b->type == GENERAL || b->type == RUNDOWN || b->type == HEADER || b->type == BATCHED;
}

/* ---- compression ------------------------------------------------------------------------ */

/* LZNT1 is a chain of chunks: a u16 with 3 in bits 12..14 and the size - 1 in bits
 * 0..11, then the chunk; it ends at a zero or with the data. */
static bool looks_like_lznt1(const uint8_t *in, size_t bytes)
{
    size_t at = 0;
    while (bytes - at >= 2) {
        const uint16_t head = load_u16(in + at);
        if (head == 0)
            break;
        const size_t size = (head & 0x0fffu) + 1;
        if ((head >> 12 & 7) != 3 || size > bytes - at - 2)
            return false;
        at += 2 + size;
    }
    return at > 0;
}

/* Xpress-Huffman starts with 512 code lengths of 4 bits; together they use up the
 * code space exactly. */
static bool looks_like_huffman(const uint8_t *in, size_t bytes)
{
    enum { TABLE = 256, DEPTH = 15 };
    uint32_t space = 0;
    for (size_t i = 0; i < TABLE && bytes >= TABLE; i++) {
        space += in[i] & 15 ? 1u << (DEPTH - (in[i] & 15)) : 0;
        space += in[i] >> 4 ? 1u << (DEPTH - (in[i] >> 4)) : 0;
    }
    return space == 1u << DEPTH;
}

struct etl_unpacked etl_unpack(const uint8_t *in, size_t bytes, uint8_t *out, uint32_t room)
{
    const struct xpress_step x = xpress_decode(in, bytes, out, room);
    struct etl_unpacked u = {.bytes = (uint32_t)x.out, .is_bad = x.is_bad};
    struct event e;
    /* Any bytes are a stream of some sort: only what is no record makes one look twice. */
    if (event_parse(out, u.bytes, &e) != EVENT_OK)
        u.foreign = looks_like_lznt1(in, bytes)     ? "LZNT1"
                    : looks_like_huffman(in, bytes) ? "Xpress-Huffman"
                                                    : NULL;
    if (u.foreign)
        u.bytes = 0;
    return u;
}

/* ---- records ---------------------------------------------------------------------------- */

static uint32_t align8(uint32_t n)
{
    return (n + 7) & ~7u;
}

/* Past a record of `bytes`, padding included. */
static void advance(struct etl_walk *w, uint32_t bytes)
{
    const uint32_t left = w->bytes - w->at, step = align8(bytes);
    w->at += step < left ? step : left;
}

/* What cannot be read as a record takes the rest of the buffer with it: nothing says
 * where the next one starts. */
static enum etl_step give_up(struct etl_walk *w)
{
    w->skipped = w->bytes - w->at + w->beyond;
    w->at = w->bytes;
    w->beyond = 0;
    return ETL_STEP_DAMAGE;
}

static enum etl_step bad_record(struct etl_walk *w, enum event_parsed why, const struct event *e,
                                struct err *err)
{
    const uint8_t *at = w->data + w->at;
    const uint32_t offset = ETL_BUFFER_HEADER + w->base + w->at;
    const uint32_t left = w->bytes - w->at + w->beyond;
    if (why == EVENT_BAD_ITEMS) {
        fail(err,
             "at %" PRIu32 " of the buffer: expected extended items within the %" PRIu32
             " bytes of their record, found others",
             offset, e->record_bytes);
        w->skipped = e->record_bytes;
        advance(w, e->record_bytes);
        return ETL_STEP_DAMAGE;
    }
    if (why == EVENT_BAD_MARKER)
        fail(err,
             "at %" PRIu32 " of the buffer: expected the header of a record, found 0x%08" PRIx32,
             offset, load_u32(at));
    else
        fail(err,
             "at %" PRIu32 " of the buffer: expected a whole %s record within the %" PRIu32
             " bytes left, found a size of %" PRIu32,
             offset, header_kind_name(e->kind), left, e->record_bytes);
    return give_up(w);
}

static bool take_record(struct etl_walk *w, struct event *out, enum event_parsed *parsed)
{
    *parsed = event_parse(w->data + w->at, w->bytes - w->at, out);
    if (*parsed != EVENT_OK)
        return false;
    if (event_has_time(out))
        w->ts = out->ts;
    else
        out->ts = w->ts;
    out->cpu = w->cpu;
    out->source = w->source;
    advance(w, out->record_bytes);
    return true;
}

enum etl_step etl_walk_next(struct etl_walk *w, struct event *out, struct err *err)
{
    const uint32_t left = w->bytes - w->at;
    enum event_parsed parsed = EVENT_OK;
    if (left >= 8 && take_record(w, out, &parsed))
        return ETL_STEP_EVENT;
    if (w->beyond && left < ETL_RECORD_MOST)
        return ETL_STEP_MORE;
    if (left < 8)
        return ETL_STEP_END;
    /* The unused tail of a buffer is filled with ones. */
    const uint8_t *at = w->data + w->at;
    if (load_u32(at) == UINT32_MAX && all_bytes(at, left, 0xff)) {
        w->at = w->bytes;
        w->beyond = 0;
        return ETL_STEP_END;
    }
    return bad_record(w, parsed, out, err);
}

size_t etl_walk_many(struct etl_walk *w, struct event *out, size_t room)
{
    enum event_parsed parsed;
    size_t count = 0;
    while (count < room && w->bytes - w->at >= 8 && take_record(w, &out[count], &parsed))
        count++;
    return count;
}

bool etl_first_time(const uint8_t *data, size_t bytes, int64_t *ts)
{
    for (size_t at = 0; bytes - at >= 8;) {
        if (event_time(data + at, bytes - at, ts))
            return true;
        struct event e;
        if (event_parse(data + at, bytes - at, &e) != EVENT_OK)
            return false;
        const size_t step = align8(e.record_bytes);
        if (step > bytes - at)
            return false;
        at += step;
    }
    return false;
}

/* ---- the header event ----------------------------------------------------------------------- */

/* UTF-16 to UTF-8 up to a NUL, the room or the end; lone surrogates become U+FFFD.
 * The cursor ends behind the NUL. */
static size_t put_utf8(uint32_t c, char *out)
{
    if (c < 0x80) {
        out[0] = (char)c;
        return 1;
    }
    if (c < 0x800) {
        out[0] = (char)(0xc0 | c >> 6);
        out[1] = (char)(0x80 | (c & 63));
        return 2;
    }
    if (c < 0x10000) {
        out[0] = (char)(0xe0 | c >> 12);
        out[1] = (char)(0x80 | (c >> 6 & 63));
        out[2] = (char)(0x80 | (c & 63));
        return 3;
    }
    out[0] = (char)(0xf0 | c >> 18);
    out[1] = (char)(0x80 | (c >> 12 & 63));
    out[2] = (char)(0x80 | (c >> 6 & 63));
    out[3] = (char)(0x80 | (c & 63));
    return 4;
}

static void take_string(struct bytes *b, char *out, size_t room)
{
    size_t used = 0;
    while (b->left >= 2) {
        uint32_t c = bytes_u16(b);
        if (c == 0)
            break;
        const bool is_high = c >= 0xd800 && c < 0xdc00;
        const uint32_t next = is_high && b->left >= 2 ? load_u16(b->at) : 0;
        if (next >= 0xdc00 && next < 0xe000) {
            c = 0x10000 + ((c - 0xd800) << 10) + (next - 0xdc00);
            bytes_skip(b, 2);
        } else if (c >= 0xd800 && c < 0xe000) {
            c = 0xfffd;
        }
        if (room - used > 4)
            used += put_utf8(c, out + used);
    }
    out[used] = '\0';
}

/* The header's counts that size something: a value beyond its limit is refused, never stored. */
static const struct {
    size_t at; /* in struct etl_header */
    uint32_t most;
    const char *name;
} limits[] = {
    {offsetof(struct etl_header, buffer_bytes), ETL_BUFFER_MOST, "BufferSize"},
    {offsetof(struct etl_header, cpus), ETL_CPUS_MOST, "NumberOfProcessors"},
    {offsetof(struct etl_header, cpu_mhz), 1000000, "CpuSpeedInMHz"},
};

static void bound_counts(struct etl_header *h)
{
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
        uint32_t *const count = (uint32_t *)(void *)((char *)h + limits[i].at);
        if (*count <= limits[i].most)
            continue;
        if (!h->refused.name)
            h->refused = (struct etl_refused){limits[i].name, *count, limits[i].most};
        *count = 0;
    }
    enum { DAY_MINUTES = 24 * 60 };
    if (h->bias_minutes < -DAY_MINUTES || h->bias_minutes > DAY_MINUTES)
        h->bias_minutes = 0;
}

/* Two pointers in the middle make the 32- and the 64-bit layout; which one it is
 * says the header of the record, not PointerSize (a 32-bit program on 64-bit
 * Windows writes the short one). */
bool etl_header_read(const struct event *e, struct etl_header *out, struct err *err)
{
    enum { TIME_ZONE = 172, PADDING = 4 };
    if (e->kind != HEADER_SYSTEM || e->id != 0)
        return fail(err,
                    "expected a trace header as the first record, found a %s record of type 0x%04x",
                    header_kind_name(e->kind), e->id);
    struct bytes b = bytes_of(e->payload, e->payload_bytes);
    *out = (struct etl_header){.ts = e->ts};
    out->buffer_bytes = bytes_u32(&b);
    out->version = bytes_u32(&b);
    out->build = bytes_u32(&b);
    out->cpus = bytes_u32(&b);
    out->end = (int64_t)bytes_u64(&b);
    out->timer_resolution = bytes_u32(&b);
    out->maximum_size = bytes_u32(&b);
    out->mode = bytes_u32(&b);
    out->buffers_written = bytes_u32(&b);
    out->start_buffers = bytes_u32(&b);
    out->pointer = bytes_u32(&b);
    out->events_lost = bytes_u32(&b);
    out->cpu_mhz = bytes_u32(&b);
    bytes_skip(&b, 2u * e->pointer);
    out->bias_minutes = (int32_t)bytes_u32(&b);
    bytes_skip(&b, TIME_ZONE - 4 + PADDING);
    out->boot = (int64_t)bytes_u64(&b);
    out->frequency = (int64_t)bytes_u64(&b);
    out->start = (int64_t)bytes_u64(&b);
    out->clock_type = bytes_u32(&b);
    out->buffers_lost = bytes_u32(&b);
    if (b.bad)
        return fail(err, "expected a trace header of at least %d bytes, found %" PRIu32,
                    e->pointer == 4 ? 272 : 280, e->payload_bytes);
    bound_counts(out);
    take_string(&b, out->logger, sizeof out->logger);
    take_string(&b, out->file, sizeof out->file);
    return true;
}

struct trace_clock etl_header_clock(const struct etl_header *h)
{
    const int64_t frequency =
        h->clock_type == CLOCK_CYCLES ? (int64_t)h->cpu_mhz * 1000000 : h->frequency;
    const enum clock_kind kind = h->clock_type <= CLOCK_CYCLES ? h->clock_type : CLOCK_RAW;
    return trace_clock_make(kind, h->ts, h->start, frequency);
}

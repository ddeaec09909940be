/* Buffer (WMI_BUFFER_HEADER, 72 bytes; what stays zero is left out):
 *    0 u32 size in the file      4 u32 saved offset     8 u32 current offset
 *   16 i64 time of the flush    24 i64 sequence        40 u16 processor
 *   42 u16 logger               44 u32 state = 3       48 u32 filled, header included
 *   52 u16 flags                54 u16 type: 0 events, 4 file header
 * then events, each on a multiple of 8, then 0xff.
 *
 * The first event of the first buffer is TRACE_LOGFILE_HEADER in a SYSTEM64 record. Its
 * counts are only known at the end and written then. */
#include "tests/etl_writer.h"

#include "src/bytes.h"
#include "src/mem.h"
#include "src/os.h"

#include <stdlib.h>
#include <string.h>

enum {
    HEADER = 72,
    DEFAULT_BUFFER = 64 * 1024,
    LEAST_BUFFER = 1024, /* the file header has to fit */
    MOST_BUFFER = 16 * 1024 * 1024,
    LOGGER = 1,
    STATE_FLUSH = 3,
    TYPE_EVENTS = 0,
    TYPE_HEADER = 4,
    FLAG_LAST = 0x01,      /* the last buffer of a flush */
    FLAG_PROCESSOR = 0x20, /* the processor is 16 bits wide */
    RECORD_HEADER = 32,    /* SYSTEM_TRACE_HEADER */
};

struct buffer {
    uint8_t *bytes;
    uint32_t used;
    int64_t last; /* raw time of the latest event */
};

struct etl_writer {
    struct etl_writer_options o;
    struct os_file *file;
    struct buffer *buffers; /* one a processor */
    struct buffer header;
    uint64_t at, sequence, lost;
    int64_t last;
};

static void store_i64(uint8_t *at, int64_t v)
{
    memcpy(at, &v, sizeof v);
}

static int64_t filetime(const struct etl_writer *w, int64_t raw)
{
    return trace_clock_ns(&w->o.clock, raw) / 100 + FILETIME_UNIX_EPOCH;
}

/* ---- buffers --------------------------------------------------------------------------- */

static void buffer_begin(struct etl_writer *w, struct buffer *b)
{
    if (!b->bytes)
        b->bytes = mem_new(w->o.buffer_bytes, 1);
    memset(b->bytes, 0, HEADER);
    b->used = HEADER;
}

static bool buffer_write(struct etl_writer *w, struct buffer *b, uint16_t cpu, uint16_t type,
                         uint16_t flags, uint64_t at, struct err *err)
{
    uint8_t *const h = b->bytes;
    store_u32(h, w->o.buffer_bytes);
    store_u32(h + 4, b->used);
    store_u32(h + 8, b->used);
    store_i64(h + 16, type == TYPE_HEADER ? 0 : b->last);
    store_i64(h + 24, type == TYPE_HEADER ? 0 : (int64_t)++w->sequence);
    store_u16(h + 40, cpu);
    store_u16(h + 42, LOGGER);
    store_u32(h + 44, STATE_FLUSH);
    store_u32(h + 48, b->used);
    store_u16(h + 52, flags);
    store_u16(h + 54, type);
    memset(h + b->used, 0xff, w->o.buffer_bytes - b->used);
    return os_write_at(w->file, h, w->o.buffer_bytes, at, err);
}

static bool flush(struct etl_writer *w, unsigned cpu, uint16_t flags, struct err *err)
{
    struct buffer *b = &w->buffers[cpu];
    if (!buffer_write(w, b, (uint16_t)cpu, TYPE_EVENTS, flags, w->at, err))
        return false;
    w->at += w->o.buffer_bytes;
    buffer_begin(w, b);
    return true;
}

/* ---- the file's header -------------------------------------------------------------------- */

static uint32_t put_text(uint8_t *at, const char *text)
{
    uint32_t bytes = 0;
    for (; *text; text++, bytes += 2)
        store_u16(at + bytes, (uint8_t)*text);
    store_u16(at + bytes, 0);
    return bytes + 2;
}

/* Everything that is known; `is_end` with the counts of the end. */
static void header_fill(struct etl_writer *w, bool is_end)
{
    static const uint8_t version[] = {10, 0, 1, 5}; /* Windows 10, log format 1.5 */
    struct buffer *b = &w->header;
    buffer_begin(w, b);
    uint8_t *const r = b->bytes + HEADER, *const p = r + RECORD_HEADER;
    memset(r, 0, RECORD_HEADER + 280);
    store_u16(r, 2);
    r[2] = 2;
    r[3] = 0xc0;
    store_i64(r + 16, w->o.start);
    store_u32(p, w->o.buffer_bytes);
    memcpy(p + 4, version, sizeof version);
    store_u32(p + 8, w->o.build);
    store_u32(p + 12, w->o.cpus);
    store_i64(p + 16, is_end ? filetime(w, w->last) + 1 : 0);
    store_u32(p + 24, 156250);
    store_u32(p + 32, 1); /* sequential */
    store_u32(p + 36, is_end ? (uint32_t)(w->at / w->o.buffer_bytes) : 1);
    store_u32(p + 40, 1);
    store_u32(p + 44, 8);
    store_u32(p + 48, is_end ? (uint32_t)w->lost : 0);
    store_u32(p + 52, w->o.mhz);
    store_i64(p + 248, filetime(w, 0)); /* boot: where the counter was zero */
    store_i64(p + 256, w->o.clock.frequency);
    store_i64(p + 264, filetime(w, w->o.start));
    store_u32(p + 272, (uint32_t)w->o.clock.kind);
    uint32_t bytes = RECORD_HEADER + 280;
    bytes += put_text(r + bytes, "NT Kernel Logger");
    bytes += put_text(r + bytes, "C:\\synthetic.etl");
    store_u16(r + 4, (uint16_t)bytes);
    b->used = HEADER + (bytes + 7) / 8 * 8;
}

static bool header_write(struct etl_writer *w, bool is_end, struct err *err)
{
    header_fill(w, is_end);
    return buffer_write(w, &w->header, 0, TYPE_HEADER, FLAG_LAST | FLAG_PROCESSOR, 0, err);
}

/* ---- the writer ------------------------------------------------------------------------------ */

static void writer_free(struct etl_writer *w)
{
    for (unsigned cpu = 0; cpu < w->o.cpus; cpu++)
        free(w->buffers[cpu].bytes);
    free(w->header.bytes);
    free(w->buffers);
    os_close(w->file);
    free(w);
}

struct etl_writer *etl_writer_open(const struct etl_writer_options *o, struct err *err)
{
    struct etl_writer *w = mem_new(1, sizeof *w);
    w->o = *o;
    if (!w->o.buffer_bytes)
        w->o.buffer_bytes = DEFAULT_BUFFER;
    w->buffers = mem_new(w->o.cpus, sizeof *w->buffers);
    w->last = w->o.start;
    const bool is_fit = w->o.buffer_bytes >= LEAST_BUFFER && w->o.buffer_bytes <= MOST_BUFFER &&
                        w->o.buffer_bytes % 8 == 0;
    if (!is_fit)
        fail(err,
             "%s: buffers of %u bytes were asked for, multiples of 8 from %d to %d are possible",
             o->path, (unsigned)w->o.buffer_bytes, (int)LEAST_BUFFER, (int)MOST_BUFFER);
    w->file = is_fit ? os_create(o->path, err) : NULL;
    w->at = w->o.buffer_bytes;
    if (!w->file || !header_write(w, false, err)) {
        writer_free(w);
        return NULL;
    }
    return w;
}

static bool note_lost(struct etl_writer *w, const void *record)
{
    struct record_lost lost;
    memcpy(&lost, record, sizeof lost);
    w->lost += lost.events;
    return true;
}

bool etl_writer_put(struct etl_writer *w, const struct record_head *head, const void *record,
                    struct err *err)
{
    if (head->form == RECORD_LOST)
        return note_lost(w, record);
    const size_t bytes = head->bytes - sizeof *head, padded = (bytes + 7) / 8 * 8;
    if (head->cpu >= w->o.cpus)
        return fail(err, "%s: a record of processor %u came, the log has %u", w->o.path,
                    (unsigned)head->cpu, w->o.cpus);
    if (padded > w->o.buffer_bytes - HEADER)
        return fail(err, "%s: a record of %zu bytes does not fit into buffers of %u", w->o.path,
                    bytes, (unsigned)w->o.buffer_bytes);
    struct buffer *b = &w->buffers[head->cpu];
    if (!b->bytes)
        buffer_begin(w, b);
    if (padded > w->o.buffer_bytes - b->used && !flush(w, head->cpu, FLAG_PROCESSOR, err))
        return false;
    memcpy(b->bytes + b->used, record, bytes);
    memset(b->bytes + b->used + bytes, 0, padded - bytes);
    b->used += (uint32_t)padded;
    b->last = head->ts;
    if (head->ts > w->last)
        w->last = head->ts;
    return true;
}

bool etl_writer_close(struct etl_writer *w, struct err *err)
{
    bool is_good = true;
    unsigned left = 0;
    for (unsigned cpu = 0; cpu < w->o.cpus; cpu++)
        left += w->buffers[cpu].used > HEADER;
    for (unsigned cpu = 0; is_good && cpu < w->o.cpus; cpu++)
        if (w->buffers[cpu].used > HEADER)
            is_good = flush(w, cpu, --left ? FLAG_PROCESSOR : FLAG_PROCESSOR | FLAG_LAST, err);
    if (is_good && !w->o.is_unstopped)
        is_good = header_write(w, true, err);
    writer_free(w);
    return is_good;
}

uint64_t etl_writer_bytes(const struct etl_writer *w)
{
    return w->at;
}

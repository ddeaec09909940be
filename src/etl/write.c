/* Buffers, from the writer's side. WMI_BUFFER_HEADER, 72 bytes (what is left out is zero):
 *
 *   00 u32 size in the file     04 u32 saved offset     08 u32 current offset
 *   10 i64 time of the flush    18 i64 sequence         28 u16 processor index
 *   2a u16 logger               2c u32 state = 3        30 u32 end of the data
 *   34 u16 flags                36 u16 type: 0 events, 4 log header
 *
 * then records, each on a multiple of 8, then ones (once it is finished: what was flushed before
 * has in the file what its place had).
 *
 * A buffer gets its place in the file when it is written first. One that was flushed before it was
 * full goes on in its place: first the new records are written, then the header that covers them,
 * so that the header is true at any moment at which the program may die.
 *
 * A circular file goes round over the places behind those that are kept. A place that an
 * unfinished buffer still holds is taken from it when its turn comes: the buffer is in
 * memory, and gets another place with its next write. While it goes round, sequence numbers rise
 * on and on; when it is finished, they count the buffers that are left, as readers expect that
 * take a number beyond BuffersWritten for damage.
 *
 * In a compressed file a buffer takes as many bytes as it needs, one behind the other: it is
 * written once, when it is full or flushed. One that packing would not make smaller is written as
 * it is. The log header's buffer is never packed. */
#include "src/etl/write.h"

#include "src/base/bytes.h"
#include "src/base/mem.h"
#include "src/etl/buffer.h"
#include "src/etl/write_header.h"
#include "src/etl/write_inside.h"
#include "src/etl/xpress.h"

#include <inttypes.h>
#include <stdlib.h>
/* ---- the log header -------------------------------------------------------------------------- */

static int64_t filetime(const struct etl_write *w, int64_t raw)
{
    return clock_filetime(trace_clock_ns(&w->clock, raw));
}

static uint32_t least32(uint64_t n)
{
    return n < UINT32_MAX ? (uint32_t)n : UINT32_MAX;
}

/* The counts as they are now into the header in memory. */
static void header_count(struct etl_write *w)
{
    w->counts.buffers_written = least32(etl_write_places(w));
    w->counts.events_lost = least32(w->written.lost_events);
    w->counts.buffers_lost = least32(w->written.lost_buffers);
    etl_header_set(w->header.bytes + ETL_BUFFER_HEADER, w->header.used - ETL_BUFFER_HEADER,
                   &w->counts);
}

static bool header_update(struct etl_write *w, struct err *err)
{
    header_count(w);
    return os_write_at(w->file, w->header.bytes, w->header.used, 0, err);
}

/* In a compressed file. */
static bool write_short_header(struct etl_write *w, struct err *err)
{
    struct write_buffer *const b = &w->header;
    const uint32_t aligned = (b->used + HEADER_ALIGN - 1) / HEADER_ALIGN * HEADER_ALIGN;
    const uint32_t bytes = aligned < w->buffer_bytes ? aligned : w->buffer_bytes;
    store_u32(b->bytes, bytes);
    memset(b->bytes + b->used, 0xff, bytes - b->used);
    return etl_write_at_end(w, b->bytes, bytes, err);
}

static bool header_begin(struct etl_write *w, const struct etl_write_options *o, struct err *err)
{
    struct write_buffer *const b = &w->header;
    if (!etl_buffer_init(w, b, err))
        return false;
    memcpy(b->bytes + ETL_BUFFER_HEADER, o->header, o->header_bytes);
    memset(b->bytes + ETL_BUFFER_HEADER + o->header_bytes, 0,
           etl_write_align8(o->header_bytes) - o->header_bytes);
    b->used += etl_write_align8(o->header_bytes);
    b->cpu = o->header_cpu;
    w->written.events = w->written.buffers = 1;
    w->next = w->first = 1;
    header_count(w);
    etl_write_describe(w, b, TYPE_HEADER, FLAG_LAST);
    if (w->packer)
        return write_short_header(w, err);
    etl_write_pad(w, b);
    return etl_write_first(w, b, 0, w->buffer_bytes, err);
}

/* ---- options --------------------------------------------------------------------------------- */

static bool check_sizes(const struct etl_write *w, const struct etl_write_options *o,
                        struct err *err)
{
    const uint32_t bytes = w->buffer_bytes;
    if (bytes < ETL_WRITE_BUFFER_LEAST || bytes > ETL_WRITE_BUFFER_MOST || bytes % 8)
        return fail(err,
                    "%s: buffers of %" PRIu32
                    " bytes are impossible: expected a multiple of 8 from %d to %d",
                    o->name, bytes, ETL_WRITE_BUFFER_LEAST, ETL_WRITE_BUFFER_MOST);
    if (o->header_bytes > bytes - ETL_BUFFER_HEADER)
        return fail(
            err, "%s: a trace header of %" PRIu32 " bytes does not fit into a buffer of %" PRIu32,
            o->name, o->header_bytes, bytes);
    if (o->most_bytes && o->is_compressed)
        return fail(err,
                    "%s: a circular file cannot be compressed: its buffers have places of "
                    "one size",
                    o->name);
    if (o->most_bytes && o->most_bytes / bytes < SLOTS_LEAST)
        return fail(err,
                    "%s: a circular file of %" PRIu64 " bytes is too small: expected at least %d buffers of %" PRIu32,
                    o->name, o->most_bytes, SLOTS_LEAST, bytes);
    return true;
}

/* How the log was written, where it came from and how it is now. */
static uint32_t mode_of(const struct etl_write *w, const struct etl_write_options *o, uint32_t was)
{
    static const uint32_t not_ours = ETL_MODE_SEQUENTIAL | ETL_MODE_CIRCULAR | ETL_MODE_APPEND |
                                     ETL_MODE_NEWFILE | ETL_MODE_PREALLOCATE | ETL_MODE_BUFFERING |
                                     ETL_MODE_COMPRESSED;
    was &= ~not_ours;
    if (w->slot_count)
        return was | ETL_MODE_CIRCULAR | ETL_MODE_KBYTES;
    was |= o->is_compressed ? ETL_MODE_COMPRESSED : 0;
    return was | ETL_MODE_SEQUENTIAL | (o->is_numbered ? ETL_MODE_NEWFILE : 0);
}

static bool take_header(struct etl_write *w, const struct etl_write_options *o, struct err *err)
{
    struct event e;
    struct etl_header h;
    if (event_parse(o->header, o->header_bytes, &e) != EVENT_OK)
        return fail(err, "%s: expected a trace header, found something else", o->name);
    if (!etl_header_read(&e, &h, err))
        return false;
    w->clock = etl_header_clock(&h);
    w->last = e.ts;
    w->written.lost_events = h.events_lost;
    w->written.lost_buffers = h.buffers_lost;
    w->counts = (struct etl_header_counts){
        .buffer_bytes = w->buffer_bytes,
        .mode = mode_of(w, o, h.mode),
        .maximum_size = w->slot_count ? least32((uint64_t)w->slot_count * w->buffer_bytes / 1024)
                                      : h.maximum_size,
        .start_buffers = 1,
        .cpus = h.cpus,
    };
    return true;
}

/* ---- the writer ------------------------------------------------------------------------------ */

struct etl_write *etl_write_new(struct os_file *file, const struct etl_write_options *o,
                                struct err *err)
{
    struct etl_write *w = mem_new(1, sizeof *w);
    w->name = mem_string(o->name);
    w->file = file;
    w->buffer_bytes = o->buffer_bytes ? o->buffer_bytes : ETL_WRITE_BUFFER;
    w->is_stream = o->is_stream;
    bool is_good = check_sizes(w, o, err);
    if (is_good && o->most_bytes) {
        w->slot_count = least32(o->most_bytes / w->buffer_bytes);
        w->slots = mem_try(w->slot_count, sizeof *w->slots);
        is_good =
            w->slots || fail(err, "%s: no memory for %" PRIu32 " buffers", o->name, w->slot_count);
    }
    if (is_good && o->is_compressed) {
        w->packer = xpress_packer_new();
        w->packed = mem_try(ETL_BUFFER_HEADER + XPRESS_PACKED_MOST(w->buffer_bytes), 1);
        is_good = w->packed || fail(err, "%s: no memory for a packed buffer", o->name);
    }
    if (is_good && take_header(w, o, err) && header_begin(w, o, err))
        return w;
    etl_write_free(w);
    return NULL;
}

void etl_write_free(struct etl_write *w)
{
    if (!w)
        return;
    for (unsigned i = 0; i < w->cpu_count; i++) {
        if (w->cpus[i])
            free(w->cpus[i]->bytes);
        free(w->cpus[i]);
    }
    free(w->header.bytes);
    free(w->slots);
    xpress_packer_free(w->packer);
    free(w->packed);
    free(w->name);
    free(w);
}

void etl_write_begin(struct etl_write *w, int64_t ts, int64_t start)
{
    etl_header_set_start(w->header.bytes + ETL_BUFFER_HEADER, w->header.used - ETL_BUFFER_HEADER,
                         ts, start);
}

uint32_t etl_write_record_most(const struct etl_write *w)
{
    return w->buffer_bytes - ETL_BUFFER_HEADER;
}

static void note_lost(struct etl_write *w, const void *record)
{
    struct record_lost lost;
    memcpy(&lost, record, sizeof lost);
    w->written.lost_events += lost.events;
    w->written.lost_buffers += lost.buffers;
    w->loss_flags |= (lost.events ? FLAG_EVENTS_LOST : 0) | (lost.buffers ? FLAG_BUFFERS_LOST : 0);
}

/* The first event of a processor. */
static struct write_buffer *new_cpu(struct etl_write *w, uint16_t cpu, struct err *err)
{
    if (cpu >= ETL_WRITE_CPUS) {
        fail(err, "%s: an event of processor %u came, buffers know %d", w->name, cpu,
             ETL_WRITE_CPUS);
        return NULL;
    }
    struct write_buffer *const b = mem_new(1, sizeof *b);
    b->cpu = cpu;
    if (!etl_buffer_init(w, b, err)) {
        free(b);
        return NULL;
    }
    w->cpus[cpu] = b;
    if (cpu >= w->cpu_count)
        w->cpu_count = cpu + 1u;
    if (w->counts.cpus < w->cpu_count)
        w->counts.cpus = w->cpu_count;
    return b;
}

/* The buffer that has room for a record. */
static struct write_buffer *make_room(struct etl_write *w, uint16_t cpu, uint32_t bytes,
                                      struct err *err)
{
    if (bytes == 0 || bytes > w->buffer_bytes - ETL_BUFFER_HEADER) {
        fail(err, "%s: a record of %" PRIu32 " bytes does not fit into a buffer of %" PRIu32,
             w->name, bytes, w->buffer_bytes);
        return NULL;
    }
    struct write_buffer *const b =
        cpu < ETL_WRITE_CPUS && w->cpus[cpu] ? w->cpus[cpu] : new_cpu(w, cpu, err);
    const bool is_full = b && etl_write_align8(bytes) > w->buffer_bytes - b->used;
    return is_full && !etl_buffer_finish(w, b, 0, err) ? NULL : b;
}

/* Most records are a few words long, and copied in pieces that overlap at the end. The last
 * word is padded with zeros. Records mostly lie one behind the other, in a ring far bigger
 * than the caches: asking for what comes a thousand bytes on saves a fifth of the time. */
static void copy_record(uint8_t *to, const uint8_t *from, uint32_t bytes)
{
    enum { PIECE = 16, SHORT = 256, AHEAD = 1024 };
    __builtin_prefetch(from + AHEAD);
    store_u64(to + etl_write_align8(bytes) - 8, 0);
    if (bytes < PIECE || bytes > SHORT) {
        memcpy(to, from, bytes);
        return;
    }
    for (uint32_t at = 0; at < bytes - PIECE; at += PIECE)
        memcpy(to + at, from + at, PIECE);
    memcpy(to + bytes - PIECE, from + bytes - PIECE, PIECE);
}

bool etl_write_append(struct etl_write *w, const struct record_head *head, const void *record,
                      struct err *err)
{
    if (head->form == RECORD_LOST) {
        note_lost(w, record);
        return true;
    }
    const uint32_t bytes = head->bytes - (uint32_t)sizeof *head, padded = etl_write_align8(bytes);
    struct write_buffer *b = head->cpu < ETL_WRITE_CPUS ? w->cpus[head->cpu] : NULL;
    if (!b || padded - 1 >= w->buffer_bytes - b->used) { /* 0 bytes are too many, too */
        b = make_room(w, head->cpu, bytes, err);
        if (!b)
            return false;
    }
    copy_record(b->bytes + b->used, record, bytes);
    w->waiting += b->events == 0;
    b->last = b->events == 0 || head->ts > b->last ? head->ts : b->last;
    b->used += padded;
    b->events++;
    if (head->ts > w->last)
        w->last = head->ts;
    w->written.events++;
    return true;
}

uint64_t etl_write_size_with(const struct etl_write *w, const struct record_head *head)
{
    const struct write_buffer *const b = head->cpu < ETL_WRITE_CPUS ? w->cpus[head->cpu] : NULL;
    const uint32_t padded = etl_write_align8(head->bytes - (uint32_t)sizeof *head);
    const bool is_new =
        head->form == RECORD_ETW && (!b || b->events == 0 || padded > w->buffer_bytes - b->used);
    const uint64_t to_come = (uint64_t)(w->waiting + is_new) * w->buffer_bytes;
    return (w->packer ? w->end : w->written.buffers * w->buffer_bytes) + to_come;
}

bool etl_write_flush(struct etl_write *w, struct err *err)
{
    return (w->packer ? etl_write_finish_all(w, err) : etl_write_news(w, err)) &&
           header_update(w, err);
}

bool etl_write_keep(struct etl_write *w, struct err *err)
{
    if (!etl_write_finish_all(w, err))
        return false;
    if (!w->slot_count)
        return header_update(w, err);
    if (w->written.buffers >= w->slot_count)
        return fail(err,
                    "%s: records to keep need %" PRIu64 " buffers of %" PRIu32
                    "; none is left for events",
                    w->name, w->written.buffers, w->slot_count);
    w->first = w->next;
    w->counts.start_buffers = w->first;
    return header_update(w, err);
}

/* Of a circular file that has come round, the oldest buffer behind those that are kept lies where
 * the next one would have gone. */
static bool number_anew(struct etl_write *w, struct err *err)
{
    if (!w->slot_count || w->written.buffers <= w->slot_count)
        return true;
    const uint32_t round = w->slot_count - w->first;
    uint8_t sequence[8];
    for (uint32_t i = 0; i < round; i++) {
        const uint64_t slot = w->first + (w->next - w->first + i) % round;
        store_u64(sequence, w->first + i);
        if (!os_write_at(w->file, sequence, sizeof sequence, slot * w->buffer_bytes + AT_SEQUENCE,
                         err))
            return false;
    }
    return true;
}

/* What does not get into the file any more is lost, and the header says so; what was cut in
 * the attempt goes. */
static void give_up_rest(struct etl_write *w)
{
    for (unsigned i = 0; i < w->cpu_count; i++)
        if (etl_buffer_has_news(w->cpus[i])) {
            w->written.lost_events += w->cpus[i]->events - w->cpus[i]->filed_events;
            etl_buffer_clear(w->cpus[i]);
        }
    if (!w->slot_count)
        os_truncate(w->file, w->packer ? w->end : (uint64_t)w->next * w->buffer_bytes);
}

bool etl_write_finish(struct etl_write *w, int64_t end, struct err *err)
{
    const bool is_all = etl_write_finish_all(w, err) && number_anew(w, err);
    if (!is_all)
        give_up_rest(w);
    const int64_t last = filetime(w, w->last);
    w->counts.end = end > last ? end : last;
    return header_update(w, is_all ? err : NULL) && is_all;
}

struct etl_written etl_write_count(const struct etl_write *w)
{
    struct etl_written c = w->written;
    c.bytes = w->packer ? w->end : etl_write_places(w) * w->buffer_bytes;
    return c;
}

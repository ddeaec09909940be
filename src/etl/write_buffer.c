/* The buffers of a file that is written. See write.h. */
#include "src/base/bytes.h"
#include "src/base/mem.h"
#include "src/etl/buffer.h"
#include "src/etl/write.h"
#include "src/etl/write_header.h"
#include "src/etl/write_inside.h"
#include "src/etl/xpress.h"

#include <inttypes.h>

uint32_t etl_write_align8(uint32_t n)
{
    return (n + 7) & ~7u;
}

uint64_t etl_write_places(const struct etl_write *w)
{
    const uint64_t most = w->slot_count ? w->slot_count : UINT64_MAX;
    return w->written.buffers < most ? w->written.buffers : most;
}

void etl_buffer_clear(struct write_buffer *b)
{
    memset(b->bytes, 0, ETL_BUFFER_HEADER);
    b->used = ETL_BUFFER_HEADER;
    b->filed = 0;
    b->events = b->filed_events = 0;
    b->flags = 0;
}

bool etl_buffer_init(struct etl_write *w, struct write_buffer *b, struct err *err)
{
    b->bytes = mem_try(w->buffer_bytes, 1);
    if (!b->bytes)
        return fail(err, "%s: no memory for a buffer of %" PRIu32 " bytes", w->name,
                    w->buffer_bytes);
    etl_buffer_clear(b);
    return true;
}

void etl_write_describe(const struct etl_write *w, struct write_buffer *b, uint16_t type,
                        uint16_t flags)
{
    uint8_t *const h = b->bytes;
    store_u32(h, w->buffer_bytes);
    store_u32(h + 0x04, b->used);
    store_u32(h + 0x08, b->used);
    store_u64(h + 0x10, type == TYPE_HEADER ? 0 : (uint64_t)b->last);
    store_u64(h + AT_SEQUENCE, b->sequence);
    store_u16(h + 0x28, b->cpu);
    store_u16(h + 0x2a, LOGGER);
    store_u32(h + 0x2c, STATE_FLUSH);
    store_u32(h + 0x30, b->used);
    store_u16(h + 0x34, FLAG_PROCESSOR | b->flags | flags);
    store_u16(h + 0x36, type);
}

void etl_write_pad(const struct etl_write *w, struct write_buffer *b)
{
    memset(b->bytes + b->used, 0xff, w->buffer_bytes - b->used);
}

bool etl_write_first(struct etl_write *w, const struct write_buffer *b, uint32_t slot, uint32_t end,
                     struct err *err)
{
    return os_write_at(w->file, b->bytes, end, (uint64_t)slot * w->buffer_bytes, err);
}

bool etl_write_at_end(struct etl_write *w, const uint8_t *from, uint32_t bytes, struct err *err)
{
    if (!os_write_at(w->file, from, bytes, w->end, err))
        return false;
    w->end += bytes;
    return true;
}

/* Packed, where that saves something. */
static bool write_packed(struct etl_write *w, struct write_buffer *b, struct err *err)
{
    enum { HEAD = ETL_BUFFER_HEADER };
    const uint32_t packed =
        HEAD + (uint32_t)xpress_pack(w->packer, b->bytes + HEAD, b->used - HEAD, w->packed + HEAD);
    const bool is_smaller = packed < b->used;
    store_u32(b->bytes, is_smaller ? packed : b->used);
    if (!is_smaller)
        return etl_write_at_end(w, b->bytes, b->used, err);
    memcpy(w->packed, b->bytes, HEAD);
    store_u16(w->packed + 0x34, load_u16(b->bytes + 0x34) | FLAG_COMPRESSED);
    return etl_write_at_end(w, w->packed, packed, err);
}

/* What came since the last time, then the header. */
static bool write_rest(struct etl_write *w, const struct write_buffer *b, uint32_t end,
                       struct err *err)
{
    const uint64_t at = (uint64_t)b->slot * w->buffer_bytes;
    return (end == b->filed ||
            os_write_at(w->file, b->bytes + b->filed, end - b->filed, at + b->filed, err)) &&
           os_write_at(w->file, b->bytes, ETL_BUFFER_HEADER, at, err);
}

/* Notes what is in a slot now; in a circular file something else may have been. */
static void occupy(struct etl_write *w, struct write_buffer *b)
{
    if (!w->slot_count)
        return;
    struct slot *const s = &w->slots[b->slot];
    if (s->holder) {
        w->waiting++;
        s->holder->filed = 0;
        s->holder->filed_events = 0;
    } else if (s->events) {
        w->written.overwritten_events += s->events;
        w->written.overwritten_buffers++;
    }
    *s = (struct slot){b, b->events};
}

static bool write_new(struct etl_write *w, struct write_buffer *b, uint16_t flags, uint32_t end,
                      struct err *err)
{
    b->sequence = w->sequence + 1;
    etl_write_describe(w, b, TYPE_EVENTS, flags);
    if (w->packer ? !write_packed(w, b, err) : !etl_write_first(w, b, w->next, end, err))
        return false;
    b->slot = w->next;
    w->waiting--;
    w->sequence++;
    w->written.buffers++;
    occupy(w, b);
    w->next++;
    if (w->slot_count && w->next == w->slot_count)
        w->next = w->first;
    return true;
}

/* Brings a buffer to the file as it is now, its bytes up to `end`. */
static bool buffer_put(struct etl_write *w, struct write_buffer *b, uint16_t flags, uint32_t end,
                       struct err *err)
{
    b->flags |= w->loss_flags;
    if (b->filed) {
        etl_write_describe(w, b, TYPE_EVENTS, flags);
        if (!write_rest(w, b, end, err))
            return false;
        if (w->slot_count)
            w->slots[b->slot].events = b->events;
    } else if (!write_new(w, b, flags, end, err)) {
        return false;
    }
    w->loss_flags = 0;
    b->filed = b->used;
    b->filed_events = b->events;
    return true;
}

/* One that goes on filling: what is not there yet is not written either. */
static bool buffer_write(struct etl_write *w, struct write_buffer *b, uint16_t flags,
                         struct err *err)
{
    return buffer_put(w, b, flags, b->used, err);
}

/* A full buffer of a stream: the system begins to write it out, and lets go of the one that was
 * begun some buffers ago. So a recording, however long, does not push out of memory what others
 * need, and what it is copied into is memory that was used just now, not such as was long
 * forgotten. A medium that is too slow would make us wait: it is left alone for a while. */
static void pass_on(struct etl_write *w, uint32_t slot)
{
    const uint64_t bytes = w->buffer_bytes;
    if (w->pause) {
        w->pause--;
        return;
    }
    const int64_t began = os_now();
    os_write_out(w->file, slot * bytes, bytes);
    uint32_t *const place = &w->behind[w->passed++ % BEHIND];
    if (*place)
        os_let_go(w->file, *place * bytes, bytes);
    *place = slot;
    if (os_now() - began > SLOW_NS)
        w->pause = PAUSE;
}

bool etl_buffer_finish(struct etl_write *w, struct write_buffer *b, uint16_t flags, struct err *err)
{
    etl_write_pad(w, b);
    if (!buffer_put(w, b, flags, w->buffer_bytes, err))
        return false;
    if (w->slot_count)
        w->slots[b->slot].holder = NULL;
    if (w->is_stream && !w->packer) /* packed ones have no places */
        pass_on(w, b->slot);
    etl_buffer_clear(b);
    return true;
}

bool etl_buffer_has_news(const struct write_buffer *b)
{
    return b && b->used > ETL_BUFFER_HEADER && b->used != b->filed;
}

static bool has_events(const struct write_buffer *b)
{
    return b && b->used > ETL_BUFFER_HEADER;
}

/* All buffers that are due, processor by processor. */
static bool write_all(struct etl_write *w, bool (*is_due)(const struct write_buffer *),
                      bool (*write)(struct etl_write *, struct write_buffer *, uint16_t,
                                    struct err *),
                      struct err *err)
{
    unsigned due = 0;
    for (unsigned i = 0; i < w->cpu_count; i++)
        due += is_due(w->cpus[i]);
    for (unsigned i = 0; i < w->cpu_count && due; i++)
        if (is_due(w->cpus[i]) && !write(w, w->cpus[i], --due ? 0 : FLAG_LAST, err))
            return false;
    return true;
}

bool etl_write_finish_all(struct etl_write *w, struct err *err)
{
    return write_all(w, has_events, etl_buffer_finish, err);
}

bool etl_write_news(struct etl_write *w, struct err *err)
{
    return write_all(w, etl_buffer_has_news, buffer_write, err) &&
           os_lengthen(w->file, etl_write_places(w) * w->buffer_bytes, err);
}

#include "tests/cassette/load.h"

#include "src/base/bytes.h"
#include "src/base/mem.h"
#include "src/etl/buffer.h"
#include "src/os/os.h"
#include "src/os/zst.h"

#include <stdlib.h>
#include <string.h>

enum {
    BUFFER_HEAD = 72,
    FILE_MOST = 1 << 30,
    FLAG_INDEX = 0x20,
    FLAG_PACKED = 0x40,
    HEADER_BUFFER = 4,
};

/* ---- the file ----------------------------------------------------------------------------------- */

static bool read_all(struct loaded *l, const char *name, struct err *err)
{
    struct err damage;
    struct os_file *f = os_open(name, err);
    if (!f)
        return false;
    if (zst_is(f)) {
        struct os_file *const unpacked = zst_unpack(f, name, FILE_MOST, NULL, &damage, err);
        os_close(f);
        f = unpacked;
        if (!f)
            return false;
    }
    const int64_t bytes = os_size(f);
    l->bytes = bytes > 0 && bytes < FILE_MOST ? (size_t)bytes : 0;
    l->file = mem_new(l->bytes + 1, 1);
    const bool is_read = os_read_at(f, l->file, l->bytes, 0, err) == (int64_t)l->bytes;
    os_close(f);
    return is_read;
}

static void unpack(struct loaded_buffer *b, uint32_t bytes)
{
    b->unpacked = mem_new(bytes + 1u, 1);
    b->bytes = etl_unpack(b->data, b->bytes, b->unpacked, bytes).bytes;
    b->data = b->unpacked;
}

/* The buffer at `at`; its size in the file, or 0 at the end. */
static uint32_t read_buffer(struct loaded *l, size_t at, struct loaded_buffer *b)
{
    const uint8_t *const head = l->file + at;
    const size_t left = l->bytes - at;
    if (left < BUFFER_HEAD)
        return 0;
    const uint32_t size = load_u32(head), used = load_u32(head + 0x30);
    const unsigned flags = load_u16(head + 0x34);
    if (size < BUFFER_HEAD || used < BUFFER_HEAD || used > ETL_DATA_MOST)
        return 0;
    const uint32_t there = size < left ? size : (uint32_t)left;
    *b = (struct loaded_buffer){
        .data = head + BUFFER_HEAD,
        .size = size,
        .bytes = there - BUFFER_HEAD,
        .place = {.client_context = load_u16(head + 0x28),
                  .has_index = flags & FLAG_INDEX,
                  .logger = load_u16(head + 0x2a)},
    };
    b->cpu = b->place.has_index ? b->place.client_context & 0x7ff : head[0x28];
    if (flags & FLAG_PACKED)
        unpack(b, used - BUFFER_HEAD);
    else if (b->bytes > used - BUFFER_HEAD)
        b->bytes = used - BUFFER_HEAD;
    return there;
}

static uint32_t record_bytes(const uint8_t *at, uint32_t left)
{
    enum { LEAST = 8, FIRST_FULL = 10, PERFINFO32 = 16, PERFINFO64 = 17, MESSAGE = 0x90 };
    if (left < LEAST || load_u32(at) == UINT32_MAX || (at[3] != 0xc0 && at[3] != MESSAGE))
        return 0;
    const bool is_kernel = at[3] != MESSAGE && (at[2] < FIRST_FULL || at[2] == PERFINFO32 || at[2] == PERFINFO64);
    const uint32_t size = load_u16(at + (is_kernel ? 4 : 0));
    return size < LEAST || size > left ? 0 : size;
}

uint32_t load_next(const struct loaded_buffer *b, uint32_t *at, const uint8_t **record)
{
    const uint32_t from = *at;
    if (from >= b->bytes)
        return 0;
    *record = b->data + from;
    const uint32_t bytes = record_bytes(*record, b->bytes - from);
    *at = (from + bytes + 7) & ~7u;
    return bytes;
}

static void find_first_time(struct loaded_buffer *b)
{
    struct delivery d;
    const uint8_t *record;
    uint32_t at = 0;
    const uint32_t bytes = load_next(b, &at, &record);
    if (bytes && deliver_record(&d, record, bytes, &b->place))
        b->first_ts = d.record.EventHeader.TimeStamp.QuadPart;
}

bool load_file(struct loaded *l, const char *name, struct err *err)
{
    *l = (struct loaded){0};
    if (!read_all(l, name, err))
        return false;
    for (size_t at = 0, room = 0;;) {
        struct loaded_buffer b;
        const uint32_t bytes = read_buffer(l, at, &b);
        if (!bytes)
            break;
        if (l->count == room) {
            room = room ? 2 * room : 64;
            l->buffers = mem_grow(l->buffers, room, sizeof *l->buffers);
        }
        find_first_time(&b);
        l->buffers[l->count++] = b;
        at += bytes;
    }
    return l->count || fail(err, "%s: no buffers", name);
}

void load_free(struct loaded *l)
{
    for (size_t i = 0; i < l->count; i++)
        free(l->buffers[i].unpacked);
    free(l->buffers);
    free(l->file);
    *l = (struct loaded){0};
}

/* ---- order --------------------------------------------------------------------------------------- */

/* The records of one processor's buffers: [next, end) of the array by processors. */
struct stream {
    size_t next, end;
};

struct by_cpu {
    const struct loaded_buffer *buffer;
    uint32_t index;
};

/* Buffers of one processor: as they lie there. */
static int compare_places(const void *a, const void *b)
{
    const struct by_cpu *const x = a, *const y = b;
    if (x->buffer->cpu != y->buffer->cpu)
        return x->buffer->cpu < y->buffer->cpu ? -1 : 1;
    return x->index < y->index ? -1 : x->index > y->index;
}

/* Of a circular file: by first event. */
static int compare_times(const void *a, const void *b)
{
    const struct by_cpu *const x = a, *const y = b;
    const int64_t s = x->buffer->first_ts, t = y->buffer->first_ts;
    if (x->buffer->cpu == y->buffer->cpu && s != t && x->index && y->index) /* the header's buffer stays in front */
        return s < t ? -1 : 1;
    return compare_places(a, b);
}

static bool is_circular(const struct loaded *l)
{
    enum { MODE_AT = 32 + 32, CIRCULAR = 2 };
    const struct loaded_buffer *const b = &l->buffers[0];
    return b->bytes >= MODE_AT + 4 && load_u32(b->data + MODE_AT) & CIRCULAR;
}

static size_t list_buffer(const struct by_cpu *b, struct loaded_record *to)
{
    struct delivery d;
    struct delivery_place place = b->buffer->place;
    const uint8_t *record;
    size_t count = 0;
    place.ts = b->buffer->first_ts;
    for (uint32_t at = 0, bytes; (bytes = load_next(b->buffer, &at, &record));) {
        if (deliver_record(&d, record, bytes, &place))
            place.ts = d.record.EventHeader.TimeStamp.QuadPart;
        to[count++] = (struct loaded_record){
            .at = record, .bytes = bytes, .buffer = b->index, .ts = place.ts};
    }
    if (count)
        to[count - 1].is_last = true;
    return count;
}

static size_t count_records(const struct loaded *l)
{
    const uint8_t *record;
    size_t count = 0;
    for (size_t i = 0; i < l->count; i++)
        for (uint32_t at = 0; load_next(&l->buffers[i], &at, &record);)
            count++;
    return count;
}

/* All records by processor; streams[n] is that of the n-th processor. */
static struct loaded_record *list_all(const struct loaded *l, struct stream *streams, size_t *count)
{
    struct by_cpu *const buffers = mem_new(l->count + 1, sizeof *buffers);
    struct loaded_record *const all = mem_new(count_records(l) + 1, sizeof *all);
    size_t used = 0;
    for (size_t i = 0; i < l->count; i++)
        buffers[i] = (struct by_cpu){.buffer = &l->buffers[i], .index = (uint32_t)i};
    qsort(buffers, l->count, sizeof *buffers, is_circular(l) ? compare_times : compare_places);
    *count = 0;
    for (size_t i = 0; i < l->count; i++) {
        if (!i || buffers[i].buffer->cpu != buffers[i - 1].buffer->cpu)
            streams[(*count)++].next = used;
        used += list_buffer(&buffers[i], all + used);
        streams[*count - 1].end = used;
    }
    free(buffers);
    return all;
}

struct loaded_record *load_in_order(const struct loaded *l, size_t *count)
{
    size_t processors;
    struct stream *const streams = mem_new(l->count + 1, sizeof *streams);
    struct loaded_record *const all = list_all(l, streams, &processors);
    *count = processors ? streams[processors - 1].end : 0;
    struct loaded_record *const out = mem_new(*count + 1, sizeof *out);
    for (size_t i = 0; i < *count; i++) {
        struct stream *first = NULL;
        for (size_t s = 0; s < processors; s++)
            if (streams[s].next < streams[s].end &&
                (!first || all[streams[s].next].ts < all[first->next].ts))
                first = &streams[s];
        out[i] = all[first->next++];
    }
    free(all);
    free(streams);
    return out;
}

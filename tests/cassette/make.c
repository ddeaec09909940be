/* What ProcessTrace adds to a file: the flags and contexts of deliver.c, buffers reported when
 * their last event was delivered, and TRACE_LOGFILE_HEADER in the layout of the consumer. */
#include "tests/cassette/make.h"

#include "collectors/windows/cassette_event.h"

#include "src/base/bytes.h"
#include "src/base/mem.h"

#include <stdlib.h>
#include <string.h>

enum {
    LOG_HEADER = 280, /* TRACE_LOGFILE_HEADER of a 64-bit consumer */
    LOG_HEADER32 = 272,
    SYSTEM_HEADER = 32,
    POINTERS_AT = 56,
    AFTER32 = 64,
    AFTER64 = 72,
    CLOCK_SYSTEM = 2,
    FILETIME_SECOND = 10000000,
    ROOM = 256, /* of a frame beside the record: heads, padding */
    LOG_ROOM = 16384,
};

struct maker {
    struct cassette_writer *w;
    int64_t arrived;
    uint32_t buffers_read;
    uint8_t header[LOG_HEADER];
    uint8_t converted[65536 + LOG_HEADER];
};

/* ---- the log's header ------------------------------------------------------------------------- */

static bool is_log_header(const struct loaded_record *r)
{
    return r->bytes >= SYSTEM_HEADER + LOG_HEADER32 && r->at[3] == 0xc0 && r->at[2] <= 2 &&
           load_u16(r->at + 6) == 0;
}

/* The 64-bit layout has two pointers that are 4 bytes longer, and padding behind the time zone. */
static size_t widen(const uint8_t *from, size_t bytes, uint8_t *to)
{
    enum { ZONE = 172, TAIL32 = 240, TAIL64 = 248 };
    memset(to, 0, LOG_HEADER);
    memcpy(to, from, POINTERS_AT);
    memcpy(to + POINTERS_AT, from + POINTERS_AT, 4);
    memcpy(to + POINTERS_AT + 8, from + POINTERS_AT + 4, 4);
    memcpy(to + AFTER64, from + AFTER32, ZONE);
    memcpy(to + TAIL64, from + TAIL32, bytes - TAIL32);
    return bytes + TAIL64 - TAIL32;
}

/* The header event's payload, widened where it is of a 32-bit log. */
static void set_header(struct maker *m, const struct loaded_record *r, struct delivery *d)
{
    EVENT_RECORD *const e = &d->record;
    size_t bytes = e->UserDataLength;
    if (r->at[2] == 1) {
        bytes = widen(e->UserData, bytes, m->converted);
        e->UserData = m->converted;
        e->UserDataLength = (USHORT)bytes;
        e->EventHeader.Flags ^= EVENT_HEADER_FLAG_32_BIT_HEADER | EVENT_HEADER_FLAG_64_BIT_HEADER;
    }
    memcpy(m->header, e->UserData, bytes < LOG_HEADER ? bytes : LOG_HEADER);
}

static struct cassette_head head_of(const uint8_t *header)
{
    enum { BUILD_AT = 8, CPUS_AT = 12, FREQUENCY_AT = 256, START_AT = 264, CLOCK_AT = 272 };
    enum { MODE_RECORD = 0x10000000, MODE_RAW = 0x1000 };
    const int64_t frequency = (int64_t)load_u64(header + FREQUENCY_AT);
    const bool is_system = load_u32(header + CLOCK_AT) == CLOCK_SYSTEM;
    return (struct cassette_head){
        .pointer = 8,
        .processors = (uint16_t)load_u32(header + CPUS_AT),
        .build = load_u32(header + BUILD_AT),
        .mode = MODE_RECORD | MODE_RAW,
        .frequency = frequency > 0 && !is_system ? frequency : FILETIME_SECOND,
        .began_filetime = (int64_t)load_u64(header + START_AT),
    };
}

/* ---- frames --------------------------------------------------------------------------------------- */

static void put_session(struct maker *m, bool is_kernel, const EVENT_RECORD *first)
{
    enum { MODE_AT = 32 };
    const uint8_t *const name = (const uint8_t *)first->UserData + LOG_HEADER;
    const size_t most = first->UserDataLength > LOG_HEADER ? first->UserDataLength - LOG_HEADER : 0;
    size_t bytes = 0;
    while (bytes + 2 <= most && load_u16(name + bytes))
        bytes += 2;
    const struct cassette_frame f = {
        .kind = CASSETTE_SESSION,
        .about = {.mode = load_u32(m->header + MODE_AT),
                  .is_kernel = is_kernel,
                  .header_bytes = LOG_HEADER,
                  .name_bytes = (uint16_t)bytes,
                  .header = m->header,
                  .name = name},
    };
    cassette_put(m->w, &f);
}

static void put_call(struct maker *m, const char *name, const char *about)
{
    const struct cassette_frame f = {
        .kind = CASSETTE_CALL,
        .call = {.began = m->arrived,
                 .name = name,
                 .about = about,
                 .name_bytes = (uint16_t)strlen(name),
                 .about_bytes = (uint16_t)strlen(about)},
    };
    cassette_put(m->w, &f);
}

static void put_event(struct maker *m, const struct delivery *d)
{
    struct cassette_frame f = {.kind = CASSETTE_EVENT};
    if (d->record.EventHeader.TimeStamp.QuadPart > m->arrived)
        m->arrived = d->record.EventHeader.TimeStamp.QuadPart;
    if (cassette_event_of(&d->record, m->arrived, &f.event))
        cassette_put(m->w, &f);
}

static void put_buffer(struct maker *m, const struct loaded_buffer *b)
{
    const struct cassette_frame f = {
        .kind = CASSETTE_BUFFER,
        .buffer = {.arrived = m->arrived, .read = ++m->buffers_read, .size = b->size, .filled = b->bytes},
    };
    cassette_put(m->w, &f);
}

/* ---- the file ----------------------------------------------------------------------------------- */

static bool has_kernel(const struct loaded_record *all, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (all[i].at[3] == 0xc0 && (all[i].at[2] <= 4 || all[i].at[2] == 16 || all[i].at[2] == 17) &&
            all[i].at[7])
            return true;
    return false;
}

static void begin(struct maker *m, const struct loaded *l, const struct loaded_record *all,
                  size_t count)
{
    struct delivery d;
    size_t room = CASSETTE_LEAST + LOG_ROOM + (l->count + count) * ROOM;
    for (size_t i = 0; i < count; i++)
        room += 2 * (size_t)all[i].bytes;
    const bool is_header = count && is_log_header(&all[0]) &&
                           deliver_record(&d, all[0].at, all[0].bytes, &l->buffers[0].place);
    if (is_header)
        set_header(m, &all[0], &d);
    struct cassette_head head = head_of(m->header);
    head.began = m->arrived = all[0].ts;
    cassette_begin(m->w, mem_new(room, 1), room, &head);
    put_call(m, "OpenTraceW", "LogFileName");
    if (is_header)
        put_session(m, has_kernel(all, count), &d.record);
    put_call(m, "ProcessTrace", "");
}

void make_cassette(const struct loaded *l, struct cassette_writer *w, size_t *undelivered)
{
    struct maker *const m = mem_new(1, sizeof *m);
    size_t count;
    struct loaded_record *const all = load_in_order(l, &count);
    m->w = w;
    *undelivered = 0;
    begin(m, l, all, count);
    for (size_t i = 0; i < count; i++) {
        const struct loaded_buffer *const b = &l->buffers[all[i].buffer];
        struct delivery_place place = b->place;
        struct delivery d;
        place.ts = all[i].ts;
        if (!deliver_record(&d, all[i].at, all[i].bytes, &place)) {
            ++*undelivered;
        } else {
            if (is_log_header(&all[i]))
                set_header(m, &all[i], &d);
            put_event(m, &d);
        }
        if (all[i].is_last)
            put_buffer(m, b);
    }
    put_call(m, "CloseTrace", "");
    cassette_end(w);
    free(all);
    free(m);
}

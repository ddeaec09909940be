/* The writer: its bytes against the description of the format, field by field and not through
 * our reader; and through the reader what a log looks like at every moment it may be left in. */
#include "tests/made_log.h"
#include "tests/test.h"

#include "src/etl/write.h"
#include "src/os/os.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>

enum { CPUS = 4, BUFFER = 4096, START = 5000 };

/* ---- a log to write into ------------------------------------------------------------------ */

struct log {
    char path[64];
    struct os_file *file;
    struct etl_write *w;
};

static const struct etl_header machine = {
    .build = 19045,
    .cpus = CPUS,
    .cpu_mhz = 2400,
    .clock_type = CLOCK_QPC,
    .frequency = 10000000,
    .ts = START,
    .start = MADE_START_FILETIME,
    .boot = MADE_START_FILETIME - 500,
    .bias_minutes = -60,
    .logger = "N\xc3\xa4me \xf0\x9f\x90\xa7",
    .file = "C:\\x.etl",
};

static struct log log_open(const struct etl_write_options *more)
{
    struct log l;
    struct err err = {""};
    uint8_t header[ETL_WRITE_HEADER_ROOM];
    struct etl_write_options o = *more;
    strcpy(l.path, "/tmp/tracetop-write-XXXXXX");
    const int descriptor = mkstemp(l.path);
    assert_true(descriptor >= 0);
    close(descriptor);
    unlink(l.path);
    l.file = os_create(l.path, &err);
    assert_non_null(l.file);
    o.name = l.path;
    if (!o.header) {
        o.header = header;
        o.header_bytes = etl_log_header(&machine, 7, 9, header);
    }
    l.w = etl_write_new(l.file, &o, &err);
    if (!l.w)
        print_error("%s\n", err.text);
    assert_non_null(l.w);
    return l;
}

static void log_close(struct log *l)
{
    etl_write_free(l->w);
    os_close(l->file);
    unlink(l->path);
}

static uint8_t *slurp(const char *path, size_t *bytes)
{
    struct os_file *f = os_open(path, NULL);
    assert_non_null(f);
    *bytes = (size_t)os_size(f);
    uint8_t *all = malloc(*bytes + 1);
    assert_non_null(all);
    assert_int_equal(os_read_at(f, all, *bytes, 0, NULL), *bytes);
    os_close(f);
    return all;
}

static bool append(struct log *l, unsigned cpu, int64_t ts, size_t payload, struct err *err)
{
    static uint8_t record[65536];
    memset(record, 0, 16);
    record[0] = 2;
    record[2] = 0x11;
    record[3] = 0xc0;
    put_u16(record + 4, (unsigned)(16 + payload));
    put_u16(record + 6, 0x0f2e);
    put_u64(record + 8, (uint64_t)ts);
    memset(record + 16, (int)(ts & 0xff), payload);
    const struct record_head head = {.bytes = (uint32_t)(sizeof head + 16 + payload),
                                     .form = RECORD_ETW,
                                     .cpu = (uint16_t)cpu,
                                     .ts = ts};
    return etl_write_append(l->w, &head, record, err);
}

static void must_append(struct log *l, unsigned cpu, int64_t ts, size_t payload)
{
    struct err err = {""};
    if (!append(l, cpu, ts, payload, &err))
        fail_msg("%s", err.text);
}

/* What a reader finds. */
struct found {
    uint64_t events;
    int64_t first, last;
    struct etl_tally tally;
    struct etl_header header;
};

static struct found look(const char *path)
{
    struct found x = {.first = INT64_MAX};
    struct err err = {""};
    struct event e;
    struct etl_reader *r = etl_reader_open(&path, 1, &err);
    if (!r)
        fail_msg("%s", err.text);
    int64_t before = INT64_MIN;
    while (etl_reader_next(r, &e, &err) == ETL_EVENT) {
        assert_true(e.ts >= before);
        before = e.ts;
        if (e.id == 0)
            continue; /* the log header */
        x.events++;
        x.first = e.ts < x.first ? e.ts : x.first;
        x.last = e.ts;
        for (uint32_t i = 0; i < e.payload_bytes; i++)
            assert_int_equal(e.payload[i], e.ts & 0xff);
    }
    x.tally = *etl_tally(etl_reader_file(r, 0));
    x.header = *etl_header(etl_reader_file(r, 0));
    etl_reader_close(r);
    return x;
}

/* ---- bytes ----------------------------------------------------------------------------------- */

/* Offsets and values are those of the format's description. */
static void bytes_are_as_described(void **state)
{
    (void)state;
    struct log l = log_open(&(struct etl_write_options){.buffer_bytes = BUFFER});
    must_append(&l, 2, START + 10, 5);
    must_append(&l, 2, START + 20, 8);
    assert_true(etl_write_finish(l.w, 0, NULL));
    size_t bytes;
    uint8_t *const f = slurp(l.path, &bytes);
    assert_int_equal(bytes, 2 * BUFFER);

    /* buffer 0: the log header */
    const uint32_t record = load_u16(f + 72 + 4), end = 72 + (record + 7) / 8 * 8;
    assert_int_equal(load_u32(f), BUFFER);
    assert_int_equal(load_u32(f + 0x04), end);
    assert_int_equal(load_u64(f + 0x10), 0);
    assert_int_equal(load_u64(f + 0x18), 0);
    assert_int_equal(load_u32(f + 0x2c), 3);
    assert_int_equal(load_u32(f + 0x30), end);
    assert_int_equal(load_u16(f + 0x34), 0x21);
    assert_int_equal(load_u16(f + 0x36), 4);
    assert_int_equal(load_u32(f + 72), 0xc0020002);
    assert_int_equal(load_u16(f + 72 + 6), 0);
    assert_int_equal(load_u32(f + 72 + 8), 9);
    assert_int_equal(load_u32(f + 72 + 12), 7);
    assert_int_equal(load_u64(f + 72 + 16), START);
    const uint8_t *const h = f + 72 + 32;
    assert_int_equal(load_u32(h), BUFFER);
    assert_int_equal(load_u32(h + 4), 0x0501000a);
    assert_int_equal(load_u32(h + 8), 19045);
    assert_int_equal(load_u32(h + 12), CPUS);
    assert_int_equal(load_u64(h + 16), MADE_START_FILETIME + 20);
    assert_int_equal(load_u32(h + 24), 156250);
    assert_int_equal(load_u32(h + 32), 1);
    assert_int_equal(load_u32(h + 36), 2);
    assert_int_equal(load_u32(h + 40), 1);
    assert_int_equal(load_u32(h + 44), 8);
    assert_int_equal(load_u32(h + 48), 0);
    assert_int_equal(load_u32(h + 52), 2400);
    assert_int_equal((int32_t)load_u32(h + 72), -60);
    assert_int_equal(load_u64(h + 248), MADE_START_FILETIME - 500);
    assert_int_equal(load_u64(h + 256), 10000000);
    assert_int_equal(load_u64(h + 264), MADE_START_FILETIME);
    assert_int_equal(load_u32(h + 272), 1);
    assert_int_equal(load_u32(h + 276), 0);
    static const uint8_t names[] =
        "N\0\xe4\0m\0e\0 \0\x3d\xd8\x27\xdc\0\0C\0:\0\\\0x\0.\0e\0t\0l\0\0";
    assert_memory_equal(h + 280, names, sizeof names);
    assert_int_equal(record, 32 + 280 + sizeof names);
    for (uint32_t i = end; i < BUFFER; i++)
        assert_int_equal(f[i], 0xff);

    /* buffer 1: the events of processor 2 */
    const uint8_t *const b = f + BUFFER;
    assert_int_equal(load_u32(b), BUFFER);
    assert_int_equal(load_u32(b + 0x04), 72 + 24 + 24);
    assert_int_equal(load_u64(b + 0x10), START + 20);
    assert_int_equal(load_u64(b + 0x18), 1);
    assert_int_equal(load_u16(b + 0x28), 2);
    assert_int_equal(load_u32(b + 0x2c), 3);
    assert_int_equal(load_u32(b + 0x30), 72 + 24 + 24);
    assert_int_equal(load_u16(b + 0x34), 0x21);
    assert_int_equal(load_u16(b + 0x36), 0);
    static const uint8_t first[24] = {2, 0, 0x11, 0xc0, 21,   0,    0x2e, 0x0f, 0x92, 0x13, 0, 0,
                                      0, 0, 0,    0,    0x92, 0x92, 0x92, 0x92, 0x92, 0,    0, 0};
    assert_memory_equal(b + 72, first, sizeof first);
    assert_int_equal(load_u16(b + 72 + 24 + 4), 24);
    for (uint32_t i = 72 + 48; i < BUFFER; i++)
        assert_int_equal(b[i], 0xff);
    free(f);
    log_close(&l);
}

/* Records of every header, as the description of the format has them, come out as they
 * went in, each on a multiple of 8. */
static void records_stay_as_they_are(void **state)
{
    (void)state;
    static const uint8_t kinds[][3] = {
        /* type, header bytes, where the size is */
        {1, 32, 4},  {2, 32, 4},  {3, 24, 4},  {4, 24, 4},  {10, 48, 0}, {11, 72, 0}, {13, 80, 0},
        {16, 16, 4}, {17, 16, 4}, {18, 80, 0}, {19, 80, 0}, {20, 48, 0}, {21, 72, 0}};
    struct log l = log_open(&(struct etl_write_options){.buffer_bytes = BUFFER});
    struct log_maker m = made_log(BUFFER, 2);
    made_buffer(&m, 0, 1);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        uint8_t record[128] = {0};
        const unsigned size = kinds[i][1] + 3u + (unsigned)i;
        for (unsigned k = 0; k < sizeof record; k++)
            record[k] = (uint8_t)(0xa0 + k + i);
        put_u16(record + kinds[i][2], size);
        record[2] = kinds[i][0];
        record[3] = 0xc0;
        if (kinds[i][2] == 4)
            put_u16(record, 2); /* a version without counters */
        else
            put_u16(record + 4, kinds[i][0] == 10 ? 0x0101 : 0); /* no extended items */
        made_record(&m, record, size);
        const struct record_head head = {
            .bytes = (uint32_t)sizeof head + size, .cpu = 1, .ts = START + 1 + (int64_t)i};
        assert_true(etl_write_append(l.w, &head, record, NULL));
    }
    /* a message: number 5, time and class; extended items: related activity, then a key */
    static const uint8_t message[8 + 16 + 8 + 3] = {35, 0, 0, 0x90, 5, 0, 0x0a, 0, 1, 2, 3};
    uint8_t extended[80 + 24 + 16 + 5] = {0};
    put_u16(extended, sizeof extended);
    extended[2] = 19;
    extended[3] = 0xc0;
    put_u16(extended + 4, 1);
    put_u16(extended + 80, 24);
    put_u16(extended + 82, 1);
    put_u16(extended + 84, 1);
    put_u16(extended + 86, 16);
    put_u16(extended + 104, 16);
    put_u16(extended + 106, 10);
    put_u16(extended + 110, 8);
    const struct {
        const uint8_t *at;
        uint32_t bytes;
    } more[] = {{message, sizeof message}, {extended, sizeof extended}};
    for (size_t i = 0; i < 2; i++) {
        made_record(&m, more[i].at, more[i].bytes);
        const struct record_head head = {
            .bytes = (uint32_t)sizeof head + more[i].bytes, .cpu = 1, .ts = START + 50};
        assert_true(etl_write_append(l.w, &head, more[i].at, NULL));
    }
    assert_true(etl_write_finish(l.w, 0, NULL));
    size_t bytes;
    uint8_t *const f = slurp(l.path, &bytes);
    assert_int_equal(bytes, m.size);
    const uint32_t end = load_u32(f + BUFFER + 0x30);
    assert_int_equal(end, (load_u32(m.bytes + BUFFER + 0x30) + 7) / 8 * 8);
    /* between the records hand-made padding is ones; where they start is what counts */
    struct etl_file *ours = etl_open(l.path, NULL);
    char *name = made_write(&m, m.size);
    struct etl_file *hand = etl_open(name, NULL);
    assert_true(ours && hand);
    struct event a, b;
    unsigned count = 0;
    while (etl_next(ours, &a, NULL) == ETL_EVENT) {
        assert_int_equal(etl_next(hand, &b, NULL), ETL_EVENT);
        if (count++ == 0)
            continue; /* the log headers differ */
        assert_int_equal(a.kind, b.kind);
        assert_int_equal(a.cpu, b.cpu);
        assert_int_equal(a.record_bytes, b.record_bytes);
        assert_int_equal(a.payload_bytes, b.payload_bytes);
        assert_int_equal(a.extended_bytes, b.extended_bytes);
        assert_memory_equal(a.record, b.record, a.record_bytes);
    }
    assert_int_equal(count, 1 + sizeof kinds / sizeof *kinds + 2);
    etl_close(ours);
    etl_close(hand);
    made_unlink(name);
    made_free(&m);
    free(f);
    log_close(&l);
}

/* The header of another log, in its 32-bit layout: only what the writer is in charge of
 * changes. */
static void foreign_header_is_kept(void **state)
{
    (void)state;
    uint8_t record[32 + 272 + 8];
    for (size_t i = 0; i < sizeof record; i++)
        record[i] = (uint8_t)(i * 7 + 1);
    put_u32(record, 0xc0010002);
    put_u16(record + 4, sizeof record);
    put_u16(record + 6, 0);
    memset(record + 32 + 272, 0, 8);
    put_u32(record + 32 + 4, 0x0002000a); /* the format of compressed logs */
    put_u32(record + 32 + 12, 3);
    put_u32(record + 32 + 32, 0x0401000a);
    put_u32(record + 32 + 48, 11);
    put_u32(record + 32 + 268, 12);
    struct log l = log_open(&(struct etl_write_options){
        .buffer_bytes = 1024, .header = record, .header_bytes = sizeof record, .header_cpu = 1});
    const struct record_lost lost = {.events = 5, .buffers = 6};
    const struct record_head head = {.bytes = sizeof head + sizeof lost, .form = RECORD_LOST};
    assert_true(etl_write_append(l.w, &head, &lost, NULL));
    must_append(&l, 8, 1, 0);
    const int64_t end = INT64_MAX - 1;
    assert_true(etl_write_finish(l.w, end, NULL));
    size_t bytes;
    uint8_t *const f = slurp(l.path, &bytes), *const h = f + 72 + 32;
    assert_int_equal(load_u16(f + 0x28), 1);
    assert_int_equal(load_u32(h), 1024);
    assert_int_equal(load_u32(h + 4), 0x0501000a);
    assert_int_equal(load_u32(h + 12), 9); /* an event of processor 8 came */
    assert_int_equal(load_u64(h + 16), end);
    assert_int_equal(load_u32(h + 32), 0x00010001);
    assert_int_equal(load_u32(h + 36), 2);
    assert_int_equal(load_u32(h + 40), 1);
    assert_int_equal(load_u32(h + 48), 16);
    assert_int_equal(load_u32(h + 268), 18);
    assert_int_equal(load_u16(f + 1024 + 0x34), 0x20 | 1 | 2 | 4); /* the losses' place */
    static const struct {
        unsigned from, to;
    } same[] = {{0, 32}, {40, 44}, {56, 64}, {76, 80}, {84, 300}, {304, 312}};
    for (size_t i = 0; i < sizeof same / sizeof *same; i++)
        assert_memory_equal(f + 72 + same[i].from, record + same[i].from,
                            same[i].to - same[i].from);
    free(f);
    log_close(&l);
}

/* ---- at every moment ------------------------------------------------------------------------- */

/* After each flush the file holds what was appended; buffers go on in their places. */
static void flushed_is_readable(void **state)
{
    (void)state;
    struct log l = log_open(&(struct etl_write_options){.buffer_bytes = 1024});
    struct found x = look(l.path);
    assert_int_equal(x.events, 0);
    assert_true(x.tally.never_stopped && etl_is_whole(&x.tally));
    for (unsigned i = 1; i <= 300; i++) {
        must_append(&l, i % 3, START + i, i % 50);
        if (i % 7)
            continue;
        assert_true(etl_write_flush(l.w, NULL));
        x = look(l.path);
        assert_int_equal(x.events, i);
        assert_true(x.tally.never_stopped && etl_is_whole(&x.tally));
        assert_int_equal(x.header.buffers_written, x.tally.buffers);
    }
    const uint64_t buffers = etl_write_count(l.w).buffers;
    for (unsigned i = 0; i < 100; i++)
        assert_true(etl_write_flush(l.w, NULL));
    assert_int_equal(etl_write_count(l.w).buffers, buffers);
    assert_true(etl_write_finish(l.w, 0, NULL));
    x = look(l.path);
    assert_int_equal(x.events, 300);
    assert_true(!x.tally.never_stopped && etl_is_whole(&x.tally));
    assert_int_equal(etl_write_count(l.w).events, 301);
    assert_int_equal(os_size(l.file), etl_write_count(l.w).bytes);
    log_close(&l);
}

/* Compressed buffers are whole when they are flushed; the file has them one behind the other. */
static void compressed_is_readable(void **state)
{
    (void)state;
    struct log l =
        log_open(&(struct etl_write_options){.buffer_bytes = 4096, .is_compressed = true});
    for (unsigned i = 1; i <= 3000; i++) {
        must_append(&l, i % 3, START + i, i % 500);
        if (i % 700 && i != 3000)
            continue;
        assert_true(etl_write_flush(l.w, NULL));
        const struct found x = look(l.path);
        assert_int_equal(x.events, i);
        assert_true(x.tally.never_stopped && etl_is_whole(&x.tally));
        assert_int_equal(x.header.buffers_written, x.tally.buffers);
    }
    assert_true(etl_write_finish(l.w, 0, NULL));
    const struct found x = look(l.path);
    assert_true(!x.tally.never_stopped && etl_is_whole(&x.tally));
    assert_int_equal(x.header.mode, ETL_MODE_SEQUENTIAL | ETL_MODE_COMPRESSED);
    assert_int_equal(x.header.version, 0x0002000a);
    assert_int_equal(x.header.buffer_bytes, 4096);
    assert_int_equal(os_size(l.file), etl_write_count(l.w).bytes);
    assert_true(etl_write_count(l.w).bytes < x.tally.buffers * 4096 / 4);
    size_t bytes, at = 512; /* the header's, which is not packed */
    uint64_t buffers = 1;
    uint8_t *const f = slurp(l.path, &bytes);
    assert_int_equal(load_u32(f), at);
    assert_int_equal(load_u16(f + 0x34) & 0x40, 0);
    for (; at < bytes; at += load_u32(f + at), buffers++) {
        assert_true(load_u32(f + at + 0x30) <= 4096);
        assert_true(load_u32(f + at) > 72 && load_u32(f + at) <= load_u32(f + at + 0x30));
    }
    assert_int_equal(at, bytes);
    assert_int_equal(buffers, x.tally.buffers);
    free(f);
    log_close(&l);
}

static void must_read(struct etl_reader *r, int64_t ts)
{
    struct event e;
    struct err err = {""};
    assert_int_equal(etl_reader_next(r, &e, &err), ETL_EVENT);
    assert_int_equal(e.ts, ts);
}

static void must_end(struct etl_reader *r)
{
    struct event e;
    struct err err = {""};
    assert_int_equal(etl_reader_next(r, &e, &err), ETL_END);
}

/* A log that is read while it is written: what is flushed comes, once and in time order, and an
 * event that was put back waits for older ones. */
static void growing_is_readable(void **state)
{
    (void)state;
    struct log l =
        log_open(&(struct etl_write_options){.buffer_bytes = 4096, .is_compressed = true});
    struct err err = {""};
    int64_t read = -1; /* the log header comes first */
    must_append(&l, 0, START + 1, 10);
    assert_true(etl_write_flush(l.w, NULL));
    struct etl_reader *const r = etl_reader_open_growing(l.path, &err);
    assert_non_null(r);
    for (int64_t i = 2; i <= 3000; i++) {
        must_append(&l, (unsigned)i % 3, START + i, (size_t)i % 500);
        if (i % 700)
            continue;
        assert_true(etl_write_flush(l.w, NULL));
        assert_true(etl_reader_grow(r, false, &err));
        while (read < i)
            must_read(r, START + ++read);
        must_end(r);
        assert_in_range(etl_reader_newest(r), START + i - 100, START + i);
    }
    must_append(&l, 0, START + 4000, 10);
    assert_true(etl_write_flush(l.w, NULL));
    assert_true(etl_reader_grow(r, false, &err));
    while (read < 3000)
        must_read(r, START + ++read);
    must_read(r, START + 4000);
    etl_reader_put_back(r);
    must_append(&l, 1, START + 3900, 10);
    assert_true(etl_write_flush(l.w, NULL));
    assert_true(etl_reader_grow(r, false, &err));
    must_read(r, START + 3900);
    must_read(r, START + 4000);
    must_end(r);
    const struct etl_file *const f = etl_reader_file(r, 0);
    const struct record_lost lost = {.events = 5, .buffers = 2};
    const struct record_head head = {.bytes = sizeof head + sizeof lost, .form = RECORD_LOST};
    assert_true(etl_write_append(l.w, &head, &lost, &err));
    must_append(&l, 1, START + 5000, 10);
    assert_true(etl_write_flush(l.w, NULL));
    assert_true(etl_reader_grow(r, false, &err));
    assert_int_equal(etl_header(f)->events_lost, 5);
    assert_int_equal(etl_header(f)->buffers_lost, 2);
    must_read(r, START + 5000);
    assert_true(etl_write_finish(l.w, 0, NULL));
    assert_true(etl_reader_grow(r, true, &err));
    must_end(r);
    assert_true(!etl_tally(f)->never_stopped && etl_is_whole(etl_tally(f)));
    etl_reader_close(r);
    log_close(&l);
}

/* Half a buffer at the end is none yet; when nobody writes any more, it is damage. */
static void growing_ends_anywhere(void **state)
{
    (void)state;
    struct log l =
        log_open(&(struct etl_write_options){.buffer_bytes = 4096, .is_compressed = true});
    struct err err = {""};
    struct event e;
    size_t one, two;
    must_append(&l, 0, START + 1, 300);
    assert_true(etl_write_flush(l.w, NULL));
    free(slurp(l.path, &one));
    must_append(&l, 0, START + 2, 300);
    assert_true(etl_write_flush(l.w, NULL));
    uint8_t *const whole = slurp(l.path, &two);
    for (size_t cut = one; cut < two; cut++) {
        assert_true(os_write_at(l.file, whole, two, 0, &err));
        assert_int_equal(truncate(l.path, (off_t)cut), 0);
        struct etl_reader *const r = etl_reader_open_growing(l.path, &err);
        assert_non_null(r);
        const struct etl_tally *const t = etl_tally(etl_reader_file(r, 0));
        must_read(r, START);
        must_read(r, START + 1);
        must_end(r);
        assert_true(etl_is_whole(t));
        const bool is_odd = cut % 2;
        if (is_odd)
            assert_true(os_write_at(l.file, whole + cut, two - cut, cut, &err));
        assert_true(etl_reader_grow(r, true, &err));
        if (is_odd)
            must_read(r, START + 2);
        else /* what could be unpacked of it */
            assert_in_range(etl_reader_next(r, &e, &err), ETL_EVENT, ETL_END);
        must_end(r);
        assert_true(is_odd || cut == one || t->damaged_buffers || t->skipped_bytes);
        etl_reader_close(r);
    }
    free(whole);
    log_close(&l);
    l = log_open(&(struct etl_write_options){.buffer_bytes = 4096});
    assert_null(etl_reader_open_growing(l.path, &err));
    assert_non_null(strstr(err.text, "expected a compressed trace"));
    log_close(&l);
}

/* Noise is not packed: its buffer goes as it is, and as short as it is. */
static void what_cannot_be_packed_stays(void **state)
{
    (void)state;
    struct log l =
        log_open(&(struct etl_write_options){.buffer_bytes = 4096, .is_compressed = true});
    uint8_t record[16 + 1000] = {2, 0, 0x11, 0xc0};
    uint64_t prng = 5;
    put_u16(record + 4, sizeof record);
    put_u16(record + 6, 0x0f2e);
    put_u64(record + 8, START + 1);
    for (size_t i = 16; i < sizeof record; i++) {
        prng = prng * 6364136223846793005u + 1442695040888963407u;
        record[i] = (uint8_t)(prng >> 40);
    }
    const struct record_head head = {
        .bytes = sizeof head + sizeof record, .form = RECORD_ETW, .ts = START + 1};
    assert_true(etl_write_append(l.w, &head, record, NULL));
    assert_true(etl_write_finish(l.w, 0, NULL));
    size_t bytes;
    uint8_t *const f = slurp(l.path, &bytes);
    assert_int_equal(bytes, 512 + 72 + sizeof record);
    assert_int_equal(load_u16(f + 512 + 0x34) & 0x40, 0);
    assert_memory_equal(f + 512 + 72, record, sizeof record);
    struct err err;
    struct event e;
    struct etl_file *const again = etl_open(l.path, &err);
    assert_non_null(again);
    assert_int_equal(etl_next(again, &e, &err), ETL_EVENT);
    assert_int_equal(etl_next(again, &e, &err), ETL_EVENT);
    assert_memory_equal(e.record, record, sizeof record);
    assert_int_equal(etl_next(again, &e, &err), ETL_END);
    assert_true(etl_is_whole(etl_tally(again)));
    etl_close(again);
    free(f);
    log_close(&l);
}

/* A program that is killed while it writes: what it had flushed is there, and a buffer that
 * was cut in the middle costs itself. */
static void killed_is_readable(void **state)
{
    (void)state;
    for (unsigned round = 0; round < 8; round++) {
        struct log l = log_open(
            &(struct etl_write_options){.buffer_bytes = 65536, .is_compressed = round % 2});
        int progress[2];
        assert_int_equal(pipe(progress), 0);
        const pid_t child = fork();
        assert_true(child >= 0);
        if (child == 0) {
            for (uint32_t i = 1;; i++) {
                append(&l, i % 4, START + i, 40, NULL);
                if (i % 1000 == 0 && (!etl_write_flush(l.w, NULL) ||
                                      write(progress[1], &i, sizeof i) != (ssize_t)sizeof i))
                    _exit(1);
            }
        }
        close(progress[1]);
        uint32_t flushed = 0, more;
        while (flushed < 20000 * (round + 1) &&
               read(progress[0], &more, sizeof more) == sizeof more)
            flushed = more;
        kill(child, SIGKILL);
        waitpid(child, NULL, 0);
        while (read(progress[0], &more, sizeof more) == sizeof more)
            flushed = more;
        close(progress[0]);
        const struct found x = look(l.path);
        assert_true(x.events >= flushed);
        assert_true(x.tally.never_stopped);
        assert_true(x.tally.damaged_buffers <= 1);
        assert_int_equal(x.tally.missing_buffers, 0);
        log_close(&l);
    }
}

/* ---- what cannot be written ------------------------------------------------------------------ */

static void odd_requests_are_refused(void **state)
{
    (void)state;
    static const uint8_t no_header[16] = {2, 0, 0x11, 0xc0, 16, 0, 0x2e, 0x0f};
    static const struct {
        struct etl_write_options o;
        const char *sentence;
    } rows[] = {
        {{.buffer_bytes = 512}, "a multiple of 8 from 1024"},
        {{.buffer_bytes = 4095}, "a multiple of 8"},
        {{.buffer_bytes = 32 << 20}, "a multiple of 8"},
        {{.most_bytes = 100000}, "at least 2 buffers of 65536"},
        {{.most_bytes = 1 << 20, .is_compressed = true},
         "a circular file cannot be compressed: its buffers have places of one size"},
        {{.header = no_header, .header_bytes = 16}, "expected a trace header as the first record"},
        {{.header = no_header, .header_bytes = 15}, "found something else"},
        {{.header = no_header, .header_bytes = 1000, .buffer_bytes = 1024}, "does not fit"},
    };
    uint8_t header[ETL_WRITE_HEADER_ROOM];
    struct os_file *file = os_open_unnamed(NULL);
    assert_non_null(file);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct err err = {""};
        struct etl_write_options o = rows[i].o;
        o.name = "x.etl";
        if (!o.header) {
            o.header = header;
            o.header_bytes = etl_log_header(&machine, 0, 0, header);
        }
        assert_null(etl_write_new(file, &o, &err));
        if (!strstr(err.text, rows[i].sentence))
            fail_msg("row %zu: '%s' was expected, '%s' found", i, rows[i].sentence, err.text);
    }
    os_close(file);

    struct log l = log_open(&(struct etl_write_options){.buffer_bytes = BUFFER});
    struct err err = {""};
    const uint32_t most = etl_write_record_most(l.w) - 16;
    assert_true(append(&l, 0, START + 1, most, &err));
    assert_false(append(&l, 0, START + 2, most + 1, &err));
    assert_non_null(strstr(err.text, "does not fit"));
    const struct record_head empty = {.bytes = sizeof empty};
    assert_false(etl_write_append(l.w, &empty, &most, &err));
    assert_non_null(strstr(err.text, "a record of 0 bytes does not fit"));
    assert_false(append(&l, 2048, START + 2, 0, &err));
    assert_non_null(strstr(err.text, "processor 2048"));
    assert_true(append(&l, 2047, START + 3, 0, &err)); /* the writer goes on */
    assert_true(etl_write_finish(l.w, 0, &err));
    assert_int_equal(look(l.path).events, 2);
    log_close(&l);
}

/* A full disk, as a limit on the size of files: the failed event is not in, what was is, and
 * when there is room again the log goes on. */
static void full_disk_is_survived(void **state)
{
    (void)state;
    struct log l = log_open(&(struct etl_write_options){.buffer_bytes = BUFFER});
    struct rlimit old, tight;
    signal(SIGXFSZ, SIG_IGN);
    getrlimit(RLIMIT_FSIZE, &old);
    tight = old;
    tight.rlim_cur = 10 * BUFFER + 100; /* the eleventh buffer is cut */
    setrlimit(RLIMIT_FSIZE, &tight);
    struct err err = {""};
    unsigned in = 0, failures = 0;
    while (in < 2000 && failures < 5) {
        if (append(&l, in % 2, START + 1 + in, 100, &err))
            in++;
        else
            failures++;
    }
    assert_int_equal(failures, 5);
    assert_non_null(strstr(err.text, "cannot write"));
    assert_false(etl_write_flush(l.w, &err));
    setrlimit(RLIMIT_FSIZE, &old);
    for (unsigned i = 0; i < 50; i++)
        must_append(&l, 0, START + 1 + in + i, 1);
    assert_true(etl_write_finish(l.w, 0, &err));
    const struct found x = look(l.path);
    assert_int_equal(x.events, in + 50);
    assert_true(etl_is_whole(&x.tally) && !x.tally.never_stopped);
    log_close(&l);
}

/* The same disk at the end: what does not fit is counted as lost, nothing is damaged. */
static void full_disk_ends_whole(void **state)
{
    (void)state;
    struct log l = log_open(&(struct etl_write_options){.buffer_bytes = BUFFER});
    struct rlimit old, tight;
    signal(SIGXFSZ, SIG_IGN);
    getrlimit(RLIMIT_FSIZE, &old);
    tight = old;
    tight.rlim_cur = 5 * BUFFER + 1000;
    setrlimit(RLIMIT_FSIZE, &tight);
    unsigned in = 0;
    while (append(&l, in % 2, START + 1 + in, 100, NULL))
        in++;
    struct err err = {""};
    assert_false(etl_write_finish(l.w, 0, &err));
    setrlimit(RLIMIT_FSIZE, &old);
    assert_non_null(strstr(err.text, "cannot write"));
    const struct found x = look(l.path);
    assert_true(etl_is_whole(&x.tally) && !x.tally.never_stopped);
    assert_int_equal(x.tally.buffers, 5);
    assert_true(x.events > 0 && x.header.events_lost > 0);
    assert_int_equal(x.events + x.header.events_lost, in);
    log_close(&l);
}

/* ---- circular -------------------------------------------------------------------------------- */

/* Kept in front, the newest behind; what is in the file and what was overwritten add up, at
 * every flush. */
static void circular_keeps_the_newest(void **state)
{
    (void)state;
    enum { KEPT = 50, ALL = 20000, SLOTS = 16 };
    struct log l = log_open(
        &(struct etl_write_options){.buffer_bytes = 1024, .most_bytes = SLOTS * 1024 + 10});
    for (unsigned i = 1; i <= KEPT; i++)
        must_append(&l, i % CPUS, START + i, 20);
    assert_true(etl_write_keep(l.w, NULL));
    for (unsigned i = KEPT + 1; i <= ALL; i++) {
        must_append(&l, i % 97 == 0 ? 3 : i % 3, START + i, i % 60);
        if (i % 1231)
            continue;
        assert_true(etl_write_flush(l.w, NULL));
        const struct found x = look(l.path);
        const struct etl_written c = etl_write_count(l.w);
        assert_int_equal(x.events + 1 + c.overwritten_events, c.events);
        assert_true(etl_is_whole(&x.tally));
        assert_int_equal(x.last, START + i);
        assert_true(os_size(l.file) <= SLOTS * 1024);
    }
    assert_true(etl_write_finish(l.w, 0, NULL));
    const struct etl_written c = etl_write_count(l.w);
    const struct found x = look(l.path);
    assert_true(c.overwritten_events > ALL / 2 && c.overwritten_buffers > SLOTS);
    assert_int_equal(x.events + 1 + c.overwritten_events, c.events);
    assert_int_equal(x.first, START + 1); /* what was kept */
    assert_int_equal(x.last, START + ALL);
    assert_int_equal(x.header.start_buffers, 1 + CPUS);
    assert_true(x.header.mode & ETL_MODE_CIRCULAR);
    assert_true(etl_is_whole(&x.tally) && !x.tally.never_stopped);
    assert_int_equal(x.tally.missing_buffers, 0);
    assert_int_equal(os_size(l.file), SLOTS * 1024);
    struct err err;
    assert_false(etl_write_keep(l.w, &err)); /* it has come round */
    log_close(&l);
}

/* A machine that nobody knows the speed of has some speed: other readers divide by it. */
static void no_speed_is_never_written(void **state)
{
    (void)state;
    uint8_t header[ETL_WRITE_HEADER_ROOM];
    struct etl_header slow = machine;
    slow.cpu_mhz = 0;
    etl_log_header(&slow, 7, 9, header);
    assert_int_not_equal(load_u32(header + 32 + 0x34), 0);
    etl_log_header(&machine, 7, 9, header);
    assert_int_equal(load_u32(header + 32 + 0x34), machine.cpu_mhz);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_speed_is_never_written), cmocka_unit_test(bytes_are_as_described),
        cmocka_unit_test(records_stay_as_they_are),  cmocka_unit_test(foreign_header_is_kept),
        cmocka_unit_test(flushed_is_readable),       cmocka_unit_test(killed_is_readable),
        cmocka_unit_test(growing_is_readable),       cmocka_unit_test(growing_ends_anywhere),
        cmocka_unit_test(compressed_is_readable),    cmocka_unit_test(what_cannot_be_packed_stays),
        cmocka_unit_test(odd_requests_are_refused),  cmocka_unit_test(full_disk_is_survived),
        cmocka_unit_test(full_disk_ends_whole),      cmocka_unit_test(circular_keeps_the_newest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

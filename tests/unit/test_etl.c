/* Whole files: logs made by hand with what no real trace has, damaged in every way
 * that the format has a field for, and real ones at every length. */
#include "tests/made_log.h"
#include "tests/sanitizer.h"
#include "tests/shared.h"
#include "tests/test.h"

#include "src/etl/buffer.h"
#include "src/etl/etl.h"
#include "src/os/os.h"

#include <sys/stat.h>

/* ---- reading a file both ways ------------------------------------------------------------- */

struct result {
    bool is_open;
    uint64_t events, sum; /* sum: of times, so that order does not matter */
    int64_t first_ns, last_ns;
    uint64_t backwards;     /* events before the latest so far */
    struct etl_tally tally; /* of the first file */
    char said[4096];
};

static void take_sentences(struct result *r, const struct etl_file *f)
{
    for (unsigned i = 0; etl_sentence(f, i); i++)
        snprintf(r->said + strlen(r->said), sizeof r->said - strlen(r->said), "%s\n",
                 etl_sentence(f, i));
}

static void touch(const struct event *e)
{
    volatile uint8_t last = 0;
    if (e->payload_bytes)
        last = e->payload[e->payload_bytes - 1];
    (void)last;
}

static struct result read_file_order(const char *name)
{
    struct result r = {0};
    struct err err = {""};
    struct event e;
    struct etl_file *f = etl_open(name, &err);
    if (!f) {
        assert_true(err.text[0] != '\0');
        snprintf(r.said, sizeof r.said, "%s", err.text);
        return r;
    }
    enum etl_answer answer;
    while ((answer = etl_next(f, &e, &err)) == ETL_EVENT) {
        r.events++;
        r.sum += (uint64_t)e.ts;
        touch(&e);
    }
    assert_int_equal(answer, ETL_END);
    r.is_open = true;
    r.tally = *etl_tally(f);
    take_sentences(&r, f);
    assert_int_equal(r.tally.events, r.events);
    etl_close(f);
    return r;
}

static struct result read_time_order(const char *const *names, size_t count)
{
    struct result r = {0};
    struct err err = {""};
    struct event e;
    struct etl_reader *reader = etl_reader_open(names, count, &err);
    if (!reader) {
        assert_true(err.text[0] != '\0');
        snprintf(r.said, sizeof r.said, "%s", err.text);
        return r;
    }
    enum etl_answer answer;
    while ((answer = etl_reader_next(reader, &e, &err)) == ETL_EVENT) {
        const struct trace_clock clock = etl_clock(etl_reader_file(reader, e.source));
        const int64_t ns = trace_clock_ns(&clock, e.ts);
        r.first_ns = r.events ? r.first_ns : ns;
        r.backwards += r.events && ns < r.last_ns;
        r.last_ns = r.events && ns < r.last_ns ? r.last_ns : ns;
        r.events++;
        r.sum += (uint64_t)e.ts;
        touch(&e);
    }
    assert_int_equal(answer, ETL_END);
    r.is_open = true;
    uint64_t done, total;
    etl_reader_progress(reader, &done, &total);
    assert_true(done <= total);
    r.tally = *etl_tally(etl_reader_file(reader, 0));
    for (size_t i = 0; i < count; i++)
        take_sentences(&r, etl_reader_file(reader, i));
    etl_reader_close(reader);
    return r;
}

/* Both ways must give the same. */
static struct result read_both(const char *name)
{
    const struct result file = read_file_order(name), time = read_time_order(&name, 1);
    if (file.tally.damaged_buffers != time.tally.damaged_buffers)
        fail_msg("file order says: %s\ntime order says: %s", file.said, time.said);
    if (file.events != time.events || file.tally.missing_buffers != time.tally.missing_buffers)
        fail_msg("file order: %d events: %s\ntime order: %d events: %s", (int)file.events,
                 file.said, (int)time.events, time.said);
    assert_int_equal(file.is_open, time.is_open);
    assert_int_equal(file.events, time.events);
    assert_int_equal(file.sum, time.sum);
    assert_int_equal(file.tally.buffers, time.tally.buffers);
    assert_int_equal(file.tally.damaged_buffers, time.tally.damaged_buffers);
    assert_int_equal(file.tally.skipped_bytes, time.tally.skipped_bytes);
    assert_int_equal(file.tally.missing_buffers, time.tally.missing_buffers);
    assert_int_equal(time.backwards, time.tally.late_events);
    return time;
}

static struct result read_made(const struct log_maker *m)
{
    char *name = made_write(m, m->size);
    const struct result r = read_both(name);
    made_unlink(name);
    return r;
}

static void expect_reported(const struct result *r, const char *what, const char *sentence)
{
    if (!strstr(r->said, sentence))
        fail_msg("%s: \"%s\" expected, said: %s", what, sentence, r->said);
}

/* A log of three data buffers on two processors, 10 events each, times interleaved. */
static struct log_maker ordinary_log(uint32_t buffer_bytes)
{
    struct log_maker m = made_log(buffer_bytes, 4);
    for (unsigned b = 0; b < 3; b++) {
        made_buffer(&m, 0, b == 1 ? 1 : 0);
        for (unsigned i = 0; i < 10; i++)
            made_perfinfo(&m, MADE_START_RAW + 1000 * (b == 2) + 10 * i + b, 0x0f2e, 16);
    }
    return m;
}

enum { ORDINARY = 31, PER_BUFFER = 10 };

/* ---- what is right ------------------------------------------------------------------------- */

static void ordinary(void **state)
{
    (void)state;
    for (uint32_t size = 4096; size <= 16 * 1024 * 1024; size *= 8) {
        struct log_maker m = ordinary_log(size);
        const struct result r = read_made(&m);
        assert_int_equal(r.events, ORDINARY);
        assert_int_equal(r.tally.buffers, 4);
        assert_true(etl_is_whole(&r.tally));
        assert_false(r.tally.never_stopped);
        assert_int_equal(r.backwards, 0);
        assert_string_equal(r.said, "");
        made_free(&m);
    }
}

static void header_fields(void **state)
{
    (void)state;
    struct log_maker m = ordinary_log(MADE_BUFFER);
    char *name = made_write(&m, m.size);
    struct err err;
    struct etl_file *f = etl_open(name, &err);
    assert_non_null(f);
    const struct etl_header *h = etl_header(f);
    assert_string_equal(h->logger, "test");
    assert_string_equal(h->file, "x");
    assert_int_equal(h->build, 19045);
    assert_int_equal(h->cpus, 4);
    assert_int_equal(h->pointer, 8);
    assert_int_equal(h->start, MADE_START_FILETIME);
    assert_int_equal(h->frequency, 10000000);
    assert_string_equal(etl_name(f), name);
    etl_close(f);
    made_unlink(name);
    made_free(&m);
}

/* An event one second behind the header event, by each clock. */
static void clocks(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        struct made_header header;
        int64_t second;
    } rows[] = {
        {"qpc", {.clock_type = 1, .frequency = 3119142, .ts = 5000}, 5000 + 3119142},
        {"raw", {.clock_type = 0, .frequency = 10000000, .ts = 5000}, 5000 + 10000000},
        {"system time",
         {.clock_type = 2, .frequency = 3119142, .ts = MADE_START_FILETIME},
         MADE_START_FILETIME + 10000000},
        {"cycles",
         {.clock_type = 3, .frequency = 10000000, .cpu_mhz = 2500, .ts = 77},
         77 + 2500000000LL},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct log_maker m = {.buffer_bytes = MADE_BUFFER};
        made_buffer(&m, 4, 0);
        struct made_header h = rows[i].header;
        h.buffers_written = 2;
        h.end = 1;
        made_log_header(&m, h);
        made_buffer(&m, 0, 0);
        made_perfinfo(&m, rows[i].second, 0x0f2e, 0);
        char *name = made_write(&m, m.size);
        const char *names = name;
        const struct result r = read_time_order(&names, 1);
        assert_int_equal(r.first_ns, (MADE_START_FILETIME - FILETIME_UNIX_EPOCH) * 100);
        if (r.last_ns - r.first_ns != 1000000000)
            fail_msg("%s: a second is %lld ns", rows[i].name, (long long)(r.last_ns - r.first_ns));
        made_unlink(name);
        made_free(&m);
    }
}

static void processors(void **state)
{
    (void)state;
    static const struct {
        unsigned word, flags, cpu;
    } rows[] = {{0x0803, 0x00, 3}, {0x0803, 0x20, 3}, {0x0123, 0x20, 0x123}, {0x08ff, 0x00, 255}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct log_maker m = made_log(MADE_BUFFER, 2);
        made_buffer(&m, 0, rows[i].word);
        put_u16(m.bytes + m.buffer + 0x34, rows[i].flags);
        made_perfinfo(&m, MADE_START_RAW + 1, 0x0f2e, 0);
        char *name = made_write(&m, m.size);
        struct err err;
        struct event e;
        struct etl_file *f = etl_open(name, &err);
        assert_int_equal(etl_next(f, &e, &err), ETL_EVENT);
        assert_int_equal(etl_next(f, &e, &err), ETL_EVENT);
        assert_int_equal(e.cpu, rows[i].cpu);
        etl_close(f);
        made_unlink(name);
        made_free(&m);
    }
}

/* The kinds of headers that no real trace has, in one buffer, between two that it has. */
static void rare_headers(void **state)
{
    (void)state;
    static const uint8_t compact[24] = {2, 0, 4, 0xc0, 24, 0, 0x24, 5,    1,   0,
                                        0, 0, 2, 0,    0,  0, 0x49, 0x42, 0x0f};
    static const uint8_t perfinfo32[16] = {2, 0, 16, 0xc0, 16, 0, 0x2e, 0x0f, 0x4a, 0x42, 0x0f};
    static const uint8_t counters[40] = {2, 0x82, 17, 0xc0, 40, 0, 0x2e, 0x0f, 0x4b, 0x42, 0x0f};
    uint8_t error[80] = {80, 0, 13, 0xc0}, instance[72] = {72, 0, 21, 0xc0};
    static const uint8_t message[9] = {9, 0, 0, 0x90, 7};
    static const uint8_t timed[18] = {18, 0, 0, 0x90, 8, 0, 8, 0, 0x50, 0x42, 0x0f};
    put_u64(error + 16, MADE_START_RAW + 0x0c);
    put_u64(instance + 16, MADE_START_RAW + 0x0d);
    struct log_maker m = made_log(MADE_BUFFER, 2);
    made_buffer(&m, 0, 0);
    made_record(&m, message, sizeof message); /* first: the time of the first that has one */
    made_record(&m, compact, sizeof compact);
    made_record(&m, perfinfo32, sizeof perfinfo32);
    made_record(&m, counters, sizeof counters);
    made_record(&m, error, sizeof error);
    made_record(&m, instance, sizeof instance);
    made_record(&m, message, sizeof message); /* the time of the one before */
    made_record(&m, timed, sizeof timed);
    static const struct {
        int kind;
        int64_t ts;
    } expected[] = {
        {HEADER_SYSTEM, 0},    {HEADER_MESSAGE, 9},   {HEADER_COMPACT, 9},
        {HEADER_PERFINFO, 10}, {HEADER_PERFINFO, 11}, {HEADER_MANIFEST, 12},
        {HEADER_INSTANCE, 13}, {HEADER_MESSAGE, 13},  {HEADER_MESSAGE, 16},
    };
    char *name = made_write(&m, m.size);
    const char *names = name;
    struct err err;
    struct event e;
    struct etl_reader *r = etl_reader_open(&names, 1, &err);
    assert_non_null(r);
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        assert_int_equal(etl_reader_next(r, &e, &err), ETL_EVENT);
        assert_int_equal(e.kind, expected[i].kind);
        assert_int_equal(e.ts, MADE_START_RAW + expected[i].ts);
    }
    assert_int_equal(etl_reader_next(r, &e, &err), ETL_END);
    etl_reader_close(r);
    assert_int_equal(read_both(name).events, sizeof expected / sizeof *expected);
    made_unlink(name);
    made_free(&m);
}

static void messages_that_never_have_a_time(void **state)
{
    (void)state;
    static const uint8_t message[9] = {9, 0, 0, 0x90, 7};
    struct log_maker m = ordinary_log(MADE_BUFFER);
    put_u32(m.bytes + 72 + 32 + 36, 5);
    made_buffer(&m, 0, 1);
    for (int i = 0; i < 100; i++)
        made_record(&m, message, sizeof message);
    const struct result r = read_made(&m);
    assert_int_equal(r.events, ORDINARY + 100);
    assert_int_equal(r.backwards, 0);
    made_free(&m);
}

static void buffers_without_events(void **state)
{
    (void)state;
    static const unsigned types[] = {2, 3, 6, 7, 9}; /* 9: from a later system */
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        struct log_maker m = ordinary_log(MADE_BUFFER);
        put_u16(m.bytes + 2 * MADE_BUFFER + 0x36, types[i]);
        const struct result r = read_made(&m);
        assert_int_equal(r.events, ORDINARY - PER_BUFFER);
        assert_int_equal(r.tally.passed_buffers, 1);
        expect_reported(&r, "passed over", "1 buffer skipped, of kinds");
        assert_true(etl_is_whole(&r.tally));
        made_free(&m);
    }
}

/* The log came round: its oldest buffer is not the first. */
static void circular(void **state)
{
    (void)state;
    struct log_maker m = made_log(MADE_BUFFER, 900);
    put_u32(m.bytes + 72 + 32 + 32, 2);
    static const unsigned order[] = {4, 5, 1, 2, 3};
    for (size_t i = 0; i < sizeof order / sizeof *order; i++) {
        made_buffer(&m, 0, 0);
        for (unsigned k = 0; k < 5; k++)
            made_perfinfo(&m, MADE_START_RAW + order[i] * 100 + k, 0x0f2e, 0);
    }
    const struct result r = read_made(&m);
    assert_int_equal(r.events, 26);
    assert_int_equal(r.backwards, 0);
    assert_true(etl_is_whole(&r.tally)); /* 900 written, all but 6 overwritten: as it should be */
    assert_string_equal(r.said, "");
    made_free(&m);
}

static void never_stopped(void **state)
{
    (void)state;
    struct log_maker m = ordinary_log(MADE_BUFFER);
    put_u64(m.bytes + 72 + 32 + 16, 0);
    put_u32(m.bytes + 72 + 32 + 36, 1);
    const struct result r = read_made(&m);
    assert_int_equal(r.events, ORDINARY);
    assert_true(r.tally.never_stopped && etl_is_whole(&r.tally));
    expect_reported(&r, "never stopped", "4 were found");

    /* Preallocated: zeros to the end. */
    m.bytes = realloc(m.bytes, m.size + 100000);
    memset(m.bytes + m.size, 0, 100000);
    m.size += 100000;
    const struct result p = read_made(&m);
    assert_int_equal(p.events, ORDINARY);
    assert_true(p.tally.never_stopped && etl_is_whole(&p.tally));
    expect_reported(&p, "preallocated", "never written");
    made_free(&m);
}

static void time_before_the_header(void **state)
{
    (void)state;
    struct log_maker m = made_log(MADE_BUFFER, 2);
    made_buffer(&m, 0, 0);
    made_perfinfo(&m, MADE_START_RAW - 5000, 0x0f2e, 0);
    const struct result r = read_made(&m);
    assert_int_equal(r.events, 2);
    assert_int_equal(r.backwards, 0);
    assert_int_equal(r.last_ns - r.first_ns, 500000);
    made_free(&m);
}

static void disorder_is_counted(void **state)
{
    (void)state;
    struct log_maker m = made_log(MADE_BUFFER, 2);
    made_buffer(&m, 0, 0);
    made_perfinfo(&m, MADE_START_RAW + 20, 0x0f2e, 0);
    made_perfinfo(&m, MADE_START_RAW + 10, 0x0f2e, 0);
    made_perfinfo(&m, MADE_START_RAW + 30, 0x0f2e, 0);
    const struct result r = read_made(&m);
    assert_int_equal(r.events, 4);
    assert_int_equal(r.tally.late_events, 1);
    made_free(&m);
}

/* Ties: the lower file, then the lower processor, then file order. */
static void ties(void **state)
{
    (void)state;
    char *names[2];
    for (unsigned i = 0; i < 2; i++) {
        struct log_maker m = made_log(MADE_BUFFER, 4);
        static const unsigned cpus[] = {2, 1, 1};
        for (unsigned b = 0; b < 3; b++) {
            made_buffer(&m, 0, cpus[b]);
            made_perfinfo(&m, MADE_START_RAW + 7, 0x0f2e, b + 1);
        }
        names[i] = made_write(&m, m.size);
        made_free(&m);
    }
    static const struct {
        unsigned source, cpu, payload;
    } expected[] = {{0, 1, 2}, {0, 1, 3}, {0, 2, 1}, {1, 1, 2}, {1, 1, 3}, {1, 2, 1}};
    struct err err;
    struct event e;
    struct etl_reader *r = etl_reader_open((const char *const *)names, 2, &err);
    assert_non_null(r);
    assert_int_equal(etl_reader_files(r), 2);
    for (unsigned i = 0; i < 2; i++) {
        assert_int_equal(etl_reader_next(r, &e, &err), ETL_EVENT);
        assert_int_equal(e.source, i);
        assert_int_equal(e.kind, HEADER_SYSTEM);
    }
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        assert_int_equal(etl_reader_next(r, &e, &err), ETL_EVENT);
        assert_int_equal(e.source, expected[i].source);
        assert_int_equal(e.cpu, expected[i].cpu);
        assert_int_equal(e.payload_bytes, expected[i].payload);
    }
    etl_reader_close(r);
    made_unlink(names[0]);
    made_unlink(names[1]);
}

/* ---- large buffers: data in pieces ----------------------------------------------------------- */

/* Two processors, one buffer each, full of records of all sizes. */
static struct log_maker large_log(uint32_t buffer_bytes)
{
    struct log_maker m = made_log(buffer_bytes, 3);
    uint32_t seed = 5;
    for (unsigned cpu = 0; cpu < 2; cpu++) {
        made_buffer(&m, 0, cpu);
        for (int64_t i = 0; m.at + 4200 < m.buffer + m.buffer_bytes; i++) {
            seed = seed * 1664525 + 1013904223;
            made_perfinfo(&m, MADE_START_RAW + i * 2 + cpu, 0x0f2e, seed >> 20);
        }
    }
    return m;
}

static void large_buffers(void **state)
{
    (void)state;
    static const uint32_t sizes[] = {65536, 131072, 262144, 1048576, 4194304};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        struct log_maker m = large_log(sizes[i]), c = made_compressed(&m);
        const struct result plain = read_made(&m), packed = read_made(&c);
        assert_true(plain.events > sizes[i] / 4096);
        assert_int_equal(plain.backwards, 0);
        assert_string_equal(plain.said, "");
        assert_int_equal(packed.events, plain.events);
        assert_int_equal(packed.sum, plain.sum);
        assert_int_equal(packed.backwards, 0);
        assert_string_equal(packed.said, "");
        made_free(&m);
        made_free(&c);
    }
}

/* A record that goes bad in the middle of a large buffer takes the rest of that buffer. */
static void large_buffers_damaged(void **state)
{
    (void)state;
    struct log_maker m = large_log(1048576);
    const uint64_t whole = read_made(&m).events;
    size_t at = 1048576 + 72;
    while (at < 1048576 + 500000)
        at += (load_u16(m.bytes + at + 4) + 7u) / 8 * 8;
    put_u16(m.bytes + at + 4, 3);
    const uint32_t left = load_u32(m.bytes + 1048576 + 0x30) - (uint32_t)(at - 1048576);
    struct log_maker c = made_compressed(&m);
    const struct result plain = read_made(&m), packed = read_made(&c);
    assert_true(plain.events < whole && plain.events > whole / 2);
    assert_int_equal(plain.tally.damaged_buffers, 1);
    assert_int_equal(plain.tally.skipped_bytes, left);
    assert_int_equal(packed.events, plain.events);
    assert_int_equal(packed.tally.skipped_bytes, left);
    char sentence[100];
    snprintf(sentence, sizeof sentence, "buffer at 1048576: at %zu of the buffer", at - 1048576);
    expect_reported(&plain, "plain", sentence);
    expect_reported(&packed, "packed", sentence);
    made_free(&m);
    made_free(&c);
}

/* A compressed log big enough to be unpacked ahead: damage in it is reported as usual, and it can
 * be closed at any moment. */
static void unpacked_ahead(void **state)
{
    (void)state;
    enum { BUFFERS = 60, RECORDS = 1000 };
    struct log_maker m = made_log(65536, BUFFERS + 1);
    for (unsigned b = 0; b < BUFFERS; b++) {
        made_buffer(&m, 0, b % 4);
        for (unsigned i = 0; i < RECORDS; i++)
            made_perfinfo(&m, MADE_START_RAW + b / 4 * 10000 + i, 0x0f2e, 40);
    }
    struct log_maker c = made_compressed(&m);
    const struct result whole = read_made(&c);
    assert_int_equal(whole.events, 1 + BUFFERS * RECORDS);
    assert_true(etl_is_whole(&whole.tally));

    size_t at = 65536;
    for (unsigned b = 0; b < 30; b++)
        at += load_u32(c.bytes + at);
    memset(c.bytes + at + 72, 0xff, 4);
    memset(c.bytes + at + 76, 0xf0, 100);
    const struct result damaged = read_made(&c);
    assert_int_equal(damaged.events, 1 + (BUFFERS - 1) * RECORDS);
    assert_int_equal(damaged.tally.damaged_buffers, 1);
    expect_reported(&damaged, "one bad stream", "goes bad");

    char *name = made_write(&c, c.size);
    for (unsigned stop = 0; stop < 20000; stop = stop * 2 + 1) {
        struct err err;
        struct event e;
        struct etl_file *f = etl_open(name, &err);
        for (unsigned i = 0; i < stop; i++)
            assert_int_equal(etl_next(f, &e, &err), ETL_EVENT);
        etl_close(f);
    }
    made_unlink(name);
    made_free(&m);
    made_free(&c);
}

/* ---- what is wrong --------------------------------------------------------------------------- */

static void not_an_etl(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        size_t size;
        struct {
            size_t at;
            uint32_t value;
        } change[2];
        const char *sentence;
    } rows[] = {
        {"empty", 0, {{0, 0}}, "found an empty file"},
        {"short", 71, {{0, 0}}, "found 71"},
        {"header alone", 72, {{0x30, 72}}, "found an empty buffer"},
        {"size 0", 4096, {{0, 0}}, "found 0"},
        {"size below the header", 4096, {{0, 71}}, "found 71"},
        {"size beyond all", 4096, {{0, 0x7fffffff}}, "found 2147483647"},
        {"unknown type", 4096, {{0x34, 16u << 16}}, "found 16"},
        {"unknown flags", 4096, {{0x34, 0x180}}, "found 0x0180"},
        {"data beyond the buffer", 4096, {{0x30, 4097}}, "found 4097"},
        {"no record", 4096, {{72, 0}}, "found 0x00000000"},
        {"filler", 4096, {{72, 0xffffffff}}, "found 0xffffffff"},
        {"another record", 4096, {{72 + 4, 0x03010020}}, "record of type 0x0301"},
        {"record too short", 4096, {{72 + 4, 32}}, "found 0"},
        {"no such size", 4096, {{72 + 4, 31}}, "found a size of 31"},
        {"text", 30, {{0, 0x6c6c6568}}, "found 30"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct log_maker m = ordinary_log(MADE_BUFFER);
        if (rows[i].size)
            put_u32(m.bytes + rows[i].change[0].at, rows[i].change[0].value);
        char *name = made_write(&m, rows[i].size);
        const struct result r = read_both(name);
        assert_false(r.is_open);
        expect_reported(&r, rows[i].name, rows[i].sentence);
        expect_reported(&r, rows[i].name, name);
        made_unlink(name);
        made_free(&m);
    }
    const struct result directory = read_both("tests");
    expect_reported(&directory, "directory", "found a directory");
    const struct result missing = read_both("/nonexistent.etl");
    expect_reported(&missing, "missing", "/nonexistent.etl");
}

/* A file that opens and then cannot be read, and one that does not open (but for root). */
static void unreadable(void **state)
{
    (void)state;
    const struct result memory = read_both("/proc/self/mem");
    assert_false(memory.is_open);
    expect_reported(&memory, "read error", "/proc/self/mem");
    struct log_maker m = ordinary_log(MADE_BUFFER);
    char *name = made_write(&m, m.size);
    chmod(name, 0);
    const struct result r = read_both(name);
    assert_int_equal(r.is_open, geteuid() == 0);
    if (!r.is_open)
        expect_reported(&r, "unreadable", name);
    made_unlink(name);
    made_free(&m);
}

/* One field of the second data buffer (or of its first record) is wrong: whatever that
 * costs, the buffers before and behind it lose nothing. */
static void every_length_field(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        size_t at, bytes;
    } fields[] = {
        {"BufferSize", 0, 4},
        {"Offset", 0x30, 4},
        {"flags", 0x34, 2},
        {"type", 0x36, 2},
        {"first Size", 72 + 4, 2},
        {"third Size", 72 + 64 + 4, 2},
        {"last Size", 72 + 9 * 32 + 4, 2},
    };
    for (int is_compressed = 0; is_compressed < 2; is_compressed++) {
        for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
            struct log_maker m = ordinary_log(MADE_BUFFER), c = made_compressed(&m);
            struct log_maker *log = is_compressed ? &c : &m;
            const size_t target =
                is_compressed ? MADE_BUFFER + load_u32(c.bytes + MADE_BUFFER) : 2 * MADE_BUFFER;
            uint8_t *field = log->bytes + target + fields[i].at;
            const uint32_t was = fields[i].bytes == 4 ? load_u32(field) : load_u16(field);
            const uint32_t values[] = {0,       1,          was - 1,    was + 1,   was + 8, was - 8,
                                       71,      72,         73,         0x7fff,    0x8000,  0xffff,
                                       0x10000, 0x7fffffff, 0x80000000, 0xffffffff};
            for (size_t v = 0; v < sizeof values / sizeof *values; v++) {
                fields[i].bytes == 4 ? put_u32(field, values[v])
                                     : put_u16(field, values[v] & 0xffff);
                const struct result r = read_made(log);
                if (!r.is_open || r.events < ORDINARY - PER_BUFFER)
                    fail_msg("%s%s = 0x%x: %d events", is_compressed ? "compressed, " : "",
                             fields[i].name, values[v], (int)r.events);
                if (r.events < ORDINARY && etl_is_whole(&r.tally) && !r.tally.passed_buffers)
                    if (i != 1) /* an Offset that is too small looks like a right one */
                        fail_msg("%s = 0x%x: a silent loss", fields[i].name, values[v]);
            }
            made_free(&m);
            made_free(&c);
        }
    }
}

/* Every byte of a small log's buffer headers and records, set to edges. */
static void every_byte(void **state)
{
    (void)state;
    struct log_maker m = ordinary_log(1024);
    char *name = made_write(&m, m.size);
    for (size_t at = 0; at < m.size; at++) {
        const size_t in_buffer = at % 1024;
        if (in_buffer >= 72 + 64 && in_buffer % 16)
            continue;
        static const uint8_t edges[] = {0, 0x7f, 0xff};
        for (size_t v = 0; v < sizeof edges; v++) {
            FILE *f = fopen(name, "r+");
            fseek(f, (long)at, SEEK_SET);
            fputc(edges[v], f);
            fclose(f);
            read_both(name);
        }
        FILE *f = fopen(name, "r+");
        fseek(f, (long)at, SEEK_SET);
        fputc(m.bytes[at], f);
        fclose(f);
    }
    const struct result r = read_both(name); /* all is as it was */
    assert_true(etl_is_whole(&r.tally));
    made_unlink(name);
    made_free(&m);
}

static void huge_counts(void **state)
{
    (void)state;
    struct log_maker m = ordinary_log(MADE_BUFFER);
    memset(m.bytes + 72 + 32 + 12, 0xff, 4); /* NumberOfProcessors */
    memset(m.bytes + 72 + 32 + 36, 0xff, 4); /* BuffersWritten */
    const struct result r = read_made(&m);
    assert_int_equal(r.events, ORDINARY);
    assert_int_equal(r.tally.missing_buffers, 0xffffffffu - 4);
    expect_reported(&r, "BuffersWritten", "buffers by the trace header: 4294967295");
    made_free(&m);
}

/* Every count of the log header that sizes something: the highest values are not believed. */
static void counts_without_bounds(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        size_t at; /* in the header's payload */
    } counts[] = {{"BufferSize", 0}, {"NumberOfProcessors", 12}, {"CpuSpeedInMHz", 52}};
    static const uint32_t values[] = {0xffffffff, 0xfffffffe, 0x80000000, 0x7fffffff};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        for (size_t v = 0; v < sizeof values / sizeof *values; v++) {
            struct log_maker m = ordinary_log(MADE_BUFFER);
            put_u32(m.bytes + 72 + 32 + counts[i].at, values[v]);
            const struct result r = read_made(&m);
            assert_int_equal(r.events, ORDINARY);
            expect_reported(&r, counts[i].name, counts[i].name);
            expect_reported(&r, counts[i].name, "are possible");
            char *const name = made_write(&m, m.size);
            struct err err;
            struct etl_reader *const reader = etl_reader_open((const char *[]){name}, 1, &err);
            assert_non_null(reader);
            const struct etl_header *const h = etl_header(etl_reader_file(reader, 0));
            assert_true(h->cpus >= 1 && h->cpus <= ETL_CPUS_MOST);
            assert_true(h->buffer_bytes <= 32 << 20);
            assert_true(h->cpu_mhz <= 1000000);
            etl_reader_close(reader);
            made_unlink(name);
            made_free(&m);
        }
}

static void trailing_garbage(void **state)
{
    (void)state;
    static const size_t sizes[] = {1, 71, 72, 500, MADE_BUFFER, 3 * MADE_BUFFER + 7};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        struct log_maker m = ordinary_log(MADE_BUFFER);
        m.bytes = realloc(m.bytes, m.size + sizes[i]);
        memset(m.bytes + m.size, 0xa5, sizes[i]);
        m.size += sizes[i];
        const struct result r = read_made(&m);
        assert_int_equal(r.events, ORDINARY);
        assert_int_equal(r.tally.skipped_bytes, sizes[i]);
        assert_int_equal(r.tally.damaged_buffers, 1);
        expect_reported(&r, "garbage", "buffer at 16384");
        made_free(&m);
    }
}

/* A buffer in the middle is overwritten with garbage: it alone is lost. */
static void garbage_in_the_middle(void **state)
{
    (void)state;
    struct log_maker m = ordinary_log(MADE_BUFFER), c = made_compressed(&m);
    memset(m.bytes + 2 * MADE_BUFFER, 0xa5, MADE_BUFFER);
    const struct result plain = read_made(&m);
    assert_int_equal(plain.events, ORDINARY - PER_BUFFER);
    assert_int_equal(plain.tally.skipped_bytes, MADE_BUFFER);
    const size_t second = MADE_BUFFER + load_u32(c.bytes + MADE_BUFFER);
    const uint32_t size = load_u32(c.bytes + second);
    memset(c.bytes + second, 0xa5, size);
    const struct result packed = read_made(&c);
    assert_int_equal(packed.events, ORDINARY - PER_BUFFER);
    assert_int_equal(packed.tally.skipped_bytes, size);
    made_free(&m);
    made_free(&c);
}

/* After the last sentence that fits there is one that says so. */
static void many_sentences(void **state)
{
    (void)state;
    struct log_maker m = made_log(1024, 101);
    for (unsigned b = 0; b < 100; b++) {
        made_buffer(&m, 0, 0);
        made_perfinfo(&m, MADE_START_RAW + b, 0x0f2e, 0);
        put_u32(m.bytes + m.at, 0x12345678);
        put_u32(m.bytes + m.buffer + 0x30, 72 + 16 + 64);
    }
    const struct result r = read_made(&m);
    assert_int_equal(r.events, 101);
    assert_int_equal(r.tally.damaged_buffers, 100);
    assert_int_equal(r.tally.skipped_bytes, 100 * 64);
    expect_reported(&r, "the last", "they are only counted");
    made_free(&m);
}

/* A compressed log in which every place looks like the start of a buffer: an end comes. */
static void headers_everywhere(void **state)
{
    (void)state;
    struct log_maker m = ordinary_log(MADE_BUFFER), c = made_compressed(&m);
    c.bytes = realloc(c.bytes, c.size + 300000);
    for (size_t i = 0; i < 300000; i += 4)
        put_u32(c.bytes + c.size + i, 0x00000048);
    put_u32(c.bytes + c.size, 1);
    c.size += 300000;
    const struct result r = read_made(&c);
    assert_in_range(r.events, ORDINARY, ORDINARY + 5000);
    assert_false(etl_is_whole(&r.tally));
    made_free(&m);
    made_free(&c);
}

/* ---- compression ----------------------------------------------------------------------------- */

static void foreign_compression(void **state)
{
    (void)state;
    struct log_maker m = ordinary_log(MADE_BUFFER), c = made_compressed(&m);
    uint8_t *data = c.bytes + MADE_BUFFER + 72;
    const uint32_t packed = load_u32(c.bytes + MADE_BUFFER) - 72;

    /* LZNT1: one chunk, not compressed, that fills the space. */
    put_u16(data, 0x3000 | (packed - 2 - 1));
    const struct result lznt1 = read_made(&c);
    expect_reported(&lznt1, "LZNT1", "found LZNT1");
    assert_int_equal(lznt1.events, ORDINARY - PER_BUFFER);
    assert_int_equal(lznt1.tally.damaged_buffers, 1);

    /* Xpress-Huffman: a table of code lengths that fills the code space: all of 9 bits. */
    memset(data, 0x99, 256);
    const struct result huffman = read_made(&c);
    expect_reported(&huffman, "Huffman", "found Xpress-Huffman");
    assert_int_equal(huffman.events, ORDINARY - PER_BUFFER);

    /* Xpress gone bad at the first match. */
    memset(data, 0xff, 4);
    memset(data + 4, 0xf0, 100);
    const struct result bad = read_made(&c);
    expect_reported(&bad, "bad stream", "goes bad");
    assert_int_equal(bad.events, ORDINARY - PER_BUFFER);
    made_free(&m);
    made_free(&c);
}

/* ---- lengths --------------------------------------------------------------------------------- */

/* Any prefix of a good log: never more events than before, and no silent loss. */
static void check_prefixes(const char *name, size_t step)
{
    const struct result whole = read_both(name);
    assert_true(whole.is_open);
    struct stat info;
    assert_int_equal(stat(name, &info), 0);
    uint64_t before = whole.events;
    for (int64_t size = info.st_size - 1; size >= 0;
         size = size < (int64_t)step ? size - 1 : size - (int64_t)step) {
        assert_int_equal(truncate(name, size), 0);
        const struct result r = read_both(name);
        assert_true(r.events <= before);
        before = r.events;
        if (r.is_open && r.events < whole.events && etl_is_whole(&r.tally))
            fail_msg("%s cut to %lld bytes: a silent loss", name, (long long)size);
    }
}

static void every_prefix_made(void **state)
{
    (void)state;
    struct log_maker m = ordinary_log(1024), c = made_compressed(&m);
    char *plain = made_write(&m, m.size), *packed = made_write(&c, c.size);
    check_prefixes(plain, 1);
    check_prefixes(packed, 1);
    made_unlink(plain);
    made_unlink(packed);
    made_free(&m);
    made_free(&c);
}

static void every_prefix_real(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        size_t step;
    } rows[] = {
        {"../shared/etl/perfview-SelfDescribingSingleEvent.etl", 1},
        {"../shared/etl/perfview-primitive-types.etl", 5},
        {"../shared/etl/s4-waasmedic.20251005.etl", 5},
        {"../shared/etl/s4-WindowsUpdate.20251008.etl", 11},
        {"../shared/etl/demikernel-PktMon.etl", 11},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        glob_t found = shared_files(rows[i].name);
        globfree(&found);
        FILE *f = fopen(rows[i].name, "rb");
        static uint8_t bytes[1 << 16];
        const struct log_maker m = {.bytes = bytes, .size = fread(bytes, 1, sizeof bytes, f)};
        fclose(f);
        char *name = made_write(&m, m.size);
        check_prefixes(name, rows[i].step * (IS_SANITIZED ? 3 : 1));
        made_unlink(name);
    }
}

/* The pure functions on exact copies: a buffer's records at every length. */
static void every_prefix_of_records(void **state)
{
    (void)state;
    struct log_maker m = ordinary_log(MADE_BUFFER);
    const uint8_t *data = m.bytes + MADE_BUFFER + 72;
    const uint32_t bytes = load_u32(m.bytes + MADE_BUFFER + 0x30) - 72;
    for (uint32_t cut = 0; cut <= bytes; cut++) {
        uint8_t *copy = malloc(cut ? cut : 1);
        memcpy(copy, data, cut);
        struct etl_walk w = {.data = copy, .bytes = cut};
        struct event e;
        struct err why;
        unsigned events = 0;
        enum etl_step step;
        while ((step = etl_walk_next(&w, &e, &why)) == ETL_STEP_EVENT)
            events++;
        assert_int_equal(events, cut / 32);
        assert_int_equal(step, cut % 32 >= 8 ? ETL_STEP_DAMAGE : ETL_STEP_END);
        int64_t ts;
        assert_int_equal(etl_first_time(copy, cut, &ts), cut >= 16);
        free(copy);
    }
    made_free(&m);
}

static void shrinking(void **state)
{
    (void)state;
    struct log_maker m = made_log(65536, 20);
    for (unsigned b = 1; b < 20; b++) {
        made_buffer(&m, 0, 0);
        for (unsigned i = 0; i < 1000; i++)
            made_perfinfo(&m, MADE_START_RAW + b * 1000 + i, 0x0f2e, 40);
    }
    for (int is_reader = 0; is_reader < 2; is_reader++) {
        char *name = made_write(&m, m.size);
        const char *names = name;
        struct err err;
        struct event e;
        struct etl_reader *r = is_reader ? etl_reader_open(&names, 1, &err) : NULL;
        struct etl_file *f = is_reader ? etl_reader_file(r, 0) : etl_open(name, &err);
        uint64_t events = 0;
        for (; events < 100; events++)
            assert_int_equal(is_reader ? etl_reader_next(r, &e, &err) : etl_next(f, &e, &err),
                             ETL_EVENT);
        assert_int_equal(truncate(name, 10 * 65536 + 30000), 0);
        while ((is_reader ? etl_reader_next(r, &e, &err) : etl_next(f, &e, &err)) == ETL_EVENT)
            events++;
        assert_in_range(events, 9 * 1000, 11 * 1000);
        assert_false(etl_is_whole(etl_tally(f)));
        struct result said = {0};
        take_sentences(&said, f);
        expect_reported(&said, "shrunk", "shrank while it was read");
        if (is_reader)
            etl_reader_close(r);
        else
            etl_close(f);
        made_unlink(name);
    }
    made_free(&m);
}

/* ---- all real traces ------------------------------------------------------------------------- */

static void real_traces_in_time_order(void **state)
{
    (void)state;
    glob_t plain = shared_files("../shared/etl/*.etl"),
           packed = shared_files("../shared/etl/*.etl.zst");
    const char *names[64];
    size_t count = 0;
    for (size_t i = 0; i < plain.gl_pathc && count < 64; i++)
        names[count++] = plain.gl_pathv[i];
    for (size_t i = 0; i < packed.gl_pathc && count < 64; i++)
        names[count++] = packed.gl_pathv[i];
    uint64_t events = 0;
    for (size_t i = 0; i < count; i++) {
        const struct result r = read_both(names[i]);
        if (r.backwards)
            fail_msg("%s: %d events out of order", names[i], (int)r.backwards);
        events += r.events;
    }
    const struct result all = read_time_order(names, count);
    assert_int_equal(all.backwards, 0);
    assert_int_equal(all.events, events);
    globfree(&plain);
    globfree(&packed);
}

static void too_many_files(void **state)
{
    (void)state;
    const char *names[65];
    for (size_t i = 0; i < 65; i++)
        names[i] = "x.etl";
    const struct result r = read_time_order(names, 65);
    expect_reported(&r, "65 files", "at most 64");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ordinary),
        cmocka_unit_test(header_fields),
        cmocka_unit_test(clocks),
        cmocka_unit_test(processors),
        cmocka_unit_test(rare_headers),
        cmocka_unit_test(messages_that_never_have_a_time),
        cmocka_unit_test(buffers_without_events),
        cmocka_unit_test(circular),
        cmocka_unit_test(never_stopped),
        cmocka_unit_test(time_before_the_header),
        cmocka_unit_test(disorder_is_counted),
        cmocka_unit_test(ties),
        cmocka_unit_test(large_buffers),
        cmocka_unit_test(large_buffers_damaged),
        cmocka_unit_test(unpacked_ahead),
        cmocka_unit_test(not_an_etl),
        cmocka_unit_test(unreadable),
        cmocka_unit_test(every_length_field),
        cmocka_unit_test(every_byte),
        cmocka_unit_test(huge_counts),
        cmocka_unit_test(counts_without_bounds),
        cmocka_unit_test(trailing_garbage),
        cmocka_unit_test(garbage_in_the_middle),
        cmocka_unit_test(many_sentences),
        cmocka_unit_test(headers_everywhere),
        cmocka_unit_test(foreign_compression),
        cmocka_unit_test(every_prefix_made),
        cmocka_unit_test(every_prefix_real),
        cmocka_unit_test(every_prefix_of_records),
        cmocka_unit_test(shrinking),
        cmocka_unit_test(real_traces_in_time_order),
        cmocka_unit_test(too_many_files),
    };
    return cmocka_run_group_tests_name("etl", tests, NULL, NULL);
}

/* Files made by the tests' writer, in ordinary and in odd shapes, come back through the
 * reader with every byte; the layout itself is held against one typed by hand. */
#include "tests/test.h"

#include "src/base/hash.h"
#include "src/base/mem.h"
#include "src/etl/etl.h"
#include "src/os/os.h"
#include "tests/make_etl.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static uint64_t hash(const void *data, size_t bytes)
{
    const uint64_t h = hash_bytes(HASH_START, data, bytes);
    return h ^ h >> 29;
}

static const char *scratch(void)
{
    static const char *path;
    static char text[4096];
    const char *folder = getenv("TMPDIR");
    if (!path) {
        snprintf(text, sizeof text, "%s/tracetop-test-%ld.etl", folder && *folder ? folder : "/tmp",
                 (long)getpid());
        path = text;
    }
    unlink(path);
    return path;
}

static uint64_t hashes_of(const struct synthetic_options *o)
{
    enum { ROOM = 256 * 1024 };
    struct synthetic *s = synthetic_new(o);
    uint8_t *buffer = mem_new(ROOM, 1);
    uint64_t sum = 0;
    size_t bytes;
    while ((bytes = synthetic_fill(s, buffer, ROOM, INT64_MAX)) != 0)
        for (size_t at = 0; at < bytes;) {
            const struct record_head *head = (const void *)(buffer + at);
            if (head->form == RECORD_ETW)
                sum += hash(head + 1, head->bytes - sizeof *head);
            at += (head->bytes + 7u) / 8 * 8;
        }
    free(buffer);
    synthetic_free(s);
    return sum;
}

struct seen {
    uint64_t events, hashes, headers;
    int64_t last;
};

static struct seen read_back(const char *path, struct etl_header *header, struct etl_tally *tally)
{
    struct seen seen = {.last = INT64_MIN};
    struct err err = {0};
    struct event e;
    struct etl_reader *r = etl_reader_open(&path, 1, &err);
    if (!r)
        print_error("%s\n", err.text);
    assert_non_null(r);
    while (etl_reader_next(r, &e, &err) == ETL_EVENT) {
        assert_true(e.ts >= seen.last);
        seen.last = e.ts;
        if (e.id == 0) {
            seen.headers++;
            continue;
        }
        seen.events++;
        seen.hashes += hash(e.record, e.record_bytes);
    }
    *header = *etl_header(etl_reader_file(r, 0));
    *tally = *etl_tally(etl_reader_file(r, 0));
    etl_reader_close(r);
    return seen;
}

static void files_come_back_whole(void **state)
{
    (void)state;
    static const struct {
        struct synthetic_options machine;
        struct etl_writer_options shape;
    } rows[] = {
        {{.seed = 1, .events = 50000}, {.buffer_bytes = 0}},
        {{.seed = 2, .events = 20000}, {.buffer_bytes = 4096}},
        {{.seed = 3, .events = 20000, .cpus = 64}, {.buffer_bytes = 8192}},
        {{.seed = 4, .events = 60000, .cpus = 2}, {.buffer_bytes = 16 << 20}},
        {{.seed = 5, .events = 30000, .late_rundown = true}, {.buffer_bytes = 1 << 20}},
        {{.seed = 6, .events = 30000, .lose = 100}, {.buffer_bytes = 65536}},
        {{.seed = 7, .events = 30000, .hostile = 300}, {.buffer_bytes = 65536}},
        {{.seed = 8, .events = 30000}, {.buffer_bytes = 65536, .is_unstopped = true}},
        {{.seed = 9, .events = 1}, {.buffer_bytes = 65536}},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct synthetic_options machine = rows[i].machine;
        const char *path = scratch();
        struct err err = {0};
        uint64_t records;
        machine.start_ns = 1700000000000000000;
        assert_true(make_etl(path, &machine, &rows[i].shape, 0, &records, &err));
        struct etl_header h;
        struct etl_tally t;
        const struct seen seen = read_back(path, &h, &t);
        assert_int_equal(seen.headers, 1);
        assert_int_equal(seen.events, records);
        assert_true(seen.hashes == hashes_of(&machine));
        assert_int_equal(t.skipped_bytes + t.damaged_buffers + t.missing_buffers, 0);
        assert_int_equal(t.never_stopped, rows[i].shape.is_unstopped);
        assert_int_equal(h.build, SYNTHETIC_BUILD);
        assert_int_equal(h.pointer, 8);
        assert_int_equal(h.frequency, SYNTHETIC_FREQUENCY);
        if (!rows[i].shape.is_unstopped) {
            assert_int_equal(h.buffers_written, t.buffers);
            assert_int_equal(records + h.events_lost, machine.events);
            assert_true(h.end > h.start);
        }
        unlink(path);
    }
}

/* One idle record of one processor: the whole file but its fillers, typed from the
 * description of the format. */
static void layout_is_as_described(void **state)
{
    (void)state;
    static const char buffer_0[] =
        "00040000 c8010000 c8010000 00000000 0000000000000000 0000000000000000 0000000000000000"
        "0000 0100 03000000 c8010000 2100 0400 00000000000000000000000000000000"
        /* SYSTEM64, version 2, hook 0, at tick 1000 */
        "0200 02c0 7c01 00 00 00000000 00000000 e803000000000000 00000000 00000000"
        /* buffer size, 10.0.1.5, build, processors, end, timer resolution, size, mode */
        "00040000 0a000105 67580000 01000000 8b16d7d5deb19d01 5a620200 00000000 01000000"
        /* buffers, start buffers, pointer size, lost, MHz, two names' addresses */
        "02000000 01000000 08000000 00000000 100e0000 0000000000000000 0000000000000000";
    static const char record[] = "0200 11c0 1000 08 00 f203000000000000";
    const struct etl_writer_options o = {
        .path = scratch(),
        .clock = trace_clock_make(CLOCK_QPC, 1000, 116444736000000000 + 10000000, 10000000),
        .start = 1000,
        .buffer_bytes = 1024,
        .cpus = 1,
        .build = 22631,
        .mhz = 3600,
    };
    const uint8_t body[16] = {2, 0, 0x11, 0xc0, 16, 0, 8, 0, 0xf2, 3};
    const struct record_head head = {.bytes = sizeof head + sizeof body, .ts = 1010};
    struct err err = {0};
    struct etl_writer *w = etl_writer_open(&o, &err);
    assert_non_null(w);
    assert_true(etl_writer_put(w, &head, body, &err));
    assert_true(etl_writer_close(w, &err));
    uint8_t file[4096];
    FILE *f = fopen(o.path, "rb");
    assert_non_null(f);
    assert_int_equal(fread(file, 1, sizeof file, f), 2048);
    fclose(f);
    const struct {
        const char *hex;
        size_t at;
    } parts[] = {{buffer_0, 0}, {record, 1024 + 72}};
    for (size_t i = 0; i < 2; i++) {
        size_t at = parts[i].at;
        for (const char *c = parts[i].hex; *c; c++) {
            unsigned byte;
            if (*c == ' ')
                continue;
            assert_int_equal(sscanf(c++, "%2x", &byte), 1);
            if (file[at] != byte)
                print_error("byte %zu: %02x expected, %02x found\n", at, byte, file[at]);
            assert_int_equal(file[at++], byte);
        }
    }
    assert_int_equal(file[1024 + 48], 72 + 16); /* filled */
    assert_int_equal(file[1024 + 52], 0x21);    /* the last buffer */
    for (size_t i = 1024 + 88; i < 2048; i++)
        assert_int_equal(file[i], 0xff);
    unlink(o.path);
}

static void what_does_not_fit_is_reported(void **state)
{
    (void)state;
    static const struct {
        uint32_t buffer_bytes;
        uint32_t record_bytes;
        uint16_t cpu;
        const char *says;
    } rows[] = {
        {1020, 64, 0, "a multiple of 8"},
        {32 << 20, 64, 0, "a multiple of 8"},
        {1024, 960, 0, "does not fit"},
        {1024, 64, 3, "processor 3"},
    };
    uint8_t body[1024] = {0};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct etl_writer_options o = {
            .path = scratch(),
            .clock = trace_clock_make(CLOCK_QPC, 0, FILETIME_UNIX_EPOCH, 10000000),
            .buffer_bytes = rows[i].buffer_bytes,
            .cpus = 2,
        };
        const struct record_head head = {.bytes = (uint32_t)sizeof head + rows[i].record_bytes,
                                         .cpu = rows[i].cpu};
        struct err err = {0};
        struct etl_writer *w = etl_writer_open(&o, &err);
        if (w) {
            assert_false(etl_writer_put(w, &head, body, &err));
            assert_true(etl_writer_close(w, NULL));
        }
        assert_non_null(strstr(err.text, rows[i].says));
        unlink(o.path);
    }
}

static void nothing_is_overwritten(void **state)
{
    (void)state;
    const char *path = scratch();
    const struct synthetic_options machine = {.seed = 1, .events = 100};
    const struct etl_writer_options shape = {0};
    struct err err = {0};
    uint64_t records;
    assert_true(make_etl(path, &machine, &shape, 0, &records, &err));
    assert_false(make_etl(path, &machine, &shape, 0, &records, &err));
    assert_non_null(strstr(err.text, path));
    unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_come_back_whole),
        cmocka_unit_test(layout_is_as_described),
        cmocka_unit_test(what_does_not_fit_is_reported),
        cmocka_unit_test(nothing_is_overwritten),
    };
    return cmocka_run_group_tests_name("files made", tests, NULL, NULL);
}

/* A strict reader of plain .etl files, after the format alone and not after our own reader: it
 * walks as many buffers as the header counts, takes each processor's in the order of their
 * sequence numbers, and fails the test where a reader that relies on that would refuse the file
 * or show its events in another order. */
#ifndef TESTS_STRICT_H
#define TESTS_STRICT_H

#include "tests/test.h"

#include "src/base/bytes.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What the log header says, and what is there. */
struct strict {
    uint32_t build, cpus, mode, buffers, events_lost, buffers_lost, clock_type, buffer_bytes;
    int32_t bias;
    int64_t start, end, frequency, ts, boot;
    uint64_t events, headers; /* records; of them log headers */
    int64_t first, last;      /* raw times of the others */
    uint64_t flagged;         /* buffers before which events or buffers were lost */
};

enum { STRICT_HEAD = 72, STRICT_BUFFERS = 1 << 20 };

static inline uint8_t *strict_load(const char *path, size_t *bytes)
{
    FILE *const f = fopen(path, "rb");
    if (!f)
        fail_msg("%s: cannot be opened", path);
    assert_int_equal(fseek(f, 0, SEEK_END), 0);
    *bytes = (size_t)ftell(f);
    rewind(f);
    uint8_t *const all = malloc(*bytes + 1);
    assert_non_null(all);
    assert_int_equal(fread(all, 1, *bytes, f), *bytes);
    fclose(f);
    return all;
}

/* Size and raw time of the record at `at`, by its marker. */
static inline uint32_t strict_record(const uint8_t *at, int64_t *ts, uint16_t *hook)
{
    const unsigned type = at[2];
    assert_int_equal(at[3], 0xc0);
    const bool is_kernel = type <= 4 || type == 16 || type == 17;
    *hook = is_kernel ? load_u16(at + 6) : 0xffff;
    *ts = (int64_t)load_u64(at + (type == 16 || type == 17 ? 8 : 16));
    return is_kernel ? load_u16(at + 4) : load_u16(at);
}

/* Two texts, each with its end, and nothing behind. */
static inline void strict_texts(const uint8_t *at, uint32_t bytes)
{
    unsigned ends = 0;
    assert_true(bytes >= 4 && bytes % 2 == 0);
    for (uint32_t i = 0; i < bytes; i += 2)
        ends += load_u16(at + i) == 0;
    assert_int_equal(load_u16(at + bytes - 2), 0);
    assert_int_equal(ends, 2);
}

/* What consumers divide by, convert with, and choose a layout by. */
static inline void strict_constants(const uint8_t *record, unsigned less, const struct strict *s)
{
    const uint8_t *const p = record + 32;
    assert_in_range(p[4], 5, 10); /* the system's major version; of Linux and ours 10 */
    assert_int_equal(load_u16(p + 6), 0x0501); /* the log format of files that are not packed */
    assert_true(load_u32(p + 24) > 0);         /* timer resolution */
    assert_true(load_u32(p + 40) >= 1);        /* start buffers */
    assert_int_equal(load_u32(p + 44), less ? 4 : 8);
    assert_true(load_u32(p + 52) > 0); /* MHz */
    assert_true(s->frequency > 0);
    assert_in_range(s->clock_type, 1, 3);
    assert_true(s->boot < s->start);
    strict_texts(p + 280 - less, load_u16(record + 4) - 32 - 280 + less);
}

static inline void strict_header(const uint8_t *record, struct strict *s)
{
    const uint8_t *const p = record + 32;
    const unsigned less = record[2] == 1 ? 8 : 0; /* two pointers of 4 bytes */
    assert_int_equal(load_u16(record), 2);
    assert_int_equal(load_u16(record + 6), 0);
    s->ts = (int64_t)load_u64(record + 16);
    s->buffer_bytes = load_u32(p);
    s->build = load_u32(p + 8);
    s->cpus = load_u32(p + 12);
    s->end = (int64_t)load_u64(p + 16);
    s->mode = load_u32(p + 32);
    s->buffers = load_u32(p + 36);
    s->events_lost = load_u32(p + 48);
    s->bias = (int32_t)load_u32(p + 72 - less);
    s->boot = (int64_t)load_u64(p + 248 - less);
    s->frequency = (int64_t)load_u64(p + 256 - less);
    s->start = (int64_t)load_u64(p + 264 - less);
    s->clock_type = load_u32(p + 272 - less);
    s->buffers_lost = load_u32(p + 276 - less);
}

static inline int64_t strict_events(const uint8_t *buffer, struct strict *s, int64_t before)
{
    const uint32_t end = load_u32(buffer + 0x30);
    for (uint32_t at = STRICT_HEAD; at < end;) {
        int64_t ts;
        uint16_t hook;
        const uint32_t bytes = strict_record(buffer + at, &ts, &hook);
        assert_true(bytes >= 16 && at + bytes <= end);
        at += (bytes + 7) & ~7u;
        s->events++;
        s->headers += hook == 0;
        if (hook == 0)
            continue;
        assert_true(ts >= before);
        before = ts;
        s->first = ts < s->first ? ts : s->first;
        s->last = ts > s->last ? ts : s->last;
    }
    return before;
}

/* The header of a buffer, and what is behind its records. */
static inline void strict_buffer(const uint8_t *b, uint32_t place, const struct strict *s,
                                 const uint8_t *first)
{
    enum { PROCESSOR_INDEX = 0x20, FLUSHED = 3 };
    const uint32_t end = load_u32(b + 0x30), bytes = load_u32(b);
    assert_int_equal(bytes, s->buffer_bytes);
    assert_true(end <= bytes);
    assert_int_equal(load_u32(b + 0x04), end);
    assert_int_equal(load_u16(b + 0x36), place ? 0 : 4);
    assert_int_equal(load_u32(b + 0x2c), FLUSHED);
    assert_true(load_u16(b + 0x34) & PROCESSOR_INDEX);
    assert_true(load_u16(b + 0x28) < s->cpus);
    assert_int_equal(load_u16(b + 0x2a), load_u16(first + 0x2a)); /* one session's */
    for (uint32_t at = (end + 7) & ~7u; at < bytes; at++)
        assert_int_equal(b[at], 0xff);
}

/* FILETIME of a raw time of the file's clock. */
static inline int64_t strict_filetime(const struct strict *s, int64_t raw)
{
    const int64_t ticks = raw - s->ts, frequency = s->clock_type == 2 ? 10000000 : s->frequency;
    return s->start + ticks / frequency * 10000000 + ticks % frequency * 10000000 / frequency;
}

static inline struct strict strict_read_as(const char *path, bool is_ours)
{
    struct strict s = {.first = INT64_MAX, .last = INT64_MIN};
    size_t size;
    uint8_t *const all = strict_load(path, &size);
    assert_true(size > STRICT_HEAD + 32 + 280);
    assert_int_equal(load_u16(all + 0x36), 4); /* the buffer of the log header */
    strict_header(all + STRICT_HEAD, &s);
    assert_in_range(s.buffers, 1, STRICT_BUFFERS);
    const uint8_t **const by_number = calloc(s.buffers + 1, sizeof *by_number);
    size_t at = 0;
    for (uint32_t i = 0; i < s.buffers; i++) {
        assert_true(at + STRICT_HEAD <= size);
        const uint8_t *const b = all + at;
        const uint64_t number = load_u64(b + 0x18);
        assert_true(number < s.buffers); /* else a reader takes it for damage */
        assert_true(i || !number);
        assert_null(by_number[number]);
        strict_buffer(b, i, &s, all);
        by_number[number] = b;
        s.flagged += (load_u16(b + 0x34) & 6) != 0;
        at += load_u32(b);
    }
    assert_int_equal(at, size); /* it holds as many as it says */
    for (uint32_t cpu = 0; cpu < s.cpus; cpu++) {
        int64_t before = INT64_MIN;
        for (uint32_t i = 0; i <= s.buffers; i++)
            if (by_number[i] && load_u16(by_number[i] + 0x28) == cpu)
                before = strict_events(by_number[i], &s, before);
    }
    if (is_ours)
        strict_constants(all + STRICT_HEAD, all[STRICT_HEAD + 2] == 1 ? 8 : 0, &s);
    free(by_number);
    free(all);
    if (s.events > s.headers) { /* they lie within its time */
        assert_true(s.start <= strict_filetime(&s, s.first));
        assert_true(s.end >= strict_filetime(&s, s.last));
    }
    return s;
}

/* A file with the log header of another one. */
static inline struct strict strict_read(const char *path)
{
    return strict_read_as(path, false);
}

/* A file whose log header is our own. */
static inline struct strict strict_read_ours(const char *path)
{
    return strict_read_as(path, true);
}

#endif

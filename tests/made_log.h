/* Small logs made by hand, byte by byte from the description of the format, for tests
 * that need what no real trace has. */
#ifndef TESTS_MADE_LOG_H
#define TESTS_MADE_LOG_H

#include "tests/test.h"

#include "src/base/bytes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MADE_BUFFER = 4096, MADE_START_RAW = 1000000 };
#define MADE_START_FILETIME 133500000000000000LL /* 2024-01-16 */

struct log_maker {
    uint8_t *bytes;
    size_t size, room;
    size_t buffer; /* offset of the buffer at hand */
    size_t at;     /* where its next record goes */
    uint32_t buffer_bytes;
};

static inline void put_u16(uint8_t *at, unsigned value)
{
    const uint16_t v = (uint16_t)value;
    memcpy(at, &v, sizeof v);
}

static inline void put_u32(uint8_t *at, uint32_t value)
{
    memcpy(at, &value, sizeof value);
}

static inline void put_u64(uint8_t *at, uint64_t value)
{
    memcpy(at, &value, sizeof value);
}

/* A new buffer, filled with ones behind its header. */
static inline void made_buffer(struct log_maker *m, unsigned type, unsigned cpu)
{
    m->buffer = m->size;
    m->size += m->buffer_bytes;
    if (m->size > m->room) {
        m->room = m->size * 2;
        m->bytes = realloc(m->bytes, m->room);
    }
    if (!m->bytes)
        abort();
    uint8_t *b = m->bytes + m->buffer;
    memset(b, 0, 72);
    memset(b + 72, 0xff, m->buffer_bytes - 72);
    put_u32(b, m->buffer_bytes);
    put_u16(b + 0x28, cpu);
    put_u32(b + 0x2c, 3);
    put_u32(b + 0x30, 72);
    put_u16(b + 0x34, 0x20);
    put_u16(b + 0x36, type);
    m->at = m->buffer + 72;
}

/* A record's bytes into the buffer at hand; returns where they are. */
static inline uint8_t *made_record(struct log_maker *m, const void *bytes, size_t size)
{
    const size_t at = m->at;
    assert_true(at + size <= m->buffer + m->buffer_bytes);
    memcpy(m->bytes + at, bytes, size);
    m->at += (size + 7) / 8 * 8;
    put_u32(m->bytes + m->buffer + 0x30, (uint32_t)(at + size - m->buffer));
    return m->bytes + at;
}

/* A PERFINFO64 record of `hook` with `payload` bytes that count up. */
static inline void made_perfinfo(struct log_maker *m, int64_t ts, unsigned hook, size_t payload)
{
    uint8_t record[16 + 4096] = {2, 0, 0x11, 0xc0};
    put_u16(record + 4, (unsigned)(16 + payload));
    put_u16(record + 6, hook);
    put_u64(record + 8, (uint64_t)ts);
    for (size_t i = 0; i < payload; i++)
        record[16 + i] = (uint8_t)i;
    made_record(m, record, 16 + payload);
}

/* The log header event as 64-bit Windows writes it. */
struct made_header {
    uint32_t mode, buffers_written, clock_type, cpu_mhz;
    int64_t frequency, end, ts;
};

static inline void made_log_header(struct log_maker *m, struct made_header h)
{
    static const char names[] = "t\0e\0s\0t\0\0\0x\0\0";
    uint8_t record[32 + 280 + sizeof names] = {2, 0, 2, 0xc0};
    uint8_t *p = record + 32;
    put_u16(record + 4, sizeof record);
    put_u64(record + 16, (uint64_t)h.ts);
    put_u32(p, m->buffer_bytes);
    put_u32(p + 4, 0x0501000a);
    put_u32(p + 8, 19045);
    put_u32(p + 12, 4);
    put_u64(p + 16, (uint64_t)h.end);
    put_u32(p + 32, h.mode);
    put_u32(p + 36, h.buffers_written);
    put_u32(p + 44, 8);
    put_u32(p + 52, h.cpu_mhz);
    put_u64(p + 256, (uint64_t)h.frequency);
    put_u64(p + 264, MADE_START_FILETIME);
    put_u32(p + 272, h.clock_type);
    memcpy(p + 280, names, sizeof names);
    made_record(m, record, sizeof record);
}

/* An ordinary log of `buffers` in all, up to its header buffer. */
static inline struct log_maker made_log(uint32_t buffer_bytes, uint32_t buffers)
{
    struct log_maker m = {.buffer_bytes = buffer_bytes};
    made_buffer(&m, 4, 0);
    made_log_header(&m, (struct made_header){.mode = 1,
                                             .buffers_written = buffers,
                                             .clock_type = 1,
                                             .frequency = 10000000,
                                             .end = MADE_START_FILETIME + 1,
                                             .ts = MADE_START_RAW});
    return m;
}

/* Data as an Xpress stream of nothing but literals. */
static inline size_t made_literals(const uint8_t *in, size_t bytes, uint8_t *out)
{
    uint8_t *const start = out;
    for (size_t at = 0; at < bytes; at += 32) {
        const size_t piece = bytes - at < 32 ? bytes - at : 32;
        put_u32(out, 0);
        memcpy(out + 4, in + at, piece);
        out += 4 + piece;
    }
    return (size_t)(out - start);
}

/* The same log as a relogging tool compresses it: the header buffer stays, each other
 * one is header and stream. */
static inline struct log_maker made_compressed(const struct log_maker *m)
{
    struct log_maker c = {.room = m->size * 2, .buffer_bytes = m->buffer_bytes};
    c.bytes = malloc(c.room);
    if (!c.bytes)
        abort();
    memcpy(c.bytes, m->bytes, m->buffer_bytes);
    c.size = m->buffer_bytes;
    for (size_t at = m->buffer_bytes; at < m->size; at += m->buffer_bytes) {
        const uint8_t *from = m->bytes + at;
        uint8_t *to = c.bytes + c.size;
        const size_t packed = made_literals(from + 72, load_u32(from + 0x30) - 72, to + 72);
        memcpy(to, from, 72);
        put_u32(to, (uint32_t)(72 + packed));
        put_u16(to + 0x34, load_u16(from + 0x34) | 0x40u);
        c.size += 72 + packed;
    }
    put_u32(c.bytes + 72 + 32 + 32, 0x04010001); /* LogFileMode */
    return c;
}

/* Writes `size` bytes of it to a file; free the name and unlink it with made_unlink(). */
static inline char *made_write(const struct log_maker *m, size_t size)
{
    char *name = strdup("/tmp/tracetop-test-XXXXXX");
    const int descriptor = mkstemp(name);
    assert_true(descriptor >= 0);
    assert_int_equal(write(descriptor, m->bytes, size), size);
    close(descriptor);
    return name;
}

static inline void made_unlink(char *name)
{
    unlink(name);
    free(name);
}

static inline void made_free(struct log_maker *m)
{
    free(m->bytes);
    *m = (struct log_maker){0};
}

#endif

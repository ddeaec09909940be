/* A stage for engine tests: fake collectors whose rings the test fills with kernel
 * records made by hand (64-bit, one tick = 100 ns, epoch = 0), and a real engine.
 * Times are given in microseconds. */
#ifndef TESTS_STAGE_H
#define TESTS_STAGE_H

#include "tests/test.h"

#include "src/engine/engine.h"
#include "src/os/os.h"
#include "src/pane/panes.h"
#include "src/table/getters.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define UNUSED __attribute__((unused))

enum { STAGES = 4, STAGE_CPUS = 2 };

static const int64_t STAGE_TIMEOUT = PATIENCE_NS; /* only what hangs takes as long */

struct stage {
    struct collector collectors[STAGES];
    struct collector *list[STAGES];
    struct engine *engine;
    size_t count;
    struct request request;
};

static const struct collector_kind stage_live = { .id = "stage", .help = "", .is_live = true };
static const struct collector_kind stage_file = { .id = "stage", .help = "", .is_live = false };

UNUSED static struct stage *stage_open(size_t collectors, size_t ring_bytes, size_t segment)
{
    struct stage *s = calloc(1, sizeof *s);
    s->count = collectors;
    for (size_t i = 0; i < collectors; i++) {
        struct collector *c = &s->collectors[i];
        c->kind = &stage_file;
        c->hot = ring_new(ring_bytes, segment);
        assert_non_null(c->hot);
        c->sources[0].clock = trace_clock_make(CLOCK_QPC, 0, FILETIME_UNIX_EPOCH, 10000000);
        c->sources[0].cpus = STAGE_CPUS;
        c->sources[0].pointer = 8;
        atomic_store(&c->source_count, 1);
        s->list[i] = c;
    }
    return s;
}

UNUSED static void stage_play_with(struct stage *s, struct engine_options o)
{
    struct err err;
    o.collectors = s->list;
    o.collector_count = s->count;
    s->engine = engine_start(&o, &err);
    assert_non_null(s->engine);
}

/* Starts the engine with one-second intervals. */
UNUSED static void stage_play(struct stage *s)
{
    stage_play_with(s, (struct engine_options){ .interval_ns = 1000000000,
                                                .wait_ns = 50000000 });
}

UNUSED static void stage_finish(struct stage *s)
{
    for (size_t i = 0; i < s->count; i++)
        ring_finish(s->collectors[i].hot);
}

UNUSED static void stage_close(struct stage *s)
{
    engine_stop(s->engine);
    for (size_t i = 0; i < s->count; i++)
        ring_free(s->collectors[i].hot);
    free(s);
}

/* ---- records -------------------------------------------------------------------- */

struct note {
    uint8_t bytes[1024];
    size_t used;
};

UNUSED static void put(struct note *n, const void *bytes, size_t count)
{
    assert_true(n->used + count <= sizeof n->bytes);
    memcpy(n->bytes + n->used, bytes, count);
    n->used += count;
}

UNUSED static void put_u8(struct note *n, uint8_t v) { put(n, &v, sizeof v); }
UNUSED static void put_u16(struct note *n, uint16_t v) { put(n, &v, sizeof v); }
UNUSED static void put_u32(struct note *n, uint32_t v) { put(n, &v, sizeof v); }
UNUSED static void put_u64(struct note *n, uint64_t v) { put(n, &v, sizeof v); }

UNUSED static void put_wide(struct note *n, const char *text)
{
    for (; *text; text++)
        put_u16(n, (uint8_t)*text);
    put_u16(n, 0);
}

struct scene {
    struct stage *stage;
    unsigned collector;
    uint16_t cpu;
    uint32_t pid, tid; /* of a SYSTEM header; EVENT_NO_ID: a PERFINFO header */
    uint8_t source;    /* of the collector's */
};

/* Sends a kernel record with this payload; waits for room like a file does. */
UNUSED static void send_record(const struct scene *s, int64_t us, uint16_t hook, uint8_t version,
                               const struct note *payload)
{
    enum { SYSTEM64 = 2, PERFINFO64 = 17 };
    struct note n = { .used = 0 };
    const bool has_ids = s->tid != EVENT_NO_ID;
    put_u16(&n, version);
    put_u8(&n, has_ids ? SYSTEM64 : PERFINFO64);
    put_u8(&n, 0xc0);
    put_u16(&n, (uint16_t)((has_ids ? 32 : 16) + payload->used));
    put_u16(&n, hook);
    if (has_ids) {
        put_u32(&n, s->tid);
        put_u32(&n, s->pid);
    }
    put_u64(&n, (uint64_t)us * 10);
    if (has_ids)
        put_u64(&n, 0);
    put(&n, payload->bytes, payload->used);
    struct ring *ring = s->stage->collectors[s->collector].hot;
    const struct record_head head = {
        .bytes = (uint32_t)(sizeof head + n.used), .form = RECORD_ETW, .cpu = s->cpu,
        .source = s->source, .ts = us * 10,
    };
    while (!ring_has_room(ring, head.bytes))
        os_sleep(100000);
    assert_true(ring_put(ring, &head, n.bytes));
}

/* Likewise a record of a manifest provider, from the thread of the scene. */
UNUSED static void send_manifest(const struct scene *s, int64_t us, const struct guid *provider,
                                 uint16_t id, uint8_t version, const struct note *payload)
{
    enum { EVENT_HEADER64 = 19, HEADER_BYTES = 80 };
    struct note n = {.used = 0};
    put_u16(&n, (uint16_t)(HEADER_BYTES + payload->used));
    put_u8(&n, EVENT_HEADER64);
    put_u8(&n, 0xc0);
    put_u32(&n, 0); /* flags, property */
    put_u32(&n, s->tid);
    put_u32(&n, s->pid);
    put_u64(&n, (uint64_t)us * 10);
    put(&n, provider->b, sizeof provider->b);
    put_u16(&n, id);
    put_u8(&n, version);
    put_u8(&n, 0);
    put_u8(&n, 4); /* level */
    for (n.used = 48; n.used < HEADER_BYTES;)
        put_u8(&n, 0);
    put(&n, payload->bytes, payload->used);
    struct ring *ring = s->stage->collectors[s->collector].hot;
    const struct record_head head = {.bytes = (uint32_t)(sizeof head + n.used),
                                     .form = RECORD_ETW,
                                     .cpu = s->cpu,
                                     .source = s->source,
                                     .ts = us * 10};
    while (!ring_has_room(ring, head.bytes))
        os_sleep(100000);
    assert_true(ring_put(ring, &head, n.bytes));
}

enum { HOOK_START = 1, HOOK_END = 2, HOOK_DC_START = 3, HOOK_DC_END = 4 };

UNUSED static void send_process(const struct scene *s, int64_t us, unsigned what, uint32_t pid,
                                uint32_t parent, const char *name)
{
    struct note n = { .used = 0 };
    put_u64(&n, 0xffff800000000000u + pid); /* UniqueProcessKey */
    put_u32(&n, pid);
    put_u32(&n, parent);
    put_u32(&n, 1); /* session */
    put_u32(&n, 0x103);
    put_u64(&n, 0); /* DirectoryTableBase */
    put_u32(&n, 0); /* no SID */
    put(&n, name, strlen(name) + 1);
    put_wide(&n, name);
    send_record(s, us, (uint16_t)(0x0300 + what), 3, &n);
}

UNUSED static void send_thread(const struct scene *s, int64_t us, unsigned what, uint32_t pid,
                               uint32_t tid)
{
    struct note n = { .used = 0 };
    put_u32(&n, pid);
    put_u32(&n, tid);
    for (unsigned i = 0; i < 7; i++)
        put_u64(&n, 0);
    put_u32(&n, 0);
    put_u32(&n, 0);
    send_record(s, us, (uint16_t)(0x0500 + what), 3, &n);
}

/* spare: what our collector says of the time before it */
UNUSED static void send_switch_spare(const struct scene *s, int64_t us, uint32_t from, uint32_t to,
                                     uint8_t spare)
{
    struct note n = { .used = 0 };
    put_u32(&n, to);
    put_u32(&n, from);
    put_u32(&n, (uint32_t)spare << 24);
    put_u8(&n, 6); /* wait reason */
    put_u8(&n, 1);
    put_u8(&n, 5); /* waiting */
    put_u8(&n, 0);
    put_u64(&n, 0);
    send_record(s, us, 0x0524, 4, &n);
}

UNUSED static void send_switch(const struct scene *s, int64_t us, uint32_t from, uint32_t to)
{
    send_switch_spare(s, us, from, to, 0);
}

/* An image of a 64-bit system: loaded, unloaded or listed, by the hook. */
UNUSED static void send_module(const struct scene *s, int64_t us, uint16_t hook, uint32_t pid,
                               uint64_t base, const char *path)
{
    struct note n = {.used = 0};
    put_u64(&n, base);
    put_u64(&n, 0x3000);
    put_u32(&n, pid);
    for (unsigned i = 0; i < 3; i++)
        put_u32(&n, 0);
    put_u64(&n, base);
    for (unsigned i = 0; i < 4; i++)
        put_u32(&n, 0);
    put_wide(&n, path);
    send_record(s, us, hook, 3, &n);
}

UNUSED static void send_ready(const struct scene *s, int64_t us, uint32_t tid)
{
    struct note n = { .used = 0 };
    put_u32(&n, tid);
    put_u32(&n, 0);
    send_record(s, us, 0x0532, 2, &n);
}

/* A completed read or write (version 3: the payload names the thread). */
UNUSED static void send_disk(const struct scene *s, int64_t us, bool is_write, uint32_t disk,
                             uint32_t bytes, uint64_t file, int64_t took_us, uint32_t tid)
{
    struct note n = { .used = 0 };
    put_u32(&n, disk);
    put_u32(&n, 0);
    put_u32(&n, bytes);
    put_u32(&n, 0);
    put_u64(&n, 4096);
    put_u64(&n, file);
    put_u64(&n, 0x1000 + (uint64_t)us); /* Irp */
    put_u64(&n, (uint64_t)took_us * 10);
    put_u32(&n, tid);
    send_record(s, us, is_write ? 0x010b : 0x010a, 3, &n);
}

UNUSED static void send_file_name(const struct scene *s, int64_t us, unsigned type, uint64_t file,
                                  const char *name)
{
    struct note n = { .used = 0 };
    put_u64(&n, file);
    put_wide(&n, name);
    send_record(s, us, (uint16_t)(0x0400 + type), 2, &n);
}

UNUSED static void send_sample(const struct scene *s, int64_t us, uint32_t tid)
{
    struct note n = { .used = 0 };
    put_u64(&n, 0xfffff80000001000u);
    put_u32(&n, tid);
    put_u16(&n, 1);
    put_u16(&n, 0);
    send_record(s, us, 0x0f2e, 2, &n);
}

UNUSED static void send_tcp(const struct scene *s, int64_t us, bool is_send, uint32_t pid,
                            uint32_t bytes)
{
    struct note n = { .used = 0 };
    put_u32(&n, pid);
    put_u32(&n, bytes);
    for (unsigned i = 0; i < 6; i++)
        put_u32(&n, 0);
    put_u64(&n, 0);
    send_record(s, us, is_send ? 0x060a : 0x060b, 2, &n);
}

/* ---- asking ------------------------------------------------------------------------ */

/* The request that the next stage_ask() sends: a pane from its top, totals. */
UNUSED static struct request *stage_request(struct stage *s, const char *pane)
{
    const uint64_t sequence = s->request.sequence;
    s->request = (struct request){ .sequence = sequence, .pane = pane_find(pane), .rows = 1000,
                                   .accumulate = true };
    assert_non_null(s->request.pane);
    s->request.sort = (unsigned)(pane_column(s->request.pane, s->request.pane->sort)
                                 - s->request.pane->columns);
    return &s->request;
}

/* The frame that answers, once every collector is finished and all is scanned. */
UNUSED static struct frame *stage_ask(struct stage *s)
{
    s->request.sequence++;
    engine_request(s->engine, &s->request);
    struct frame *f = engine_wait_frame(s->engine, s->request.sequence, true, STAGE_TIMEOUT);
    assert_non_null(f);
    return f;
}

/* A pane under a filter. */
UNUSED static struct frame *stage_show(struct stage *s, const char *pane, const char *filter)
{
    struct request *const r = stage_request(s, pane);
    snprintf(r->filter, sizeof r->filter, "%s", filter);
    return stage_ask(s);
}

/* How many events a filter lets through. */
UNUSED static uint64_t stage_events(struct stage *s, const char *filter)
{
    struct frame *const f = stage_show(s, "events", filter);
    const uint64_t count = f->shown;
    frame_free(f);
    return count;
}

/* The first frame that answers, finished or not. */
UNUSED static struct frame *stage_ask_now(struct stage *s)
{
    s->request.sequence++;
    engine_request(s->engine, &s->request);
    struct frame *f = engine_wait_frame(s->engine, s->request.sequence, false, STAGE_TIMEOUT);
    assert_non_null(f);
    return f;
}

UNUSED static struct value cell(const struct frame *f, unsigned row, const char *column)
{
    const struct column *c = pane_column(f->pane, column);
    assert_non_null(c);
    assert_true(row < f->row_count);
    return f->rows[row].cells[c - f->pane->columns];
}

UNUSED static struct value total(const struct frame *f, const char *column)
{
    const struct column *c = pane_column(f->pane, column);
    assert_non_null(c);
    return f->totals[c - f->pane->columns];
}

UNUSED static const char *text_of(const struct frame *f, struct value v)
{
    static char text[4096];
    if (v.type == VALUE_ABSENT)
        return "-";
    assert_true(v.type == VALUE_TEXT || v.type == VALUE_PATH || v.type == VALUE_SERIES);
    assert_true(v.text.offset + v.text.bytes <= f->arena_bytes && v.text.bytes < sizeof text);
    memcpy(text, f->arena + v.text.offset, v.text.bytes);
    text[v.text.bytes] = '\0';
    return text;
}

/* The one event that a filter lets through says this first. */
UNUSED static void stage_check_detail(struct stage *s, const char *filter, const char *begin)
{
    struct frame *const f = stage_show(s, "events", filter);
    if (f->shown != 1)
        fail_msg("%s: %u events", filter, (unsigned)f->shown);
    const char *const text = text_of(f, cell(f, 0, "detail"));
    if (strncmp(text, begin, strlen(begin)) != 0)
        fail_msg("%s: '%s' does not begin with '%s'", filter, text, begin);
    frame_free(f);
}

/* The row whose column has this text, or -1. */
UNUSED static int row_named(const struct frame *f, const char *column, const char *text)
{
    for (unsigned i = 0; i < f->row_count; i++)
        if (strcmp(text_of(f, cell(f, i, column)), text) == 0)
            return (int)i;
    return -1;
}

/* What the column's rates were divided by. */
UNUSED static double seconds_of(const struct frame *f, const char *column)
{
    const struct column *const c = pane_column(f->pane, column);
    assert_non_null(c);
    return f->column_s[c - f->pane->columns];
}

/* A rate times what it was divided by: the sum behind it, rounded. */
UNUSED static uint64_t amount(const struct frame *f, struct value v, const char *column)
{
    return v.type == VALUE_ABSENT ? 0 : (uint64_t)(v.number * seconds_of(f, column) + 0.5);
}

#endif

#include "src/save.h"

#include "src/mem.h"
#include "src/model_rundown.h"
#include "src/pen.h"
#include "src/retime.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RECORD_ROOM = 1 << 16, FILETIME_NS = 100 };

static int64_t filetime(int64_t ns)
{
    return ns / FILETIME_NS + FILETIME_UNIX_EPOCH;
}

/* A pair of raw and absolute time that a header can bear: FILETIME counts 100 ns. */
static void whole_filetime(struct trace_clock *c)
{
    enum { NS_PER_S = 1000000000 };
    const int64_t rest = c->anchor_ns % FILETIME_NS;
    if (rest && c->frequency == NS_PER_S) {
        c->anchor_ns -= rest;
        c->anchor_raw -= rest;
    }
}

/* The log header is about the machine whose events these are, and pairs raw with absolute
 * time as its source does. */
static uint32_t make_header(const struct save *s, uint8_t *out)
{
    const struct source *const source = &s->o.collector->sources[0];
    struct etl_header h = {
        .build = source->build,
        .cpus = source->cpus ? source->cpus : 1,
        .clock_type = s->clock.kind == CLOCK_SYSTEM ? CLOCK_SYSTEM : CLOCK_QPC,
        .frequency = s->clock.frequency,
        .timer_resolution = 156250,
        .ts = s->clock.anchor_raw,
        .start = filetime(s->clock.anchor_ns),
    };
    snprintf(h.logger, sizeof h.logger, "tracetop");
    snprintf(h.file, sizeof h.file, "%.500s", s->o.path);
    return etl_log_header(&h, 0, 0, out);
}

static void keep_error(struct save *s, const struct err *err)
{
    if (!s->has_failed)
        s->err = *err;
    s->has_failed = true;
}

bool save_open(struct save *s, const struct save_options *o, struct err *err)
{
    uint8_t header[ETL_WRITE_HEADER_ROOM];
    *s = (struct save){.o = *o, .clock = o->collector->sources[0].clock};
    whole_filetime(&s->clock);
    if (!draft_open(&s->draft, o->path, o->replace, err))
        return false;
    const struct etl_write_options w = {
        .name = s->draft.path,
        .header = header,
        .header_bytes = make_header(s, header),
        .buffer_bytes = ETL_WRITE_BUFFER_FULL,
        .most_bytes = o->most_bytes,
        .sequence = o->sequence,
        .is_numbered = o->is_numbered,
    };
    s->write = etl_write_new(s->draft.file, &w, err);
    if (!s->write) {
        draft_drop(&s->draft);
        return false;
    }
    s->scratch = mem_new(RECORD_ROOM + sizeof(struct record_head), 1);
    return true;
}

static void append(struct save *s, const struct record_head *head, const void *record)
{
    struct err err;
    if (!s->has_failed && !etl_write_append(s->write, head, record, &err))
        keep_error(s, &err);
}

/* A record of another source than the first, on the file's clock. */
static void append_converted(struct save *s, const struct record_head *head, const void *record)
{
    const size_t body = head->bytes - sizeof *head;
    struct record_head moved = *head;
    struct event e;
    if (body > RECORD_ROOM)
        return;
    memcpy(s->scratch + sizeof *head, record, body);
    memcpy(s->scratch, head, sizeof *head);
    const struct record_head *const copy = (const struct record_head *)(void *)s->scratch;
    if (event_of_record(copy, &e) == EVENT_OK)
        moved.ts = record_change_clock(s->scratch + sizeof *head, &e,
                                       &s->o.collector->sources[head->source].clock, &s->clock);
    append(s, &moved, s->scratch + sizeof *head);
}

static void put(struct save *s, const struct record_head *head, const void *record)
{
    const unsigned known =
        atomic_load_explicit(&s->o.collector->source_count, memory_order_acquire);
    const bool is_foreign =
        head->source != 0 && head->source < known && head->form == RECORD_ETW &&
        !trace_clock_is_same(&s->o.collector->sources[head->source].clock, &s->clock);
    if (is_foreign)
        append_converted(s, head, record);
    else
        append(s, head, record);
}

void save_put(struct save *s, const struct record_head *head, const void *record)
{
    if (head->source < SOURCE_MAX && head->form == RECORD_ETW) {
        const struct trace_clock *const clock = &s->o.collector->sources[head->source].clock;
        const int64_t ns = clock->frequency ? trace_clock_ns(clock, head->ts) : 0;
        if (!s->events)
            s->first_ns = ns;
        if (ns > s->last_ns)
            s->last_ns = ns;
        s->events++;
    }
    put(s, head, record);
}

void save_rundown(struct save *s, const struct model_rundown *r, bool is_in_front)
{
    size_t bytes;
    struct err err;
    const uint8_t *const records = model_rundown_records(r, &bytes);
    for (size_t at = 0; at < bytes;) {
        struct record_head head;
        memcpy(&head, records + at, sizeof head);
        put(s, &head, records + at + sizeof head);
        at += ring_padded(head.bytes);
    }
    if (is_in_front && s->o.most_bytes && !s->has_failed && !etl_write_keep(s->write, &err))
        keep_error(s, &err);
}

void save_mark(struct save *s, int64_t ns, const char *text, size_t bytes)
{
    enum { HEADER = 16, PERFINFO64 = 0x11, FLAGS = 0xc0, MARK = 0x22, GROUP = 0x0f, MOST = 1024 };
    uint8_t record[HEADER + MOST];
    struct pen p = {record, record, record + sizeof record};
    bytes = bytes < MOST - 1 ? bytes : MOST - 1;
    const struct record_head head = {.bytes = (uint32_t)(sizeof head + HEADER + bytes + 1),
                                     .form = RECORD_ETW,
                                     .ts = trace_clock_raw(&s->clock, ns)};
    put_u16(&p, 0);
    put_u8(&p, PERFINFO64);
    put_u8(&p, FLAGS);
    put_u16(&p, (unsigned)(HEADER + bytes + 1));
    put_u8(&p, MARK);
    put_u8(&p, GROUP);
    put_u64(&p, (uint64_t)head.ts);
    put_bytes(&p, text, bytes);
    put_u8(&p, 0);
    append(s, &head, record);
}

void save_lost(struct save *s, uint64_t events)
{
    const struct record_lost lost = {.events = events};
    const struct record_head head = {.bytes = sizeof head + sizeof lost, .form = RECORD_LOST};
    if (events)
        append(s, &head, &lost);
}

void save_flush(struct save *s)
{
    struct err err;
    if (!s->has_failed && !etl_write_flush(s->write, &err))
        keep_error(s, &err);
}

static void let_go(struct save *s)
{
    etl_write_free(s->write);
    free(s->scratch);
    s->write = NULL;
    s->scratch = NULL;
}

bool save_finish(struct save *s, struct etl_written *written, struct err *err)
{
    struct err late;
    bool is_done = !s->has_failed;
    if (s->has_failed)
        fail(err, "%s", s->err.text);
    else
        is_done = etl_write_finish(s->write, filetime(os_wall_now()), err);
    if (written)
        *written = etl_write_count(s->write);
    if (is_done)
        is_done = draft_keep(&s->draft, err);
    else if (s->o.keeps_part)
        draft_keep(&s->draft, &late); /* readable up to its last whole buffer */
    else
        draft_drop(&s->draft);
    let_go(s);
    return is_done;
}

void save_drop(struct save *s)
{
    if (s->write) {
        let_go(s);
        draft_drop(&s->draft);
    }
}

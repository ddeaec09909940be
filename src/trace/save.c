#include "src/trace/save.h"

#include "src/base/bytes.h"
#include "src/base/mem.h"
#include "src/base/payload_writer.h"
#include "src/event/decode/classes.h"
#include "src/event/retime.h"
#include "src/model/rundown.h"
#include "src/trace/image_ids.h"
#include "src/trace/schema_records.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RECORD_ROOM = 1 << 16, FILETIME_NS = 100 };

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

/* A log of this machine ends when it is stopped, and not after its range; others end with their
 * last event (0). */
static int64_t end_of(const struct save *s)
{
    const struct collector *const c = s->o.collector;
    if (!collector_is_live(c) || c->sources[0].is_synthetic)
        return 0;
    const int64_t now = os_wall_now();
    return clock_filetime(s->o.until_ns && s->o.until_ns < now ? s->o.until_ns : now);
}

static int64_t greatest_divisor(int64_t a, int64_t b)
{
    while (b) {
        const int64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* The last raw time up to `raw` that FILETIME can express exactly: so that the pair of both in the
 * header shifts no event. */
static int64_t exact_before(const struct trace_clock *c, int64_t raw)
{
    enum { FILETIME_PER_S = 10000000 };
    const int64_t step = c->frequency / greatest_divisor(c->frequency, FILETIME_PER_S);
    int64_t since;
    if (__builtin_sub_overflow(raw, c->anchor_raw, &since))
        return c->anchor_raw;
    const int64_t rest = since % step;
    const int64_t back = rest < 0 ? rest + step : rest;
    return raw < INT64_MIN + back ? raw : raw - back;
}

/* The file begins with its first record. */
static void begin_with(struct save *s, int64_t raw)
{
    const int64_t ts = exact_before(&s->clock, raw);
    etl_log_begin(s->log, ts, clock_filetime(trace_clock_ns(&s->clock, ts)));
    s->is_begun = true;
}

/* The log header is about the machine whose events these are, and pairs raw with absolute
 * time as its source does, until the first event comes; where that is no time, as it is now. */
static uint32_t make_header(const struct save *s, uint8_t *out)
{
    const struct source *const source = &s->o.collector->sources[0];
    const bool has_time = s->clock.anchor_ns > 0;
    const int64_t now = has_time ? 0 : trace_clock_raw(&s->clock, os_wall_now());
    const int64_t ts = has_time ? s->clock.anchor_raw : exact_before(&s->clock, now);
    struct etl_header h = {
        .version = source->version,
        .build = source->build,
        .cpus = source->cpus ? source->cpus : 1,
        .clock_type = s->clock.kind == CLOCK_SYSTEM ? CLOCK_SYSTEM : CLOCK_QPC,
        .frequency = s->clock.frequency,
        .cpu_mhz = source->mhz,
        .boot = source->boot_ns ? clock_filetime(source->boot_ns) : 0,
        .bias_minutes = source->bias_minutes,
        .timer_resolution = source->timer_resolution,
        .pointer = source->pointer,
        .ts = ts,
        .start = clock_filetime(trace_clock_ns(&s->clock, ts)),
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

static void put_schemas(struct save *s, bool is_end);

/* A file ends, or the next one begins, where the last event was. */
static bool put_edge(void *state, bool is_end, struct err *err)
{
    struct save *const s = state;
    s->is_begun = is_end;
    s->file_ns = 0;
    if (is_end)
        put_schemas(s, true);
    else if (s->schemas)
        schema_records_begin_file(s->schemas);
    struct model_rundown *const r =
        s->o.rundown ? s->o.rundown(s->o.state, s->last_ns, is_end) : NULL;
    if (r)
        save_rundown(s, r, !is_end);
    model_rundown_free(r);
    return !s->has_failed || fail(err, "%s", s->err.text);
}

static unsigned processors_of(const struct collector *c)
{
    return c->sources[0].cpus ? c->sources[0].cpus : 1;
}

uint64_t save_least_bytes(const struct collector *c)
{
    enum { BUFFERS = 2 };
    return (uint64_t)BUFFERS * (processors_of(c) + 1) * ETL_WRITE_BUFFER_FULL;
}

static bool check_bound(const struct save_options *o, struct err *err)
{
    const unsigned cpus = processors_of(o->collector);
    const uint64_t least = save_least_bytes(o->collector);
    if (o->most_bytes && o->most_bytes < least)
        return fail(err,
                    "%s: with %u processors a file takes %" PRIu64 "M at least, not %" PRIu64 "K",
                    o->path, cpus, (least + (1 << 20) - 1) >> 20, o->most_bytes >> 10);
    return true;
}

/* Images whose files are here and tell which PDB is theirs: of a running Windows. */
static bool has_image_files(const struct collector *c)
{
    return collector_is_live(c) && !c->sources[0].is_linux && !c->sources[0].is_synthetic;
}

bool save_open(struct save *s, const struct save_options *o, struct err *err)
{
    uint8_t header[ETL_WRITE_HEADER_ROOM];
    *s = (struct save){.o = *o, .clock = o->collector->sources[0].clock};
    if (!check_bound(o, err))
        return false;
    whole_filetime(&s->clock);
    const struct etl_log_options log = {
        .path = o->path,
        .force = o->replace,
        .mode = o->mode,
        .most_bytes = o->most_bytes,
        .files_most = o->files_most,
        .first_number = o->first_number,
        .is_compressed = o->is_compressed,
        .header = header,
        .header_bytes = make_header(s, header),
        .buffer_bytes = ETL_WRITE_BUFFER_FULL,
        .is_stream = o->is_stream,
        .is_whole_or_none = !o->keeps_part,
        .edge = put_edge,
        .state = s,
    };
    s->log = etl_log_new(&log, err);
    if (!s->log)
        return false;
    s->scratch = mem_new(RECORD_ROOM + sizeof(struct record_head), 1);
    s->schemas = schema_records_new(o->most_bytes);
    if (has_image_files(o->collector))
        s->images = image_ids_new();
    return true;
}

bool save_has_room(const struct save *s, const struct record_head *head)
{
    return etl_log_has_room(s->log, head);
}

static uint64_t lost_events(const void *record)
{
    struct record_lost lost;
    memcpy(&lost, record, sizeof lost);
    return lost.events;
}

static void append(struct save *s, const struct record_head *head, const void *record)
{
    struct err err;
    if (s->has_failed)
        return;
    if (!etl_log_append(s->log, head, record, &err))
        keep_error(s, &err);
    else if (head->form == RECORD_LOST)
        s->lost += lost_events(record);
    else if (!s->is_begun)
        begin_with(s, head->ts);
    if (head->form == RECORD_ETW)
        s->last = *head;
}

/* ---- schemas ------------------------------------------------------------------------------- */

static bool put_schema(void *state, uint8_t opcode, const uint8_t *payload, size_t bytes)
{
    struct save *const s = state;
    const struct record_head head =
        schema_record(s->scratch, opcode, payload, bytes, s->last.ts, s->last.cpu);
    if (!head.bytes)
        return true;
    if (!s->is_ending && !etl_log_stays(s->log, &head))
        return false;
    append(s, &head, s->scratch);
    return !s->has_failed;
}

/* Behind events that need them; at a file's end all that it lacks, whatever its size. Of a circular
 * file the first may have been overwritten. */
static void put_schemas(struct save *s, bool is_end)
{
    if (!s->schemas || !s->events || s->has_failed)
        return;
    if (is_end && s->o.mode == ETL_LOG_CIRCULAR)
        schema_records_again(s->schemas);
    s->is_ending = is_end;
    schema_records_export(s->schemas, put_schema, s);
    s->is_ending = false;
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

/* ---- images ---------------------------------------------------------------------------------- */

/* Before an image's record, at its time; where there is no room for both, it goes without. */
static void put_image_ids(struct save *s, const struct record_head *head, const uint8_t *record)
{
    struct image_id_records ids = {.count = 0};
    struct record_head all = *head;
    if (!s->images || s->has_failed || !image_ids_is_image(head, record))
        return;
    image_ids_of(s->images, head, record, &ids);
    s->unidentified = image_ids_left_out(s->images);
    for (unsigned i = 0; i < ids.count; i++)
        all.bytes += ids.heads[i].bytes;
    if (!ids.count || !etl_log_stays(s->log, &all))
        return;
    for (unsigned i = 0; i < ids.count; i++)
        put(s, &ids.heads[i], ids.records[i]);
}

void save_from(struct save *s, int64_t ns)
{
    s->from_ns = ns;
}

/* A stack walk whose event was before the file's first. Most records are none: three looks. */
static bool is_stack_of_before(const struct save *s, const struct record_head *head,
                               const uint8_t *record)
{
    enum { PERFINFO32 = 16, PERFINFO64 = 17, HEADER = 16, TIME = 8, STACKS = 0x18 };
    enum { STACK = 0x20, KERNEL_KEY = 0x25, USER_KEY = 0x26 };
    if (head->form != RECORD_ETW || head->source >= SOURCE_MAX ||
        head->bytes < sizeof *head + HEADER + TIME || record[7] != STACKS ||
        (record[2] != PERFINFO32 && record[2] != PERFINFO64) || record[1])
        return false;
    const uint8_t type = record[6];
    if (type != STACK && type != KERNEL_KEY && type != USER_KEY)
        return false;
    const struct trace_clock *const clock = &s->o.collector->sources[head->source].clock;
    return trace_clock_ns(clock, (int64_t)load_u64(record + HEADER)) < s->from_ns;
}

/* A file that covers its time goes on in the next one, between two events. */
static void end_file_if_due(struct save *s, int64_t ns)
{
    struct err err;
    if (!s->o.most_ns || !ns || s->has_failed)
        return;
    if (s->file_ns && ns - s->file_ns >= s->o.most_ns && !etl_log_next(s->log, &err))
        keep_error(s, &err);
    if (!s->file_ns)
        s->file_ns = ns;
}

void save_put(struct save *s, const struct record_head *head, const void *record, int64_t ns)
{
    if (is_stack_of_before(s, head, record))
        return;
    end_file_if_due(s, ns);
    put_image_ids(s, head, record);
    put(s, head, record);
    if (s->schemas && !s->has_failed)
        schema_records_note(s->schemas, head, record);
    if (s->has_failed || head->source >= SOURCE_MAX || head->form != RECORD_ETW)
        return;
    if (!s->events)
        s->first_ns = ns;
    if (ns > s->last_ns)
        s->last_ns = ns;
    s->events++;
}

void save_put_at(struct save *s, const struct record_head *head, const void *record, int64_t ns)
{
    const size_t body = head->bytes - sizeof *head;
    uint8_t *const moved = mem_new(body, 1);
    struct record_head at = *head;
    struct event e;
    memcpy(moved, record, body);
    if (event_parse(moved, body, &e) == EVENT_OK) {
        at.ts = trace_clock_raw(&s->o.collector->sources[head->source].clock, ns);
        record_set_time(moved, &e, at.ts);
    }
    save_put(s, &at, moved, ns);
    free(moved);
}

/* All records of a rundown are of one time. Readers tell by time which ImageId record belongs to
 * which image, so images get a time of their own: a tick each, before it or at the end behind it.
 */
struct apart {
    int64_t shift;   /* ticks, of the next record */
    uint8_t *record; /* room for one with another time; NULL: all stay as they are */
};

static bool has_image_id(const struct save *s, const struct record_head *head,
                         const uint8_t *record)
{
    struct event e;
    struct image_id_records ids = {.count = 0};
    if (s->images)
        image_ids_of(s->images, head, record, &ids);
    return ids.count ||
           (event_parse(record, head->bytes - sizeof *head, &e) == EVENT_OK &&
            e.kind == HEADER_CLASSIC && guid_equal(&e.provider, &decode_image_id.guid));
}

static struct apart set_apart(const struct save *s, const uint8_t *records, size_t bytes,
                              bool is_in_front)
{
    struct apart a = {.record = NULL};
    int64_t images = 0;
    bool has_ids = false;
    for (size_t at = 0; at < bytes;) {
        struct record_head head;
        memcpy(&head, records + at, sizeof head);
        images += image_ids_is_image(&head, records + at + sizeof head);
        has_ids = has_ids || has_image_id(s, &head, records + at + sizeof head);
        at += ring_padded(head.bytes);
    }
    if (has_ids)
        a = (struct apart){is_in_front ? -images : 0, mem_new(RECORD_ROOM, 1)};
    return a;
}

static void put_apart(struct save *s, struct apart *a, const struct record_head *head,
                      const uint8_t *record)
{
    struct record_head moved = *head;
    struct event e;
    const uint8_t *it = record;
    if (a->record && head->bytes - sizeof *head <= RECORD_ROOM &&
        event_parse(record, head->bytes - sizeof *head, &e) == EVENT_OK) {
        a->shift += image_ids_is_image(head, record);
        if (__builtin_add_overflow(head->ts, a->shift, &moved.ts))
            moved.ts = head->ts;
        memcpy(a->record, record, head->bytes - sizeof *head);
        record_set_time(a->record, &e, moved.ts);
        it = a->record;
    }
    put_image_ids(s, &moved, it);
    put(s, &moved, it);
}

void save_rundown(struct save *s, const struct model_rundown *r, bool is_in_front)
{
    size_t bytes;
    struct err err;
    if (!is_in_front)
        etl_log_begin_end(s->log);
    const uint8_t *const records = model_rundown_records(r, &bytes);
    struct apart apart = set_apart(s, records, bytes, is_in_front);
    for (size_t at = 0; at < bytes;) {
        struct record_head head;
        memcpy(&head, records + at, sizeof head);
        put_apart(s, &apart, &head, records + at + sizeof head);
        at += ring_padded(head.bytes);
    }
    free(apart.record);
    if (is_in_front && !s->has_failed && !etl_log_keep(s->log, &err))
        keep_error(s, &err);
}

void save_mark(struct save *s, const struct record_head *head, const void *record)
{
    struct record_head timed = *head;
    struct event e;
    timed.ts = trace_clock_raw(&s->clock, head->ts);
    memcpy(s->scratch, &timed, sizeof timed);
    memcpy(s->scratch + sizeof timed, record, head->bytes - sizeof *head);
    if (event_of_record((const struct record_head *)(void *)s->scratch, &e) != EVENT_OK)
        return;
    record_set_time(s->scratch + sizeof timed, &e, timed.ts);
    append(s, &timed, s->scratch + sizeof timed);
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
    put_schemas(s, false);
    if (!s->has_failed && !etl_log_flush(s->log, &err))
        keep_error(s, &err);
}

bool save_finish(struct save *s, struct etl_written *written, struct err *err)
{
    etl_log_begin_end(s->log);
    put_schemas(s, true);
    if (s->has_failed && !s->o.keeps_part) {
        save_drop(s);
        return fail(err, "%s", s->err.text);
    }
    const struct err *const before = s->has_failed ? &s->err : NULL;
    const bool is_done = etl_log_finish(s->log, end_of(s), before, written, err);
    s->log = NULL;
    schema_records_free(s->schemas);
    image_ids_free(s->images);
    free(s->scratch);
    return is_done;
}

void save_drop(struct save *s)
{
    if (!s->log)
        return;
    etl_log_drop(s->log);
    s->log = NULL;
    schema_records_free(s->schemas);
    image_ids_free(s->images);
    free(s->scratch);
}

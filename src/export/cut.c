/* One pass in time order, behind those that part_init() makes where only a part is wanted.
 *
 * The log header of the file that began first becomes the new one's, less what says how it was
 * written. Buffers
 * have the size of the largest among the inputs; should that be a lie and a record not
 * fit, everything is written once more with buffers that hold any record. */
#include "src/collect/capture.h"
#include "src/export/cut.h"

#include "src/base/clock.h"
#include "src/base/mem.h"
#include "src/base/message.h"
#include "src/etl/buffer.h"
#include "src/etl/write.h"
#include "src/event/retime.h"
#include "src/event/tracetop_provider.h"
#include "src/export/part.h"
#include "src/os/zst.h"
#include "src/trace/dependencies.h"
#include "src/trace/schema_records.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { STATUS_OK = 0, STATUS_ERROR = 1, STATUS_SKIPPED = 6 };

enum { BUFFER_LEAST = 8192, HELD_MOST = 64 << 20 };

struct cut {
    const struct cut_options *options;
    FILE *err;
    struct capture *capture; /* NULL: everything passes */
    struct trace_part part;
    struct dependencies *dependencies;
    struct etl_reader *reader;
    struct trace_clock *clocks; /* by source */
    size_t base;                /* the file that began first: its clock and header are the new one's */
    uint8_t *header;            /* its log header */
    uint32_t header_bytes;
    uint16_t header_cpu;
    bool *headers_met; /* by source */
    int64_t latest;  /* time of the last event that kept its own */
    uint8_t *scratch; /* a record that is changed */
    /* Descriptions in front of the part, each a head and a record, until it begins: needed events keep
     * their times there, and those of a processor are written in order. */
    uint8_t *held;
    size_t held_bytes, held_room;
    struct os_file *file;
    struct etl_write *write;
    struct schema_records *schemas; /* from outside the files; NULL: there are none */
    struct record_head last;        /* of the records with events; its bytes are 0: there is none */
    bool has_large_schema;          /* one needs larger buffers */
    bool has_started, has_ended; /* the rundowns of both edges */
    uint64_t events, wanted, needed, rundown_records;
};

static int complain(const struct cut *c, const struct err *e)
{
    message_print(c->err, "%s", e->text);
    return STATUS_ERROR;
}

static bool is_stopped(const struct cut *c)
{
    return c->options->stop && *c->options->stop;
}

/* ---- the files ------------------------------------------------------------------------ */

/* A start that is no time is nobody's first. */
static size_t began_first(const struct cut *c)
{
    size_t first = 0;
    int64_t earliest = INT64_MAX;
    for (size_t i = 0; i < c->options->file_count; i++) {
        const int64_t start = etl_header(etl_reader_file(c->reader, i))->start;
        if (start > FILETIME_UNIX_EPOCH && start < earliest) {
            earliest = start;
            first = i;
        }
    }
    return first;
}

static bool open_reader(struct cut *c, struct err *err)
{
    const size_t count = c->options->file_count;
    c->reader = part_reader(&c->part, c->options->files, count, err);
    if (!c->reader)
        return false;
    for (size_t i = 0; i < count; i++)
        c->clocks[i] = etl_clock(etl_reader_file(c->reader, i));
    c->base = began_first(c);
    return true;
}

static void close_reader(struct cut *c)
{
    etl_reader_close(c->reader);
    c->reader = NULL;
}

static int64_t time_of(const struct cut *c, const struct event *e)
{
    return trace_clock_ns(&c->clocks[e->source], e->ts);
}

/* ---- the new log ----------------------------------------------------------------------------- */

/* The first record of the first file in file order, which etl_open() has found good; unless
 * its buffer is of a kind that is passed over. */
static bool take_header(struct cut *c, struct err *err)
{
    struct event e;
    struct etl_header h;
    const char *const name = c->options->files[c->base];
    struct etl_file *const f = etl_open_again(etl_reader_file(c->reader, c->base), err);
    if (!f)
        return false;
    const enum etl_answer answer = etl_next(f, &e, err);
    const bool is_good = answer == ETL_EVENT && etl_header_read(&e, &h, NULL);
    if (is_good) {
        c->header = mem_copy(e.record, e.record_bytes);
        c->header_bytes = e.record_bytes;
        c->header_cpu = e.cpu;
    } else if (answer != ETL_FAILED) {
        fail(err, "%s: expected a trace header as the first event, found %s", name,
             answer == ETL_END ? "none" : "another");
    }
    etl_close(f);
    return is_good;
}

static uint32_t buffer_bytes(const struct cut *c)
{
    uint32_t most = BUFFER_LEAST;
    for (size_t i = 0; i < c->options->file_count; i++) {
        const uint32_t bytes = etl_header(etl_reader_file(c->reader, i))->buffer_bytes;
        most = bytes > most ? bytes : most;
    }
    return most < ETL_WRITE_BUFFER_FULL ? (most + 7) & ~7u : ETL_WRITE_BUFFER_FULL;
}

/* What the other files say that they lost, and how many processors they had. */
static bool add_losses(struct cut *c, struct err *err)
{
    for (size_t i = 0; i < c->options->file_count; i++) {
        if (i == c->base)
            continue;
        const struct etl_header *const h = etl_header(etl_reader_file(c->reader, i));
        const struct record_lost lost = {.events = h->events_lost, .buffers = h->buffers_lost};
        const struct record_head head = {.bytes = sizeof head + sizeof lost, .form = RECORD_LOST};
        if ((lost.events || lost.buffers) && !etl_write_append(c->write, &head, &lost, err))
            return false;
    }
    return true;
}

static bool begin(struct cut *c, uint32_t bytes, struct err *err)
{
    const struct etl_write_options o = {
        .name = c->options->to_name,
        .header = c->header,
        .header_bytes = c->header_bytes,
        .header_cpu = c->header_cpu,
        .buffer_bytes = bytes,
        .is_compressed = c->options->is_compressed,
    };
    etl_write_free(c->write);
    os_truncate(c->file, 0);
    c->write = etl_write_new(c->file, &o, err);
    schema_records_free(c->schemas);
    c->schemas = schema_records_new(0);
    c->last = (struct record_head){.bytes = 0};
    c->has_large_schema = false;
    c->has_started = c->has_ended = false;
    c->held_bytes = 0;
    memset(c->headers_met, 0, c->options->file_count * sizeof *c->headers_met);
    c->events = c->wanted = c->needed = c->rundown_records = 0;
    return c->write && add_losses(c, err);
}

/* FILETIME of the new log's end; 0: that of its last event. */
static int64_t end_of(const struct cut *c)
{
    int64_t end = 0;
    for (size_t i = 0; i < c->options->file_count && c->part.is_whole; i++) {
        const struct etl_header *const h = etl_header(etl_reader_file(c->reader, i));
        end = h->end > end ? h->end : end;
    }
    return end;
}

/* ---- records into it ------------------------------------------------------------------------- */

static bool append(struct cut *c, const uint8_t *record, uint32_t bytes, uint16_t cpu, int64_t ts,
                   struct err *err)
{
    const struct record_head head = {
        .bytes = (uint32_t)sizeof head + bytes, .form = RECORD_ETW, .cpu = cpu, .ts = ts};
    if (c->schemas)
        schema_records_note(c->schemas, &head, record);
    c->last = head;
    return etl_write_append(c->write, &head, record, err);
}

static bool is_foreign(const struct cut *c, unsigned source)
{
    return source != c->base && !trace_clock_is_same(&c->clocks[c->base], &c->clocks[source]);
}

static bool append_event(struct cut *c, const struct event *e, struct err *err)
{
    if (!is_foreign(c, e->source))
        return append(c, e->record, e->record_bytes, e->cpu, e->ts, err);
    memcpy(c->scratch, e->record, e->record_bytes);
    const int64_t ts = record_change_clock(c->scratch, e, &c->clocks[e->source], &c->clocks[c->base]);
    return append(c, c->scratch, e->record_bytes, e->cpu, ts, err);
}

static bool is_named(const struct event *e, const char *wanted)
{
    const char *const name = tracetop_event_name(e);
    return name && strcmp(name, wanted) == 0;
}

/* A span that goes on does so until its own recording ends: another one may begin later. 0: the
 * header does not say when that is. */
static uint64_t end_of_source(const struct cut *c, unsigned source)
{
    const int64_t end = etl_header(etl_reader_file(c->reader, source))->end;
    return c->options->file_count > 1 ? (uint64_t)clock_of_filetime((uint64_t)end) : 0;
}

static void end_recorded(struct cut *c, const struct event *e, uint64_t from, uint64_t *until)
{
    const uint64_t end = end_of_source(c, e->source);
    if (!end || end < from || (*until && *until <= end))
        return;
    if (tracetop_event_set_number(c->scratch, e, "until", end))
        *until = end;
}

/* Of the time that a class was recorded, what lies in the part; false where that is nothing. `e` is
 * the parsed look of c->scratch. */
static bool clip_recorded(struct cut *c, const struct event *e)
{
    uint64_t from, until;
    if (!is_named(e, "Recorded") || !tracetop_event_number(e, "from", &from) ||
        !tracetop_event_number(e, "until", &until))
        return true;
    end_recorded(c, e, from, &until);
    if (c->part.is_whole)
        return true;
    if ((c->part.to > 0 && from > (uint64_t)c->part.to) ||
        (until && c->part.from > 0 && until < (uint64_t)c->part.from))
        return false;
    if (c->part.from > 0 && from < (uint64_t)c->part.from)
        tracetop_event_set_number(c->scratch, e, "from", (uint64_t)c->part.from);
    if (c->part.to > 0 && until > (uint64_t)c->part.to)
        tracetop_event_set_number(c->scratch, e, "until", (uint64_t)c->part.to);
    return true;
}

/* A connection listed behind the part, as it was at the part's end: it had been open for a shorter
 * time. False where it was opened later. */
static bool list_earlier(struct cut *c, const struct event *e, int64_t ns)
{
    uint64_t since;
    const uint64_t earlier = (uint64_t)ns - (uint64_t)c->part.to;
    if (!is_named(e, "Connection") || ns <= c->part.to ||
        !tracetop_event_number(e, "since", &since) || !since)
        return true;
    return since >= earlier && tracetop_event_set_number(c->scratch, e, "since", since - earlier);
}

/* What is in the scratch; false: there is no room. */
static bool hold(struct cut *c, const struct record_head *head)
{
    const size_t bytes = c->held_bytes + head->bytes;
    if (bytes > HELD_MOST)
        return false;
    if (bytes > c->held_room) {
        c->held_room = 2 * bytes;
        c->held = mem_grow(c->held, c->held_room, 1);
    }
    memcpy(c->held + c->held_bytes, head, sizeof *head);
    memcpy(c->held + c->held_bytes + sizeof *head, c->scratch, head->bytes - sizeof *head);
    c->held_bytes = bytes;
    return true;
}

static bool append_held(struct cut *c, struct err *err)
{
    struct record_head head;
    for (size_t at = 0; at < c->held_bytes; at += head.bytes) {
        memcpy(&head, c->held + at, sizeof head);
        if (!etl_write_append(c->write, &head, c->held + at + sizeof head, err))
            return false;
    }
    c->held_bytes = 0;
    return true;
}

/* A description from outside gets the time of the part's nearer end, else the part would seem to reach
 * as far. There may be stacks of the last events behind the part: it follows them. `e` is the parsed
 * look of c->scratch. */
static bool append_inside(struct cut *c, const struct event *e, int64_t ns, struct err *err)
{
    const struct trace_clock *const clock = &c->clocks[c->base];
    const int64_t end = c->latest > c->part.to ? c->latest : c->part.to;
    struct record_head head = {
        .bytes = (uint32_t)sizeof head + e->record_bytes, .form = RECORD_ETW, .cpu = e->cpu};
    if (ns > c->part.to) {
        head.ts = trace_clock_raw(clock, end);
        record_set_time(c->scratch, e, head.ts);
        return etl_write_append(c->write, &head, c->scratch, err);
    }
    head.ts = trace_clock_raw(clock, c->part.from);
    record_set_time(c->scratch, e, head.ts);
    if (hold(c, &head))
        return true;
    head.ts = trace_clock_raw(clock, ns);
    record_set_time(c->scratch, e, head.ts);
    return etl_write_append(c->write, &head, c->scratch, err);
}

static bool append_description(struct cut *c, const struct event *e, int64_t ns, struct err *err)
{
    struct event copy;
    int64_t ts = e->ts;
    memcpy(c->scratch, e->record, e->record_bytes);
    if (is_foreign(c, e->source))
        ts = record_change_clock(c->scratch, e, &c->clocks[e->source], &c->clocks[c->base]);
    if (event_parse(c->scratch, e->record_bytes, &copy) == EVENT_OK) {
        copy.cpu = e->cpu;
        copy.source = e->source;
        if (!clip_recorded(c, &copy) || (!c->part.is_whole && !list_earlier(c, &copy, ns)))
            return true;
        if (!c->part.is_whole && (ns < c->part.from || ns > c->part.to))
            return append_inside(c, &copy, ns, err);
    }
    return append(c, c->scratch, e->record_bytes, e->cpu, ts, err);
}

/* The record that the new header is made of. (In a damaged file there may be others, of another
 * processor or time, which come first in order of time.) */
static bool is_base_header(const struct cut *c, const struct event *e)
{
    return e->cpu == c->header_cpu && e->record_bytes == c->header_bytes &&
           memcmp(e->record, c->header, c->header_bytes) == 0;
}

/* The log header of one of the files: the new one has one for them all, which is the writer's. */
static bool is_header(struct cut *c, const struct event *e)
{
    if (c->headers_met[e->source] || e->kind != HEADER_SYSTEM || e->id != 0)
        return false;
    if (e->source == c->base ? !is_base_header(c, e)
                             : e->ts != etl_header(etl_reader_file(c->reader, e->source))->ts)
        return false;
    return c->headers_met[e->source] = true;
}

/* All records of one edge, on the processor that has the log header. */
static bool append_rundown(struct cut *c, enum rundown_edge edge, int64_t ns, struct err *err)
{
    size_t at = 0;
    unsigned source;
    struct event e;
    uint32_t bytes;
    const int64_t ts = trace_clock_raw(&c->clocks[c->base], ns);
    while ((bytes = rundown_next(c->part.rundown, edge, &at, c->scratch, &source)) > 0) {
        if (event_parse(c->scratch, bytes, &e) != EVENT_OK)
            continue;
        if (is_foreign(c, source))
            record_change_clock(c->scratch, &e, &c->clocks[source], &c->clocks[c->base]);
        record_set_time(c->scratch, &e, ts);
        if (!append(c, c->scratch, bytes, c->header_cpu, ts, err))
            return false;
        c->rundown_records++;
    }
    return true;
}

/* Both edges, when the events come to them. */
static bool append_rundowns_until(struct cut *c, int64_t ns, struct err *err)
{
    if (!c->has_started && ns >= c->part.from) {
        c->has_started = true;
        if (!append_held(c, err) || !append_rundown(c, RUNDOWN_START, c->part.from, err))
            return false;
    }
    if (!c->has_ended && ns > c->part.to) {
        c->has_ended = true;
        return append_rundown(c, RUNDOWN_END, c->part.to, err);
    }
    return true;
}

static bool take_part(struct cut *c, const struct event *e, struct err *err)
{
    const int64_t ns = time_of(c, e);
    if (!append_rundowns_until(c, ns, err))
        return false;
    const enum dependency_answer answer = dependencies_event(c->dependencies, e, ns);
    c->wanted += answer == DEPENDENCY_WANTED;
    c->needed += answer == DEPENDENCY_NEEDED || answer == DEPENDENCY_DESCRIPTION;
    if (answer == DEPENDENCY_DESCRIPTION)
        return append_description(c, e, ns, err);
    if (answer == DEPENDENCY_NOT)
        return true;
    c->latest = ns;
    return append_event(c, e, err);
}

static bool take(struct cut *c, const struct event *e, struct err *err)
{
    c->events++;
    if (is_header(c, e) || (c->capture && !capture_takes(c->capture, e, false)))
        return true;
    if (!c->part.is_whole)
        return take_part(c, e, err);
    const bool is_clipped = c->options->file_count > 1 && is_named(e, "Recorded");
    return is_clipped ? append_description(c, e, time_of(c, e), err) : append_event(c, e, err);
}

/* ---- writing --------------------------------------------------------------------------------- */

enum written { WRITTEN, WRITE_AGAIN, WRITE_FAILED };

_Static_assert((int)SCHEMA_RECORD_ROOM <= (int)EVENT_RECORD_ROOM, "schemas go through the scratch");

/* Where an export of schemas writes to. */
struct schemas_to {
    struct cut *cut;
    struct err *err;
};

static bool put_schema(void *state, uint8_t opcode, const uint8_t *payload, size_t bytes)
{
    const struct schemas_to *const to = state;
    struct cut *const c = to->cut;
    const struct record_head head =
        schema_record(c->scratch, opcode, payload, bytes, c->last.ts, c->last.cpu);
    const uint32_t size = head.bytes ? head.bytes - (uint32_t)sizeof head : 0;
    if (size > etl_write_record_most(c->write))
        c->has_large_schema = true;
    else if (size && !etl_write_append(c->write, &head, c->scratch, to->err))
        return false;
    return true;
}

/* Behind the events that need them. False: the file cannot be written. */
static bool append_schemas(struct cut *c, struct err *err)
{
    struct schemas_to to = {c, err};
    err->text[0] = '\0';
    if (c->schemas && c->last.bytes)
        schema_records_export(c->schemas, put_schema, &to);
    return !err->text[0];
}

/* A schema that is too large for the last try is left out. */
static enum written write_events(struct cut *c, bool is_last, struct err *err)
{
    struct event e;
    enum etl_answer answer = ETL_END;
    while (!is_stopped(c) && (answer = etl_reader_next(c->reader, &e, err)) == ETL_EVENT) {
        if (e.record_bytes > etl_write_record_most(c->write))
            return WRITE_AGAIN;
        if (!take(c, &e, err))
            return WRITE_FAILED;
    }
    if (answer == ETL_FAILED)
        return WRITE_FAILED;
    const bool has_rundowns =
        c->part.is_whole || is_stopped(c) || append_rundowns_until(c, INT64_MAX, err);
    if (!has_rundowns || !append_schemas(c, err))
        return WRITE_FAILED;
    if (c->has_large_schema && !is_last)
        return WRITE_AGAIN;
    return etl_write_finish(c->write, end_of(c), err) ? WRITTEN : WRITE_FAILED;
}

static enum written write_log(struct cut *c, uint32_t bytes, struct err *err)
{
    if (!open_reader(c, err) || (!c->header && !take_header(c, err)) || !begin(c, bytes ? bytes : buffer_bytes(c), err))
        return WRITE_FAILED;
    const struct dependencies_options o = {.from = c->part.from,
                                           .to = c->part.to,
                                           .select = c->part.select,
                                           .owners = c->part.owners,
                                           .rundown = c->part.rundown,
                                           .clocks = c->clocks};
    capture_free(c->capture); /* it has seen the beginning already when this is done again */
    c->capture = c->options->capture ? capture_new(c->options->capture, err) : NULL;
    if (c->options->capture && !c->capture)
        return WRITE_FAILED;
    dependencies_free(c->dependencies);
    c->dependencies = c->part.is_whole ? NULL : dependencies_new(&o);
    return write_events(c, bytes != 0, err);
}

static bool ends_with(const char *text, const char *end)
{
    const size_t a = strlen(text), b = strlen(end);
    return a >= b && strcmp(text + a - b, end) == 0;
}

static int write_all(struct cut *c)
{
    struct err err;
    const bool is_packed = ends_with(c->options->to_name, ".zst");
    c->file = is_packed ? os_open_unnamed(&err) : c->options->to;
    if (!c->file)
        return complain(c, &err);
    enum written written = write_log(c, 0, &err);
    if (written == WRITE_AGAIN) {
        close_reader(c);
        written = write_log(c, ETL_WRITE_BUFFER_FULL, &err);
    }
    bool is_good = written == WRITTEN;
    if (is_good && is_packed && !is_stopped(c))
        is_good = zst_pack(c->file, c->options->to, c->options->stop, &err) || is_stopped(c);
    if (is_packed)
        os_close(c->file);
    return is_good ? STATUS_OK : complain(c, &err);
}

/* ---- the end --------------------------------------------------------------------------------- */

static int report(const struct cut *c)
{
    int status = STATUS_OK;
    part_remarks(&c->part, c->err);
    for (size_t i = 0; i < c->options->file_count; i++) {
        const struct etl_file *const f = etl_reader_file(c->reader, i);
        for (unsigned n = 0; etl_sentence(f, n); n++)
            message_print(c->err, "%s", etl_sentence(f, n));
        if (is_foreign(c, (unsigned)i))
            message_print(c->err, "%s: has another clock than %s; its times were converted",
                          etl_name(f), c->options->files[c->base]);
        if (!etl_is_whole(etl_tally(f)))
            status = STATUS_SKIPPED;
    }
    if (!c->part.is_whole)
        message_print(c->err,
                      "%s: kept %" PRIu64 " of %" PRIu64 " events; added %" PRIu64
                      " with their names and stacks, and %" PRIu64 " of a rundown at both ends",
                      c->options->to_name, c->wanted, c->events, c->needed, c->rundown_records);
    return status;
}

int cut_run(const struct cut_options *o, FILE *err)
{
    struct cut c = {.options = o, .err = err};
    const struct part_options part = {.files = o->files,
                                      .file_count = o->file_count,
                                      .range = o->range,
                                      .filter = o->filter,
                                      .stop = o->stop};
    c.clocks = mem_new(o->file_count, sizeof *c.clocks);
    c.headers_met = mem_new(o->file_count, sizeof *c.headers_met);
    c.scratch = mem_new(EVENT_RECORD_ROOM, 1);
    int status = part_init(&c.part, &part, err);
    if (status == STATUS_OK && !is_stopped(&c))
        status = write_all(&c);
    if (status == STATUS_OK && !is_stopped(&c))
        status = report(&c);
    close_reader(&c);
    etl_write_free(c.write);
    dependencies_free(c.dependencies);
    capture_free(c.capture);
    part_fini(&c.part);
    schema_records_free(c.schemas);
    free(c.header);
    free(c.clocks);
    free(c.headers_met);
    free(c.scratch);
    free(c.held);
    return status;
}

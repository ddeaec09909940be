/* Two passes over the files at least: the first learns who lived when (rundown may come last;
 * part_init()), the last writes. Lines gather in one buffer; it goes out when the longest line
 * might no longer fit. */
#include "src/collect/capture.h"
#include "src/export/dump.h"

#include "src/base/mem.h"
#include "src/base/message.h"
#include "src/base/show.h"
#include "src/etl/etl.h"
#include "src/export/line_csv.h"
#include "src/event/line_kinds.h"
#include "src/export/part.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { STATUS_OK = 0, STATUS_ERROR = 1, STATUS_USAGE = 2, STATUS_SKIPPED = 6 };

enum { OUT_ROOM = 2 * LINE_ROOM };

struct dump {
    const struct dump_options *options;
    FILE *out, *err;
    struct capture *capture; /* NULL: everything passes */
    struct part part;
    struct etl_reader *reader;
    struct trace_clock *clocks; /* by source */
    char *buffer;
    struct line line;
    struct line_csv *csv; /* NULL: another format */
    uint64_t written;     /* events */
    int write_error; /* errno, where the output failed */
};

static bool is_stopped(const struct dump *d)
{
    return d->options->stop && *d->options->stop;
}

static int complain(const struct dump *d, const struct err *e)
{
    message_print(d->err, "%s", e->text);
    return STATUS_ERROR;
}

/* ---- lines ---------------------------------------------------------------------------------- */

/* False when there is no place for more: the disk is full, or nobody reads any longer. */
static bool flush(struct dump *d)
{
    const size_t bytes = (size_t)(d->line.at - d->buffer);
    d->line.at = d->buffer;
    errno = 0;
    if (fwrite(d->buffer, 1, bytes, d->out) == bytes)
        return true;
    d->write_error = errno;
    return false;
}

/* That a reader went away is its own decision and no failure. */
static int complain_of_output(const struct dump *d)
{
    if (d->write_error == 0 || d->write_error == EPIPE)
        return STATUS_OK;
    show(d->err, "tracetop: the output cannot be written: %s\n", strerror(d->write_error));
    return STATUS_ERROR;
}

static bool write_event(struct dump *d, const struct event *e)
{
    const int64_t ns = trace_clock_ns(&d->clocks[e->source], e->ts);
    const struct owner owner = attribution_of(d->part.owners, e); /* of all, in time order */
    if (d->capture && !capture_takes(d->capture, e, false))
        return true;
    if (!part_has(&d->part, e, &owner, ns))
        return true;
    struct schema schema;
    struct line_event le = {
        .event = e, .owner = owner, .ns = ns, .is_linux = d->part.is_linux[e->source]};
    if (schema_find(d->part.schemas, e->source, e, &schema)) {
        le.layout = schema.layout;
        le.class_name = schema.provider;
        le.event_name = schema.event;
        le.message = schema.message;
        le.names = schema.names;
        le.is_transient = schema.is_transient;
    }
    if (d->csv)
        line_csv_event(d->csv, &d->line, &le);
    else if (d->options->format == DUMP_TEXT)
        line_text(&d->line, &le);
    else
        line_jsonl(&d->line, &le);
    d->written++;
    return d->line.at - d->buffer <= OUT_ROOM - LINE_ROOM || flush(d);
}

static bool has_enough(const struct dump *d)
{
    return d->options->rows && d->written == d->options->rows;
}

static int write_all(struct dump *d)
{
    struct err err;
    struct event e;
    enum etl_answer answer = ETL_END;
    if (d->csv)
        line_csv_head(d->csv, &d->line);
    while (!is_stopped(d) && !has_enough(d) && (answer = etl_reader_next(d->reader, &e, &err)) == ETL_EVENT)
        if (!write_event(d, &e))
            return complain_of_output(d);
    if (!flush(d))
        return complain_of_output(d);
    return answer == ETL_FAILED ? complain(d, &err) : STATUS_OK;
}

static bool open_files(struct dump *d, struct err *err)
{
    const size_t count = d->options->file_count;
    d->reader = etl_reader_open(d->options->files, count, err);
    if (!d->reader)
        return false;
    d->clocks = mem_new(count, sizeof *d->clocks);
    for (size_t i = 0; i < count; i++)
        d->clocks[i] = etl_clock(etl_reader_file(d->reader, i));
    return true;
}

/* ---- the end ------------------------------------------------------------------------------- */

static int report(const struct dump *d)
{
    int status = STATUS_OK;
    for (size_t i = 0; i < d->options->file_count; i++) {
        const struct etl_file *f = etl_reader_file(d->reader, i);
        const struct etl_header *h = etl_header(f);
        for (unsigned n = 0; etl_sentence(f, n); n++)
            message_print(d->err, "%s", etl_sentence(f, n));
        if (h->events_lost || h->buffers_lost)
            message_print(d->err,
                          "%s: while it was recorded %" PRIu32 " events and %" PRIu32
                          " buffers were lost",
                          etl_name(f), h->events_lost, h->buffers_lost);
        if (!etl_is_whole(etl_tally(f)))
            status = STATUS_SKIPPED;
    }
    return status;
}

static int run(struct dump *d)
{
    struct err err;
    const struct dump_options *const o = d->options;
    if (o->format == DUMP_CSV &&
        !(d->csv = line_csv_new(o->columns, o->separator, o->is_raw, &err))) {
        complain(d, &err);
        return STATUS_USAGE;
    }
    const struct part_options part = {.files = d->options->files,
                                      .file_count = d->options->file_count,
                                      .range = d->options->range,
                                      .filter = d->options->filter,
                                      .wants_owners = true,
                                      .stop = d->options->stop};
    const int learnt = part_init(&d->part, &part, d->err);
    if (learnt != STATUS_OK || is_stopped(d))
        return learnt;
    if (d->options->capture && !(d->capture = capture_new(d->options->capture, &err)))
        return complain(d, &err);
    if (!open_files(d, &err))
        return complain(d, &err);
    d->line.names_source = d->options->file_count > 1;
    const int written = write_all(d);
    return written == STATUS_OK ? report(d) : written;
}

int dump_run(const struct dump_options *o, FILE *out, FILE *err)
{
    struct dump d = {.options = o, .out = out, .err = err};
    d.line.at = d.buffer = mem_new(OUT_ROOM, 1);
    d.line.value = mem_new(LINE_VALUE, 1);
    d.line.kinds = line_kinds_new();
    const int status = run(&d);
    etl_reader_close(d.reader);
    part_fini(&d.part);
    capture_free(d.capture);
    line_csv_free(d.csv);
    free(d.clocks);
    free(d.buffer);
    free(d.line.value);
    line_kinds_free(d.line.kinds);
    return status;
}

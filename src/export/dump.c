/* Two passes over the files at least: the first learns who lived when (rundown may come last;
 * part_init()), the last writes. */
#include "src/export/dump.h"

#include "src/base/mem.h"
#include "src/base/message.h"
#include "src/collect/capture.h"
#include "src/etl/etl.h"
#include "src/export/part.h"

#include <inttypes.h>
#include <stdlib.h>

enum { STATUS_OK = 0, STATUS_ERROR = 1, STATUS_USAGE = 2, STATUS_SKIPPED = 6 };

struct dump {
    const struct dump_options *options;
    FILE *err;
    struct capture *capture; /* NULL: everything passes */
    struct trace_part part;
    struct etl_reader *reader;
    struct trace_clock *clocks; /* by source */
    struct event_writer *writer;
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

static int complain_of_output(const struct dump *d)
{
    return event_writer_complain(d->writer, d->err) ? STATUS_ERROR : STATUS_OK;
}

static bool write_event(struct dump *d, const struct event *e)
{
    const int64_t ns = trace_clock_ns(&d->clocks[e->source], e->ts);
    const struct owner owner = attribution_of(d->part.owners, e); /* of all, in time order */
    const bool is_part = part_has(&d->part, e, &owner, &d->clocks[e->source], ns);
    if (!is_part || (d->capture && !capture_takes(d->capture, e, false)))
        return true;
    struct schema schema;
    const bool is_known = schema_find(d->part.schemas, e->source, e, &schema);
    return event_writer_put(d->writer, &(struct written_event){
                                           .event = e,
                                           .schema = is_known ? &schema : NULL,
                                           .owner = owner,
                                           .ns = ns,
                                           .is_linux = d->part.is_linux[e->source],
                                       });
}

static bool has_enough(const struct dump *d)
{
    return d->options->rows && event_writer_count(d->writer) == d->options->rows;
}

static int write_all(struct dump *d)
{
    struct err err;
    struct event e;
    enum etl_answer answer = ETL_END;
    event_writer_head(d->writer);
    while (!is_stopped(d) && !has_enough(d) && (answer = etl_reader_next(d->reader, &e, &err)) == ETL_EVENT)
        if (!write_event(d, &e))
            return complain_of_output(d);
    if (!event_writer_flush(d->writer))
        return complain_of_output(d);
    return answer == ETL_FAILED ? complain(d, &err) : STATUS_OK;
}

static bool open_files(struct dump *d, struct err *err)
{
    const size_t count = d->options->file_count;
    d->reader = part_reader(&d->part, d->options->files, count, err);
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
    part_remarks(&d->part, d->err);
    for (size_t i = 0; i < d->options->file_count; i++) {
        const struct etl_file *f = etl_reader_file(d->reader, i);
        const struct etl_header *h = etl_header(f);
        for (unsigned n = 0; etl_sentence(f, n); n++)
            message_print(d->err, "%s", etl_sentence(f, n));
        if (h->events_lost || h->buffers_lost)
            message_print(d->err,
                          "%s: lost while it was recorded: %" PRIu32 " kernel, %" PRIu32 " buffers",
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
    const struct part_options part = {.files = o->files,
                                      .file_count = o->file_count,
                                      .range = o->range,
                                      .filter = o->filter,
                                      .wants_owners = true,
                                      .may_ask_models = true,
                                      .stop = o->stop};
    const int learned = part_init(&d->part, &part, d->err);
    if (learned != STATUS_OK || is_stopped(d))
        return learned;
    if (o->capture && !(d->capture = capture_new(o->capture, &err)))
        return complain(d, &err);
    if (!open_files(d, &err))
        return complain(d, &err);
    const int written = write_all(d);
    return written == STATUS_OK ? report(d) : written;
}

int dump_run(const struct dump_options *o, FILE *out, FILE *err)
{
    struct err why;
    struct event_writer_options lines = o->lines;
    struct dump d = {.options = o, .err = err};
    lines.names_source = o->file_count > 1;
    if (!(d.writer = event_writer_new(&lines, out, &why))) {
        complain(&d, &why);
        return STATUS_USAGE;
    }
    const int status = run(&d);
    etl_reader_close(d.reader);
    part_fini(&d.part);
    capture_free(d.capture);
    event_writer_free(d.writer);
    free(d.clocks);
    return status;
}

#include "tests/etl_writer.h"

#include "src/base/mem.h"
#include "src/etl/write.h"

#include <stdlib.h>

struct etl_writer {
    struct etl_writer_options o;
    struct os_file *file;
    struct etl_write *write;
    int64_t last;
};

static int64_t filetime(const struct etl_writer *w, int64_t raw)
{
    return trace_clock_ns(&w->o.clock, raw) / 100 + FILETIME_UNIX_EPOCH;
}

static void writer_free(struct etl_writer *w)
{
    etl_write_free(w->write);
    os_close(w->file);
    free(w);
}

static bool begin(struct etl_writer *w, struct err *err)
{
    uint8_t record[ETL_WRITE_HEADER_ROOM];
    const struct etl_header h = {
        .build = w->o.build,
        .cpus = w->o.cpus,
        .cpu_mhz = w->o.mhz,
        .clock_type = (uint32_t)w->o.clock.kind,
        .frequency = w->o.clock.frequency,
        .ts = w->o.start,
        .start = filetime(w, w->o.start),
        .boot = filetime(w, 0), /* where the counter was zero */
        .logger = "NT Kernel Logger",
        .file = "C:\\synthetic.etl",
    };
    const struct etl_write_options o = {
        .name = w->o.path,
        .header = record,
        .header_bytes = etl_log_header(&h, 0, 0, record),
        .buffer_bytes = w->o.buffer_bytes,
    };
    w->file = os_create(w->o.path, err);
    w->write = w->file ? etl_write_new(w->file, &o, err) : NULL;
    return w->write;
}

struct etl_writer *etl_writer_open(const struct etl_writer_options *o, struct err *err)
{
    struct etl_writer *const w = mem_new(1, sizeof *w);
    w->o = *o;
    w->last = o->start;
    if (begin(w, err))
        return w;
    writer_free(w);
    return NULL;
}

bool etl_writer_put(struct etl_writer *w, const struct record_head *head, const void *record,
                    struct err *err)
{
    if (head->form == RECORD_ETW && head->cpu >= w->o.cpus)
        return fail(err, "%s: a record of processor %u came, the log has %u", w->o.path,
                    (unsigned)head->cpu, w->o.cpus);
    w->last = head->form == RECORD_ETW && head->ts > w->last ? head->ts : w->last;
    return etl_write_append(w->write, head, record, err);
}

bool etl_writer_close(struct etl_writer *w, struct err *err)
{
    const bool is_good = w->o.is_unstopped
                             ? etl_write_flush(w->write, err)
                             : etl_write_finish(w->write, filetime(w, w->last) + 1, err);
    writer_free(w);
    return is_good;
}

uint64_t etl_writer_bytes(const struct etl_writer *w)
{
    return etl_write_count(w->write).bytes;
}

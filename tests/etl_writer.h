/* Writes plain .etl files from records, as an ordinary Windows session would: a header
 * buffer, then buffers of one processor each, in the order in which they fill up. For
 * tests and benchmarks; the shape can be made odd on purpose. */
#ifndef TESTS_ETL_WRITER_H
#define TESTS_ETL_WRITER_H

#include "src/base/clock.h"
#include "src/base/err.h"
#include "src/event/event.h"

struct etl_writer_options {
    const char *path; /* must not exist */
    struct trace_clock clock;
    int64_t start;         /* raw time of the header record */
    uint32_t buffer_bytes; /* a multiple of 8, 1 KiB … 16 MiB; 0 = 64 KiB */
    unsigned cpus;         /* buffers are kept for so many processors */
    uint32_t build, mhz;
    bool is_unstopped; /* as if the session had died: no end time, no counts */
};

struct etl_writer;

struct etl_writer *etl_writer_open(const struct etl_writer_options *o, struct err *err);

/* Appends a record to its processor's buffer; those of one processor come in order of
 * time. RECORD_LOST counts as events lost in the header. A record that no buffer can
 * hold, or of a processor beyond `cpus`, is an error. */
bool etl_writer_put(struct etl_writer *w, const struct record_head *head, const void *record,
                    struct err *err);

/* Writes what is left, completes the header, frees the writer in any case. */
bool etl_writer_close(struct etl_writer *w, struct err *err);

uint64_t etl_writer_bytes(const struct etl_writer *w); /* of the file so far */

#endif

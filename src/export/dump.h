/* `tracetop dump`: every event as one line, in time order over all files. */
#ifndef SRC_EXPORT_DUMP_H
#define SRC_EXPORT_DUMP_H

#include "src/export/event_writer.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct dump_options {
    const char *const *files;
    size_t file_count;
    struct event_writer_options lines;
    const char *range;        /* "A..B" (src/filter/range.h); NULL: all of it */
    const char *filter;       /* "" or NULL: every event */
    const char *capture;      /* src/collect/capture.h; NULL: every event */
    uint64_t rows;            /* at most as many events; 0: all */
    const _Atomic bool *stop; /* ends the dump early when it becomes true; may be NULL */
};

/* Writes to `out`; sentences about loss and damage to `err`. The exit status: 0, 1 when a
 * file could not be read, 2 for an order that makes no sense, 6 when bytes had to be skipped. A reader of `out`
 * that goes away ends the dump. */
int dump_run(const struct dump_options *o, FILE *out, FILE *err);

#endif

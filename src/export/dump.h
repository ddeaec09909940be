/* `tracetop dump`: every event as one line, in time order over all files. */
#ifndef SRC_EXPORT_DUMP_H
#define SRC_EXPORT_DUMP_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum dump_format {
    DUMP_JSONL, /* one JSON object a line */
    DUMP_TEXT,  /* one line to read */
    DUMP_CSV,
};

struct dump_options {
    const char *const *files;
    size_t file_count;
    enum dump_format format;
    const char *range;        /* "A..B" (src/filter/range.h); NULL: all of it */
    const char *filter;       /* "" or NULL: every event */
    const char *capture;      /* src/collect/capture.h; NULL: every event */
    const char *columns;      /* csv: src/export/line_csv.h; NULL: the usual ones */
    char separator;           /* csv */
    bool is_raw;              /* csv: cells that a spreadsheet would evaluate stay as they are */
    uint64_t rows;            /* at most as many events; 0: all */
    const _Atomic bool *stop; /* ends the dump early when it becomes true; may be NULL */
};

/* Writes to `out`; sentences about loss and damage to `err`. The exit status: 0, 1 when a
 * file could not be read, 2 for an order that makes no sense, 6 when bytes had to be skipped. A reader of `out` that goes away
 * ends the dump. */
int dump_run(const struct dump_options *o, FILE *out, FILE *err);

#endif

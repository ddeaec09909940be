/* `tracetop dump -O etl` and `tracetop cut`: a trace, or a part of one or several, as a regular
 * `.etl` file. */
#ifndef SRC_EXPORT_CUT_H
#define SRC_EXPORT_CUT_H

#include "src/os/os.h"

#include <stdatomic.h>
#include <stdio.h>

struct cut_options {
    const char *const *files;
    size_t file_count;
    const char *range;        /* "A..B" (src/filter/range.h); NULL: all of it */
    const char *filter;       /* "": everything passes */
    const char *capture;      /* src/collect/capture.h; NULL: everything passes */
    struct os_file *to;       /* empty */
    const char *to_name;      /* ends in .zst: packed */
    bool is_compressed;       /* its buffers are */
    const _Atomic bool *stop; /* ends it early when it becomes true; may be NULL */
};

/* Without range and filter: every record, verbatim, in time order; the same input gives the same
 * file. With one: what is wanted, what that needs (src/trace/dependencies.h) and the rundown of
 * both ends (src/trace/rundown.h). Several files become one that begins with the earliest of them,
 * whose clock and log header all have.
 *
 * Sentences go to `err`. The exit status: 0, 1 when a file could not be read or written, 2 when
 * the range means nothing, 6 when bytes had to be skipped. */
int cut_run(const struct cut_options *o, FILE *err);

#endif

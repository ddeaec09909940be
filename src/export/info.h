/* `tracetop info`: what a trace is and what it holds, on one page. */
#ifndef SRC_EXPORT_INFO_H
#define SRC_EXPORT_INFO_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct info_options {
    const char *const *files;
    size_t file_count;
    bool is_json;
    const _Atomic bool *stop; /* NULL: never */
};

/* Reads each file once. One page a file goes to `out`, as text or as JSON; sentences about loss and
 * damage to `err`. The exit status as of stats_run(). */
int info_run(const struct info_options *o, FILE *out, FILE *err);

#endif

/* `tracetop machine`: the computer that a trace was recorded on, as its hardware configuration
 * events (SystemConfig) describe it. */
#ifndef SRC_EXPORT_MACHINE_H
#define SRC_EXPORT_MACHINE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct machine_options {
    const char *const *files;
    size_t file_count;
    bool is_json;
    const _Atomic bool *stop; /* NULL: never */
};

/* Reads all files; their records are put together, and equal ones are shown once. The page goes to
 * `out`, as text or as JSON; sentences about loss and damage to `err`. The exit status as of
 * stats_run(), and 1 where no file has such records. */
int machine_run(const struct machine_options *o, FILE *out, FILE *err);

#endif

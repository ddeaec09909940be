/* `tracetop info`: what a trace is and what it holds, on one page. */
#ifndef SRC_EXPORT_INFO_H
#define SRC_EXPORT_INFO_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
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

/* The table of providers or classes of events, also of a running session: its head, and a row. Times are
 * seconds since the first event. */
struct info_row {
    const char *name;
    uint64_t events, bytes;
    bool has_times;
    double first_s, last_s;
};
void info_print_head(FILE *out);
void info_print_row(const struct info_row *r, FILE *out);

#endif

/* Where a command's data goes: standard output, or a file that appears under its name
 * only when it is complete and never replaces another one unasked. */
#ifndef SRC_OS_OUTPUT_H
#define SRC_OS_OUTPUT_H

#include "src/os/atomic_file.h"

#include <stdio.h>

struct output {
    FILE *file;
    struct atomic_file
        atomic_file; /* the file, for who writes at places of it; none = standard output */
};

/* `path` may be NULL: standard output. An existing file needs `force`. */
bool output_open(struct output *o, const char *path, bool force, struct err *err);

/* Ends the writing; a file is moved to its name, or removed where `keep` is false. False
 * when not everything could be written; a reader that went away (broken pipe) is none of
 * the writer's business and counts as written. */
bool output_close(struct output *o, bool keep, struct err *err);

/* Whether all that was written to os_output() has arrived; a broken pipe counts as arrival. For
 * what prints there without an output of its own. */
bool output_arrived(struct err *err);

/* For a program that leaves at once while another thread may still be writing: removes
 * the unfinished file, frees nothing. */
void output_abandon(const struct output *o);

#endif

/* Commands that print and end: they run on a thread of their own, so that Ctrl-C is
 * answered at once whatever they are doing. */
#ifndef SRC_COMMAND_BATCH_H
#define SRC_COMMAND_BATCH_H

#include "src/command/command.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>

enum batch_stage { BATCH_RUNNING, BATCH_ENDING, BATCH_ENDED, BATCH_LEFT };

struct sources;

struct batch {
    const struct command_line *line;
    const struct sources *sources; /* where events come from (source.h) */
    FILE *to;             /* where the data goes */
    struct os_file *file; /* the same, for data that has places; NULL: standard output */
    _Atomic bool stop;    /* the command should end soon */
    bool ends_by_stop;    /* set by the command: stopping is how it ends, its output is whole then */
    /* Set by the command: called before it is left behind, while it still runs. False: it is ending
     * and needs some seconds more. */
    _Atomic(bool (*)(struct batch *)) leave;
    _Atomic int stage; /* enum batch_stage; the command's, and its leave()'s */
    void *state;       /* likewise */
};

typedef int (*batch_command)(struct batch *b);

/* Opens what -o names, runs the command, closes; the status to leave with. When it is
 * interrupted, a command that does not end soon is left behind: nothing half-written
 * stays, and the program must not go on afterwards. */
int batch_run(const struct command_line *line, const struct sources *sources,
              batch_command command);

/* The status of a command that leaves a sentence in `err` where it has not said all. */
int batch_ended(enum exit_status status, const struct err *err);

/* "tracetop: sentence" on standard error. */
void complain(const char *sentence);

#endif

/* `tracetop stacks`: a whole call tree as a file for other programs, over recordings or over
 * what happens from now on. */
#ifndef SRC_COMMAND_STACKS_H
#define SRC_COMMAND_STACKS_H

#include "src/command/command.h"
#include "src/command/session.h"

#include <stdatomic.h>
#include <stdio.h>

struct stacks_options {
    const struct command_line *line;
    const struct session_options *session;
    _Atomic bool *stop; /* set from another thread: finish soon */
};

/* Writes to `to`; what has no stack is said on `err_to`, unless the line is quiet. */
enum exit_status stacks_run(const struct stacks_options *o, FILE *to, FILE *err_to,
                            struct err *err);

/* What a live collector has to watch for the line's metric. */
struct watch_request stacks_request(const struct command_line *c);

#endif

/* `tracetop ask QUERY`: one bounded answer as JSON, over files as a whole, over this machine for a
 * while, or over what a running monitor keeps. */
#ifndef SRC_COMMAND_ASK_H
#define SRC_COMMAND_ASK_H

#include "src/command/session.h"

#include <stdatomic.h>
#include <stdio.h>

struct ask_options {
    const struct command_line *line;
    const struct session_options *session;
    const _Atomic bool *stop; /* set from another thread: finish soon */
};

/* Does the line need no events of its own: is only the schema printed, or a monitor asked? */
bool ask_needs_no_events(const struct command_line *c);

/* Is it a running monitor that is queried (--from pid:N or monitor)? */
bool ask_is_of_monitor(const struct command_line *c);

enum exit_status ask_run(const struct ask_options *o, FILE *to, struct err *err);

#endif

/* `tracetop top PANE`: a pane's table as text, over files as a whole or live once per
 * interval, through the same engine as the screen. */
#ifndef SRC_COMMAND_TOP_H
#define SRC_COMMAND_TOP_H

#include "src/command/command.h"
#include "src/command/session.h"
#include "src/export/export.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>

struct top_options {
    const struct command_line *line;
    const struct session_options *session;
    const struct export_people *people; /* how numbers are written for people */
    bool *ends_by_stop;                 /* set where Ctrl-C is the end that was waited for */
    _Atomic bool *stop;                 /* set from another thread: finish soon */
};

enum exit_status top_run(const struct top_options *o, FILE *to, struct err *err);

#endif

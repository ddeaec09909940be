/* `tracetop dump` of this machine or of the demo: each event as a line while it happens. */
#ifndef SRC_COMMAND_DUMP_LIVE_H
#define SRC_COMMAND_DUMP_LIVE_H

#include "src/command/batch.h"
#include "src/command/session.h"
#include "src/export/event_writer.h"

struct dump_live_options {
    const struct command_line *line;
    const struct session_options *session;
    const struct event_writer_options *lines;
    struct batch *batch; /* where the lines go, and who stops it */
};

/* Until Ctrl-C, -t, -N, the end of a limited demo, or nobody reads any longer. Sentences about
 * losses go to `log`. The status; after a failure with a sentence in `err`, unless it has been
 * said. */
enum exit_status dump_live_run(const struct dump_live_options *o, FILE *log, struct err *err);

#endif

/* `tracetop record`: a session with nobody looking, into a file. */
#ifndef SRC_COMMAND_RECORD_H
#define SRC_COMMAND_RECORD_H

#include "src/command/command.h"
#include "src/command/session.h"
#include "src/etl/log.h"
#include "src/trace/disk_ring.h"

/* What --filemode says. */
enum etl_log_mode record_mode(const struct options *o);

/* Records until Ctrl-C, a bound, or the end of the command behind --, whose exit status it
 * then gives. Main thread; sentences go to `log`. */
int record_run(const struct command_line *line, const struct session_options *session, FILE *log);

/* A recording that never ends by itself: into a ring on disk (src/trace/disk_ring.h). */
struct record_ring {
    struct disk_ring *disk;
    /* It has begun; the stream for sentences from now on. */
    FILE *(*begun)(void *of);
    /* For `recorder reload`: what the command line and the configuration say now; it stays until
     * the next call. How many mistakes the configuration has, which are printed to the log. NULL
     * with a sentence. */
    const struct command_line *(*read_again)(struct session_options *session, FILE *log,
                                             unsigned *mistakes, struct err *err);
    void *of;
};

/* The same for a ring, until it is stopped: where a file cannot be written it goes on in the next,
 * when there is room again. */
int record_into_ring(const struct command_line *line, const struct session_options *session,
                     const struct record_ring *ring, FILE *log);

#endif

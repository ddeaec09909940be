/* `tracetop record`: a session with nobody looking, into a file. */
#ifndef SRC_COMMAND_RECORD_H
#define SRC_COMMAND_RECORD_H

#include "src/command/command.h"
#include "src/command/session.h"
#include "src/etl/log.h"

/* What --filemode says. */
enum etl_log_mode record_mode(const struct options *o);

/* Records until Ctrl-C, a bound, or the end of the command behind --, whose exit status it
 * then gives. Main thread; sentences go to `log`. */
int record_run(const struct command_line *line, const struct session_options *session, FILE *log);

#endif

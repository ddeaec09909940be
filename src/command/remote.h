/* `tracetop snapshot` and `record start|stop|status`: what is asked of the monitor that
 * is on the screen (src/os/instance.h). */
#ifndef SRC_COMMAND_REMOTE_H
#define SRC_COMMAND_REMOTE_H

#include "src/command/command.h"

/* Is the line a question to another monitor? */
bool remote_is(const struct command_line *c);

/* Asks it and prints the answer; the status to leave with. Main thread. */
int remote_run(const struct command_line *c);

#endif

/* `tracetop mark` and `tracetop log`: the user's own words among the events of all that runs of
 * his: monitors, recordings and dumps. */
#ifndef SRC_COMMAND_MARKS_H
#define SRC_COMMAND_MARKS_H

#include "src/command/command.h"
#include "src/os/instance.h"

bool marks_is(const struct command_line *c);

/* Runs the line; the status to leave with. `others` makes the mark elsewhere as well: true where
 * somebody has it, or, of NULL, would have it. */
struct new_mark;
int marks_run(const struct command_line *c, bool (*others)(const struct new_mark *m));

/* The other side: answers the call that was taken, when its text has become a mark. */
void marks_answer(struct instance *i, const char *text);

#endif

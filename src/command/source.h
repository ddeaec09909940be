/* Where a command's events come from: trace files, the demo, or this machine. */
#ifndef SRC_COMMAND_SOURCE_H
#define SRC_COMMAND_SOURCE_H

#include "src/command/command.h"
#include "src/command/session.h"

/* The kinds of collectors to choose from. */
struct sources {
    const struct collector_kind *files, *recorder, *demo, *live;
};

/* What the line asks for: its files, the recorder that it follows, the demo, or else this machine.
 */
const struct collector_kind *source_of(const struct sources *s, const struct command_line *c);

/* Is the command one that watches this machine, or tries whether it can be watched? */
bool source_is_live(const struct sources *s, const struct command_line *c);

/* Does the line ask for a source, or for processes, sessions or providers of this machine? Then
 * the demo cannot take its place. */
bool source_is_chosen(const struct options *o);

/* The session that the options describe. */
struct session_options source_session(const struct sources *s, const struct command_line *c);

#endif

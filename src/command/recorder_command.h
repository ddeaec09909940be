/* `tracetop recorder`: a recording without a screen that keeps the newest events in a ring on disk
 * (src/trace/disk_ring.h), and what other commands read of it. */
#ifndef SRC_COMMAND_RECORDER_COMMAND_H
#define SRC_COMMAND_RECORDER_COMMAND_H

#include "src/command/command.h"
#include "src/command/session.h"

/* The name that the line gives, or the usual one. */
const char *recorder_name(const struct command_line *c);

/* Does this line record in its own process? */
bool recorder_is_run(const struct command_line *c);

/* Does this line start another process that records, which reads the configuration itself? */
bool recorder_is_start(const struct command_line *c);

/* `recorder start` starts the process that records; of other lines nothing. Before
 * os_rights_settle(), for that process has the rights of this one. False with a sentence. */
bool recorder_prepare(const struct command_line *c, int argc, char *const *argv, struct err *err);

/* Does a recorder of this name record now, in the usual place? */
bool recorder_is_running(const char *name);

/* Has it files to read, and takes calls of this user and those of readers? Waits a second at most.
 */
bool recorder_can_be_asked(const char *name);

/* The folder of the recorder of this name, which records now; the caller's. NULL with a sentence
 * where none does. */
char *recorder_folder(const char *name, struct err *err);

/* See struct record_ring. */
typedef const struct command_line *recorder_read_again(struct session_options *session, FILE *log,
                                                       unsigned *mistakes, struct err *err);

/* Runs the line; the status to leave with. Main thread. `session` and `read_again` are used by
 * `recorder run` alone. */
int recorder_command(const struct command_line *c, const struct session_options *session,
                     recorder_read_again *read_again);

/* `recorder status` and `stop`, which print and complain: the status to leave with. Its files are
 * in the folder (NULL: the one of its name). */
int recorder_command_show(const char *name, const char *folder, bool is_json);
int recorder_command_stop(const char *name, const char *folder);

/* The files that a recorder of this name keeps, the oldest first, from where the range (NULL: all)
 * begins; how many there are is added to *count. The list and its paths are the caller's. NULL with
 * a sentence where there are none. */
const char **recorder_files(const char *name, const char *range, size_t *count, struct err *err);

#endif

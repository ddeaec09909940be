/* What the status line said, kept: a line for each message, with its time, at the end of a file.
 * Messages are gone from the screen after seconds; this is where they can be looked up.
 *
 *     2026-05-17T10:20:30.123Z error    own.conf:3: odd …
 *     2026-05-17T10:20:31.004Z loss     12 by the system (3 silent), 0 buffers, 0 in our ring, 0 unread
 *     2026-05-17T10:20:32.711Z command  freeze
 */
#ifndef UI_CONFIG_JOURNAL_H
#define UI_CONFIG_JOURNAL_H

#include "src/base/err.h"
#include "src/frame/frame.h"

#include <stdbool.h>

struct journal;

/* Opens `path` to write behind what it holds; NULL with a sentence. `is_verbose`: commands that
 * keys and the mouse give are noted as well. */
struct journal *journal_open(const char *path, bool is_verbose, struct err *err);

/* False with a sentence when a message could not be written. `j` may be NULL. */
bool journal_close(struct journal *j, struct err *err);

/* Each may be given NULL, which notes nothing. Whoever draws calls them. */
void journal_message(struct journal *j, bool is_error, const char *text);
void journal_command(struct journal *j, const char *name);
/* A line when something was lost since the last, at most one a second. */
void journal_loss(struct journal *j, const struct frame_loss *loss);

#endif

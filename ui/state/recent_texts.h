/* Filters, commands and searches that were typed, kept for the next start in the file "recent"
 * beside the configuration: one a line, behind its kind. Every other line is left out. Main thread.
 */
#ifndef UI_STATE_RECENT_TEXTS_H
#define UI_STATE_RECENT_TEXTS_H

#include "ui/state/app.h"

/* What earlier runs kept, as the oldest texts of each prompt. A file that is missing, too large or
 * not to be read gives none. */
void recent_texts_read(struct app *a);

/* Keeps what this run added; other runs may have added theirs meanwhile. Writes nothing with the
 * setting off or --readonly, or where there is nothing new. False with a sentence; a file that
 * cannot be read stays as it is. */
bool recent_texts_keep(const struct app *a, struct err *err);

#endif

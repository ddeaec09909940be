/* Filters, commands and searches that were typed, kept for the next start in the file "recent"
 * beside the configuration: one a line, behind its kind. Every other line is left out. Main thread.
 */
#ifndef UI_STATE_RECENT_TEXTS_H
#define UI_STATE_RECENT_TEXTS_H

#include "ui/state/app.h"

/* What earlier runs kept, as the oldest texts of each prompt. A file that is missing, too large or
 * not to be read gives none. */
void recent_texts_read(struct app *a);

/* Keeps what this run added; other runs may have added theirs meanwhile. Writes nothing where the
 * setting or the program's rights forbid it, or where there is nothing new. False with a sentence.
 */
bool recent_texts_keep(const struct app *a, struct err *err);

#endif

/* Copying: the cell or the row under the cursor (y), the rows on screen (Y). */
#ifndef UI_ACTION_COPYING_H
#define UI_ACTION_COPYING_H

#include "ui/state/app.h"

/* Takes a text of so many bytes to the clipboard, or to a file where the settings say so or the
 * terminal would not take it; says which. Answers with reactions. */
unsigned copying_take(struct app *a, const char *text, size_t bytes, const char *what);

/* What a terminal is sent to take the text (OSC 52), from the heap; NULL where there is none. */
char *copying_sequence(struct app *a, size_t *bytes);

/* The cell of the row in that column as it is shown, without its unit's sign; for actions. */
void copying_cell(const struct app *a, const struct frame_row *row, unsigned column, char *out,
                  size_t room);

#endif

/* Widths of columns that somebody chose: by dragging the border of a header, or by :width. One that
 * grows by itself no longer does. */
#ifndef UI_ACTION_WIDTHS_H
#define UI_ACTION_WIDTHS_H

#include "ui/state/app.h"

/* The button went down on the border behind a column: what follows drags it. */
void widths_grab(struct app *a, unsigned column, int x);

/* "COLUMN CELLS", "COLUMN auto". Answers with reactions. */
unsigned widths_run(struct app *a, const char *text);

/* "name:24, cmd:60": written to `out`, "" where none was chosen; read from `text`, false with the
 * expected form. `widths` are of the pane's columns; 0 = as is usual. */
void widths_write(const struct pane *p, const uint8_t *widths, char *out, size_t room);
bool widths_read(const struct pane *p, const char *text, uint8_t *widths, struct err *err);

#endif

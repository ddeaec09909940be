/* Actions on the row (F9): terminate its process, show its folder, copy it in several ways. What
 * changes the system is only offered where what is shown is this machine, now, and asks. */
#ifndef UI_ACTION_ROW_MENU_H
#define UI_ACTION_ROW_MENU_H

#include "ui/state/app.h"

struct choice;
bool row_menu_item(const struct app *a, unsigned i, struct choice *out); /* false behind the last */
void row_menu_take(struct app *a, unsigned i);

/* What was typed in answer to the question. */
void row_menu_answer(struct app *a, const char *text);

#endif

/* Settings that change while the program runs: by command, in the setup screen; and the
 * configuration that keeps them, on request or, where it says so, at the end. */
#ifndef UI_ACTION_SETTINGS_EDIT_H
#define UI_ACTION_SETTINGS_EDIT_H

#include "ui/state/app.h"

/* ":set KEY VALUE": says what is wrong where something is; without VALUE, what it is. */
unsigned settings_edit_set(struct app *a, const char *text);

/* ":mouse [on|off]". */
unsigned settings_edit_mouse(struct app *a, const char *argument);

/* ":save": writes what was changed into the configuration file, and says where. */
unsigned settings_edit_save(struct app *a);

/* Has something been changed that is not kept? */
bool settings_edit_differs(const struct app *a);

/* The program ends: keeps what was changed where the settings say so. False with a sentence. */
bool settings_edit_end(struct app *a, struct err *err);

#endif

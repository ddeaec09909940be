/* What keys do: the functions that the key table points to. Each changes the app
 * and answers with reactions; the loop does the rest. */
#ifndef UI_ACTION_ACTION_H
#define UI_ACTION_ACTION_H

#include "src/frame/frame.h"
#include "ui/config/keymap.h"
#include "ui/state/app.h"

#define ACTION(name)                                                                               \
    unsigned action_##name(struct app *a, const struct binding *b, const struct key *k)

/* Not every action needs all it is given. */
#define UNUSED(x) ((void)(x))

/* Opens the help about that. */
/* Turns the flag over and says what it means now. */
unsigned action_toggle(struct app *a, bool *flag, const char *on, const char *off);
unsigned action_report(struct app *a, enum help_about about);
/* A page that a command makes. */
unsigned action_show_page(struct app *a, enum help_about about, enum report_kind kind);

/* A mark, as if it had been typed. */
void action_mark_text(struct app *a, const char *text);

/* Begins a snapshot of what `text` says (src/trace/snapshot_ask.h); "" is everything, or, where it is
 * wanted as it is shown, what a picture that stands still shows. */
bool action_snapshot_begin(struct app *a, const char *text, bool as_shown, struct err *err);
unsigned action_snapshot_of(struct app *a, const char *text);

/* Recording to a file; "" makes a name. One that runs is ended. */
unsigned action_leave(struct app *a); /* asks first where a recording runs */
unsigned action_record_to(struct app *a, const char *path);

#define ACTION_DECLARED(id, name) ACTION(name);
ACTIONS(ACTION_DECLARED)
STRIP_ACTIONS(ACTION_DECLARED)
ACTION(loss); /* by a click and a command */

/* The function behind an id; NULL for ACT_NOTHING. */
typedef unsigned action_function(struct app *a, const struct binding *b, const struct key *k);
action_function *action_of(enum action action);

#endif

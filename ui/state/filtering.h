/* The filter while it is typed: what can be read takes effect at once, what cannot
 * leaves the last valid one in force and says where it goes wrong; Tab completes. */
#ifndef UI_STATE_FILTERING_H
#define UI_STATE_FILTERING_H

#include "ui/state/app.h"

/* What the prompt begins with: the filter of the place shown, or the query that it answers. */
const char *filtering_text(const struct app *a);

/* The prompt opens: names in the rows shown are remembered for completion. */
void filtering_opened(struct app *a);

/* The prompt's text has changed. */
void filtering_typed(struct app *a);

/* Makes a text the filter of the place shown; false, with a message, if it is none. */
bool filtering_set(struct app *a, const char *text);

/* Why what stands in the prompt is no filter, NULL if it is one; *at: the byte. */
const char *filtering_wrong(const struct app *a, size_t *at);

/* A comparison that a row of the present picture passes, as = would write it for the column; false
 * where no row has a value. */
bool filtering_example(const struct app *a, const struct column *c, char *out, size_t room);

/* The column of a pane that a field's word means (by its id or one of its aliases), or NULL. */
const struct column *filtering_column(const struct pane *p, const char *id, const char *aliases);

/* A column's word in filters: the field that means the same, or the column itself. */
const char *filtering_word(const struct column *c);

/* Numbers are rarely the same twice: what is measured is kept or left out from there on. */
const char *filtering_sign(const struct column *c, bool includes);

/* The value as the language reads it back; false where the cell holds none. */
bool filtering_value(const struct frame *f, const struct value *v, char *out, size_t room);

/* Fields of payloads that were seen and begin as what is typed: for completion. */
void filtering_ask(const struct app *a, struct request *r);

/* Those that were asked for last are not there yet. */
bool filtering_waits(const struct app *a);

/* Completes a field or a value as far as all candidates agree, then goes through them. */
void filtering_complete(struct app *a);

/* Four digits of a number as filters read them, no more than it is: "from here on" includes the row
 * that it is of. False where the language has no word for it. */
bool filtering_floor(double number, char *out, size_t room);

#endif

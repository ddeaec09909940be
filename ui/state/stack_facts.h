/* Call trees as they are shown: what drawing and keys need to know of them. */
#ifndef UI_STATE_STACK_FACTS_H
#define UI_STATE_STACK_FACTS_H

#include "ui/state/app.h"

/* Is the place shown a call tree? */
bool stacks_are_shown(const struct app *a);

/* Can stacks be weighed by it, as the newest frame says? */
bool stacks_has_metric(const struct app *a, unsigned metric);

/* A recording without what the metric counts: its events count instead. */
void stacks_take(struct app *a, const struct frame *f);

/* Hundredths of a percent below which frames share a row: what was chosen here, else the setting. */
int16_t stacks_cut_off(const struct app *a);

/* The frame as it is written on every row: without what the tree puts before it. */
void stacks_name(const struct app *a, const struct frame_row *row, char *out, size_t room);

/* Is it the highlighted frame? */
bool stacks_is_highlighted(const struct app *a, const struct frame_row *row);

/* What was chosen here holds for the stacks of other rows, too: frames that are hidden or kept,
 * folds, cut-off, and what percentages are of. It is kept until the program ends. */
void stacks_remember(struct app *a);
void stacks_recall(struct app *a);

/* One step back, each; false where there is none to take. */
bool stacks_clear_highlight(struct app *a);
bool stacks_zoom_out(struct app *a);
bool stacks_drop_term(struct app *a);

#endif

/* Call trees on screen: what keys change about them. */
#ifndef UI_STACKS_H
#define UI_STACKS_H

#include "ui/app.h"

void stacks_set_metric(struct app *a, unsigned metric);
bool stacks_has_metric(const struct app *a, unsigned metric);

/* Hundredths of a percent below which frames share a row: what was chosen here, else the setting. */
int16_t stacks_cut_off(const struct app *a);

/* Is it the frame that was lit, wherever it stands? */
bool stacks_is_lit(const struct app *a, const struct frame_row *row);

/* A click into a flame graph: selects, again zooms. Answers with reactions. */
unsigned flame_click(struct app *a, const struct rect *body, const struct key *k);

/* The frame with this key gets the whole width where its box is too narrow to be seen, in place
 * of the last one that did. */
void flame_show(struct app *a, const struct frame *f, const struct row_key *key);
void flame_unshow(struct app *a); /* takes that back */

/* One step back, each; false where there is none to take. */
bool stacks_unlight(struct app *a);
bool stacks_zoom_out(struct app *a);
bool stacks_drop_term(struct app *a);

#endif

/* The lines around every view: crumbs (and prompt), status, keys. */
#ifndef UI_DRAW_LINES_H
#define UI_DRAW_LINES_H

#include "ui/state/app.h"

void lines_crumbs(const struct app *a, struct grid *g, const struct rect *r);
void lines_status(const struct app *a, struct grid *g, const struct rect *r);
void lines_keys(const struct app *a, struct grid *g, const struct rect *r);

/* What is to be said now: a message, or what is wrong with the filter that is being typed. It takes
 * the line of keys; where there is none, the end of the status line. */
bool lines_have_message(const struct app *a);
void lines_message(const struct app *a, struct grid *g, const struct rect *r);

/* What the line of crumbs, which lies in r, shows at x: a crumb, with the level that it was chosen
 * on, or the filter. */
enum crumb_part { CRUMB_PART_NONE, CRUMB_PART_LEVEL, CRUMB_PART_FILTER };
enum crumb_part lines_crumb_at(const struct app *a, const struct rect *r, int x, unsigned *level);

/* The key that the key bar shows at x; false = none, or a message stands there. */
bool lines_key_at(const struct app *a, int x, struct key *out);

/* Sides, bottom and corners of a frame; its top is the caller's. */
void lines_border(struct grid *g, struct rect r, enum role role);

/* An empty framed box with a title, for overlays. */
void lines_box(struct grid *g, struct rect r, const char *title);

#endif

/* Several panes at once: up to VIEWS_MAX places beside and below each other, each with its own pane,
 * crumbs, filter, sort and cursor (struct pane_state). Time, settings and tags are common to all. One
 * of them is the current one, which has the keys: app->focus. */
#ifndef UI_STATE_SPLITS_H
#define UI_STATE_SPLITS_H

#include "ui/state/app.h"

/* Another one beside the current one, or below it, which becomes the current one: with the same
 * crumbs, and of the same pane with the same of all else. NULL: the same pane. False with a sentence
 * where there is no room. */
bool splits_open(struct app *a, const struct pane *p, bool is_below);

/* The current one is gone, or all but that. False: there is only one. */
bool splits_close(struct app *a);
bool splits_only(struct app *a);

/* Makes the i-th the current one, by the order on screen; false with a sentence while it may not
 * change. */
bool splits_go(struct app *a, unsigned i);

/* Are several on screen? Not while the current one is zoomed, or the screen is too small. */
bool splits_are_shown(const struct app *a);

/* Is each drawn in an area of its own, and not in the whole of what the screen has? So are several,
 * and one with a border. */
bool splits_have_areas(const struct app *a);

/* Has each of them room enough? What is smaller shows nothing: a title, the header and four rows; a
 * name and some numbers. */
enum { LEAST_WIDTH = 36, LEAST_HEIGHT = 6, DIVIDER = 1 };
bool splits_have_room(const struct app *a);

/* Where another one goes: the row behind the current one, or the column behind its whole stack. */
unsigned splits_next(const struct app *a, bool is_below);

/* Is the i-th on screen? */
bool splits_shows(const struct app *a, unsigned i);

/* Where the i-th stands, and what all of them have: of the screen. */
struct rect splits_area(const struct app *a, unsigned i);
struct rect splits_room(const struct app *a);

/* Which one stands there; -1 = none. */
int splits_at(const struct app *a, int x, int y);

/* Does something for the i-th as if it were the current one, behind the back of what belongs to the
 * person at the keyboard: splits_leave() with what this returned ends it. */
unsigned splits_enter(struct app *a, unsigned i);
void splits_leave(struct app *a, unsigned current);

/* The i-th as it asked last, and what it was given for it. */
const struct request *splits_sent(const struct app *a, unsigned i);
const struct frame *splits_frame(const struct app *a, unsigned i);

void splits_begin(struct app *a);
void splits_fini(struct app *a);

#endif

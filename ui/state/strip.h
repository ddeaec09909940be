/* The time strip: figures of the machine over all the recorded time, at the foot of the screen. Its
 * cursor is the moment that the panes show; a range is chosen by its two ends. */
#ifndef UI_STATE_STRIP_H
#define UI_STATE_STRIP_H

#include "ui/state/app.h"

/* Lines that it takes: 0 where it is hidden. */
int strip_height(const struct app *a);

/* Where its columns lie on the screen: behind the label. */
struct rect strip_plot(const struct rect *line);

/* The frame's strip; NULL while there is none. */
const struct strip *strip_known(const struct app *a);

void strip_ask(const struct app *a, struct request *r);

/* The keys go to it, also where it was hidden. */
void strip_enter(struct app *a);
void strip_hide(struct app *a);

/* Gives up the ends of a range, else the keys; false where it had neither. */
bool strip_leave(struct app *a);

/* What the panes show: a range, else the last interval; from < time ≤ to. */
void strip_shown(const struct app *a, const struct strip *s, int64_t *from, int64_t *to);

/* The range between the ends that are set; with one of them, up to what is shown. False: none is
 * set. */
bool strip_chosen(const struct app *a, const struct strip *s, int64_t *from, int64_t *to);

/* A zoomed strip goes along to that moment. */
void strip_follow(struct app *a, int64_t from, int64_t to);

#endif

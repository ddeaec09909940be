/* Moments to go to: marks, gaps without events, losses (' and :next, :prev). */
#ifndef UI_STATE_MARKS_H
#define UI_STATE_MARKS_H

#include "ui/state/app.h"

/* The i-th moment of the history: when, and what; false behind the last. */
struct moment {
    int64_t time;
    char when[32], what[400];
};
bool marks_moment(const struct app *a, unsigned i, struct moment *out);
void marks_go(struct app *a, unsigned i);

/* ":next mark", ":prev loss": goes there when the frame with the moments has come. */
void marks_seek(struct app *a, const char *what, int direction);
void marks_ask(const struct app *a, struct request *r);
void marks_sent(struct app *a, const struct request *r);
void marks_take(struct app *a, const struct frame *f);

#endif

/* Flame graphs: the rows of a call tree as boxes, one line a depth, as wide as what they weigh.
 * What lies where is a pure function of the frame and the width. */
#ifndef UI_STATE_FLAME_H
#define UI_STATE_FLAME_H

#include "ui/config/keymap.h"
#include "ui/state/app.h"

struct flame_box {
    unsigned row;   /* index into frame->rows */
    unsigned level; /* 1 = outermost */
    int x, width;   /* cells, from the left border of the graph; at least 1 */
};

struct flame {
    struct flame_box *boxes; /* by rows; owned */
    unsigned count;
    unsigned deepest;
};

/* The boxes of a frame that answers a request with stacks.is_flame; `root` is its root, width the
 * graph's. flame_fini() it. */
void flame_lay_out(const struct frame *f, const struct row_key *root, int width, struct flame *out);
void flame_fini(struct flame *g);

/* The box of the cursor's row: index, or -1. */
int flame_cursor(const struct app *a, const struct flame *g);

/* The box to go to from one: to the left, right, up or down; -1 = none. */
int flame_neighbor(const struct app *a, const struct flame *g, int from, enum flame_way way);

/* The first depth on the screen's first line, so that the cursor's is on it. */
unsigned flame_top(const struct flame *g, int cursor, int height);

/* The line of a graph of that height on which boxes of a level stand; and back. */
int flame_line(const struct app *a, unsigned level, unsigned top, int height);
unsigned flame_level(const struct app *a, int line, unsigned top, int height);

/* The box at a place of the graph; -1 = none. */
int flame_at(const struct flame *g, unsigned level, int x);

/* The frame with this key gets the whole width where its box is too narrow to be seen, in place
 * of the last one that did. */
void flame_show(struct app *a, const struct frame *f, const struct row_key *key);
void flame_unshow(struct app *a); /* takes that back */

#endif

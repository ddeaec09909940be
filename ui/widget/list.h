/* The list: one scrolling cursor for everybody. The cursor belongs to a row's key,
 * not to a line: when rows move, it goes along. Exception: put on the first row by
 * a start or by Home, it stays first. A list of text has no cursor, only a top. */
#ifndef UI_WIDGET_LIST_H
#define UI_WIDGET_LIST_H

#include "src/table/pane.h"

#include <stdbool.h>
#include <stdint.h>

struct list {
    uint64_t count;     /* rows there are */
    uint64_t cursor;    /* index of the cursor's row */
    uint64_t top;       /* index of the first row shown */
    int height;         /* rows shown, at least 1 */
    struct row_key key; /* of the cursor's row … */
    bool has_key;       /* … where it is known yet */
    bool is_first;      /* stays on the first row */
    bool is_tail;       /* stays on the last row (event streams) */
    bool keeps_line;    /* a moving row keeps its line on screen (F) */
    bool is_text;       /* no cursor: moving scrolls */
};

/* A list on its first row. */
struct list list_start(int height);

void list_move(struct list *l, int64_t by); /* rows; stops at the ends */
void list_page(struct list *l, int halves); /* +2 a page down, -1 half a page up */
void list_home(struct list *l);
void list_end(struct list *l);
void list_pan(struct list *l, int64_t by);    /* scrolls, the cursor stays where it can */
void list_go(struct list *l, uint64_t index); /* puts the cursor there */

/* Size of the screen or the number of rows changed. */
void list_fit(struct list *l, uint64_t count, int height);

/* The rows changed, the cursor's row is now at `index`. */
void list_follow(struct list *l, uint64_t index);

#endif

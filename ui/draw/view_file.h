/* The `.view` beside a snapshot: what was on the screen when it was taken, as text for people,
 * and for the next time the file is opened. "key = value" lines in sections, as in
 * themes; unknown ones are passed over. Nothing in it runs, and nothing is believed but what
 * struct view_state holds. */
#ifndef UI_DRAW_VIEW_FILE_H
#define UI_DRAW_VIEW_FILE_H

#include "src/base/err.h"
#include "src/frame/frame.h"

struct app;

enum { VIEW_COLUMN = 128 }; /* bytes of its id */

/* What is restored when the trace is opened again: the panes by their order on screen … */
struct view_place {
    char pane[FILTER_MAX];   /* its id, or its query; "": nothing was read */
    bool is_below;           /* stands below the one before, not beside it */
    char filter[FILTER_MAX], within[FILTER_MAX]; /* within: what the crumbs let through */
    char sort[VIEW_COLUMN];                      /* id of the pane's column, or "" */
    bool ascending;
    struct stack_look stacks; /* its metric, shape and is_flame */
};

/* … and what they have in common. */
struct view_state {
    struct view_place places[VIEWS_MAX];
    int64_t origin_ns, interval_ns; /* where intervals begin and how long they are; 0 = unknown */
};

/* What is shown now; the caller frees it. */
char *view_file_text(const struct app *a);

/* Reads TRACE.view; false when there is none or it cannot be read: then with a sentence in
 * err (empty where there simply is none). */
bool view_file_read(const char *trace, struct view_state *out, struct err *err);

#endif

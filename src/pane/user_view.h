/* User views: panes that a text file describes (ui/README.md) instead of code. What a row
 * is comes from the registry of fields (src/field/field.h), what is measured from the table of
 * aggregates; the result is a pane like any other, counted from the kept window when it is asked
 * for. Nothing in a view runs anything. Built by one thread before any other begins, and never
 * changed afterwards. */
#ifndef SRC_PANE_USER_VIEW_H
#define SRC_PANE_USER_VIEW_H

#include "src/base/err.h"
#include "src/table/pane.h"

enum {
    USER_VIEW_MAX = 12,         /* views in all */
    USER_VIEW_COLUMNS_MAX = 16, /* of one view, its share aside */
    USER_VIEW_ID = 32,
    USER_VIEW_TEXT = 160,
    USER_VIEW_FILTER = 512,
    USER_VIEW_KEYS = 3,
};

/* ---- building (user_view.c) ------------------------------------------------------------------ */

struct user_view;

struct user_view *user_view_new(const char *id);
void user_view_free(struct user_view *d); /* of one that was not added; NULL is fine */

/* An item of [view], and of [column ID] (which begins with the first item); false with a sentence
 * about the item. */
bool user_view_set(struct user_view *d, const char *key, const char *value, struct err *err);
bool user_view_column_set(struct user_view *d, const char *column, const char *key,
                          const char *value, struct err *err);

/* Is the view whole? Then it joins the panes, for good, and `d` is theirs. */
bool user_view_add(struct user_view *d, struct err *err);

/* ---- what a view does ------------------------------------------------------------------------ */

/* What a row is called, its parts side by side. */
void user_view_label(const struct user_view *d, struct row_key key, struct row_context *x,
                     char *out, size_t room);

/* Is it offered where the pane is shown? */
bool user_view_applies_to(const struct user_view *d, const struct pane *p);

#endif

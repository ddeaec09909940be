/* User views: panes that a text file describes (ui/README.md) instead of code. What a row
 * is comes from the registry of fields (src/field/field.h), what is measured from the table of
 * aggregates; the result is a pane like any other, counted from the history when it is asked
 * for. Nothing in a view runs anything. Built by one thread before any other begins, and never
 * changed afterwards. */
#ifndef SRC_PANE_USER_VIEW_H
#define SRC_PANE_USER_VIEW_H

#include "src/base/err.h"
#include "src/table/pane.h"

enum {
    USER_VIEW_MAX = 24, /* views in all, with those that are shipped */
    USER_VIEW_KEYS = KEY_PARTS,
    USER_VIEW_MEASURED = 16,                        /* columns with agg */
    USER_VIEW_COLUMNS_MAX = 8 + USER_VIEW_MEASURED, /* of one view, its share aside */
    USER_VIEW_ID = 32,
    USER_VIEW_TEXT = 160,
    USER_VIEW_FILTER = 512,
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

/* Small letters, digits and _: may it be the id of a view? */
bool user_view_is_id(const char *id);

/* ---- what a view does ------------------------------------------------------------------------ */

/* What a row is called, its parts side by side. */
void user_view_label(const struct user_view *d, struct row_key key, struct row_context *x,
                     char *out, size_t room);

/* All that rows show of an id in that part of the key, from 0. */
void user_view_part_text(const struct user_view *d, unsigned part, const struct row_context *x,
                         uint32_t id, char *out, size_t room);

/* What the row's part in the i-th column is called, in `out`, and the field that it is of, in words
 * of the filter language; "" of a process by its number; USER_VIEW_NO_FIELD: filters cannot ask for
 * it. NULL: there is no such part in that column. */
#define USER_VIEW_NO_FIELD "?"
const char *user_view_part(const struct user_view *d, unsigned i, struct row_key key,
                           struct row_context *x, char *out, size_t room);
unsigned user_view_columns(const struct user_view *d);

/* Is it offered where the pane is shown? */
bool user_view_applies_to(const struct user_view *d, const struct pane *p);

#endif

/* Declared views: panes that a text file describes (ui/README.md) instead of code. What a row
 * is comes from the registry of fields (src/field/field.h), what is measured from the table of
 * aggregates; the result is a pane
 * like any other, counted from the kept window when it is asked for. Nothing in a view runs
 * anything. Built by one thread before any other begins, and never changed afterwards. */
#ifndef SRC_PANE_USER_VIEW_H
#define SRC_PANE_USER_VIEW_H

#include "src/base/err.h"
#include "src/table/pane.h"

enum {
    DECLARED_MAX = 12,         /* views in all */
    DECLARED_COLUMNS_MAX = 16, /* of one view, its share aside */
    DECLARED_ID = 32,
    DECLARED_TEXT = 160,
    DECLARED_FILTER = 512,
    DECLARED_KEYS = 3,
};

/* ---- building (user_view.c) ------------------------------------------------------------------- */

struct declared;

struct declared *declared_new(const char *id);
void declared_free(struct declared *d); /* of one that was not added; NULL is fine */

/* An item of [view], and of [column ID] (which begins with the first item); false with a sentence
 * about the item. */
bool declared_set(struct declared *d, const char *key, const char *value, struct err *err);
bool declared_column_set(struct declared *d, const char *column, const char *key, const char *value,
                         struct err *err);

/* Is the view whole? Then it joins the panes, for good, and `d` is theirs. */
bool declared_add(struct declared *d, struct err *err);

/* ---- what a view does ------------------------------------------------------------------------ */

/* What a row is called, its parts side by side. */
void declared_label(const struct declared *d, struct row_key key, struct row_context *x, char *out,
                    size_t room);

/* Is it offered where the pane is shown? */
bool declared_applies_to(const struct declared *d, const struct pane *p);

#endif

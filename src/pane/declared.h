/* Declared views: panes that a text file describes (ui/README.md) instead of code. What a row
 * is, what is measured and which columns show it come from the tables below; the result is a pane
 * like any other, counted from the kept window when it is asked for. Nothing in a view runs
 * anything. Built by one thread before any other begins, and never changed afterwards. */
#ifndef SRC_PANE_DECLARED_H
#define SRC_PANE_DECLARED_H

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

/* What a fact tells that rows can be made of, or counted: an id, whose text or number is looked up
 * when it is shown. Row of a table (declared_field.c). */
struct declared_field {
    const char *id, *help;
    uint32_t classes; /* of facts that have it: bit per enum fact_class; 0 = all */
    uint8_t type;     /* enum value_type: text, path or id */
    uint8_t width;
    bool is_process;                      /* the fact's process, whose number may be learnt later */
    uint32_t (*of)(const struct fact *f); /* 0 = there is none */
    /* The text of an id, in `room` or elsewhere; NULL = it is not known. */
    const char *(*text)(const struct row_context *x, uint32_t id, char *room, size_t bytes);
};

extern const struct declared_field declared_fields[]; /* ends with a NULL id */
const struct declared_field *declared_field_find(const char *id);

/* What an id stands for, as a cell; absent where that is not known. */
struct value declared_value(const struct declared_field *field, struct row_context *x, uint32_t id);

/* ---- building (declared.c) ------------------------------------------------------------------- */

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

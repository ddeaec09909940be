/* The pane of events with columns for fields of payloads. Such a pane never changes: with one
 * column more it is another pane, whose other columns have the same places. */
#ifndef SRC_PANE_EVENT_COLUMNS_H
#define SRC_PANE_EVENT_COLUMNS_H

#include "src/base/err.h"
#include "src/table/pane.h"

enum {
    EVENT_COLUMNS_MAX = 32,  /* fields of payloads among the columns */
    EVENT_COLUMN_NAME = 128, /* bytes of a name, its end included */
};

struct event_columns;

/* "time,.Depth,daddr": `p` with a column for each name that none of its columns has and that names a
 * field of a payload (src/field/field.h); other names are left to whoever reads the list. NULL: there
 * is none such, or the pane has no events, or with a sentence in *err too many, or too long a name. */
struct event_columns *event_columns_new(const struct pane *p, const char *list, struct err *err);
void event_columns_free(struct event_columns *c); /* nobody asks for the pane any more; NULL is fine */

/* Good as long as the columns are. */
const struct pane *event_columns_pane(const struct event_columns *c);

/* Is the name one that columns are offered for: does a filter read it? */
bool event_columns_reads(const char *name);

/* ---- columns that come one after the other ------------------------------------------------------ */

/* All panes that were made, the newest last. They stay until the end: requests and frames refer to
 * them. Zero to begin with; the owner outlives the engine. */
struct event_panes {
    struct event_columns **made;
    unsigned count;
};

void event_panes_fini(struct event_panes *s);

/* The pane as it is by now: the newest that was made of it, or of what it was made of. */
const struct pane *event_panes_now(const struct event_panes *s, const struct pane *p);

/* Makes a pane that has a column for each name of the list that is a field of a payload; blanks,
 * commas, and ":24" behind a name, do not count. Nothing where all are known. False with a
 * sentence. */
bool event_panes_learn(struct event_panes *s, const struct pane *p, const char *list,
                       struct err *err);

/* The column of that name, which may be a new one. Where there are as many as there can be, it
 * takes the place of one for which `is_free` holds. NULL with a sentence. */
const struct column *event_panes_add(struct event_panes *s, const struct pane *p, const char *name,
                                     bool (*is_free)(const void *of, unsigned column),
                                     const void *of, struct err *err);

#endif

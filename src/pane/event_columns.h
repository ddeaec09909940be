/* The pane of events with columns for fields of payloads, which a list of columns names. */
#ifndef SRC_PANE_EVENT_COLUMNS_H
#define SRC_PANE_EVENT_COLUMNS_H

#include "src/base/err.h"
#include "src/table/pane.h"

struct event_columns;

/* "time,.Depth,daddr": `p` with a column for each name that none of its columns has and that names a
 * field of a payload (src/field/field.h); other names are left to whoever reads the list. NULL: there
 * is none such, or the pane has no events, or with a sentence in *err too many, or too long a name. */
struct event_columns *event_columns_new(const struct pane *p, const char *list, struct err *err);
void event_columns_free(struct event_columns *c); /* nobody asks for the pane any more; NULL is fine */

/* Good as long as the columns are. */
const struct pane *event_columns_pane(const struct event_columns *c);

#endif

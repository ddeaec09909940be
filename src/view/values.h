/* What panes made of payload fields ask of records: which row a fact is of, and what it adds there.
 * A record is only read where its kind of event has a field that the pane asks for. */
#ifndef SRC_VIEW_VALUES_H
#define SRC_VIEW_VALUES_H

#include "src/view/inside.h"

/* Fills in what the pane asks for; false: rows are made of a field that the fact has not. */
bool view_values(struct view *v, const struct pane *p, const struct fact *f,
                 struct fact_values *out);

/* The fact's row in the pane; false: it is of none. */
bool view_key(struct view *v, const struct pane *p, const struct fact *f, uint32_t process,
              struct row_key *out);

/* A scan begins: texts that had no number get one, where nobody refers to those that have. */
void view_values_start(struct view *v);

void view_values_free(struct view *v);

#endif

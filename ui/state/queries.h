/* Queries as panes: each that was asked since the start, once. They stay until the end, for
 * requests and frames refer to them. */
#ifndef UI_STATE_QUERIES_H
#define UI_STATE_QUERIES_H

#include "src/base/err.h"
#include "src/pane/query_pane.h"
#include "ui/state/app.h"

/* Zero to begin with; the owner outlives the engine. */
struct queries {
    struct asked_query **at;
    unsigned count;
};

void queries_fini(struct queries *s);

/* The pane of "by proc | count"; NULL with a sentence. */
const struct pane *queries_ask(struct queries *s, const char *text, struct err *err);

/* Likewise, or the pane with that id. */
const struct pane *queries_pane(struct app *a, const char *text, struct err *err);

/* The pane has this name, too: queries_pane() finds it. Names are identifiers of views. */
void queries_name(struct queries *s, const struct pane *p, const char *name);

/* What is known of the pane's columns; NULL where it is no query's. */
struct pane_columns *queries_columns(const struct queries *s, const struct pane *p);

#endif

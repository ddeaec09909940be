/* Panes that are made while the program runs: that of events with columns for fields of payloads,
 * and those of queries. */
#ifndef UI_STATE_MADE_PANES_H
#define UI_STATE_MADE_PANES_H

#include "src/pane/event_columns.h"
#include "ui/state/queries.h"

/* Zero to begin with; the owner outlives the engine. */
struct made_panes {
    struct event_panes events;
    struct queries queries;
};

static inline void made_panes_fini(struct made_panes *m)
{
    event_panes_fini(&m->events);
    queries_fini(&m->queries);
}

#endif

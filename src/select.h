/* Which events a text filter selects, where there is no model: each event is searched by what
 * its line in a list would show — class and name, the process, the texts of its payload,
 * and the file or registry key it is about. The words of all of them count together. */
#ifndef SRC_SELECT_H
#define SRC_SELECT_H

#include "src/attribution.h"
#include "src/rundown.h"

struct select;

/* `names` are looked at when events pass, and stay the caller's. */
struct select *select_new(const char *filter, const struct rundown *names);
void select_free(struct select *s);

/* `ns` is the event's time since 1970 UTC. */
bool select_passes(struct select *s, const struct event *e, const struct owner *owner, int64_t ns);

#endif

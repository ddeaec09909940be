/* Triggers without a screen (--on of `record` and `recorder`): marks, snapshots and commands when
 * what they are about has shown. Main thread. */
#ifndef SRC_COMMAND_TRIGGER_WATCH_H
#define SRC_COMMAND_TRIGGER_WATCH_H

#include "src/collect/collector.h"
#include "src/engine/engine.h"

#include <stdio.h>

struct trigger_watch;

/* Are the texts triggers, with actions that need no screen? False with a sentence. */
bool trigger_watch_check(const char *const *texts, size_t count, struct err *err);

/* Begins to look at the triggers that the engine has been started with, `texts` in this order,
 * which were checked. Snapshots go into the folder (NULL: the current one). */
struct trigger_watch *trigger_watch_new(struct engine *engine, struct collector *collector,
                                        const char *const *texts, size_t count, const char *folder);

/* Acts where it is time to; says in the log what was done. Some times a second. */
void trigger_watch_look(struct trigger_watch *w, FILE *log);

/* Sets others in their place, which were checked; where they are the same, they go on. Those before
 * end as by trigger_watch_end(). */
void trigger_watch_change(struct trigger_watch *w, const char *const *texts, size_t count,
                          FILE *log);

/* Snapshots that wait for their end are taken now, and waited for; commands go on alone. Before the
 * engine stops. NULL is fine. */
void trigger_watch_end(struct trigger_watch *w, FILE *log);

#endif

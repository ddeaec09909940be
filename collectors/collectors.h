/* The collectors of this room; collectors.c lists them in collector_kinds[]. */
#ifndef COLLECTORS_COLLECTORS_H
#define COLLECTORS_COLLECTORS_H

#include "src/collect/collector.h"
#include "src/event/schema_system.h"

#include <stdio.h>

extern const struct collector_kind collector_etl;
extern const struct collector_kind collector_recorder;
extern const struct collector_kind collector_synthetic;
extern const struct collector_kind collector_live; /* this platform's: "linux" … */

/* What this system knows of events' layouts; NULL: nothing (Linux). */
const struct schema_system *system_schemas(void);

/* `tracetop sessions` and `tracetop providers`: print to `to`, complain by src/base/message.h; the
 * exit status. */
struct command_verb {
    const char *verb; /* NULL: none */
    const char *const *words;
    size_t word_count;
    bool orphans; /* --orphans */
    bool prints_json;
    const struct session_settings *settings;  /* of a session that is started or updated */
    const struct provider_settings *provider; /* of a provider that is enabled */
};
int sessions_run(const struct command_verb *c, FILE *to);
int providers_run(const struct command_verb *c, FILE *to);

struct new_mark; /* src/event/mark.h */

/* Writes the mark as an event of tracetop's provider; true where sessions of other programs have
 * that enabled. NULL writes nothing: would a mark reach one? On Linux there are none. */
bool etw_mark(const struct new_mark *m);

#endif

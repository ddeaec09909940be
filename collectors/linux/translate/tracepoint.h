/* Tracepoints that the user asks for by name (-e tp:SYSTEM:EVENT[:FILTER]): their events carry all
 * fields that the kernel declares, described in the event itself. */
#ifndef COLLECTORS_LINUX_TRANSLATE_TRACEPOINT_H
#define COLLECTORS_LINUX_TRANSLATE_TRACEPOINT_H

#include "collectors/linux/kernel/perf.h"
#include "collectors/linux/kernel/tracefs.h"
#include "collectors/linux/translate/translate.h"

/* Reads what the kernel says of each, and asks it about the filters. NULL with a sentence: one is
 * none, or is not there. free: tracepoints_free(). */
struct tracepoints *tracepoints_new(const char *const *names, size_t count,
                                    const struct tracefs *fs, struct perf *perf, struct err *err);
void tracepoints_free(const struct tracepoints *t); /* NULL is fine */

/* "SYSTEM" as provider of its events. */
struct guid tracepoint_provider(const char *group);

/* How a field of a format text travels: the type for struct event_description, "[N]" with it. */
void tracepoint_type(const struct format_item *f, char *out, size_t room);

#endif

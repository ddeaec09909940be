/* What somebody needs of a live collector: bits of enum fact_class, and which of them with
 * stacks. And the same between two processes, as lines for src/os/instance.h: who reads a recorder
 * asks it by WATCH_VERB to record more, for as long as WATCH_STAYS_S says (src/engine/watch.h), and
 * is answered what it records. Classes go by their names (recorded_class_name()), so that two
 * versions of tracetop understand each other:
 *
 *     switch syscall stacks:syscall                                       the call
 *     switch=1764432000000000000 stacks:switch refused:syscall            its answer
 *
 * A number is since when the class is on, ns since 1970. */
#ifndef SRC_COLLECT_WATCH_REQUEST_H
#define SRC_COLLECT_WATCH_REQUEST_H

#include "src/base/err.h"

#include <stddef.h>
#include <stdint.h>

struct collector;

#define WATCH_VERB "classes"

struct watch_request {
    uint32_t classes, stacks;
};

/* Returns `out`, which has room for all classes with INSTANCE_TEXT bytes. */
const char *watch_request_write(const struct watch_request *w, char *out, size_t room);

/* False with a sentence: something is no class. */
bool watch_request_read(const char *text, struct watch_request *w, struct err *err);

/* What the collector records now, and since when. Any thread. Returns `out`. */
const char *watch_answer_write(const struct collector *c, char *out, size_t room);

/* Sets what `c`, which reads what another process records, records by that: `active`,
 * `active_stacks`, `refused`, `switched_ns`. Words that are not known are a newer version's, and
 * skipped. Collector's thread. */
void watch_answer_read(const char *text, struct collector *c);

#endif

/* `tracetop selftest`: makes real activity of each kind and checks that its events come, with how
 * long each takes; on Windows also what ETW itself answers (collector_kind.selftest). A report as
 * text or JSON for whoever looks after the program. */
#ifndef SRC_COMMAND_SELFTEST_H
#define SRC_COMMAND_SELFTEST_H

#include "src/collect/collector.h"
#include "src/collect/selftest.h"
#include "src/command/command.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>

struct selftest_options {
    const struct command_line *line; /* subject: the one probe to run; NULL: all */
    const struct collector_kind *live;
    const _Atomic bool *stop;
};

/* Prints the report. EXIT_DONE where every stimulus was seen and no call failed; EXIT_PRIVILEGE
 * where something was refused; else EXIT_ERROR. EXIT_USAGE with a sentence. */
enum exit_status selftest_run(const struct selftest_options *o, FILE *to, struct err *err);

/* The JSON Schema of the report, in parts; NULL ends it. */
extern const char *const selftest_schema[];

/* ---- selftest_live.c --------------------------------------------------------------------------- */

/* The stimuli, each with the events that the live collector delivers. */
void selftest_live(const struct collector_kind *live, const struct check_taker *t);

#endif

/* Triggers: what is to happen when something shows, in one line.
 *
 *   EXPR [for TIME] do ACTION [once] [every TIME]
 *   disk.p99>200ms for 3s do snapshot around -30s..10s once
 *
 * EXPR is a filter. Fields written PANE.FIELD are that pane's, and the trigger holds in an
 * interval in which the pane, with that filter, has a row; without a pane it is about events,
 * and holds in an interval that has one. `for`: it has held for so long. `every`: it acts
 * once in so much time of the events, one minute if nothing is said. */
#ifndef SRC_ENGINE_TRIGGER_H
#define SRC_ENGINE_TRIGGER_H

#include "src/base/err.h"
#include "src/frame/frame.h"
#include "src/table/pane.h"

#include <stdbool.h>
#include <stdint.h>

enum { TRIGGER_TEXT = 256 };

enum trigger_action {
    TRIGGER_SNAPSHOT,
    TRIGGER_MARK,
    TRIGGER_BELL,
    TRIGGER_FREEZE,
    TRIGGER_RECORD,
    TRIGGER_RUN,
    TRIGGER_ACTIONS,
};

struct trigger {
    const struct pane *pane;
    char filter[TRIGGER_TEXT]; /* the pane's; never empty */
    int64_t for_ns, every_ns;
    enum trigger_action action;
    int64_t before_ns,
        after_ns; /* TRIGGER_SNAPSHOT: around the instant; both 0: all that is kept */
    char argument[TRIGGER_TEXT]; /* TRIGGER_MARK: the text; TRIGGER_RUN: the command */
    bool once;
};

/* False with a sentence: what was expected, what was found. */
bool trigger_parse(const char *text, struct trigger *out, struct err *err);

/* Its action is to run a command. The panes that it names need not be known yet. */
bool trigger_runs_command(const char *text);

#endif

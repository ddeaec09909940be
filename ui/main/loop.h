/* The program on a real terminal: waits for keys, frames and signals, draws. */
#ifndef UI_MAIN_LOOP_H
#define UI_MAIN_LOOP_H

#include "src/engine/engine.h"
#include "ui/state/saver.h"
#include "ui/theme/theme.h"

#include <stdbool.h>

struct made_panes;
struct report_source;

struct loop_options {
    struct engine *engine;
    struct os_wakeup *wakeup; /* the engine's frame wakeup; signals signal it too */
    const struct theme *theme;
    const char *color;  /* --color, or NULL */
    const char *pane;   /* pane to start with, or NULL */
    const char *filter; /* filter to start with, or NULL */
    const char *greeting;          /* the first message; NULL: none */
    const struct view_state *view; /* to start as it says, or NULL */
    struct collector *collector;   /* whose events can be saved … */
    struct saver_shape shape;      /* … so */
    const struct instance_reader *reader; /* of its endpoint; or NULL */
    struct config *config;         /* must outlive the loop */
    struct journal *journal;       /* likewise; NULL: none is kept */
    struct made_panes *made;       /* must outlive the engine */
    const struct report_source *reports; /* of :info and :machine; NULL: there are none */
    bool is_whole;
    const char *const *triggers;   /* of the command line; the engine has them, too */
    size_t trigger_count;
    bool is_quiet; /* writes only failures to standard error */
};

/* Runs until the user leaves or a signal ends the program. Returns the exit status: 0, 1 with a
 * sentence in *err, 130 when interrupted. Main thread; os_signals_install() has been called. */
int loop_run(const struct loop_options *o, struct err *err);

#endif

/* The whole program without a terminal: keys from a file, frames as text. */
#ifndef UI_MAIN_HEADLESS_H
#define UI_MAIN_HEADLESS_H

#include "src/engine/engine.h"
#include "ui/state/app.h"
#include "ui/state/saver.h"
#include "ui/theme/theme.h"

#include <stdbool.h>
#include <stdio.h>

struct headless_options {
    struct engine *engine;
    int columns, rows; /* 0 = 80×24 */
    const char *keys;  /* file, or NULL: shows the first frame */
    bool dumps_all;    /* --dump: a frame after every line; else only the last */
    const char *const *triggers; /* of the command line; the engine has them, too */
    size_t trigger_count;
    bool has_roles;    /* attributes as {role:text} */
    struct config *config; /* must outlive the run; NULL: the defaults */
    struct journal *journal; /* likewise; NULL: none is kept */
    struct made_panes *made; /* must outlive the engine */
    const struct report_source *reports; /* of :info and :machine; NULL: there are none */
    bool is_whole;
    bool is_quiet;             /* writes only failures to standard error */
    bool is_endless;           /* the source goes on for ever: "wait" waits one interval */
    const char *pane, *filter; /* to start with, or NULL */
    const struct view_state *view; /* to start as it says, or NULL */
    struct collector *collector;   /* whose events can be saved … */
    struct saver_shape shape;      /* … so */
    FILE *out;
    /* Draws a grid on `out` in another way than as text (pictures); may be NULL. */
    void (*draw)(const void *state, const struct grid *g, FILE *out);
    const void *state;
};

/* A key file holds one key a line ("Down", "C-s", "/"), "text:…" to type, "wait" for
 * the source to end (recordings) or, where it never does, for one more interval, "size WxH",
 * "dump" to print a frame; "# …" is a comment. Every line waits for the frame that
 * answers it, so the same script shows the same screens. Returns the exit status: 0, 1 with
 * a sentence, 130 without one when interrupted. */
int headless_run(const struct headless_options *o, struct err *err);

#endif

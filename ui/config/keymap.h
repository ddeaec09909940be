/* The one table of keys: what they do, where, and how to say it. The key bar, the
 * help pane and `tracetop keys` are printed from it. */
#ifndef UI_CONFIG_KEYMAP_H
#define UI_CONFIG_KEYMAP_H

#include "src/frame/frame.h"
#include "ui/config/key.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Where a key counts. Overlays and prompts come before what lies below. */
enum context {
    CONTEXT_TABLE = 1,     /* tables of rows */
    CONTEXT_EVENTS = 2,    /* the stream of events */
    CONTEXT_TEXT = 4,      /* help and event detail */
    CONTEXT_CHOOSER = 8,   /* lists to pick from; typing filters them */
    CONTEXT_PROMPT = 16,   /* a line being typed */
    CONTEXT_TREE = 32,     /* beside TABLE: its rows stand below each other … */
    CONTEXT_STACKS = 64,   /* … and are frames of stacks; both come first */
    CONTEXT_FLAME = 256,   /* beside STACKS, instead of TREE: boxes; comes before that */
    CONTEXT_CHART = 512,   /* beside the others: latencies as a picture; comes before them */
    CONTEXT_SPLIT = 1024,  /* beside the others: there are several panes; comes before them */
    CONTEXT_DETAIL = 2048, /* beside TEXT: an event's details; comes before that */
    CONTEXT_STRIP = 4096,  /* beside the others: the time strip has the keys; comes before them */
    NEEDS_ROWS = 128,      /* no context: the key waits where rows are still being gathered */
    WRITES = 1 << 16,      /* no context: not available while tracetop is read-only */
    CONTEXT_ROWS = CONTEXT_TABLE | CONTEXT_EVENTS,
    CONTEXT_SHOWS = CONTEXT_ROWS | CONTEXT_TEXT,
    CONTEXT_ALL = CONTEXT_SHOWS | CONTEXT_CHOOSER | CONTEXT_PROMPT,
};

/* What the loop must do after a key. */
enum reaction {
    REACT_NONE = 0,
    REACT_DRAW = 1,
    REACT_QUIT = 2,
    REACT_SUSPEND = 4,
    REACT_REPAINT = 8, /* everything, also what did not change */
    REACT_COPY = 16,   /* app->copied goes to the terminal's clipboard */
    REACT_BELL = 32,
};

/* What keys do: an id and the name of its function, action_NAME() in ui/action/action.h. */
/* clang-format off */
#define ACTIONS(each) \
    each(SPLIT_STEP, split_step) each(CHART_MOVE, chart_move) each(CHART_CLIMB, chart_climb) \
    each(CHART_GO, chart_go) each(CHART, chart) each(CHART_ROW, chart_row) \
    each(CHART_MEASURE, chart_measure) each(CHART_SCALE, chart_scale) each(TREE_LEFT, tree_left) \
    each(TREE_RIGHT, tree_right) each(FOLD, fold) each(FOLD_ALL, fold_all) each(FRAME, frame) \
    each(FLAME_MOVE, flame_move) each(FLAME_ZOOM, flame_zoom) \
    each(STACK_DIRECTION, stack_direction) each(CHOOSE, choose) each(STACK_FOLD, stack_fold) \
    each(STACK_CUT_OFF, stack_cut_off) each(STACK_PERCENT, stack_percent) \
    each(FIND_ROWS, find_rows) each(STACK_HIGHLIGHT, stack_highlight) \
    each(STACK_NEXT_HIGHLIGHT, stack_next_highlight) each(STACK_TERM, stack_term) \
    each(EXPORT, export) each(STACK_SHAPE, stack_shape) each(STACK_AROUND, stack_around) \
    each(HELP, help) each(FILTER, filter) each(FIND, find) each(FIND_NEXT, find_next) \
    each(LOCK, lock) each(USERS, users) each(PATHS, paths) each(OF_ONE_CPU, of_one_cpu) \
    each(TREE, tree) each(OPEN, open) each(EVENTS, events) each(THREADS, threads) \
    each(FOLLOW, follow) each(PANE_STEP, pane_step) each(PANE_DIGIT, pane_digit) \
    each(COMMAND, command) each(NEIGHBOR, neighbor) each(COPY_EVENT, copy_event) \
    each(END_DETAILS, end_details) each(FREEZE, freeze) each(STEP, step) \
    each(WHAT_CHANGED, what_changed) each(DIFFERENCE, difference) each(LAST_VIEW, last_view) \
    each(ACCUMULATE, accumulate) each(HIDE_IDLE, hide_idle) each(ACTIONS, actions) \
    each(DETAILS, details) each(MARKS, marks) each(INTERVAL, interval) each(COPY, copy) \
    each(COPY_TABLE, copy_table) each(HIDE_SYSTEM, hide_system) each(GROUP, group) \
    each(LOCK_ORDER, lock_order) each(RESET, reset) each(MARK, mark) each(SNAPSHOT, snapshot) \
    each(RECORD, record) each(METERS, meters) each(SPLIT, split) each(ZOOM, zoom) \
    each(BACK, back) each(CLOSE, close) each(CANCEL, cancel) each(REDRAW, redraw) \
    each(SUSPEND, suspend) each(QUIT, quit) each(MOVE, move) each(PAGE, page) each(HOME, home) \
    each(END, end) each(COLUMN, column) each(PAN, pan) each(DRAG, drag) each(DROP, drop) \
    each(CLICK, click) each(SORT_STEP, sort_step) each(SORT_BY, sort_by) each(INVERT, invert) \
    each(TAG, tag) each(TAG_RULE, tag_rule) each(UNTAG, untag) each(CLEAR_FILTER, clear_filter) \
    each(FILTER_CELL, filter_cell) each(ACCEPT, accept) each(RECENT, recent) \
    each(COMPLETE, complete) each(PROMPT_FIND, prompt_find) each(PROMPT_SWITCH, prompt_switch) \
    each(CHOOSE_TOGGLE, choose_toggle) each(CHOOSE_MOVE, choose_move) \
    each(CHOOSE_PAGE, choose_page)

#define STRIP_ACTIONS(each) \
    each(STRIP, strip) each(STRIP_MOVE, strip_move) each(STRIP_SCALE, strip_scale) \
    each(STRIP_END, strip_end) each(STRIP_GO, strip_go) each(STRIP_METRIC, strip_metric)
/* clang-format on */

#define ACTION_ID(id, name) ACT_##id,
enum action { ACT_NOTHING, ACTIONS(ACTION_ID) STRIP_ACTIONS(ACTION_ID) ACTION_COUNT };

/* Arguments of actions, from the table (struct binding, argument). */
enum { SORT_CPU, SORT_MEMORY, SORT_TIME };     /* sort_by */
enum { SHAPE_TREE, SHAPE_FLAME, SHAPE_FLAT };  /* stack_shape */
enum { FOLD_TURN = FOLD_SHUT + 1 };            /* fold, beside enum row_fold: whatever it is not */
enum flame_way { FLAME_LEFT, FLAME_RIGHT, FLAME_UP, FLAME_DOWN }; /* flame_move */
enum { STEP_FAR_ON = 1 << 30, STEP_FAR_BACK = -STEP_FAR_ON }; /* step: more than any window has */
enum chooser_kind {                                           /* choose */
                    CHOOSE_PANE,
                    CHOOSE_SORT,
                    CHOOSE_COLUMNS,
                    CHOOSE_METRIC,
                    CHOOSE_SETUP,
                    CHOOSE_THEME,
                    CHOOSE_USER,
                    CHOOSE_MARK,
                    CHOOSE_ACTION,
                    CHOOSERS
};

struct binding {
    const char *name;  /* stable: configuration and `tracetop keys` */
    const char *keys;  /* names separated by blanks; the first one shows in the key bar */
    const char *label; /* a word for the key bar; NULL = never there */
    const char *help;  /* a sentence */
    unsigned contexts; /* enum context bits, NEEDS_ROWS, WRITES */
    unsigned rank;     /* order in the key bar when cells are short; 1 stays longest */
    enum action action;
    int argument; /* for the action: rows that share one */
};

extern const struct binding keymap[];
extern const size_t keymap_count;

/* Sections of the help, in order: the context and its title. */
struct keymap_section {
    unsigned contexts;
    const char *title;
};
extern const struct keymap_section keymap_sections[];
extern const size_t keymap_section_count;

/* Steps through names of keys separated by blanks: *at starts as b->keys or as what keys_of()
 * (ui/config/keys.h) says. False at the end. */
bool keymap_next_key(const char **at, char name[KEY_NAME]);

#endif

/* The one table of keys: what they do, where, and how to say it. The key bar, the
 * help pane and `tracetop keys` are printed from it. */
#ifndef UI_KEYMAP_H
#define UI_KEYMAP_H

#include "ui/input.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Where a key counts. Overlays and prompts come before what lies below. */
enum context {
    CONTEXT_TABLE = 1,   /* tables of rows */
    CONTEXT_EVENTS = 2,  /* the stream of events */
    CONTEXT_TEXT = 4,    /* help and event detail */
    CONTEXT_CHOOSER = 8, /* lists to pick from; typing filters them */
    CONTEXT_PROMPT = 16, /* a line being typed */
    CONTEXT_TREE = 32,   /* beside TABLE: its rows stand below each other … */
    CONTEXT_STACKS = 64, /* … and are frames of stacks; both come first */
    CONTEXT_FLAME = 256, /* beside STACKS, instead of TREE: boxes; comes before that */
    CONTEXT_PICTURE = 512, /* beside the others: latencies as a picture; comes before them */
    CONTEXT_SPLIT = 1024,  /* beside the others: there are several panes; comes before them */
    NEEDS_ROWS = 128,    /* no context: the key waits where rows are still being gathered */
    WRITES = 1 << 16,    /* no context: not while the program is read-only */
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

struct app;

struct binding {
    const char *name;  /* stable: configuration and `tracetop keys` */
    const char *keys;  /* names separated by blanks; the first one shows in the key bar */
    const char *label; /* a word for the key bar; NULL = never there */
    const char *help;  /* a sentence */
    unsigned contexts; /* enum context bits, NEEDS_ROWS, WRITES */
    unsigned rank;     /* order in the key bar when cells are short; 1 stays longest */
    unsigned (*run)(struct app *a, const struct binding *b, const struct key *k);
    int argument; /* for run: rows that share a function */
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
 * (ui/keys.h) says. False at the end. */
bool keymap_next_key(const char **at, char name[KEY_NAME]);

#endif

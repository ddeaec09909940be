/* One line of text being typed, with history: filter, command, search. */
#ifndef UI_WIDGET_PROMPT_H
#define UI_WIDGET_PROMPT_H

#include "src/frame/frame.h"
#include "ui/config/key.h"

#include <stdbool.h>
#include <stddef.h>

enum { HISTORY_MAX = 32 };

/* What was typed before, newest last. */
struct history {
    char *lines[HISTORY_MAX];
    unsigned count;
};

struct prompt {
    char text[FILTER_MAX];
    size_t at; /* byte before which the cursor stands */
    struct history *history;
    unsigned recalled;      /* 0 = the line being typed, 1 = the newest … */
    char typed[FILTER_MAX]; /* the line being typed, while looking at older ones */
};

void prompt_open(struct prompt *p, struct history *h, const char *text);

/* Keeps the line in the history (empty lines and repetitions are not kept). */
void prompt_keep(struct prompt *p);

/* A key that edits; false when it is none. Controls are never taken as text. */
bool prompt_key(struct prompt *p, const struct key *k);
void prompt_set(struct prompt *p, const char *text);

void history_fini(struct history *h);

#endif

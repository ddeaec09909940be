/* The list below a prompt: commands that match while one types, or recent texts (C-r). Down and Up
 * put one of it into the prompt; typing narrows it again. */
#ifndef UI_STATE_SUGGESTIONS_H
#define UI_STATE_SUGGESTIONS_H

#include "ui/state/app.h"

struct offered_text {
    char text[FILTER_MAX];  /* what it puts into the prompt */
    const char *arguments;  /* behind it, as the help shows them; "" */
    const char *help;       /* a sentence; "" */
    char key[2 * KEY_NAME]; /* that does the same; "" */
    bool is_recent;
};

enum { SUGGESTIONS_MAX = 160 };

/* All of the list, best matches first; `out` has room for SUGGESTIONS_MAX. */
unsigned suggestions_list(const struct app *a, struct offered_text *out);
bool suggestions_is_shown(const struct app *a);

/* The next or previous one goes into the prompt; before the first, what was typed. False: there is
 * none in that direction. */
bool suggestions_step(struct app *a, int by);

/* Recent texts of this prompt that match what is typed; again: the next older one. */
bool suggestions_recent(struct app *a);

/* The prompt was opened, or typed into: the list follows what stands there. */
void suggestions_reset(struct app *a);

/* Up and Down, where the list and not the history takes them. */
bool suggestions_key(struct app *a, const struct key *k);

#endif

/* Choosers: a list to pick from; typing narrows it. What there is to choose is in the table that the
 * app began with (ui/action/choices.h). */
#ifndef UI_STATE_CHOOSER_H
#define UI_STATE_CHOOSER_H

#include "ui/state/app.h"
#include "ui/state/sticky_filter.h"
#include "ui/state/marks.h"

/* One line of a chooser. */
struct choice {
    const char *name, *title, *help;
    struct whose whose;   /* users … */
    struct moment moment; /* … and moments: what the words are of */
    char value[48]; /* beside the title; "" = none */
    bool is_current;
    bool is_on; /* the toggle's */
    bool is_long; /* the title may take all the room that the help leaves */
    char key;   /* that does the same without the chooser; 0 = none */
};

/* A kind of chooser: what there is to choose, and what choosing does. It closes before `take`,
 * which may open it again. */
struct chooser_source {
    const char *title;
    bool (*item)(const struct app *a, unsigned i, struct choice *out); /* false behind the last */
    void (*take)(struct app *a, unsigned i);
    void (*toggle)(struct app *a, unsigned i); /* or NULL */
};

/* Is the pane one to go to from here? Views from files say inside of which panes' rows they mean
 * something; at the top all do, and the one that is shown does always. */
bool chooser_offers(const struct app *a, const struct pane *p);

void chooser_open(struct app *a, enum chooser_kind kind);
unsigned chooser_accept(struct app *a);
unsigned chooser_toggle(struct app *a, const struct key *k); /* types where there is nothing to */
bool chooser_has_toggle(const struct app *a);
unsigned chooser_type(struct app *a, const struct key *k);

/* The index among all of the n-th item that matches what was typed: first those that match by name,
 * then those that do by what they are for. False behind the last. */
bool chooser_item(const struct app *a, uint64_t n, unsigned *index, struct choice *out);

/* The box has room for all items, so that it stays as it is while typing narrows them; the lines of
 * it that are for items: where they have values, the last one is the marked one's help. */
struct rect chooser_box(const struct app *a);
int chooser_columns(const struct app *a); /* in which the items stand, each as high as the box */
int chooser_lines(const struct app *a, const struct rect *box);
const char *chooser_title(const struct app *a);

/* The screen, or what there is to choose from, may have changed. */
void chooser_fit(struct app *a);

/* The cursor goes to the item with that name. */
void chooser_go(struct app *a, const char *name);

/* What the list is made of, where that must be asked for, and the answer. */
void chooser_ask(const struct app *a, struct request *r);
void chooser_take(struct app *a, const struct frame *f);

#endif

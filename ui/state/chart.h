/* Pictures in place of a pane's rows: histograms of latencies or sizes, heat maps of them over
 * time, and who ran on which processor. x goes from one to the next, and back to the rows. */
#ifndef UI_STATE_CHART_H
#define UI_STATE_CHART_H

#include "ui/state/app.h"

/* Whether a pane's measure is one of latencies or sizes, which of the two, and what there is to
 * make pictures of: such, and who ran on which processor. */
bool chart_is_of_sizes(const struct pane *p, unsigned measure);
bool chart_can_show(const struct pane *p, unsigned measure);
bool chart_has_amounts(const struct place *p);
bool chart_has_processors(const struct pane *p);

/* Has the shown chart columns of time? Are its lines the rows of the table? */
bool chart_is_over_time(const struct app *a);
bool chart_is_by_row(const struct app *a);

/* Whether a key of pictures does anything in what is shown: for the key bar. */
bool chart_has_use(const struct app *a, const char *name);

/* What is asked for beside the rows, by what is shown and how much room there is. */
struct chart_look chart_wanted(const struct app *a);

/* The picture that is shown, NULL while it is not there yet. */
const struct chart *chart_known(const struct app *a);

/* Shows a kind of picture; CHART_NONE: the rows. False (and a sentence) where there is none. */
bool chart_show(struct app *a, enum chart_kind kind);

/* Back to the rows; false where they are shown already. */
bool chart_close(struct app *a);

/* ---- where things lie (ui/state/chart_layout.c) ------------------------------------------------ */

/* The area that the columns of time are drawn in, and what stands around it. */
struct chart_area {
    struct rect plot;
    struct rect side;  /* how it adds up over time; width 0 = no room */
    struct rect below; /* how it adds up over rows */
    struct rect axis;  /* instants */
    unsigned group;    /* HEAT: rows of the picture that share a line's */
    unsigned first;    /* HEAT: row of the picture that the lowest group begins with … */
    unsigned groups;   /* … and how many there are; CPUS: lanes */
};

struct chart_area chart_lay_out(const struct app *a, const struct chart *p);

/* The column that is drawn at a cell of the plot, and the group or lane at a line of it. */
unsigned chart_column_at(const struct chart_area *at, const struct chart *p, int x);
unsigned chart_group_at(const struct chart_area *at, const struct chart *p, int y);

/* The cells that a column takes: from *x on, so many. */
int chart_column_width(const struct chart_area *at, const struct chart *p, unsigned column, int *x);

/* Operations in a column and a group. */
uint64_t chart_count(const struct chart *p, const struct chart_area *at, unsigned column,
                     unsigned group);

#endif

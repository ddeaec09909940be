/* Features that take part in what is asked for and answered: one row each. */
#ifndef UI_MAIN_PARTS_H
#define UI_MAIN_PARTS_H

#include "ui/state/app.h"

/* Each of its functions may be NULL. */
struct ui_part {
    const char *name;
    /* Makes a request one for this, too: of every pane on screen, and of the current one alone. */
    void (*ask)(const struct app *a, struct request *r);
    void (*ask_here)(const struct app *a, struct request *r);
    void (*sent)(struct app *a, const struct request *r); /* the current one's, with its number */
    void (*take)(struct app *a, const struct frame *f);   /* the current one's */
};

extern const struct ui_part parts[]; /* until one without a name; asked in this order */

#endif

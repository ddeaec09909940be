/* Hides the rows of tracetop itself. */
#ifndef UI_ACTION_GROUPING_H
#define UI_ACTION_GROUPING_H

struct app;

/* The typed command :hide-self. Reactions. */
unsigned grouping_hide_self(struct app *a, const char *argument);

#endif

/* Keys and commands about several panes. */
#ifndef UI_ACTION_SPLITTING_H
#define UI_ACTION_SPLITTING_H

struct app;

/* "[PANE] [rows|columns]". Answers with reactions. */
unsigned splits_run(struct app *a, const char *text);

#endif

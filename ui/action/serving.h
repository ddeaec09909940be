/* What other shells ask of this monitor through its door. */
#ifndef UI_ACTION_SERVING_H
#define UI_ACTION_SERVING_H

struct app;
struct saver;

/* Answers calls through the door. */
unsigned saver_serve(struct saver *s, struct app *a);

#endif

/* What other shells ask of this monitor through its endpoint. */
#ifndef UI_ACTION_SERVING_H
#define UI_ACTION_SERVING_H

struct app;
struct saver;

/* Answers calls through the endpoint. */
unsigned saver_serve(struct saver *s, struct app *a);

#endif

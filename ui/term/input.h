/* Keys that were pressed, from a terminal. Only input.c calls libtermkey. */
#ifndef UI_TERM_INPUT_H
#define UI_TERM_INPUT_H

#include "src/base/err.h"
#include "ui/config/key.h"

struct input;

/* Makes keys of what a terminal sends. Main thread. */
struct input *input_open(bool is_utf8, struct err *err);
void input_close(struct input *in);

/* Bytes have arrived; those that nobody can have typed in one go are cut. */
void input_push(struct input *in, const uint8_t *bytes, size_t count);

/* The next whole key; KEY_NOTHING when there is none (yet). */
struct key input_next(struct input *in);

/* Milliseconds until what is waiting (an Esc that may begin something) is due and
 * input_next() should be asked again; -1 = nothing is waiting. */
int input_due(const struct input *in);

#endif

/* Keys and typed commands of other programs that do nothing here, or something else: what to press
 * instead. */
#ifndef UI_ACTION_HABITS_H
#define UI_ACTION_HABITS_H

#include "ui/state/app.h"

#include <stddef.h>

/* A key without a command here: says so, and which key does what it does elsewhere. */
unsigned habits_answer(struct app *a, const struct key *k);

/* A typed command of other programs: its name here, or a sentence that says what to press. NULLs
 * where it is none of them. */
struct habit_command {
    const char *typed, *runs, *says;
};
const struct habit_command *habits_command(const char *name, size_t length);

#endif

/* Stepping: which part of the history is shown. A sample is one interval of the
 * engine's; the picture is frozen first, so that what is stepped through stands still. */
#ifndef UI_STATE_STEP_H
#define UI_STATE_STEP_H

#include "ui/config/keymap.h"

struct app;

void step_by(struct app *a, int64_t samples); /* back where negative; stops at the ends */

/* ":at -30s", ":range -60s..-30s"; times are before the window's end, or instants. */
void step_at(struct app *a, const char *text);
void step_range(struct app *a, const char *text);

/* Shows the sample that the instant lies in, or the nearest that is kept. */
void step_at_time(struct app *a, int64_t at);

/* What a moment is: the range that is shown, else the last sample that is over. False with a
 * sentence while nothing is kept. */
bool step_moment(struct app *a, int64_t *from, int64_t *to);

/* Freezes, and shows that range: from < time ≤ to. */
void step_to(struct app *a, int64_t from, int64_t to);

/* The sample that a short stretch of time lies in, or the whole of a longer one; false (and a
 * sentence) while nothing is kept. */
bool step_into(struct app *a, int64_t from, int64_t to);

/* The earliest instant that one can step to: live, that of the oldest event that is kept; in tables
 * that no row narrows, that of the oldest sums. */
int64_t step_first(const struct app *a, const struct frame *f);

/* Ns from the end of the history back to `instant`; 0 beyond it. */
int64_t step_distance(const struct frame *f, int64_t instant);

/* The cursor's row is missing in the sample shown (its neighbor takes the cursor),
 * and the row that took it: stepping on looks for the missing one again. */
void step_lost_row(struct app *a);
void step_found_row(struct app *a);

#endif

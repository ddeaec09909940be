/* What a session's screen showed of its last intervals, to be held against the same intervals
 * of the trace that was saved of them.
 *
 *     struct shots *s = shots_new(session, panes, 3);
 *     …take a snapshot…
 *     shots_compare(s, again, first, last, NULL);   every cell of every row, totals
 *     shots_free(s); */
#ifndef TESTS_SHOTS_H
#define TESTS_SHOTS_H

#include "src/session.h"

struct shots;

/* Asks for every pane (ids, NULL-terminated) again and again, as a screen does, until each has
 * shown `count` intervals. Fails the test when that takes longer than four minutes. */
struct shots *shots_new(struct session *s, const char *const *shown, unsigned count);
void shots_free(struct shots *s);

unsigned shots_count(const struct shots *s); /* of all panes */

/* Where intervals begin, which a .view tells, and where the first that was shown does. */
int64_t shots_origin(const struct shots *s);
int64_t shots_begin(const struct shots *s);

/* Asks `again`, a session over the trace, for the same intervals when it has read it all, and
 * fails the test with what differs: rows (in any order), their cells, totals, the machine line.
 * Intervals that are not wholly between `first` and `last` are left out; returns how many
 * shots were compared.
 *
 * Held against it is what the screen showed when one stepped back to that interval, every cell;
 * and what it showed live, except for columns that tell of the time since the start. Never
 * compared are `excused` columns ("pane.column", NULL-terminated; or NULL). */
unsigned shots_compare(const struct shots *s, struct session *again, int64_t first, int64_t last,
                       const char *const *excused);

#endif

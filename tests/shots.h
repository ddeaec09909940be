/* What a screen showed of the last intervals, to be held against the same intervals of the trace
 * that was saved of them.
 *
 *     struct shots *s = shots_new(panes, 3);
 *     shots_watch(s, engine);
 *     shots_step_back(s, engine);
 *     …take a snapshot…
 *     shots_compare(s, again, first, last, NULL);   every cell of every row, totals
 *     shots_free(s); */
#ifndef TESTS_SHOTS_H
#define TESTS_SHOTS_H

#include "src/engine/engine.h"

struct shots;

/* Of these panes (ids, NULL-terminated), `count` intervals each. */
struct shots *shots_new(const char *const *shown, unsigned count);
void shots_free(struct shots *s);

/* Asks for every pane once, as a screen does; true when each has shown enough intervals. */
bool shots_look(struct shots *s, struct engine *e);

/* The same again and again until they have. Fails the test when that takes four minutes. */
void shots_watch(struct shots *s, struct engine *e);

/* Waits until an event came behind the last of them: a trace that ends with its last event then
 * holds them whole. */
void shots_wait_behind(const struct shots *s, struct engine *e);

/* Steps back to all of them, before the snapshot is taken or afterwards. */
void shots_step_back(struct shots *s, struct engine *e);

/* Do all intervals look now as they did when one stepped back to them? On a busy machine events and
 * their stacks may come seconds late: then a snapshot that was taken in between has more than was
 * seen before it, or less than is seen now. Compares as shots_compare() does. */
bool shots_stay(const struct shots *s, struct engine *e, const char *const *excused);

unsigned shots_count(const struct shots *s); /* of all panes */

/* Where intervals begin, as in a .view, and where the first shown one does. */
int64_t shots_origin(const struct shots *s);
int64_t shots_begin(const struct shots *s);

/* Asks `again`, an engine over the trace, for the same intervals when it has read it all, and
 * fails the test with what differs: rows (in any order), their cells, totals, the machine line.
 * Intervals that are not wholly between `first` and `last`, or of which one of the two says that it
 * keeps nothing any more, are left out; returns how many shots were compared.
 *
 * Held against it is what the screen showed when one stepped back to that interval, every cell;
 * and what it showed live, except for columns about the time since the start, and for those that
 * count events of which some came when their interval was over (frame.late_classes). Where the
 * machine goes on between the screen and the snapshot, rows may have got another name. Never
 * compared are `excused` columns ("pane.column", NULL-terminated; or NULL). */
unsigned shots_compare(const struct shots *s, struct engine *again, int64_t first, int64_t last,
                       bool goes_on, const char *const *excused);

#endif

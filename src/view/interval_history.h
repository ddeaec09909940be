/* What the panes' tables counted in intervals that are over, kept far longer than events are: of
 * each table and interval the largest rows, by the column that the pane sorts by, and the sum of
 * all others. The newest ten minutes by interval, before that by ten seconds or so; within a bound
 * of bytes, the oldest go first. A row that is missing is part of the others, never zero. Of what
 * went on across the end of an interval (measure_is_split()) the part before it is lost.
 *
 * Only of sources that are live: what can be read again need not be kept. Engine thread only. */
#ifndef SRC_VIEW_INTERVAL_HISTORY_H
#define SRC_VIEW_INTERVAL_HISTORY_H

#include "src/table/table.h"

struct interval_history;

/* What the machine as a whole did in a span: ns and bytes. */
struct machine_sums {
    uint64_t run, idle_run;         /* context switches */
    uint64_t sampled, idle_sampled; /* samples */
    uint64_t read, written;         /* disks */
};

/* A span of time as ranges of requests have it: the nanoseconds behind `from` up to and with `to`.
 */
struct history_span {
    int64_t from, to;
};

enum { HISTORY_ROWS = 50 }; /* of a table and an interval, beside the others */

struct interval_history *interval_history_new(size_t bytes); /* that its intervals take at most */
void interval_history_free(struct interval_history *h);      /* NULL is fine */
size_t interval_history_bytes(const struct interval_history *h);
size_t
interval_history_most(const struct interval_history *h); /* with its lists, as they are now */

/* The same intervals, which do not become fewer. */
struct interval_history *interval_history_copy(const struct interval_history *h);

/* Is the table kept at all? */
bool interval_history_has(const struct pane *p);

/* The running interval of the tables, each of the pane in its place of the list, is over. */
void interval_history_keep(struct interval_history *h, const struct table *tables, unsigned count,
                           const struct machine_sums *machine, const struct history_span *span);

/* From where to where it reaches; false: it has nothing yet. */
bool interval_history_span(const struct interval_history *h, struct history_span *out);

/* Adds the intervals that reach into the span to an empty table of the pane in that place of the
 * list, and to the sums; `span` becomes that of these intervals. Returns 0 where there is none,
 * else 1 + how many of them have others: of a row that has fewer `parts` than these, a part is
 * among the others. */
unsigned interval_history_add(const struct interval_history *h, unsigned pane, struct table *to,
                              struct machine_sums *machine, struct history_span *span);

#endif

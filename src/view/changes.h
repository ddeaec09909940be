/* What changed: every table counted over two spans of the history, and the rows whose
 * values differ most. Engine thread only. */
#ifndef SRC_VIEW_CHANGES_H
#define SRC_VIEW_CHANGES_H

#include "src/view/inside.h"

struct changes; /* of a view; NULL until they were asked for */

/* A scan begins: chooses the spans. What was found before is shown until it is over, unless it
 * is forgotten. */
void changes_start(struct view *v);
void changes_forget(struct view *v);

/* The span that no fact of the two lies outside of: from < time ≤ to. */
void changes_hull(const struct view *v, int64_t *from, int64_t *to);

/* Counts a fact that crumbs and filter let through. */
void changes_feed(struct view *v, const struct fact *f, uint32_t process);

/* Time went on, and what was found is of a while ago. */
bool changes_are_old(const struct view *v);

/* `is_complete`: view_is_complete(). */
void view_fill_changes(struct view *v, struct frame_maker *maker, const struct row_context *x,
                       bool is_complete);

#endif

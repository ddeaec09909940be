/* A cache of that part of a JSON line which is the same for all events of one kind: names and
 * numbers of its header. There are few kinds, and lines are many. */
#ifndef SRC_EVENT_LINE_KINDS_H
#define SRC_EVENT_LINE_KINDS_H

#include "src/event/line.h"

struct line_kinds;
struct line_kinds *line_kinds_new(void);
void line_kinds_free(struct line_kinds *k);

/* The text for the event's kind, or NULL; its place is for line_kinds_put() then. */
const char *line_kinds_find(struct line_kinds *k, const struct line_event *e, size_t *bytes);

/* Keeps the text for the kind that was looked for last. Long ones are not kept. */
void line_kinds_put(struct line_kinds *k, const char *text, size_t bytes);

#endif

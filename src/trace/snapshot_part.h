/* What of a snapshot's records a filter matches, with what they need: their stacks, and who
 * lived and had which name meanwhile (src/trace/dependencies.h). One thread. */
#ifndef SRC_TRACE_SNAPSHOT_PART_H
#define SRC_TRACE_SNAPSHOT_PART_H

#include "src/collect/collector.h"
#include "src/trace/dependencies.h"

struct snapshot_part;
struct model_rundown;

/* The range: from ≤ time ≤ to, ns since 1970. Two passes: all records are learned, those of the
 * rundown in front first, then all but the rundown's are asked about in the same order. */
struct snapshot_part *snapshot_part_new(const struct collector *c, const char *filter, int64_t from,
                                        int64_t to);
void snapshot_part_learn(struct snapshot_part *p, const struct record_head *head);
void snapshot_part_learn_rundown(struct snapshot_part *p, const struct model_rundown *r);
/* Between the passes; false with a sentence when the filter is none for records. */
bool snapshot_part_settle(struct snapshot_part *p, struct err *err);
enum dependency_answer snapshot_part_ask(struct snapshot_part *p, const struct record_head *head);

void snapshot_part_free(struct snapshot_part *p); /* NULL is fine */

#endif

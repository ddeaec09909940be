/* What is kept of an EventInfo, in an entry of the table. */
#ifndef SRC_EVENT_SCHEMA_INFO_H
#define SRC_EVENT_SCHEMA_INFO_H

#include "src/event/schema_store.h"

/* Fills the entry's schema; false: there is no room. */
bool schema_keep_info(struct schemas *s, struct schema_entry *x, const struct event_info *info,
                      enum schema_origin origin);

/* Fills the map that the record (EVENT_MAP_INFO) describes. */
void schema_learn_map(struct schemas *s, uint32_t source, const struct event *e);

#endif

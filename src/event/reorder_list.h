/* Records that came behind a younger one, to be put in their place. A collector may learn late what
 * it reports for a moment (the name of a file that was opened then). In a file the records of a
 * processor must be in order of time: events would be joined differently otherwise. */
#ifndef SRC_EVENT_REORDER_LIST_H
#define SRC_EVENT_REORDER_LIST_H

#include "src/base/heap.h"
#include "src/event/event.h"

#include <stddef.h>
#include <stdint.h>

/* The oldest, and of one time the one that came first, is the next. All zero: empty. The records
 * are the caller's. */
struct reorder_list {
    struct heap heap;
    size_t room;
    uint64_t noted; /* ever */
};

void reorder_list_add(struct reorder_list *l, int64_t ns, const struct record_head *head);

/* The time of the oldest; INT64_MAX where there is none. */
static inline int64_t reorder_list_oldest(const struct reorder_list *l)
{
    return l->heap.count ? l->heap.items[0].key.time : INT64_MAX;
}

/* Takes the oldest out; there is one. */
const struct record_head *reorder_list_take(struct reorder_list *l);

/* The same once more, for who walks over it twice. */
struct reorder_list reorder_list_copy(const struct reorder_list *l);
void reorder_list_clear(struct reorder_list *l);

#endif

#include "src/event/reorder_list.h"

#include "src/base/mem.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_ROOM = 256 };

void reorder_list_add(struct reorder_list *l, int64_t ns, const struct record_head *head)
{
    if (l->heap.count == l->room) {
        l->room = l->room ? l->room * 2 : FIRST_ROOM;
        l->heap.items = mem_grow(l->heap.items, l->room, sizeof *l->heap.items);
    }
    heap_add(&l->heap, (struct heap_item){{ns, l->noted++}, (void *)(uintptr_t)head});
}

const struct record_head *reorder_list_take(struct reorder_list *l)
{
    return heap_take(&l->heap).what;
}

struct reorder_list reorder_list_copy(const struct reorder_list *l)
{
    struct reorder_list copy = *l;
    const size_t count = l->heap.count;
    copy.room = count;
    copy.heap.items = count ? mem_copy(l->heap.items, count * sizeof *l->heap.items) : NULL;
    return copy;
}

void reorder_list_clear(struct reorder_list *l)
{
    free(l->heap.items);
    *l = (struct reorder_list){0};
}

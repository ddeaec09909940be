#include "src/event/late.h"

#include "src/base/mem.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_ROOM = 256 };

void late_add(struct late_list *l, int64_t ns, const struct record_head *head)
{
    if (l->heap.count == l->room) {
        l->room = l->room ? l->room * 2 : FIRST_ROOM;
        l->heap.items = mem_grow(l->heap.items, l->room, sizeof *l->heap.items);
    }
    heap_add(&l->heap, (struct heap_item){{ns, l->noted++}, (void *)(uintptr_t)head});
}

const struct record_head *late_take(struct late_list *l)
{
    return heap_take(&l->heap).what;
}

struct late_list late_copy(const struct late_list *l)
{
    struct late_list copy = *l;
    const size_t count = l->heap.count;
    copy.room = count;
    copy.heap.items = count ? mem_copy(l->heap.items, count * sizeof *l->heap.items) : NULL;
    return copy;
}

void late_clear(struct late_list *l)
{
    free(l->heap.items);
    *l = (struct late_list){0};
}

#include "src/late.h"

#include "src/mem.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_ROOM = 256 };

static bool is_before(const struct late *a, const struct late *b)
{
    return a->ns != b->ns ? a->ns < b->ns : a->number < b->number;
}

void late_add(struct late_list *l, int64_t ns, const struct record_head *head)
{
    if (l->count == l->room) {
        l->room = l->room ? l->room * 2 : FIRST_ROOM;
        l->heap = mem_grow(l->heap, l->room, sizeof *l->heap);
    }
    const struct late it = {ns, l->noted++, head};
    size_t at = l->count++;
    for (; at && is_before(&it, &l->heap[(at - 1) / 2]); at = (at - 1) / 2)
        l->heap[at] = l->heap[(at - 1) / 2];
    l->heap[at] = it;
}

const struct record_head *late_take(struct late_list *l)
{
    const struct record_head *const oldest = l->heap[0].head;
    const struct late last = l->heap[--l->count];
    size_t at = 0;
    for (size_t child; (child = 2 * at + 1) < l->count; at = child) {
        if (child + 1 < l->count && is_before(&l->heap[child + 1], &l->heap[child]))
            child++;
        if (!is_before(&l->heap[child], &last))
            break;
        l->heap[at] = l->heap[child];
    }
    l->heap[at] = last;
    return oldest;
}

struct late_list late_copy(const struct late_list *l)
{
    struct late_list copy = *l;
    copy.room = l->count;
    copy.heap = l->count ? mem_copy(l->heap, l->count * sizeof *l->heap) : NULL;
    return copy;
}

void late_clear(struct late_list *l)
{
    free(l->heap);
    *l = (struct late_list){0};
}

#include "src/view/names.h"

#include "src/base/mem.h"
#include "src/table/row_order.h"
#include "src/view/group.h"

#include <stdlib.h>

struct names {
    const struct model *model;
    struct row_order ranks; /* names as keys of groups → rank, from 1 on */
    uint32_t *lowest;  /* by rank - 1 */
    size_t room;
};

/* 0: what belongs to no process that is known. */
static uint32_t known_process(const struct pane *p, struct row_key key)
{
    const uint32_t process = key_process(p, key);
    return process & FACT_BY_THREAD ? 0 : process;
}

static uint32_t *lowest_of(struct names *n, uint32_t process)
{
    const struct row_key name = group_key(n->model, process, GROUPED_BY_NAME);
    const uint32_t rank = row_order_rank(&n->ranks, name);
    if (rank)
        return &n->lowest[rank - 1];
    if (n->ranks.count == n->room) {
        n->room = n->room ? 2 * n->room : 64;
        n->lowest = mem_grow(n->lowest, n->room, sizeof *n->lowest);
    }
    uint32_t *const lowest = &n->lowest[row_order_add(&n->ranks, name) - 1];
    *lowest = process;
    return lowest;
}

struct names *names_new(const struct model *m)
{
    struct names *const n = mem_new(1, sizeof *n);
    n->model = m;
    for (uint32_t i = 0; i < m->processes.places; i++) {
        const struct process *const p = generation_place(&m->processes, i);
        uint32_t *const lowest = p ? lowest_of(n, p->number) : NULL;
        if (p && p->number < *lowest)
            *lowest = p->number;
    }
    return n;
}

void names_free(struct names *n)
{
    if (!n)
        return;
    row_order_clear(&n->ranks);
    free(n->lowest);
    free(n);
}

struct row_key names_key(struct names *n, const struct pane *p, struct row_key key)
{
    const uint32_t process = known_process(p, key);
    if (key_is_others(key))
        return key;
    return key_with_process(p, key, process ? *lowest_of(n, process) : 0);
}

bool names_are_one(const struct model *m, const struct pane *p, struct row_key a, struct row_key b)
{
    if (key_is_others(a) || key_is_others(b))
        return row_key_equal(a, b);
    const uint32_t x = known_process(p, a), y = known_process(p, b);
    if (!row_key_equal(key_with_process(p, a, 0), key_with_process(p, b, 0)))
        return false;
    return x == y || (p->joins_names && x && y &&
                      row_key_equal(group_key(m, x, GROUPED_BY_NAME),
                                    group_key(m, y, GROUPED_BY_NAME)));
}

#include "src/table/slot.h"

#include "src/base/mem.h"

#include <stdlib.h>
#include <string.h>

void table_slot_fill(struct table *t, uint32_t hash, uint32_t row)
{
    uint32_t at = hash & t->slot_mask;
    while (t->slots[at].row)
        at = (at + 1) & t->slot_mask;
    t->slots[at] = (struct table_slot){hash, row};
}

void table_slots_new(struct table *t, uint32_t mask)
{
    t->slots = mem_new((size_t)mask + 1, sizeof *t->slots);
    t->slot_mask = mask;
}

void table_slots_grow(struct table *t)
{
    struct table_slot *const old = t->slots;
    const uint32_t old_mask = t->slot_mask;
    table_slots_new(t, old_mask * 2 + 1);
    for (uint32_t i = 0; i <= old_mask; i++)
        if (old[i].row)
            table_slot_fill(t, old[i].hash, old[i].row);
    free(old);
}

void table_refill(struct table *t)
{
    enum { AHEAD = 16 };
    memset(t->slots, 0, ((size_t)t->slot_mask + 1) * sizeof *t->slots);
    for (uint32_t i = 0; i < t->row_count; i++) {
        if (i + AHEAD < t->row_count)
            __builtin_prefetch(t->rows[i + AHEAD]);
        table_slot_fill(t, key_hash(t->rows[i]->key), i + 1);
    }
}

struct table_row *table_find(const struct table *t, struct row_key key)
{
    const uint32_t row = slot_of(t, key, key_hash(key))->row;
    return row ? t->rows[row - 1] : NULL;
}

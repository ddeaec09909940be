/* New rows of a table. */
#include "src/base/mem.h"
#include "src/table/slot.h"

uint32_t table_insert(struct table *t, struct row_key key, uint32_t hash)
{
    if (t->row_count == t->row_room) {
        t->row_room = t->row_room ? t->row_room * 2 : 64;
        t->rows = mem_grow(t->rows, t->row_room, sizeof(struct table_row *));
    }
    t->rows[t->row_count++] = row_new(t, key);
    t->by_thread += table_is_by_thread(t, key);
    if (t->row_count > t->slot_mask / 2)
        table_slots_grow(t);
    table_slot_fill(t, hash, t->row_count);
    return t->row_count - 1;
}

struct table_row *table_others(struct table *t)
{
    static const struct row_key others = {ROW_OTHERS, ROW_OTHERS, ROW_OTHERS, ROW_OTHERS};
    const uint32_t hash = key_hash(others), found = slot_of(t, others, hash)->row;
    const uint32_t at = found ? found - 1 : table_insert(t, others, hash); /* which may move rows */
    return row_own(t, &t->rows[at]);
}

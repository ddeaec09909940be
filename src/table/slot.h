/* Rows of a table by their keys: open addressing over hashes. Unlike src/base/hash_index.h the slots
 * hold the hashes, too: rows lie far apart, and a search reads none that it does not mean. Only the
 * table's own files. */
#ifndef SRC_TABLE_SLOT_H
#define SRC_TABLE_SLOT_H

#include "src/table/row.h"

static inline uint32_t key_hash(struct row_key k)
{
    return (uint32_t)(row_key_mixed(k) >> 24);
}

/* The slot of a key, or the free one where it belongs. */
static inline struct table_slot *slot_of(const struct table *t, struct row_key key, uint32_t hash)
{
    uint32_t at = hash & t->slot_mask;
    for (;; at = (at + 1) & t->slot_mask) {
        struct table_slot *s = &t->slots[at];
        if (!s->row || (s->hash == hash && row_key_equal(t->rows[s->row - 1]->key, key)))
            return s;
    }
}

void table_slots_new(struct table *t, uint32_t mask);

/* Row number `row` - 1 has a key with this hash. */
void table_slot_fill(struct table *t, uint32_t hash, uint32_t row);

/* Twice as many. */
void table_slots_grow(struct table *t);

/* The rows have other places now: finds them anew by their keys. */
void table_refill(struct table *t);

/* A new row (insert.c); its number. */
uint32_t table_insert(struct table *t, struct row_key key, uint32_t hash);

/* The row that others fold into, for writing; made where there is none. */
struct table_row *table_others(struct table *t);

#endif

#include "src/view_rows.h"

#include "src/mem.h"
#include "src/view_names.h"

#include <stdlib.h>
#include <string.h>

struct table_row *row_list_make(struct row_list *l, struct row_key key)
{
    const uint32_t rank = hold_rank(&l->ranks, key);
    if (rank)
        return l->made[rank - 1];
    if (l->made_count == l->made_room) {
        l->made_room = l->made_room ? l->made_room * 2 : 16;
        l->made = mem_grow(l->made, l->made_room, sizeof *l->made);
    }
    hold_add(&l->ranks, key);
    return l->made[l->made_count++] = row_new(l->table, key);
}

static bool is_unknown(const struct table *t, struct row_key key)
{
    const uint32_t process = key_process(t->pane, key);
    return t->pane->process_part && !key_is_others(key)
           && (!process || process & FACT_BY_THREAD);
}

struct row_list row_list_of(const struct table *t, const struct model *m)
{
    struct row_list l = { .table = t };
    l.rows = mem_grow(NULL, t->row_count + 1, sizeof *l.rows);
    if (t->pane->joins_names) {
        struct names *const names = names_new(m);
        for (uint32_t i = 0; i < t->row_count; i++) {
            const struct row_key key = names_key(names, t->pane, t->rows[i]->key);
            row_add(t, row_list_make(&l, key), t->rows[i]);
        }
        names_free(names);
        if (l.made_count)
            memcpy(l.rows, l.made, l.made_count * sizeof *l.rows);
        l.count = l.made_count;
        return l;
    }
    if (!t->by_thread && t->row_count) {
        memcpy(l.rows, t->rows, t->row_count * sizeof *l.rows);
        l.count = t->row_count;
        return l;
    }
    for (uint32_t i = 0; i < t->row_count; i++) {
        const struct row_key key = t->rows[i]->key;
        if (is_unknown(t, key))
            row_add(t, row_list_make(&l, key_with_process(t->pane, key, 0)), t->rows[i]);
        else
            l.rows[l.count++] = t->rows[i];
    }
    l.rows = mem_grow(l.rows, l.count + l.made_count + 1, sizeof *l.rows);
    for (size_t i = 0; i < l.made_count; i++)
        l.rows[l.count++] = l.made[i];
    return l;
}

void row_list_fini(struct row_list *l)
{
    for (size_t i = 0; i < l->made_count; i++)
        row_drop(l->table, l->made[i]);
    hold_clear(&l->ranks);
    free(l->made);
    free(l->rows);
}

/* Rows that learn their process. See table.h. */
#include "src/base/mem.h"
#include "src/table/getters.h"
#include "src/table/row_find.h"
#include "src/table/slot.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Where a row belongs by what is known now. */
static struct row_key key_now(const struct table *t, const struct model *m, struct row_key key)
{
    if (table_is_by_thread(t, key)) {
        const struct thread *by =
            generation_at(&m->threads, key_process(t->pane, key) & ~FACT_BY_THREAD);
        if (by && by->process)
            key = key_with_process(t->pane, key, by->process);
    }
    if (table_is_of_files(t))
        key.a = model_file_one(m, key.a);
    return key;
}

void table_settle(struct table *t, const struct model *m)
{
    const bool may_move = t->by_thread && t->attributions != m->attributions;
    const bool may_merge = table_is_of_files(t) && t->merges != m->merges;
    /* Facts from before a merge may be counted after it, and make rows anew. */
    const bool has_new = table_is_of_files(t) && m->merges && t->settled != t->row_count;
    if (!may_move && !may_merge && !has_new)
        return;
    const bool is_part = !may_move && !may_merge && t->settled < t->row_count;
    t->attributions = m->attributions;
    t->merges = m->merges;
    struct table_row **moving = mem_new(t->row_count, sizeof(struct table_row *));
    uint32_t kept = is_part ? t->settled : 0, moves = 0;
    for (uint32_t i = kept; i < t->row_count; i++) {
        struct table_row *r = t->rows[i];
        prefetch_row(t, i);
        if (row_key_equal(key_now(t, m, r->key), r->key))
            t->rows[kept++] = r;
        else
            moving[moves++] = r;
    }
    t->row_count = kept;
    if (moves)
        table_refill(t);
    for (uint32_t i = 0; i < moves; i++) {
        struct table_row *const r = moving[i];
        const struct row_key key = key_now(t, m, r->key);
        t->by_thread -= table_is_by_thread(t, r->key);
        row_add(t, table_row_of(t, key, key_hash(key)),
                r); /* the octaves counted stay about right */
        row_drop(t, r);
    }
    t->settled = t->row_count;
    free(moving);
}

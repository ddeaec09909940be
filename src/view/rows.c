#include "src/view/rows.h"

#include "src/base/mem.h"
#include "src/table/difference.h"
#include "src/view/inside.h"
#include "src/view/names.h"

#include <stdlib.h>
#include <string.h>

struct table_row *row_list_make(struct row_list *l, struct row_key key)
{
    const uint32_t rank = row_order_rank(&l->ranks, key);
    if (rank)
        return l->made[rank - 1];
    if (l->made_count == l->made_room) {
        l->made_room = l->made_room ? l->made_room * 2 : 16;
        l->made = mem_grow(l->made, l->made_room, sizeof *l->made);
    }
    row_order_add(&l->ranks, key);
    return l->made[l->made_count++] = row_new(l->table, key);
}

void row_list_add_missing(struct row_list *l, const struct row_key *keys, size_t count)
{
    struct row_order met = {0};
    for (size_t i = 0; i < l->count; i++)
        row_order_add(&met, l->rows[i]->key);
    l->rows = mem_grow(l->rows, l->count + count + 1, sizeof *l->rows);
    for (size_t i = 0; i < count; i++)
        if (!row_order_rank(&met, keys[i]))
            l->rows[l->count++] = row_list_make(l, keys[i]);
    row_order_clear(&met);
}

static bool is_unknown(const struct table *t, struct row_key key)
{
    const uint32_t process = key_process(t->pane, key);
    return t->pane->process_part && !key_is_others(key)
           && (!process || process & FACT_BY_THREAD);
}

struct row_list row_list_of(const struct table *t, struct names *names)
{
    struct row_list l = { .table = t };
    l.rows = mem_grow(NULL, t->row_count + 1, sizeof *l.rows);
    if (names) {
        for (uint32_t i = 0; i < t->row_count; i++) {
            const struct row_key key = names_key(names, t->rows[i]->key);
            row_add(t, row_list_make(&l, key), t->rows[i]);
        }
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
    row_order_clear(&l->ranks);
    free(l->made);
    free(l->rows);
}

int64_t view_exited_stay(const struct view *v)
{
    static const int64_t USUAL_NS = 10000000000;
    return v->request.exited_ns ? v->request.exited_ns : USUAL_NS;
}

uint8_t view_row_flags(const struct view *v, const struct table_row *r, const struct row_context *x)
{
    static const int64_t USUAL_NS = 3000000000;
    const int64_t now = x->now_ns;
    const int64_t fresh = v->request.new_ns ? v->request.new_ns : USUAL_NS;
    const struct pane *const pane = v->request.pane;
    const uint32_t process = pane_is_of_processes(pane) ? key_process(pane, r->key) : 0;
    const struct process *p = process ? model_process_at(v->model, process) : NULL;
    if (!p)
        return 0;
    uint8_t flags = 0;
    if (p->flags & LIFETIME_STARTED && now - p->start_ns < fresh && now >= p->start_ns)
        flags |= ROW_NEW;
    if (p->flags & LIFETIME_ENDED && p->end_ns <= now)
        flags |= ROW_EXITED;
    /* Nothing goes from sums of all the time. */
    if (flags & ROW_EXITED && x->span != SPAN_TOTAL && now - p->end_ns > view_exited_stay(v) / 2)
        flags |= ROW_LEAVING;
    return flags;
}

double view_number(struct value v)
{
    switch ((enum value_type)v.type) {
    case VALUE_RATE:
    case VALUE_REAL:
    case VALUE_BYTE_RATE:
    case VALUE_TIME_RATE:
    case VALUE_PERCENT:
        return v.number;
    case VALUE_TIME: case VALUE_INSTANT:
        return (double)v.ns;
    case VALUE_SERIES:
    case VALUE_BINS: /* their numbers are text: text_number() */
        return 0;
    default:
        return v.is_difference ? value_signed(v) : (double)v.count;
    }
}

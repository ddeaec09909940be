/* Tables give memory back: rows that rest keep less, those that matter least become one. */
#include "src/base/mem.h"
#include "src/table/slot.h"

#include <stdlib.h>

struct candidate {
    int64_t last_ns;
    struct table_row *row;
};

static void swap(struct candidate *a, struct candidate *b)
{
    const struct candidate c = *a;
    *a = *b;
    *b = c;
}

/* Brings the `wanted` rows that were idle longest to the front (quickselect). */
static void select_idle(struct candidate *c, size_t count, size_t wanted)
{
    while (count > 1 && wanted > 0 && wanted < count) {
        const int64_t pivot = c[count / 2].last_ns;
        size_t below = 0, same = 0;
        for (size_t i = 0; i < count; i++) { /* below | same | above */
            if (c[i].last_ns > pivot)
                continue;
            swap(&c[i], &c[below + same]);
            same++;
            if (c[below + same - 1].last_ns < pivot) {
                swap(&c[below + same - 1], &c[below]);
                below++;
                same--;
            }
        }
        if (wanted < below) {
            count = below;
        } else if (wanted <= below + same) {
            return;
        } else {
            c += below + same;
            count -= below + same;
            wanted -= below + same;
        }
    }
}

/* The model has forgotten its process or file: the row has no name any more. */
static bool is_forgotten(const struct table *t, const struct table_row *r)
{
    const uint32_t number = key_process(t->pane, r->key);
    if (!t->model || key_is_others(r->key))
        return false;
    return (number && !(number & FACT_BY_THREAD) && !model_process_at(t->model, number)) ||
           (table_is_of_files(t) && r->key.a && !model_file_at(t->model, r->key.a));
}

/* What ended goes before what lives, however recent it is. */
static int64_t worth(const struct table *t, const struct table_row *r)
{
    const uint32_t number = key_process(t->pane, r->key);
    const struct process *p = t->model && number ? model_process_at(t->model, number) : NULL;
    const bool has_ended = p && p->flags & LIFETIME_ENDED && !key_is_others(r->key);
    return has_ended || is_forgotten(t, r) ? r->last_ns - INT64_MAX / 2 : r->last_ns;
}

static bool is_resting(const struct table *t, const struct table_row *r)
{
    return t->interval - r->interval > 1;
}

/* How many rows a fold takes; 0 where they are so few that they cannot be what takes the
 * memory. */
static uint32_t fold_size(const struct table *t, bool only_resting)
{
    enum { FEW = 64 };
    uint32_t resting = 0;
    for (uint32_t i = 0; only_resting && i < t->row_count; i++)
        resting += is_resting(t, t->rows[i]);
    const uint32_t quarter = t->row_count / 4;
    const uint32_t gone = only_resting && resting < quarter ? resting : quarter;
    return t->row_count > FEW && gone > FEW / 4 ? gone : 0;
}

/* Brings the `gone` candidates that come first into the row of the others. */
static void fold(struct table *t, struct candidate *c, uint32_t gone)
{
    struct table_row *const sum = table_others(t);
    select_idle(c, t->row_count, gone);
    for (uint32_t i = 0; i < gone; i++) {
        row_add(t, sum, c[i].row);
        t->by_thread -= table_is_by_thread(t, c[i].row->key);
        row_drop(t, c[i].row);
    }
    sum->last_ns = INT64_MAX; /* never folded itself */
    t->row_count -= gone;
    t->octaves = 0;
    for (uint32_t i = 0; i < t->row_count; i++) {
        t->rows[i] = c[gone + i].row;
        t->octaves += row_octaves(t, t->rows[i]);
    }
    t->settled = 0;
    table_refill(t);
}

bool table_fold(struct table *t, bool only_resting)
{
    const uint32_t gone = fold_size(t, only_resting);
    if (!gone)
        return false;
    table_others(t)->last_ns = INT64_MAX;
    struct candidate *const c = mem_new(t->row_count, sizeof *c);
    for (uint32_t i = 0; i < t->row_count; i++)
        c[i] = (struct candidate){worth(t, t->rows[i]), t->rows[i]};
    for (uint32_t i = 0; i < t->row_count && only_resting; i++)
        if (!is_resting(t, t->rows[i]) && c[i].last_ns < INT64_MAX / 2)
            c[i].last_ns = INT64_MAX / 2; /* stays, whatever has ended */
    fold(t, c, gone);
    free(c);
    t->folded += gone;
    return true;
}

void table_fold_forgotten(struct table *t)
{
    uint32_t gone = 0;
    for (uint32_t i = 0; i < t->row_count; i++)
        gone += is_resting(t, t->rows[i]) && is_forgotten(t, t->rows[i]);
    if (!gone)
        return;
    table_others(t)->last_ns = INT64_MAX;
    struct candidate *const c = mem_new(t->row_count, sizeof *c);
    for (uint32_t i = 0; i < t->row_count; i++) {
        const bool goes = is_resting(t, t->rows[i]) && is_forgotten(t, t->rows[i]);
        c[i] = (struct candidate){goes ? INT64_MIN : 0, t->rows[i]};
    }
    fold(t, c, gone);
    free(c);
}

void table_rest(struct table *t)
{
    t->octaves = 0;
    for (uint32_t i = 0; i < t->row_count; i++) {
        struct table_row *const r = t->rows[i];
        if (t->latencies && r->holders == 1 && is_resting(t, r))
            row_rest(t, r);
        t->octaves += row_octaves(t, r);
    }
}

size_t table_bytes(const struct table *t)
{
    enum {
        HEAD = 8,
        OCTAVE = HISTOGRAM_STEPS * sizeof(uint32_t) + 2 * HEAD
    }; /* of the allocator */
    return (size_t)t->row_count * (t->row_bytes + HEAD) + t->octaves * OCTAVE +
           t->row_room * sizeof *t->rows + ((size_t)t->slot_mask + 1) * sizeof *t->slots;
}

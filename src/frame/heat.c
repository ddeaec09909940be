#include "src/frame/heat.h"

#include "src/base/mem.h"

#include <stdlib.h>
#include <string.h>

enum { HEAT_ROWS = CHART_OCTAVES * CHART_STEPS };

void heat_init(struct heat *h, const struct heat_options *o)
{
    *h = (struct heat){.origin = o->origin,
                       .column_ns = o->column_ns > 0 ? o->column_ns : 1,
                       .room = o->columns < 2 ? 2 : o->columns,
                       .rows = o->is_of_cpus ? o->rows : HEAT_ROWS,
                       .is_fixed = o->is_fixed};
    const size_t count = (size_t)h->room * h->rows;
    if (o->is_of_cpus)
        h->cells = mem_new(count, sizeof *h->cells);
    else
        h->counts = mem_new(count, sizeof *h->counts);
}

void heat_fini(struct heat *h)
{
    free(h->counts);
    free(h->cells);
    *h = (struct heat){0};
}

size_t heat_bytes(const struct heat *h)
{
    return (size_t)h->room * h->rows * (h->cells ? sizeof *h->cells : sizeof *h->counts);
}

/* ---- columns ------------------------------------------------------------------------------- */

/* Moves so many columns to another place. */
static void move_columns(struct heat *h, unsigned to, unsigned from, unsigned count)
{
    const size_t rows = h->rows;
    if (h->cells)
        memmove(h->cells + to * rows, h->cells + from * rows, count * rows * sizeof *h->cells);
    else
        memmove(h->counts + to * rows, h->counts + from * rows, count * rows * sizeof *h->counts);
}

static void clear_columns(struct heat *h, unsigned first, unsigned count)
{
    const size_t rows = h->rows;
    if (h->cells)
        memset(h->cells + first * rows, 0, count * rows * sizeof *h->cells);
    else
        memset(h->counts + first * rows, 0, count * rows * sizeof *h->counts);
}

static void add_column(struct heat *h, unsigned to, unsigned from)
{
    const size_t rows = h->rows;
    for (size_t i = 0; i < rows && h->counts; i++)
        h->counts[to * rows + i] += h->counts[from * rows + i];
    for (size_t i = 0; i < rows && h->cells; i++) {
        struct heat_cell *const a = &h->cells[to * rows + i];
        const struct heat_cell *const b = &h->cells[from * rows + i];
        a->busy += b->busy;
        aggregates[AGGREGATE_MOST].merge(&a->who, &b->who, 1);
    }
}

static int64_t floor_div(int64_t a, int64_t b)
{
    return a >= 0 ? a / b : -((b - 1 - a) / b);
}

/* Each two neighbors, of which the first has an even number, become one. */
static void double_columns(struct heat *h)
{
    const int64_t base = floor_div(h->base, 2);
    unsigned used = 0;
    for (unsigned i = 0; i < h->used; i++) {
        const unsigned to = (unsigned)(floor_div(h->base + i, 2) - base);
        if (to < used)
            add_column(h, to, i);
        else if (to != i)
            move_columns(h, to, i, 1);
        used = to + 1;
    }
    clear_columns(h, used, h->used - used);
    h->base = base;
    h->used = used;
    h->column_ns *= 2;
}

static void drop_first(struct heat *h, unsigned count)
{
    count = count < h->used ? count : h->used;
    move_columns(h, 0, count, h->used - count);
    clear_columns(h, h->used - count, count);
    h->used -= count;
    h->base += count;
}

void heat_forget(struct heat *h, int64_t time)
{
    const int64_t first = floor_div(time - h->origin, h->column_ns);
    if (h->used && first > h->base)
        drop_first(h, first - h->base < (int64_t)h->used ? (unsigned)(first - h->base) : h->used);
}

/* Makes room for a column; false where it is too old to be kept. */
static bool reach(struct heat *h, int64_t time, unsigned *out)
{
    int64_t n = floor_div(time - h->origin, h->column_ns);
    if (!h->used) {
        h->base = n;
        h->used = 1;
    }
    while (!h->is_fixed && (n - h->base >= (int64_t)h->room ||
                            h->base + (int64_t)h->used - n > (int64_t)h->room)) {
        double_columns(h);
        n = floor_div(time - h->origin, h->column_ns);
    }
    if (n - h->base >= (int64_t)h->room) {
        const int64_t gone = n - h->base - (int64_t)h->room + 1;
        drop_first(h, gone < (int64_t)h->used ? (unsigned)gone : h->used);
        h->base = n - (int64_t)h->room + 1;
    }
    if (n < h->base) {
        const int64_t more = h->base - n;
        if ((int64_t)h->used + more > (int64_t)h->room)
            return false;
        move_columns(h, (unsigned)more, 0, h->used);
        clear_columns(h, 0, (unsigned)more < h->used ? (unsigned)more : h->used);
        h->base = n;
        h->used += (unsigned)more;
    }
    *out = (unsigned)(n - h->base);
    if (*out >= h->used)
        h->used = *out + 1;
    return true;
}

/* ---- counting ------------------------------------------------------------------------------ */

void heat_count(struct heat *h, int64_t time, uint64_t amount)
{
    unsigned column;
    if (reach(h, time, &column))
        h->counts[(size_t)column * h->rows + chart_row_of(amount)]++;
}

static void add_slice(struct heat *h, unsigned column, unsigned lane, uint64_t ns, uint32_t who)
{
    struct heat_cell *const c = &h->cells[(size_t)column * h->rows + lane];
    c->busy += ns;
    most_add(&c->who, who, ns);
}

/* From its end backwards: as far as there are columns. */
void heat_slice(struct heat *h, unsigned lane, int64_t from, int64_t to, uint64_t ns, uint32_t who)
{
    unsigned first, last;
    if (!ns || lane >= h->rows)
        return;
    const int64_t start = ns < (uint64_t)(to > from ? to - from : 0) ? to - (int64_t)ns : from;
    const int64_t end = to > start ? to - 1 : start; /* its last nanosecond */
    if (!reach(h, end, &last))
        return;
    if (!reach(h, start, &first))
        first = 0;
    reach(h, end, &last); /* columns may have become others */
    uint64_t left = ns;
    for (unsigned i = last; i > first && left; i--) {
        const int64_t begin = h->origin + (h->base + (int64_t)i) * h->column_ns;
        const int64_t until = i == last ? to : begin + h->column_ns;
        const uint64_t here = (uint64_t)(until - begin) < left ? (uint64_t)(until - begin) : left;
        add_slice(h, i, lane, here, who);
        left -= here;
    }
    if (left)
        add_slice(h, first, lane, left, who);
}

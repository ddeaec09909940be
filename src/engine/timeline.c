#include "src/engine/timeline.h"

#include "src/base/mem.h"

#include <stdlib.h>
#include <string.h>

static const int64_t FIRST_CELL_NS = 1 << 20; /* about a millisecond; doubled as time goes on */
static const int64_t FINE_CELL_NS = 250 * 1000000; /* live: 17 minutes of them */
static const int64_t FAR_NS = 3600 * 1000000000ll; /* one event so much later may be damage */

/* ---- cells --------------------------------------------------------------------------------- */

static void level_init(struct timeline_level *l, int64_t cell_ns, bool slides)
{
    *l = (struct timeline_level){.cell_ns = cell_ns, .slides = slides};
    l->cells = mem_new(TIMELINE_CELLS, sizeof *l->cells);
}

static void level_clear(struct timeline_level *l, int64_t begin_ns, int64_t cell_ns)
{
    l->begin_ns = l->last_ns = begin_ns;
    l->cell_ns = cell_ns;
    l->first = l->end = 0;
    memset(l->cells, 0, TIMELINE_CELLS * sizeof *l->cells);
}

static struct timeline_cell *cell_at(const struct timeline_level *l, int64_t number)
{
    return &l->cells[number % TIMELINE_CELLS];
}

static void add_cell(struct timeline_cell *to, const struct timeline_cell *from)
{
    for (unsigned i = 0; i < TIMELINE_SUMS; i++)
        to->sums[i] += from->sums[i];
}

/* Each two cells become one. */
static void halve(struct timeline_level *l)
{
    for (int64_t i = 0; i < l->end; i++) {
        const struct timeline_cell from = l->cells[i];
        l->cells[i] = (struct timeline_cell){0};
        add_cell(&l->cells[i / 2], &from);
    }
    l->end = (l->end + 1) / 2;
    l->cell_ns *= 2;
}

/* Makes room up to the cell of that instant and returns its number. */
static int64_t reach(struct timeline_level *l, int64_t ns)
{
    const int64_t since = ns > l->begin_ns ? ns - l->begin_ns : 0;
    while (!l->slides && since / l->cell_ns >= TIMELINE_CELLS)
        halve(l);
    const int64_t number = since / l->cell_ns;
    l->last_ns = ns > l->last_ns ? ns : l->last_ns;
    if (number < l->end)
        return number;
    if (number - l->end >= TIMELINE_CELLS)
        memset(l->cells, 0, TIMELINE_CELLS * sizeof *l->cells);
    else
        for (int64_t i = l->end; i <= number; i++)
            *cell_at(l, i) = (struct timeline_cell){0};
    l->end = number + 1;
    l->first = l->end - TIMELINE_CELLS > l->first ? l->end - TIMELINE_CELLS : l->first;
    return number;
}

static void add_at(struct timeline_level *l, enum timeline_sum sum, int64_t ns, double amount)
{
    const int64_t number = l->cells ? reach(l, ns) : -1;
    if (number >= l->first && l->cells)
        cell_at(l, number)->sums[sum] += amount;
}

/* An amount of time that ended at `to`, by the cells that it lies in. */
static void add_stretch(struct timeline_level *l, enum timeline_sum sum, int64_t to, int64_t ns)
{
    if (!l->cells)
        return;
    const int64_t last = reach(l, to), from = to - ns;
    for (int64_t i = last; i >= l->first && ns > 0; i--) {
        const int64_t begin = l->begin_ns + i * l->cell_ns;
        const int64_t start = begin > from ? begin : from;
        const int64_t end = begin + l->cell_ns < to ? begin + l->cell_ns : to;
        cell_at(l, i)->sums[sum] += end > start ? (double)(end - start) : 0;
        if (begin <= from)
            break;
    }
}

/* The level begins so much earlier: its cells move up. */
static void extend_back(struct timeline_level *l, int64_t ns)
{
    while ((l->begin_ns - ns) / l->cell_ns + 1 + l->end >= TIMELINE_CELLS)
        halve(l);
    const int64_t by = (l->begin_ns - ns + l->cell_ns - 1) / l->cell_ns;
    memmove(l->cells + by, l->cells, (size_t)l->end * sizeof *l->cells);
    memset(l->cells, 0, (size_t)by * sizeof *l->cells);
    l->begin_ns -= by * l->cell_ns;
    l->end += by;
}

/* What of a cell lies between; the newest one is only as long as what was counted in it. */
static double part_of_cell(const struct timeline_level *l, enum timeline_sum sum, int64_t number,
                           int64_t from, int64_t to)
{
    const int64_t begin = l->begin_ns + number * l->cell_ns;
    const int64_t end = number + 1 < l->end ? begin + l->cell_ns : l->last_ns + 1;
    const int64_t low = begin > from ? begin : from, high = end < to ? end : to;
    return high > low ? cell_at(l, number)->sums[sum] * (double)(high - low) / (double)(end - begin)
                      : 0;
}

static double level_sum(const struct timeline_level *l, enum timeline_sum sum, int64_t from,
                        int64_t to)
{
    if (to <= l->begin_ns || to <= from)
        return 0;
    int64_t first = from > l->begin_ns ? (from - l->begin_ns) / l->cell_ns : 0;
    int64_t last = (to - 1 - l->begin_ns) / l->cell_ns;
    first = first > l->first ? first : l->first;
    last = last < l->end ? last : l->end - 1;
    double total = first <= last ? part_of_cell(l, sum, first, from, to) : 0;
    for (int64_t i = first + 1; i < last; i++) /* whole ones */
        total += cell_at(l, i)->sums[sum];
    return first < last ? total + part_of_cell(l, sum, last, from, to) : total;
}

/* ---- events --------------------------------------------------------------------------------- */

void timeline_init(struct timeline *t, bool is_live)
{
    *t = (struct timeline){0};
    level_init(&t->all, FIRST_CELL_NS, false);
    if (is_live)
        level_init(&t->fine, FINE_CELL_NS, true);
}

void timeline_fini(struct timeline *t)
{
    free(t->all.cells);
    free(t->fine.cells);
    *t = (struct timeline){0};
}

void timeline_begin(struct timeline *t, int64_t ns)
{
    if (t->newest_ns && ns < t->all.begin_ns && t->all.begin_ns - ns < FAR_NS) {
        extend_back(&t->all, ns);
        return;
    }
    level_clear(&t->all, ns, FIRST_CELL_NS);
    if (t->fine.cells)
        level_clear(&t->fine, ns, FINE_CELL_NS);
    t->note_count = 0;
    t->newest_ns = t->doubtful_ns = 0;
}

static void add(struct timeline *t, enum timeline_sum sum, int64_t ns, double amount)
{
    t->has |= 1u << sum;
    add_at(&t->all, sum, ns, amount);
    add_at(&t->fine, sum, ns, amount);
}

/* One wild time must not make all cells coarse: the next event is to be as late. */
static bool is_doubtful(struct timeline *t, int64_t ns)
{
    if (!t->newest_ns || ns - t->newest_ns < FAR_NS)
        return t->doubtful_ns = 0, false;
    const bool agrees =
        t->doubtful_ns && ns - t->doubtful_ns < FAR_NS && t->doubtful_ns - ns < FAR_NS;
    t->doubtful_ns = agrees ? 0 : ns;
    return !agrees;
}

/* Time on a processor, of anybody who was seen to have it. */
static void add_run(struct timeline *t, const struct model *m, const struct fact *f,
                    uint32_t process)
{
    static const int64_t LONGEST = 1ll << 60;
    const int64_t ns = f->value < (uint64_t)LONGEST ? (int64_t)f->value : LONGEST;
    t->has |= 1u << TIMELINE_RUN;
    if ((!f->thread && !process) || model_process_is_idle(m, process))
        return;
    add_stretch(&t->all, TIMELINE_RUN, f->time, ns);
    add_stretch(&t->fine, TIMELINE_RUN, f->time, ns);
}

static void add_figures(struct timeline *t, const struct model *m, const struct fact *f,
                        uint32_t process)
{
    if (f->class == FACT_SWITCH)
        add_run(t, m, f, process);
    else if (f->class == FACT_SAMPLE)
        add(t, model_process_is_idle(m, process) ? TIMELINE_IDLE : TIMELINE_SAMPLED, f->time,
            (double)f->value);
    else if (f->class == FACT_DISK && (f->op == OP_READ || f->op == OP_WRITE))
        add(t, TIMELINE_DISK, f->time, (double)f->value);
    else if (f->class == FACT_NETWORK && (f->op == OP_SEND || f->op == OP_RECEIVE))
        add(t, TIMELINE_NET, f->time, (double)f->value);
}

void timeline_take(struct timeline *t, const struct model *m, const struct fact *f,
                   uint32_t process, int64_t gap_ns)
{
    if (f->op == OP_SLICE && f->time - t->newest_ns < FAR_NS)
        add_run(t, m, f, process);
    if (f->op == OP_SLICE)
        return;
    if (is_doubtful(t, f->time))
        return;
    if (f->class == FACT_MARK)
        timeline_note(t, STRIP_MARK, f->time, f->time);
    if (t->newest_ns && f->time - t->newest_ns >= gap_ns)
        timeline_note(t, STRIP_GAP, t->newest_ns, f->time);
    t->newest_ns = f->time > t->newest_ns ? f->time : t->newest_ns;
    add(t, TIMELINE_EVENTS, f->time, 1);
    add_figures(t, m, f, process);
}

/* ---- answers -------------------------------------------------------------------------------- */

void timeline_note(struct timeline *t, enum strip_sign sign, int64_t from_ns, int64_t to_ns)
{
    t->notes[t->note_count++ % TIMELINE_NOTES] =
        (struct timeline_note){from_ns, to_ns, (uint8_t)sign};
}

/* The finest cells that go back so far. */
static const struct timeline_level *level_from(const struct timeline *t, int64_t ns)
{
    const struct timeline_level *const l = &t->fine;
    const bool reaches = l->cells && ns >= l->begin_ns + l->first * l->cell_ns;
    return reaches && l->cell_ns < t->all.cell_ns ? l : &t->all;
}

double timeline_sum(const struct timeline *t, enum timeline_sum sum, int64_t from_ns, int64_t to_ns)
{
    return level_sum(level_from(t, from_ns), sum, from_ns, to_ns);
}

int64_t timeline_cell_ns(const struct timeline *t, int64_t from_ns)
{
    return level_from(t, from_ns)->cell_ns;
}

/* A gap is a column's where it covers the whole of it; a moment is where it lies. */
static void put_sign(const struct strip *s, const struct timeline_note *n, int64_t until_ns)
{
    if (n->to_ns < s->begin_ns || n->from_ns > until_ns)
        return;
    unsigned from = strip_column(s, n->from_ns), to = strip_column(s, n->to_ns);
    if (n->sign == STRIP_GAP && from + 1 < to) {
        from += n->from_ns > strip_time(s, from);
        to -= n->to_ns < strip_time(s, to + 1);
    } else if (n->sign == STRIP_GAP) {
        return;
    }
    for (unsigned i = from; i <= to; i++)
        s->signs[i] |= n->sign;
}

void timeline_signs(const struct timeline *t, const struct strip *s, int64_t until_ns)
{
    const uint64_t first = t->note_count > TIMELINE_NOTES ? t->note_count - TIMELINE_NOTES : 0;
    for (uint64_t i = first; i < t->note_count; i++)
        put_sign(s, &t->notes[i % TIMELINE_NOTES], until_ns);
}

size_t timeline_bytes(const struct timeline *t)
{
    const size_t level = TIMELINE_CELLS * sizeof(struct timeline_cell);
    return sizeof *t + level * (t->fine.cells ? 2 : 1);
}

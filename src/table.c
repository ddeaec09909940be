#include "src/table.h"

#include "src/mem.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_SLOTS = 256 };

/* ---- rows --------------------------------------------------------------------- */

struct table_row *row_new(const struct table *t, struct row_key key)
{
    const size_t head = (sizeof(struct table_row) + 15) & ~(size_t)15;
    const size_t tallies = t->tallies * sizeof(struct tally);
    const size_t latencies = t->latencies * sizeof(struct latency);
    char *memory = mem_new(1, head + tallies + latencies + t->mosts * sizeof(struct most));
    struct table_row *r = (struct table_row *)(void *)memory;
    r->key = key;
    r->interval = t->interval;
    r->tallies = (struct tally *)(void *)(memory + head);
    r->latencies = (struct latency *)(void *)(memory + head + tallies);
    r->mosts = (struct most *)(void *)(memory + head + tallies + latencies);
    return r;
}

static size_t row_octaves(const struct table *t, const struct table_row *r)
{
    size_t octaves = 0;
    for (unsigned i = 0; i < t->latencies; i++) {
        const struct latency *l = &r->latencies[i];
        octaves += (size_t)l->current.octaves + l->last.octaves + l->total.octaves;
    }
    return octaves;
}

void row_free(const struct table *t, struct table_row *r)
{
    if (!r)
        return;
    for (unsigned i = 0; i < t->latencies; i++) {
        histogram_fini(&r->latencies[i].current);
        histogram_fini(&r->latencies[i].last);
        histogram_fini(&r->latencies[i].total);
    }
    free(r);
}

static struct table_row *row_copy(const struct table *t, const struct table_row *from)
{
    struct table_row *r = row_new(t, from->key);
    r->interval = from->interval;
    r->first_ns = from->first_ns;
    r->last_ns = from->last_ns;
    memcpy(r->tallies, from->tallies, t->tallies * sizeof *r->tallies);
    memcpy(r->latencies, from->latencies, t->latencies * sizeof *r->latencies);
    memcpy(r->mosts, from->mosts, t->mosts * sizeof *r->mosts);
    for (unsigned i = 0; i < t->latencies; i++) {
        r->latencies[i].current = histogram_copy(&from->latencies[i].current);
        r->latencies[i].last = histogram_copy(&from->latencies[i].last);
        r->latencies[i].total = histogram_copy(&from->latencies[i].total);
    }
    return r;
}

static void tally_turn(struct tally *a, bool is_next)
{
    a->last = is_next ? a->current : 0;
    a->current = 0;
}

/* Rows turn to the running interval when they are next touched, not all at once. */
static void row_turn(const struct table *t, struct table_row *r)
{
    if (r->interval == t->interval)
        return;
    const bool is_next = r->interval + 1 == t->interval;
    for (unsigned i = 0; i < t->tallies; i++)
        tally_turn(&r->tallies[i], is_next);
    for (unsigned i = 0; i < t->latencies; i++) {
        struct latency *l = &r->latencies[i];
        tally_turn(&l->count, is_next);
        tally_turn(&l->sum, is_next);
        tally_turn(&l->max, is_next);
        const struct histogram old = l->last;
        l->last = l->current;
        l->current = old;
        histogram_clear(&l->current);
        if (!is_next)
            histogram_clear(&l->last);
    }
    r->interval = t->interval;
}

static uint64_t larger(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static void tally_raise(struct tally *to, const struct tally *from)
{
    to->current = larger(to->current, from->current);
    to->last = larger(to->last, from->last);
    to->total = larger(to->total, from->total);
}

static void tally_add(struct tally *to, const struct tally *from)
{
    to->current += from->current;
    to->last += from->last;
    to->total += from->total;
}

static void most_add(struct most *s, uint32_t of, uint64_t weight)
{
    if (!of || !weight)
        return;
    unsigned lightest = 0;
    for (unsigned i = 0; i < MOST_CANDIDATES; i++) {
        if (s->of[i] == of) {
            s->weight[i] += weight;
            return;
        }
        if (s->weight[i] < s->weight[lightest])
            lightest = i;
    }
    /* A stranger pays with the lightest one's weight: every candidate loses as much. */
    const uint64_t cost = s->weight[lightest] < weight ? s->weight[lightest] : weight;
    for (unsigned i = 0; i < MOST_CANDIDATES; i++)
        s->weight[i] -= cost;
    if (weight > cost) {
        s->of[lightest] = of;
        s->weight[lightest] = weight - cost;
    }
}

void row_add(const struct table *t, struct table_row *to, const struct table_row *from)
{
    row_turn(t, to);
    to->match = 0;
    struct table_row *r = row_copy(t, from); /* `from` stays as it is, even if it is behind */
    row_turn(t, r);
    for (unsigned i = 0; i < t->pane->measure_count; i++) {
        const struct measure_slot s = t->measures[i];
        if (s.kind == MEASURE_MAX)
            tally_raise(&to->tallies[s.index], &r->tallies[s.index]);
        else if (s.kind != MEASURE_HISTOGRAM && s.kind != MEASURE_MOST)
            tally_add(&to->tallies[s.index], &r->tallies[s.index]);
    }
    for (unsigned i = 0; i < t->latencies; i++) {
        struct latency *a = &to->latencies[i];
        const struct latency *b = &r->latencies[i];
        tally_add(&a->count, &b->count);
        tally_add(&a->sum, &b->sum);
        tally_raise(&a->max, &b->max);
        histogram_merge(&a->current, &b->current);
        histogram_merge(&a->last, &b->last);
        histogram_merge(&a->total, &b->total);
    }
    for (unsigned i = 0; i < t->mosts; i++)
        for (unsigned n = 0; n < MOST_CANDIDATES; n++)
            most_add(&to->mosts[i], r->mosts[i].of[n], r->mosts[i].weight[n]);
    if (!to->first_ns || (r->first_ns && r->first_ns < to->first_ns))
        to->first_ns = r->first_ns;
    if (r->last_ns > to->last_ns)
        to->last_ns = r->last_ns;
    row_free(t, r);
}

/* ---- keys to rows ----------------------------------------------------------------- */

static uint32_t key_hash(struct row_key k)
{
    return (uint32_t)(hash_mix(hash_mix((uint64_t)k.a << 32 | k.b) ^ k.c) >> 24);
}

static uint32_t *slot_of(const struct table *t, struct row_key key)
{
    uint32_t at = key_hash(key) & t->slot_mask;
    while (t->slots[at] && !row_key_equal(t->rows[t->slots[at] - 1]->key, key))
        at = (at + 1) & t->slot_mask;
    return &t->slots[at];
}

static void fill_slots(struct table *t, uint32_t mask)
{
    free(t->slots);
    t->slots = mem_new((size_t)mask + 1, sizeof *t->slots);
    t->slot_mask = mask;
    for (uint32_t i = 0; i < t->row_count; i++)
        *slot_of(t, t->rows[i]->key) = i + 1;
}

struct table_row *table_find(const struct table *t, struct row_key key)
{
    const uint32_t index = *slot_of(t, key);
    return index ? t->rows[index - 1] : NULL;
}

static uint32_t key_process(const struct table *t, struct row_key key)
{
    switch (t->pane->process_part) {
    case PART_A:
        return key.a;
    case PART_B:
        return key.b;
    case PART_C:
        return key.c;
    default:
        return 0;
    }
}

static bool is_others(struct row_key key)
{
    return key.a == ROW_OTHERS && key.b == ROW_OTHERS && key.c == ROW_OTHERS;
}

static bool is_by_thread(const struct table *t, struct row_key key)
{
    return (key_process(t, key) & FACT_BY_THREAD) && !is_others(key);
}

static uint32_t row_insert(struct table *t, struct row_key key)
{
    if (t->row_count == t->row_room) {
        t->row_room = t->row_room ? t->row_room * 2 : 64;
        t->rows = mem_grow(t->rows, t->row_room, sizeof(struct table_row *));
    }
    t->rows[t->row_count++] = row_new(t, key);
    t->by_thread += is_by_thread(t, key);
    if (t->row_count > t->slot_mask / 2)
        fill_slots(t, t->slot_mask * 2 + 1);
    else
        *slot_of(t, key) = t->row_count;
    return t->row_count - 1;
}

static int by_activity(const void *a, const void *b)
{
    const struct table_row *x = *(struct table_row *const *)a;
    const struct table_row *y = *(struct table_row *const *)b;
    return (x->last_ns > y->last_ns) - (x->last_ns < y->last_ns);
}

/* The quarter that was idle longest becomes part of one row. */
static void fold_idle(struct table *t)
{
    static const struct row_key others = {ROW_OTHERS, ROW_OTHERS, ROW_OTHERS};
    if (!table_find(t, others))
        row_insert(t, others);
    struct table_row *sum = table_find(t, others);
    sum->last_ns = INT64_MAX; /* never folded itself */
    qsort(t->rows, t->row_count, sizeof(struct table_row *), by_activity);
    const uint32_t gone = t->row_count / 4;
    for (uint32_t i = 0; i < gone; i++) {
        row_add(t, sum, t->rows[i]);
        t->by_thread -= is_by_thread(t, t->rows[i]->key);
        row_free(t, t->rows[i]);
    }
    sum->last_ns = INT64_MAX;
    t->row_count -= gone;
    t->octaves = 0;
    for (uint32_t i = 0; i < t->row_count; i++)
        t->octaves += row_octaves(t, t->rows[gone + i]);
    t->folded += gone;
    memmove(t->rows, t->rows + gone, t->row_count * sizeof(struct table_row *));
    fill_slots(t, t->slot_mask);
    t->last_row = 0;
}

static struct table_row *row_of(struct table *t, struct row_key key)
{
    if (t->last_row < t->row_count && row_key_equal(t->rows[t->last_row]->key, key))
        return t->rows[t->last_row];
    const uint32_t index = *slot_of(t, key);
    if (index) {
        t->last_row = index - 1;
        return t->rows[t->last_row];
    }
    enum { ROWS_LEFT = 64 }; /* so few cannot be what takes the memory */
    if (t->row_count >= TABLE_ROWS || (t->octaves >= TABLE_OCTAVES && t->row_count > ROWS_LEFT))
        fold_idle(t);
    t->last_row = row_insert(t, key);
    return t->rows[t->last_row];
}

/* ---- the table ----------------------------------------------------------------------- */

static void place_measures(struct table *t)
{
    for (unsigned i = 0; i < t->pane->measure_count; i++) {
        const struct measure *q = &t->pane->measures[i];
        uint8_t *next = q->kind == MEASURE_HISTOGRAM ? &t->latencies
                        : q->kind == MEASURE_MOST    ? &t->mosts
                                                     : &t->tallies;
        t->measures[i] = (struct measure_slot){(uint8_t)q->kind, (*next)++};
        for (unsigned class = 0; class < FACT_CLASSES; class ++)
            if (q->classes & t->pane->classes & 1u << class)
                t->of_class[class][t->of_class_count[class]++] = (uint8_t)i;
    }
}

int table_measure(const struct table *t, const char *id)
{
    for (unsigned i = 0; id && i < t->pane->measure_count; i++)
        if (strcmp(t->pane->measures[i].id, id) == 0)
            return (int)i;
    return -1;
}

void table_init(struct table *t, const struct pane *pane)
{
    assert(pane->measure_count <= MEASURES_MAX);
    *t = (struct table){.pane = pane};
    place_measures(t);
    t->column_measures = mem_new(pane->column_count * 2, sizeof *t->column_measures);
    for (size_t i = 0; i < pane->column_count; i++) {
        t->column_measures[2 * i] = (int8_t)table_measure(t, pane->columns[i].measure);
        t->column_measures[2 * i + 1] = (int8_t)table_measure(t, pane->columns[i].measure2);
    }
    fill_slots(t, FIRST_SLOTS - 1);
    t->all = row_new(t, (struct row_key){0});
}

void table_clear(struct table *t)
{
    for (uint32_t i = 0; i < t->row_count; i++)
        row_free(t, t->rows[i]);
    row_free(t, t->all);
    t->row_count = t->last_row = t->by_thread = 0;
    t->octaves = 0;
    fill_slots(t, FIRST_SLOTS - 1);
    t->all = row_new(t, (struct row_key){0});
}

void table_fini(struct table *t)
{
    for (uint32_t i = 0; i < t->row_count; i++)
        row_free(t, t->rows[i]);
    row_free(t, t->all);
    free(t->rows);
    free(t->slots);
    free(t->column_measures);
    *t = (struct table){0};
}

struct table table_copy(const struct table *t)
{
    struct table copy = *t;
    copy.rows = mem_new(t->row_count, sizeof(struct table_row *));
    copy.row_room = t->row_count;
    for (uint32_t i = 0; i < t->row_count; i++)
        copy.rows[i] = row_copy(t, t->rows[i]);
    copy.all = row_copy(t, t->all);
    copy.slots = mem_copy(t->slots, ((size_t)t->slot_mask + 1) * sizeof *t->slots);
    copy.column_measures = mem_copy(t->column_measures, t->pane->column_count * 2);
    return copy;
}

void table_step(struct table *t, uint32_t steps)
{
    t->interval += steps;
}

/* Returns by how many octaves its histograms grew. */
static unsigned latency_add(struct latency *l, uint64_t ns)
{
    const unsigned before = (unsigned)l->current.octaves + l->total.octaves;
    l->count.current++;
    l->count.total++;
    l->sum.current += ns;
    l->sum.total += ns;
    l->max.current = larger(l->max.current, ns);
    l->max.total = larger(l->max.total, ns);
    histogram_add(&l->current, ns, 1);
    histogram_add(&l->total, ns, 1);
    return (unsigned)l->current.octaves + l->total.octaves - before;
}

static void tally_grow(struct tally *a, uint64_t amount)
{
    a->current += amount;
    a->total += amount;
}

/* Measures that are not plain sums. */
static void measure_add(struct table *t, struct table_row *r, struct measure_slot s,
                        const struct measure *q, const struct fact *f)
{
    if (s.kind == MEASURE_HISTOGRAM && f->flags & FACT_HAS_LATENCY) {
        t->octaves += latency_add(&r->latencies[s.index], f->latency);
        t->octaves += latency_add(&t->all->latencies[s.index], f->latency);
    } else if (s.kind == MEASURE_MOST) {
        most_add(&r->mosts[s.index], q->of(f), q->by_bytes ? f->value : 1);
    } else if (s.kind == MEASURE_MAX) {
        const uint64_t value = q->of(f);
        struct tally *a = &r->tallies[s.index], *all = &t->all->tallies[s.index];
        a->current = larger(a->current, value);
        a->total = larger(a->total, value);
        all->current = larger(all->current, value);
        all->total = larger(all->total, value);
    }
}

static struct table_row *row_to_feed(struct table *t, const struct fact *f, uint32_t process)
{
    struct table_row *r = row_of(t, t->pane->key(f, process));
    row_turn(t, r);
    row_turn(t, t->all);
    if (t->mosts) /* what weighs most is a text that filters look at */
        r->match = 0;
    if (!r->first_ns)
        r->first_ns = f->time;
    if (f->time > r->last_ns)
        r->last_ns = f->time;
    return r;
}

void table_feed(struct table *t, const struct fact *f, uint32_t process)
{
    const struct measure *measures = t->pane->measures;
    const uint64_t latency = f->flags & FACT_HAS_LATENCY ? f->latency : 0;
    struct table_row *r = NULL;
    for (unsigned i = 0; i < t->of_class_count[f->class]; i++) {
        const unsigned index = t->of_class[f->class][i];
        const struct measure *q = &measures[index];
        if ((q->ops && !(q->ops >> f->op & 1)) || (q->where && !q->where(f)))
            continue;
        if (!r)
            r = row_to_feed(t, f, process);
        const struct measure_slot s = t->measures[index];
        uint64_t amount;
        switch (s.kind) {
        case MEASURE_COUNT:
            amount = 1;
            break;
        case MEASURE_BYTES:
            amount = f->value;
            break;
        case MEASURE_LATENCY:
            amount = latency;
            break;
        case MEASURE_STATUS:
            amount = f->status;
            break;
        default:
            measure_add(t, r, s, q, f);
            continue;
        }
        tally_grow(&r->tallies[s.index], amount);
        tally_grow(&t->all->tallies[s.index], amount);
    }
}

static void set_process(const struct table *t, struct row_key *key, uint32_t process)
{
    switch (t->pane->process_part) {
    case PART_A:
        key->a = process;
        break;
    case PART_B:
        key->b = process;
        break;
    case PART_C:
        key->c = process;
        break;
    default:
        break;
    }
}

void table_settle(struct table *t, const struct model *m)
{
    if (!t->by_thread || t->attributions == m->attributions)
        return;
    t->attributions = m->attributions;
    uint32_t kept = 0;
    struct table_row **moving = mem_new(t->row_count, sizeof(struct table_row *));
    uint32_t moves = 0;
    for (uint32_t i = 0; i < t->row_count; i++) {
        struct table_row *r = t->rows[i];
        const uint32_t thread = key_process(t, r->key) & ~FACT_BY_THREAD;
        const struct thread *owner = is_by_thread(t, r->key) ? shelf_at(&m->threads, thread) : NULL;
        if (owner && owner->process) {
            set_process(t, &r->key, owner->process);
            moving[moves++] = r;
        } else {
            t->rows[kept++] = r;
        }
    }
    t->row_count = kept;
    t->by_thread -= moves;
    t->last_row = 0;
    fill_slots(t, t->slot_mask);
    for (uint32_t i = 0; i < moves; i++) {
        row_add(t, row_of(t, moving[i]->key), moving[i]); /* the octaves counted stay about right */
        row_free(t, moving[i]);
    }
    free(moving);
}

#include "src/table/getters.h"

#include "src/aggregate/bins.h"
#include "src/base/clock.h"
#include "src/base/mem.h"
#include "src/table/row_find.h"
#include "src/table/slot.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_SLOTS = 256 };

/* ---- keys to rows ----------------------------------------------------------------- */

/* Number of the row with a key; made where there is none. */
static uint32_t row_number(struct table *t, struct row_key key, uint32_t hash)
{
    const uint32_t found = slot_of(t, key, hash)->row;
    if (found)
        return found - 1;
    if (t->row_count >= t->row_most || t->octaves >= t->octave_most)
        table_fold(t, false);
    return table_insert(t, key, hash);
}

struct table_row *table_row_of(struct table *t, struct row_key key, uint32_t hash)
{
    const uint32_t number = row_number(t, key, hash); /* which may move rows */
    return row_own(t, &t->rows[number]);
}

struct row_key key_with_process(const struct pane *p, struct row_key key, uint32_t process)
{
    switch (p->process_part) {
    case PART_A:
        key.a = process;
        break;
    case PART_B:
        key.b = process;
        break;
    case PART_C:
        key.c = process;
        break;
    case PART_D:
        key.d = process;
        break;
    default:
        break;
    }
    return key;
}

/* ---- the table ----------------------------------------------------------------------- */

int table_measure(const struct table *t, const char *id)
{
    for (unsigned i = 0; id && i < t->pane->measure_count; i++)
        if (strcmp(t->pane->measures[i].id, id) == 0)
            return (int)i;
    return -1;
}

/* By which aggregate the measures of a kind are added up. */
static const uint8_t aggregate_of[MEASURE_KINDS] = {
    [MEASURE_COUNT] = AGGREGATE_SUM,         [MEASURE_BYTES] = AGGREGATE_SUM,
    [MEASURE_LATENCY] = AGGREGATE_SUM,       [MEASURE_STATUS] = AGGREGATE_SUM,
    [MEASURE_MAX] = AGGREGATE_LARGEST,       [MEASURE_LARGE] = AGGREGATE_LARGEST,
    [MEASURE_FIRST] = AGGREGATE_FIRST,       [MEASURE_LAST] = AGGREGATE_LAST,
    [MEASURE_MOMENTS] = AGGREGATE_MOMENTS,   [MEASURE_DISTINCT] = AGGREGATE_DISTINCT,
    [MEASURE_HISTOGRAM] = AGGREGATE_LATENCY, [MEASURE_MOST] = AGGREGATE_MOST,
    [MEASURE_NUMBERS] = AGGREGATE_NUMBERS,   [MEASURE_LARGEST_NUMBER] = AGGREGATE_LARGEST_NUMBER,
};

static struct measure_slot slot_for(const struct measure *q)
{
    struct measure_slot s = {.kind = (uint8_t)q->kind,
                             .aggregate = aggregate_of[q->kind],
                             .by_bytes = q->by_bytes,
                             .field = q->field,
                             .is_least = q->is_least,
                             .is_of_numbers = q->is_of_numbers,
                             .has_large = q->large != NULL,
                             .linear = q->linear,
                             .where = q->where};
    if (q->large)
        s.large = q->large;
    else
        s.of = q->of;
    return s;
}

static void place_measures(struct table *t)
{
    const struct pane *const p = t->pane;
    for (unsigned i = 0; i < p->measure_count; i++)
        t->measures[i] = slot_for(&p->measures[i]);
    for (unsigned kind = 0; kind < AGGREGATES; kind++) {
        const size_t words = aggregates[kind].bytes / sizeof(uint64_t);
        t->states_at[kind] = t->tallies;
        for (unsigned i = 0; i < p->measure_count; i++) {
            struct measure_slot *const s = &t->measures[i];
            if (s->aggregate != kind)
                continue;
            s->index = kind < AGGREGATE_LATENCY ? t->tallies : t->states[kind];
            t->tallies = (uint16_t)(t->tallies + (kind < AGGREGATE_LATENCY ? words : 0));
            t->states[kind]++;
        }
    }
    t->latencies = t->states[AGGREGATE_LATENCY];
    t->mosts = t->states[AGGREGATE_MOST];
    trends_place(t);
    table_place_parts(t);
}

/* Adds up a number of every fact of the class and operation. */
static bool is_plain(const struct measure *q, unsigned takes)
{
    return takes == TAKES_ALL && !q->field && aggregate_of[q->kind] == AGGREGATE_SUM;
}

/* The list of one class and op, behind all others. */
static struct measure_list list_of(struct table *t, unsigned class, unsigned op)
{
    struct measure_list l = {.first = t->list_count};
    for (unsigned is_other = 0; is_other < 2; is_other++) {
        for (unsigned i = 0; i < t->pane->measure_count; i++) {
            const struct measure *q = &t->pane->measures[i];
            const unsigned takes = measure_takes(q, class, op);
            if (!takes || is_plain(q, takes) == is_other)
                continue;
            struct measure_slot *const s = &t->lists[l.first + l.count++];
            *s = t->measures[i];
            s->where = takes == TAKES_ALL ? NULL : s->where;
        }
        l.plain = is_other ? l.plain : l.count;
    }
    return l;
}

/* Which measures look at which facts. Neighbors are often alike: then one list does. */
static void list_measures(struct table *t)
{
    size_t room = 256;
    t->lists = mem_new(room, sizeof *t->lists);
    for (unsigned class = 0; class < FACT_CLASSES; class ++)
        for (unsigned op = 0; op < OPS && t->pane->classes >> class & 1; op++) {
            if ((size_t)t->list_count + MEASURES_MAX > room)
                t->lists = mem_grow(t->lists, room *= 2, sizeof *t->lists);
            struct measure_list l = list_of(t, class, op);
            const struct measure_list *before = op ? &t->of[class][op - 1] : NULL;
            if (before && before->count == l.count &&
                memcmp(t->lists + before->first, t->lists + l.first, l.count * sizeof *t->lists) ==
                    0)
                l.first = before->first;
            else
                t->list_count = (uint16_t)(t->list_count + l.count);
            t->of[class][op] = l;
        }
}

/* Rows of a query can be as wide as it likes. */
static void set_bounds(struct table *t)
{
    enum { FEW = 4096, BESIDE = 40 /* what an octave, and a row's place, take besides */ };
    const size_t row = t->row_bytes + BESIDE, octave = HISTOGRAM_STEPS * sizeof(uint32_t) + BESIDE;
    t->row_most = TABLE_ROWS;
    t->octave_most = TABLE_OCTAVES;
    if (!t->pane->user_view)
        return;
    t->octave_most = TABLE_VIEW_OCTAVES / octave;
    if (TABLE_VIEW_ROWS / row < TABLE_ROWS)
        t->row_most = TABLE_VIEW_ROWS / row > FEW ? (uint32_t)(TABLE_VIEW_ROWS / row) : FEW;
}

void table_init(struct table *t, const struct pane *pane)
{
    assert(pane->measure_count <= MEASURES_MAX);
    *t = (struct table){.pane = pane, .interval_ns = INT64_MIN, .begin_ns = INT64_MIN};
    t->column_measures = mem_new(pane->column_count * 2, sizeof *t->column_measures);
    for (size_t i = 0; i < pane->column_count; i++) {
        t->column_measures[2 * i] = (int8_t)table_measure(t, pane->columns[i].measure);
        t->column_measures[2 * i + 1] = (int8_t)table_measure(t, pane->columns[i].measure2);
    }
    place_measures(t);
    set_bounds(t);
    list_measures(t);
    table_slots_new(t, FIRST_SLOTS - 1);
    t->all = row_new(t, (struct row_key){0});
}

static void drop_rows(struct table *t)
{
    for (uint32_t i = 0; i < t->row_count; i++) {
        prefetch_row(t, i);
        row_drop(t, t->rows[i]);
    }
    row_drop(t, t->all);
}

void table_clear(struct table *t)
{
    drop_rows(t);
    t->row_count = t->by_thread = t->settled = 0;
    t->octaves = 0;
    free(t->slots);
    table_slots_new(t, FIRST_SLOTS - 1);
    t->all = row_new(t, (struct row_key){0});
}

void table_fini(struct table *t)
{
    drop_rows(t);
    free(t->rows);
    free(t->slots);
    free(t->lists);
    free(t->column_measures);
    *t = (struct table){0};
}

struct table table_share(struct table *t)
{
    struct table copy = *t;
    for (uint32_t i = 0; i < t->row_count; i++) {
        prefetch_row(t, i);
        t->rows[i]->holders++;
    }
    t->all->holders++;
    copy.rows = mem_copy(t->rows, t->row_count * sizeof(struct table_row *));
    copy.row_room = t->row_count;
    copy.slots = mem_copy(t->slots, ((size_t)t->slot_mask + 1) * sizeof *t->slots);
    copy.lists = mem_copy(t->lists, t->list_count * sizeof *t->lists);
    copy.column_measures = mem_copy(t->column_measures, t->pane->column_count * 2);
    return copy;
}

void table_begin(struct table *t, int64_t ns)
{
    t->begin_ns = t->interval_ns = ns;
    t->counts_all = false;
}

void table_step(struct table *t, uint32_t steps, int64_t ns)
{
    t->interval += steps;
    t->interval_ns = ns > t->begin_ns ? ns : t->begin_ns;
}

/* ---- feeding -------------------------------------------------------------------------- */

/* What measures of each kind add up, where they add up anything. */
static inline void set_amounts(uint64_t amounts[MEASURE_KINDS], const struct fact *f)
{
    amounts[MEASURE_COUNT] = 1;
    amounts[MEASURE_BYTES] = f->value;
    amounts[MEASURE_LATENCY] = f->flags & FACT_HAS_LATENCY ? f->latency : 0;
    amounts[MEASURE_STATUS] = f->status;
}

static bool is_of_number(const struct measure_slot *s)
{
    return s->kind == MEASURE_NUMBERS || s->kind == MEASURE_LARGEST_NUMBER ||
           s->kind == MEASURE_HISTOGRAM || s->kind == MEASURE_MOMENTS;
}

/* Is the field there, as the measure wants it? */
static bool has_field(const struct measure_slot *s, const struct fact_values *values)
{
    const bool wants_number = s->is_of_numbers || is_of_number(s);
    return values && (wants_number ? values->has_number : values->has) >> (s->field - 1) & 1;
}

/* What a histogram counts for a value. */
static uint64_t place_of(const struct measure_slot *s, uint64_t value)
{
    return s->linear ? linear_place(s->linear, value < INT64_MAX ? (int64_t)value : INT64_MAX)
                     : value;
}

/* What facts of a class went on for up to their time is the amount of this kind: the service time
 * of disks, time on processors, in waits, in interrupts, pauses and compilations of runtimes. What
 * of it lies before the running interval is of the intervals that are over, as far as the table
 * goes back. A time slice comes with the time that its thread stood ready before it. */
static const uint8_t stretches[FACT_CLASSES] = {
    [FACT_SWITCH] = MEASURE_BYTES, [FACT_DISK] = MEASURE_STATUS,    [FACT_DPC] = MEASURE_LATENCY,
    [FACT_ISR] = MEASURE_LATENCY,  [FACT_DOTNET] = MEASURE_LATENCY, [FACT_READY] = MEASURE_BYTES,
};

bool measure_is_split(const struct measure *m)
{
    for (unsigned class = 0; class < FACT_CLASSES; class ++)
        if (m->classes >> class & 1 && m->kind != MEASURE_COUNT &&
            (m->kind == (class == FACT_SWITCH ? MEASURE_LATENCY : stretches[class])))
            return true;
    return false;
}

static inline int64_t end_of(const struct fact *f)
{
    return f->time + (f->op == OP_SLICE); /* filed in its interval */
}

static inline bool began_earlier(const struct table *t, const struct fact *f,
                                 const uint64_t amounts[MEASURE_KINDS])
{
    const uint8_t kind = stretches[f->class];
    if (t->counts_all && kind == MEASURE_LATENCY && t->interval_ns == t->begin_ns)
        return false;
    const uint64_t before = f->class == FACT_SWITCH ? amounts[MEASURE_LATENCY] : 0;
    const int64_t start = clock_minus(end_of(f), (int64_t)amounts[kind]);
    return kind && clock_minus(start, (int64_t)before) < t->interval_ns;
}

/* Of a stretch up to `end`, the part in the intervals that are over goes there; leaves the part in
 * this one. */
static void split(struct table *t, struct table_row *r, const struct measure_list *list,
                  uint8_t kind, int64_t end, uint64_t amounts[MEASURE_KINDS])
{
    const int64_t start = clock_minus(end, (int64_t)amounts[kind]);
    const int64_t since = start > t->begin_ns ? start : t->begin_ns;
    const int64_t until = end < t->interval_ns ? end : t->interval_ns;
    const uint64_t over = until > since ? (uint64_t)(until - since) : 0;
    if (start < t->interval_ns)
        amounts[kind] = end > t->interval_ns ? (uint64_t)(end - t->interval_ns) : 0;
    for (const struct measure_slot *s = t->lists + list->first, *past = s + list->plain; s < past;
         s++)
        if (s->kind == kind) {
            row_tallies(t, r, AGE_OVER)[s->index] += over;
            row_tallies(t, t->all, AGE_OVER)[s->index] += over;
        }
}

static void split_stretch(struct table *t, struct table_row *r, const struct fact *f,
                          uint64_t amounts[MEASURE_KINDS])
{
    const struct measure_list *const list = &t->of[f->class][f->op];
    const uint8_t kind = stretches[f->class];
    const int64_t end = end_of(f), start = clock_minus(end, (int64_t)amounts[kind]);
    split(t, r, list, kind, end, amounts);
    if (f->class == FACT_SWITCH)
        split(t, r, list, MEASURE_LATENCY, start, amounts);
}

static inline uint64_t amount_of(const struct measure_slot *s, const struct fact *f)
{
    switch (s->kind) {
    case MEASURE_COUNT:
        return 1;
    case MEASURE_BYTES:
        return f->value;
    case MEASURE_LATENCY:
        return f->flags & FACT_HAS_LATENCY ? f->latency : 0;
    case MEASURE_STATUS:
        return f->status;
    default:
        return s->has_large ? s->large(f) : s->of(f);
    }
}

static void latencies_add(struct table *t, struct table_row *r, unsigned index, uint64_t value)
{
    t->octaves += latency_add(&row_latencies(t, r, AGE_CURRENT)[index], value);
    t->octaves += latency_add(&row_latencies(t, t->all, AGE_CURRENT)[index], value);
}

/* The value joins a state that is words. */
static inline void words_add(struct table *t, struct table_row *r, const struct measure_slot *s,
                             const struct fact *f, uint64_t value)
{
    uint64_t *const to = &row_tallies(t, r, AGE_CURRENT)[s->index];
    uint64_t *const all = &row_tallies(t, t->all, AGE_CURRENT)[s->index];
    if (s->aggregate == AGGREGATE_SUM) {
        *to += value;
        *all += value;
    } else if (s->aggregate == AGGREGATE_LARGEST) {
        largest_add(to, value);
        largest_add(all, value);
    } else if (value || s->has_large || s->field) { /* 0 is no id */
        const struct aggregate_input in = {.value = value, .time = f->time};
        aggregates[s->aggregate].add(to, &in);
        aggregates[s->aggregate].add(all, &in);
    }
}

static void number_add(struct table *t, struct table_row *r, const struct measure_slot *s,
                       struct fixed number)
{
    const enum age age = AGE_CURRENT;
    if (s->linear) {
        latencies_add(t, r, s->index, linear_place(s->linear, fixed_floor(number)));
        return;
    }
    if (s->aggregate == AGGREGATE_LATENCY) {
        const double real = fabs(fixed_real(number));
        if (fixed_is_negative(number) != s->is_least)
            return;
        t->octaves += latency_add_real(&row_latencies(t, r, age)[s->index], real);
        t->octaves += latency_add_real(&row_latencies(t, t->all, age)[s->index], real);
        return;
    }
    if (s->is_least)
        number = fixed_minus(number);
    const struct aggregate_input in = {.number = &number};
    aggregates[s->aggregate].add(&row_tallies(t, r, age)[s->index], &in);
    aggregates[s->aggregate].add(&row_tallies(t, t->all, age)[s->index], &in);
}

static void field_add(struct table *t, struct table_row *r, const struct measure_slot *s,
                      const struct fact *f, const struct fact_values *values)
{
    const uint32_t text = values->texts[s->field - 1];
    if (is_of_number(s))
        number_add(t, r, s, values->numbers[s->field - 1]);
    else if (s->aggregate == AGGREGATE_MOST)
        most_add(&row_mosts(t, r)[s->index], text, 1);
    else
        words_add(t, r, s, f, s->kind == MEASURE_COUNT ? 1 : text);
}

static inline void measure_add(struct table *t, struct table_row *r, const struct measure_slot *s,
                               const struct fact *f)
{
    if (s->aggregate == AGGREGATE_MOST) {
        most_add(&row_mosts(t, r)[s->index], s->of(f), s->by_bytes ? f->value : 1);
        return;
    }
    if (s->aggregate == AGGREGATE_LATENCY) {
        if (s->has_large)
            latencies_add(t, r, s->index, place_of(s, s->large(f)));
        else if (f->flags & FACT_HAS_LATENCY)
            latencies_add(t, r, s->index, f->latency);
        return;
    }
    words_add(t, r, s, f, amount_of(s, f));
}

/* The last rows are remembered by a few bits of their keys; who stands there now is seen by its
 * key, so that rows may move without telling. */
static inline struct table_row *row_to_feed(struct table *t, struct row_key key)
{
    uint32_t *const recent = &t->recent[(key.a ^ key.b) & (TABLE_RECENT - 1)];
    if (*recent >= t->row_count || !row_key_equal(t->rows[*recent]->key, key)) {
        *recent = row_number(t, key, key_hash(key));
        t->cache_misses++;
    }
    return row_own(t, &t->rows[*recent]);
}

/* The row of a key, ready to be added to. */
static inline struct table_row *row_begin(struct table *t, const struct fact *f, struct row_key key)
{
    struct table_row *const r = row_to_feed(t, key);
    row_turn(t, r);
    if (t->mosts) /* what weighs most is a text that filters look at */
        r->match = 0;
    if (!r->first_ns || f->time < r->first_ns) /* some come late */
        r->first_ns = f->time;
    if (f->time > r->last_ns)
        r->last_ns = f->time;
    return r;
}

/* What is more than adding up; the row is looked for when the first of them wants it. */
static void feed_others(struct table *t, struct table_row *r, const struct measure_list *list,
                        const struct fact *f, struct row_key key, const struct fact_values *values)
{
    const struct measure_slot *s = t->lists + list->first + list->plain;
    bool (*asked)(const struct fact *) = NULL; /* neighbors ask the same */
    bool holds = true;
    for (const struct measure_slot *end = s + list->count - list->plain; s < end; s++) {
        if (s->where && s->where != asked) {
            asked = s->where;
            holds = asked(f);
        }
        if ((s->where && !holds) || (s->field && !has_field(s, values)))
            continue;
        if (!r)
            r = row_begin(t, f, key);
        if (s->field)
            field_add(t, r, s, f, values);
        else
            measure_add(t, r, s, f);
    }
}

/* The table's own row is ready. */
static inline void feed(struct table *t, const struct fact *f, struct row_key key,
                        const struct fact_values *values)
{
    const struct measure_list *const list = &t->of[f->class][f->op];
    const unsigned plain = list->plain, count = list->count;
    struct table_row *r = NULL;
    if (plain) {
        const struct measure_slot *const slots = t->lists + list->first;
        uint64_t amounts[MEASURE_KINDS];
        set_amounts(amounts, f);
        r = row_begin(t, f, key);
        if (began_earlier(t, f, amounts))
            split_stretch(t, r, f, amounts);
        uint64_t *const to = row_tallies(t, r, AGE_CURRENT);
        uint64_t *const all = row_tallies(t, t->all, AGE_CURRENT);
        for (unsigned i = 0; i < plain; i++) {
            const uint64_t amount = amounts[slots[i].kind];
            to[slots[i].index] += amount;
            all[slots[i].index] += amount;
        }
    }
    if (count > plain)
        feed_others(t, r, list, f, key, values);
}

static void all_begin(struct table *t)
{
    if (t->octaves > 2 * t->octave_most) /* rows that are there grow as well */
        table_fold(t, false);
    row_turn(t, row_own(t, &t->all));
}

void table_feed(struct table *t, const struct fact *f, uint32_t process)
{
    all_begin(t);
    feed(t, f, pane_key(t->pane, f, process, NULL), NULL);
}

void table_feed_values(struct table *t, const struct fact *f, uint32_t process,
                       const struct fact_values *values)
{
    all_begin(t);
    feed(t, f, pane_key(t->pane, f, process, values), values);
}

/* Three steps, so that the cache is waited for once and not fact by fact: slots, then the
 * rows they lead to, then the counting. A wrong guess of a row costs nothing but time. */
static void prefetch_rows(const struct table *t, const struct row_key *keys, unsigned count)
{
    enum { LINE = 64 };
    uint32_t hashes[TABLE_BATCH];
    const struct table_row *rows[TABLE_BATCH];
    for (unsigned i = 0; i < count; i++) {
        hashes[i] = key_hash(keys[i]);
        __builtin_prefetch(&t->slots[hashes[i] & t->slot_mask]);
    }
    unsigned found = 0;
    for (unsigned i = 0; i < count; i++) {
        const struct table_slot *s = &t->slots[hashes[i] & t->slot_mask];
        if (s->row)
            rows[found++] = t->rows[s->row - 1];
    }
    for (unsigned i = 0; i < found; i++) {
        __builtin_prefetch(rows[i]);
        __builtin_prefetch((const char *)rows[i] + LINE);
        __builtin_prefetch((const char *)rows[i] + 2 * LINE);
    }
    for (unsigned i = 0; i < found && t->latencies; i++)
        __builtin_prefetch(row_latencies(t, rows[i], AGE_CURRENT)->histogram.counts);
}

void table_feed_batch(struct table *t, const struct table_fact *facts, const uint8_t *list,
                      unsigned count)
{
    enum { SMALL = 256, FEW = 8 }; /* rows that stay in the cache by themselves */
    const bool is_scattered = t->row_count > SMALL && t->cache_misses > count / FEW;
    const struct pane *const pane = t->pane;
    struct row_key keys[TABLE_BATCH];
    for (unsigned i = 0; i < count; i++) {
        const struct table_fact *item = &facts[list ? list[i] : i];
        keys[i] = pane_key(pane, item->fact, item->process, NULL);
    }
    if (is_scattered)
        prefetch_rows(t, keys, count);
    t->cache_misses = 0;
    all_begin(t);
    for (unsigned i = 0; i < count; i++)
        feed(t, facts[list ? list[i] : i].fact, keys[i], NULL);
}

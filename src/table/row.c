/* One row of a table: its measures by age. What a fact adds goes to the running interval
 * only; when the row is first touched in a later one, that becomes the last interval and
 * joins those that are over. So a fact writes each number once, and a total is the sum
 * of two.
 *
 *   struct table_row | running interval | mosts | last interval | all that are over | trends
 *
 * An interval is its states, kind by kind (enum aggregate_kind): words, then `latencies`. */
#include "src/base/mem.h"
#include "src/table/row.h"

#include <stdlib.h>
#include <string.h>

static size_t part_bytes(const struct table *t)
{
    return t->tallies * sizeof(uint64_t) + t->latencies * sizeof(struct latency);
}

void table_place_parts(struct table *t)
{
    const size_t part = part_bytes(t), mosts = t->mosts * sizeof(struct most);
    t->part_at[AGE_CURRENT] = (uint16_t)sizeof(struct table_row);
    t->mosts_at = (uint16_t)(t->part_at[AGE_CURRENT] + part);
    t->part_at[AGE_LAST] = (uint16_t)(t->mosts_at + mosts);
    t->part_at[AGE_OVER] = (uint16_t)(t->part_at[AGE_LAST] + part);
    t->row_bytes = (uint16_t)(t->part_at[AGE_OVER] + part);
    t->trends_at = t->row_bytes;
    t->row_bytes = (uint16_t)(t->row_bytes + t->trend_count * sizeof(struct trend));
}

struct table_row *row_new(const struct table *t, struct row_key key)
{
    struct table_row *r = mem_new(1, t->row_bytes);
    r->key = key;
    r->interval = t->interval;
    r->holders = 1;
    return r;
}

size_t row_octaves(const struct table *t, const struct table_row *r)
{
    size_t octaves = 0;
    for (unsigned age = 0; age < AGES; age++)
        for (unsigned i = 0; i < t->latencies; i++)
            octaves += row_latencies(t, r, age)[i].histogram.octaves;
    return octaves;
}

void row_drop(const struct table *t, struct table_row *r)
{
    if (!r || --r->holders)
        return;
    for (unsigned age = 0; age < AGES; age++)
        for (unsigned i = 0; i < t->latencies; i++)
            histogram_fini(&row_latencies(t, r, age)[i].histogram);
    free(r);
}

struct table_row *row_part_from(const struct table *t, struct table_row **place)
{
    struct table_row *const from = *place;
    from->holders--;
    struct table_row *r = mem_copy(from, t->row_bytes);
    r->holders = 1;
    for (unsigned age = 0; age < AGES; age++)
        for (unsigned i = 0; i < t->latencies; i++) {
            const struct histogram *h = &row_latencies(t, from, age)[i].histogram;
            row_latencies(t, r, age)[i].histogram = histogram_copy(h);
        }
    *place = r;
    return r;
}

/* ---- from interval to interval --------------------------------------------------- */

static void latency_clear(struct latency *l)
{
    l->count = l->sum = l->max = 0;
    histogram_clear(&l->histogram);
}

/* Adds the part of one age in `from` to that of another in `to`. */
static void part_add(const struct table *t, struct table_row *to, enum age into,
                     const struct table_row *from, enum age of)
{
    uint64_t *const a = row_tallies(t, to, into);
    const uint64_t *const b = row_tallies(t, from, of);
    sums_merge(a, b, t->states[AGGREGATE_SUM]);
    for (unsigned kind = AGGREGATE_SUM + 1; kind <= AGGREGATE_LATENCY; kind++)
        if (t->states[kind])
            aggregates[kind].merge(a + t->states_at[kind], b + t->states_at[kind], t->states[kind]);
}

void row_add_running(const struct table *t, struct table_row *to, const struct table_row *from)
{
    part_add(t, to, AGE_CURRENT, from, AGE_CURRENT);
}

void row_turn_over(const struct table *t, struct table_row *r)
{
    const bool is_next = r->interval + 1 == t->interval;
    trends_keep(t, r);
    part_add(t, r, AGE_OVER, r, AGE_CURRENT);
    uint64_t *const current = row_tallies(t, r, AGE_CURRENT), *last = row_tallies(t, r, AGE_LAST);
    for (unsigned i = 0; i < t->tallies; i++) {
        last[i] = is_next ? current[i] : 0;
        current[i] = 0;
    }
    for (unsigned i = 0; i < t->latencies; i++) {
        struct latency *a = &row_latencies(t, r, AGE_CURRENT)[i];
        struct latency *b = &row_latencies(t, r, AGE_LAST)[i];
        const struct latency old = *b;
        *b = *a;
        *a = old;
        latency_clear(a);
        if (!is_next)
            latency_clear(b);
    }
    r->interval = t->interval;
}

void row_rest(const struct table *t, struct table_row *r)
{
    trends_keep(t, r);
    part_add(t, r, AGE_OVER, r, AGE_CURRENT);
    for (unsigned age = AGE_CURRENT; age <= AGE_LAST; age++) {
        memset(row_tallies(t, r, age), 0, t->tallies * sizeof(uint64_t));
        for (unsigned i = 0; i < t->latencies; i++) {
            struct latency *l = &row_latencies(t, r, age)[i];
            histogram_fini(&l->histogram);
            *l = (struct latency){0};
        }
    }
}

/* ---- adding rows ------------------------------------------------------------------- */

void row_add(const struct table *t, struct table_row *to, const struct table_row *from)
{
    row_turn(t, to);
    to->match = 0;
    trends_add(t, to, from);
    /* `from` does not change. It may not have turned to the table's interval yet: its parts are
     * added to the intervals that they belong to. */
    const uint32_t behind = t->interval - from->interval;
    part_add(t, to, AGE_OVER, from, AGE_OVER);
    part_add(t, to, behind ? AGE_OVER : AGE_CURRENT, from, AGE_CURRENT);
    if (behind == 0)
        part_add(t, to, AGE_LAST, from, AGE_LAST);
    else if (behind == 1)
        part_add(t, to, AGE_LAST, from, AGE_CURRENT);
    aggregates[AGGREGATE_MOST].merge(row_mosts(t, to), row_mosts(t, from), t->mosts);
    if (!to->first_ns || (from->first_ns && from->first_ns < to->first_ns))
        to->first_ns = from->first_ns;
    if (from->last_ns > to->last_ns)
        to->last_ns = from->last_ns;
}

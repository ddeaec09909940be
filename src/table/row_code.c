#include "src/table/row_code.h"

#include "src/base/bytes.h"
#include "src/base/clock.h"
#include "src/base/payload_writer.h"
#include "src/base/varint.h"
#include "src/table/getters.h"
#include "src/table/row_find.h"
#include "src/table/slot.h"

#include <string.h>

/* The state of a measure in the running interval; NULL: it has none of its own. */
static void *state_of(const struct table *t, const struct table_row *r, unsigned measure)
{
    const struct measure_slot *const s = &t->measures[measure];
    if (s->aggregate == AGGREGATE_LATENCY)
        return &row_latencies(t, r, AGE_CURRENT)[s->index];
    return s->aggregate < AGGREGATE_LATENCY ? &row_tallies(t, r, AGE_CURRENT)[s->index] : NULL;
}

static bool has_counted(const struct table *t, const struct table_row *r, unsigned measure)
{
    const struct aggregate *const of = &aggregates[t->measures[measure].aggregate];
    const uint64_t *const words = state_of(t, r, measure);
    if (!words)
        return false;
    if (t->measures[measure].aggregate == AGGREGATE_LATENCY)
        return ((const struct latency *)(const void *)words)->count > 0;
    for (size_t i = 0; i < of->bytes / sizeof *words; i++)
        if (words[i])
            return true;
    return false;
}

void row_encode(const struct table *t, const struct table_row *r, int64_t begin_ns, bool is_part,
                struct payload_writer *to)
{
    const uint32_t key[] = {r->key.a, r->key.b, r->key.c, r->key.d};
    uint64_t which = 0;
    for (unsigned i = 0; i < KEY_PARTS; i++)
        put_varint(to, key[i]);
    const bool has_last = r->last_ns >= begin_ns && r->last_ns != INT64_MAX;
    put_varint(to, has_last ? (uint64_t)(r->last_ns - begin_ns) + 1 : 0);
    for (unsigned i = 0; i < t->pane->measure_count; i++)
        which |= (uint64_t)has_counted(t, r, i) << i;
    put_varint(to, which << 1 | is_part);
    for (unsigned i = 0; i < t->pane->measure_count; i++)
        if (which >> i & 1)
            aggregates[t->measures[i].aggregate].encode(state_of(t, r, i), to);
}

static bool decode_states(const struct table *t, struct table_row *r, uint64_t which,
                          struct bytes *from, struct err *err)
{
    if (from->bad || which >> t->pane->measure_count)
        return fail(err, "the row has measures that '%s' has not", t->pane->id);
    for (unsigned i = 0; i < t->pane->measure_count; i++) {
        if (!(which >> i & 1))
            continue;
        void *const state = state_of(t, r, i);
        if (!state || !aggregates[t->measures[i].aggregate].decode(state, from, err))
            return state ? false : fail(err, "measure %u of '%s' is not kept", i, t->pane->id);
    }
    return true;
}

/* The row joins what the table has. */
static struct table_row *add(struct table *t, const struct table_row *read)
{
    struct table_row *const to = table_row_of(t, read->key, key_hash(read->key));
    const size_t before = row_octaves(t, to);
    row_turn(t, to);
    row_add_running(t, to, read);
    to->last_ns = read->last_ns > to->last_ns ? read->last_ns : to->last_ns;
    t->octaves += row_octaves(t, to) - before;
    row_turn(t, t->all);
    row_add_running(t, row_own(t, &t->all), read);
    return to;
}

struct table_row *row_decode(struct table *t, int64_t begin_ns, struct bytes *from, bool *is_part,
                             struct err *err)
{
    uint32_t key[KEY_PARTS];
    for (unsigned i = 0; i < KEY_PARTS; i++)
        key[i] = (uint32_t)bytes_uleb(from);
    const uint64_t last = bytes_uleb(from), which = bytes_uleb(from);
    const struct row_key of = {key[0], key[1], key[2], key[3]};
    struct table_row *const read = row_new(t, of);
    read->last_ns = last ? clock_plus(begin_ns, (int64_t)(last - 1)) : 0;
    *is_part = which & 1;
    struct table_row *const row =
        decode_states(t, read, which >> 1, from, err) ? add(t, read) : NULL;
    row_drop(t, read);
    return row;
}

static bool is_heaviest(const struct measure *m)
{
    return m->kind == MEASURE_MOST;
}

/* Those that have a measure which passes. */
static uint64_t columns_of(const struct pane *p, bool (*passes)(const struct measure *m))
{
    uint64_t columns = 0;
    for (size_t i = 0; i < p->column_count; i++)
        for (size_t k = 0; k < p->measure_count; k++) {
            const struct column *const c = &p->columns[i];
            const char *const id = p->measures[k].id;
            const bool is_of = (c->measure && strcmp(c->measure, id) == 0) ||
                               (c->measure2 && strcmp(c->measure2, id) == 0);
            columns |= (uint64_t)(is_of && passes(&p->measures[k])) << i;
        }
    return columns;
}

uint64_t row_code_lacks(const struct pane *p)
{
    return trend_columns(p) | columns_of(p, is_heaviest);
}

uint64_t row_code_shortens(const struct pane *p)
{
    return columns_of(p, measure_is_split);
}

#include "src/view/interval_history.h"

#include "src/base/bytes.h"
#include "src/base/mem.h"
#include "src/base/payload_writer.h"
#include "src/pane/panes.h"
#include "src/table/getters.h"
#include "src/table/row_code.h"

#include <stdlib.h>
#include <string.h>

enum { TABLES_MOST = 32 };
static const int64_t SECOND = 1000000000, FINE_NS = 600 * SECOND, COARSE_NS = 10 * SECOND;

/* An interval, or some that follow each other. Copies of the history share it. */
struct kept {
    unsigned holders;
    struct history_span span;
    struct machine_sums machine;
    uint32_t ends[TABLES_MOST]; /* of each table: where its rows end in `rows` */
    uint8_t rows[];             /* table by table, src/table/row_code.h */
};

/* The oldest first. */
struct kept_list {
    struct kept **of;
    size_t count, room, bytes;
};

struct interval_history {
    struct kept_list coarse, fine; /* coarse: older than fine */
    size_t most;
    uint8_t *room; /* to write an interval in */
    size_t room_bytes;
};

/* ---- lists ---------------------------------------------------------------------------------- */

static uint32_t begin_of(const struct kept *k, unsigned table)
{
    return table ? k->ends[table - 1] : 0;
}

static size_t bytes_of_kept(const struct kept *k)
{
    return sizeof *k + k->ends[TABLES_MOST - 1];
}

static void push(struct kept_list *l, struct kept *k)
{
    if (l->count == l->room) {
        l->room = l->room ? l->room * 2 : 64;
        l->of = mem_grow(l->of, l->room, sizeof *l->of);
    }
    l->of[l->count++] = k;
    l->bytes += bytes_of_kept(k);
}

static void drop_oldest(struct kept_list *l, size_t count)
{
    if (!count)
        return;
    for (size_t i = 0; i < count; i++) {
        l->bytes -= bytes_of_kept(l->of[i]);
        if (!--l->of[i]->holders)
            free(l->of[i]);
    }
    l->count -= count;
    memmove(l->of, l->of + count, l->count * sizeof *l->of);
}

/* The clock went back: what is later is in doubt. */
static void drop_later(struct kept_list *l, int64_t than)
{
    while (l->count && l->of[l->count - 1]->span.to > than) {
        struct kept *const k = l->of[--l->count];
        l->bytes -= bytes_of_kept(k);
        if (!--k->holders)
            free(k);
    }
}

static void list_fini(struct kept_list *l)
{
    drop_oldest(l, l->count);
    free(l->of);
}

static struct kept_list list_copy(const struct kept_list *l)
{
    struct kept_list copy = *l;
    copy.of = l->count ? mem_copy(l->of, l->count * sizeof *l->of) : NULL;
    copy.room = l->count;
    for (size_t i = 0; i < l->count; i++)
        l->of[i]->holders++;
    return copy;
}

/* ---- the history ------------------------------------------------------------------------------ */

struct interval_history *interval_history_new(size_t bytes)
{
    struct interval_history *const h = mem_new(1, sizeof *h);
    h->most = bytes;
    return h;
}

void interval_history_free(struct interval_history *h)
{
    if (!h)
        return;
    list_fini(&h->coarse);
    list_fini(&h->fine);
    free(h->room);
    free(h);
}

static size_t bytes_beside_intervals(const struct interval_history *h)
{
    return h->room_bytes + (h->coarse.room + h->fine.room) * sizeof(struct kept *);
}

size_t interval_history_bytes(const struct interval_history *h)
{
    return h->coarse.bytes + h->fine.bytes + bytes_beside_intervals(h);
}

size_t interval_history_most(const struct interval_history *h)
{
    return h->most + bytes_beside_intervals(h);
}

struct interval_history *interval_history_copy(const struct interval_history *h)
{
    struct interval_history *const copy = interval_history_new(h->most);
    copy->coarse = list_copy(&h->coarse);
    copy->fine = list_copy(&h->fine);
    return copy;
}

bool interval_history_has(const struct pane *p)
{
    return p->view == PANE_TABLE && !p->is_scanned && !p->user_view && !p->has_images;
}

/* ---- the largest rows -------------------------------------------------------------------------- */

struct largest {
    uint64_t weight[HISTORY_ROWS];
    const struct table_row *rows[HISTORY_ROWS]; /* the heaviest first */
    unsigned count;
};

static uint64_t amount(const struct table *t, const struct table_row *r, int measure)
{
    const struct measure_slot *const s = measure >= 0 ? &t->measures[measure] : NULL;
    if (s && s->aggregate == AGGREGATE_LATENCY)
        return row_latencies(t, r, AGE_CURRENT)[s->index].sum;
    return s && s->aggregate == AGGREGATE_SUM ? row_tallies(t, r, AGE_CURRENT)[s->index] : 0;
}

/* By what the pane sorts by; of rows that have none of it those are larger that count anything. */
static uint64_t weight_of(const struct table *t, const struct table_row *r, size_t sort)
{
    const uint64_t first = amount(t, r, t->column_measures[2 * sort]);
    const uint64_t both = first + amount(t, r, t->column_measures[2 * sort + 1]);
    uint64_t others = 0;
    for (unsigned i = 0; !both && i < t->states[AGGREGATE_SUM]; i++)
        others |= row_tallies(t, r, AGE_CURRENT)[t->states_at[AGGREGATE_SUM] + i];
    return both < first || both > UINT64_MAX / 2 ? UINT64_MAX : both * 2 + (others > 0);
}

static size_t sort_column(const struct pane *p)
{
    const struct column *const c = p->sort ? pane_column(p, p->sort) : NULL;
    return c ? (size_t)(c - p->columns) : 0;
}

/* The row that is too small now, or NULL. */
static const struct table_row *offer(struct largest *l, const struct table_row *r, uint64_t weight)
{
    const struct table_row *gone = NULL;
    unsigned at = l->count;
    if (l->count == HISTORY_ROWS) {
        if (weight <= l->weight[HISTORY_ROWS - 1])
            return r;
        gone = l->rows[--at];
    } else {
        l->count++;
    }
    for (; at && l->weight[at - 1] < weight; at--) {
        l->weight[at] = l->weight[at - 1];
        l->rows[at] = l->rows[at - 1];
    }
    l->weight[at] = weight;
    l->rows[at] = r;
    return gone;
}

/* ---- keeping ------------------------------------------------------------------------------------ */

static void write_row(struct interval_history *h, const struct table *t, const struct table_row *r,
                      int64_t begin_ns, bool is_part, size_t *used)
{
    if (h->room_bytes - *used < ROW_ENCODED) {
        h->room_bytes = *used + 2 * (size_t)ROW_ENCODED;
        h->room = mem_grow(h->room, h->room_bytes, 1);
    }
    uint8_t *const at = h->room + *used;
    struct payload_writer to = {at, at, h->room + h->room_bytes};
    row_encode(t, r, begin_ns, is_part, &to);
    *used += (size_t)(to.at - to.start);
}

/* The others first. `parts`: rows that have fewer are in part among them. */
static void write_table(struct interval_history *h, const struct table *t, int64_t begin_ns,
                        unsigned parts, size_t *used)
{
    static const struct row_key others = {ROW_OTHERS, ROW_OTHERS, ROW_OTHERS, ROW_OTHERS};
    const size_t sort = sort_column(t->pane);
    struct largest largest = {.count = 0};
    struct table_row *rest = NULL;
    for (uint32_t i = 0; i < t->row_count; i++) {
        const struct table_row *const r = t->rows[i];
        if (r->interval != t->interval)
            continue;
        const struct table_row *const gone =
            key_is_others(r->key) ? r : offer(&largest, r, weight_of(t, r, sort));
        if (!gone)
            continue;
        rest = rest ? rest : row_new(t, others);
        row_add_running(t, rest, gone);
    }
    if (rest)
        write_row(h, t, rest, begin_ns, false, used);
    for (unsigned i = 0; i < largest.count; i++)
        write_row(h, t, largest.rows[i], begin_ns, largest.rows[i]->parts < parts, used);
    row_drop(t, rest);
}

/* The tables of one interval; or of some that were added up, so many of them with others. */
static struct kept *kept_new(struct interval_history *h, const struct table *tables, unsigned count,
                             const unsigned *parts, const struct machine_sums *machine,
                             const struct history_span *span)
{
    struct kept head = {.holders = 1, .span = *span, .machine = *machine};
    size_t used = 0;
    for (unsigned i = 0; i < TABLES_MOST; i++) {
        if (i < count && tables[i].pane && interval_history_has(tables[i].pane))
            write_table(h, &tables[i], span->from + 1, parts ? parts[i] : 0, &used);
        head.ends[i] = (uint32_t)used;
    }
    struct kept *const k = mem_new(1, sizeof *k + used);
    *k = head;
    if (used)
        memcpy(k->rows, h->room, used);
    return k;
}

static void add_machine(struct machine_sums *to, const struct machine_sums *from)
{
    to->run += from->run;
    to->idle_run += from->idle_run;
    to->sampled += from->sampled;
    to->idle_sampled += from->idle_sampled;
    to->read += from->read;
    to->written += from->written;
}

/* Are there others? Our own bytes: what cannot be read is a defect, and the interval has fewer
 * rows. */
static bool add_rows(const struct kept *k, unsigned table, struct table *to)
{
    struct err err;
    struct table_row *r;
    const uint32_t begin = begin_of(k, table);
    struct bytes rows = bytes_of(k->rows + begin, k->ends[table] - begin);
    bool has_others = false, is_part;
    while (rows.left && (r = row_decode(to, k->span.from + 1, &rows, &is_part, &err))) {
        has_others |= key_is_others(r->key);
        r->parts += has_others && !is_part;
    }
    return has_others;
}

/* The oldest intervals of `l`, as one. */
static struct kept *merge_oldest(struct interval_history *h, const struct kept_list *l,
                                 size_t count)
{
    struct table *const tables = mem_new(TABLES_MOST, sizeof *tables);
    unsigned parts[TABLES_MOST] = {0};
    struct machine_sums machine = {0};
    const struct history_span span = {l->of[0]->span.from, l->of[count - 1]->span.to};
    unsigned table = 0;
    for (; table < TABLES_MOST && panes[table]; table++) {
        if (!interval_history_has(panes[table]))
            continue;
        table_init(&tables[table], panes[table]);
        for (size_t i = 0; i < count; i++)
            parts[table] += add_rows(l->of[i], table, &tables[table]);
    }
    for (size_t i = 0; i < count; i++)
        add_machine(&machine, &l->of[i]->machine);
    struct kept *const k = kept_new(h, tables, table, parts, &machine, &span);
    for (unsigned i = 0; i < table; i++)
        if (tables[i].pane)
            table_fini(&tables[i]);
    free(tables);
    return k;
}

/* How many of the oldest intervals follow one another and make ten seconds. */
static size_t run_of(const struct kept_list *l)
{
    size_t count = 1;
    while (count < l->count && l->of[count]->span.from == l->of[count - 1]->span.to &&
           l->of[count]->span.to - l->of[0]->span.from <= COARSE_NS)
        count++;
    return count;
}

/* What is old goes into ten seconds, then away. */
static void make_room(struct interval_history *h, int64_t now)
{
    struct kept_list *const fine = &h->fine, *const coarse = &h->coarse;
    const size_t fine_most = h->most / 8 * 5;
    while (fine->count > 1 &&
           (now - fine->of[0]->span.from > FINE_NS + COARSE_NS || fine->bytes > fine_most)) {
        const size_t count = run_of(fine);
        push(coarse, merge_oldest(h, fine, count));
        drop_oldest(fine, count);
    }
    while (coarse->count && coarse->bytes > h->most - fine_most)
        drop_oldest(coarse, 1);
}

void interval_history_keep(struct interval_history *h, const struct table *tables, unsigned count,
                           const struct machine_sums *machine, const struct history_span *span)
{
    struct kept_list *const fine = &h->fine;
    drop_later(fine, span->from);
    drop_later(&h->coarse, span->from);
    push(fine, kept_new(h, tables, count, NULL, machine, span));
    make_room(h, span->to);
}

/* ---- asking --------------------------------------------------------------------------------------- */

bool interval_history_span(const struct interval_history *h, struct history_span *out)
{
    const struct kept_list *const oldest = h->coarse.count ? &h->coarse : &h->fine;
    if (!h->fine.count)
        return false;
    *out = (struct history_span){oldest->of[0]->span.from, h->fine.of[h->fine.count - 1]->span.to};
    return true;
}

unsigned interval_history_add(const struct interval_history *h, unsigned pane, struct table *to,
                              struct machine_sums *machine, struct history_span *span)
{
    const struct kept_list *const lists[] = {&h->coarse, &h->fine};
    struct history_span found = {INT64_MAX, INT64_MIN};
    unsigned parts = 0;
    for (unsigned l = 0; l < 2 && pane < TABLES_MOST; l++)
        for (size_t i = 0; i < lists[l]->count; i++) {
            const struct kept *const k = lists[l]->of[i];
            if (k->span.to <= span->from || k->span.from >= span->to)
                continue;
            parts += add_rows(k, pane, to);
            add_machine(machine, &k->machine);
            found.from = k->span.from < found.from ? k->span.from : found.from;
            found.to = k->span.to > found.to ? k->span.to : found.to;
        }
    if (found.from > found.to)
        return 0;
    *span = found;
    return 1 + parts;
}

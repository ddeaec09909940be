/* Two tables per pane, one of each span, are filled in one pass over the kept facts. When it
 * is over, each row of both is compared column by column, and the column that changed most
 * speaks for it.
 *
 * Units differ, so a change counts by its part of the larger of both headers: a file that got
 * all of a disk's bytes has 100 %. A latency has no header; its change counts relatively, and
 * by the row's part of all time spent. A row of few events changes by chance: with n of them
 * in both spans it counts n / (n + 8). */
#include "src/view/changes.h"

#include "src/base/clock.h"
#include "src/base/mem.h"
#include "src/pane/panes.h"
#include "src/table/difference.h"
#include "src/view/inside.h"
#include "src/view/rows.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const int64_t NOW_NS = 5000000000, BEFORE_NS = 30000000000;

enum { BY_CHANCE = 8, MOST = 500 };

/* Less than that is noise in any table. */
static const double LEAST = 0.005;

enum side { BEFORE, NOW, SIDES };

struct span_of {
    int64_t from, to;
};

struct changed_pane {
    const struct pane *pane;
    struct table tables[SIDES];
    struct row_list rows[SIDES];
    struct row_times times[SIDES];
    bool has_rows;
};

struct mover {
    unsigned pane, column;
    const struct table_row *rows[SIDES]; /* NULL: there is none on that side */
    struct value values[SIDES];
    double score;
};

struct changes {
    struct span_of spans[SIDES];
    struct changed_pane *panes;
    unsigned pane_count;
    struct mover *movers; /* the largest first */
    size_t mover_count, mover_room;
    bool is_made; /* of the scan that runs or is over */
};

/* ---- spans ------------------------------------------------------------------------------ */

static int64_t later(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* The last seconds, and those before them; of a short recording its last third. */
static void choose_spans(const struct view *v, struct span_of spans[SIDES])
{
    const struct request *const r = &v->request;
    const struct dataset *const w = view_dataset(v);
    const int64_t first = facts_earliest(&w->facts) - 1, newest = w->newest_ns;
    const int64_t most = r->now_ns > 0 ? r->now_ns : NOW_NS;
    const int64_t third = (newest - first) / 3;
    const int64_t before = r->before_ns > 0 ? r->before_ns : BEFORE_NS;
    spans[NOW] = (struct span_of){newest - (most < third ? most : third), newest};
    if (request_has_range(r))
        spans[NOW] = (struct span_of){r->from_ns, r->to_ns};
    spans[BEFORE] = (struct span_of){later(spans[NOW].from - before, first), spans[NOW].from};
    if (r->base_to_ns > r->base_from_ns)
        spans[BEFORE] = (struct span_of){r->base_from_ns, r->base_to_ns};
}

void changes_hull(const struct view *v, int64_t *from, int64_t *to)
{
    const struct span_of *const a = &v->changes->spans[BEFORE], *const b = &v->changes->spans[NOW];
    *from = a->from < b->from ? a->from : b->from;
    *to = later(a->to, b->to);
}

bool changes_are_old(const struct view *v)
{
    static const int64_t SECOND = 1000000000;
    const struct span_of *const now = &v->changes->spans[NOW];
    const int64_t length = now->to - now->from;
    return !v->is_frozen && !request_has_range(&v->request) &&
           view_dataset(v)->newest_ns - now->to >= (length > SECOND && !v->is_finished ? length
                                                    : v->is_finished                   ? 1
                                                                                       : SECOND);
}

/* ---- counting ----------------------------------------------------------------------------- */

static void drop_rows(struct changed_pane *p)
{
    for (unsigned side = 0; p->has_rows && side < SIDES; side++)
        row_list_fini(&p->rows[side]);
    p->has_rows = false;
}

static void changes_free(struct changes *c)
{
    if (!c)
        return;
    for (unsigned i = 0; i < c->pane_count; i++) {
        drop_rows(&c->panes[i]);
        for (unsigned side = 0; side < SIDES; side++)
            table_fini(&c->panes[i].tables[side]);
    }
    free(c->panes);
    free(c->movers);
    free(c);
}

void changes_forget(struct view *v)
{
    changes_free(v->changes);
    changes_free(v->last_changes);
    v->changes = v->last_changes = NULL;
}

/* Panes that count what others do, only by other things, would say everything twice. */
static bool is_compared(const struct pane *p)
{
    return p->view == PANE_TABLE && !p->is_scanned && !p->has_images && p->key;
}

void changes_start(struct view *v)
{
    if (v->changes && v->changes->is_made) {
        changes_free(v->last_changes);
        v->last_changes = v->changes;
    } else {
        changes_free(v->changes);
    }
    struct changes *const c = v->changes = mem_new(1, sizeof *v->changes);
    choose_spans(v, c->spans);
    c->panes = mem_new(pane_count(), sizeof *c->panes);
    for (unsigned i = 0; panes[i]; i++) {
        if (!is_compared(panes[i]))
            continue;
        struct changed_pane *const p = &c->panes[c->pane_count++];
        *p = (struct changed_pane){.pane = panes[i]};
        for (unsigned side = 0; side < SIDES; side++) {
            table_init(&p->tables[side], panes[i]);
            p->tables[side].model = v->model;
            table_begin(&p->tables[side], clock_plus(c->spans[side].from, 1));
        }
    }
}

void changes_feed(struct view *v, const struct fact *f, uint32_t process)
{
    struct changes *const c = v->changes;
    for (unsigned side = 0; side < SIDES; side++) {
        struct fact room;
        const struct fact *const part =
            view_part_in(f, c->spans[side].from, c->spans[side].to, &room);
        for (unsigned i = 0; part && i < c->pane_count; i++)
            if (table_counts(&c->panes[i].tables[side], part))
                table_feed(&c->panes[i].tables[side], part, process);
    }
}

/* ---- comparing ------------------------------------------------------------------------------ */

static struct row_context context_of(const struct view *v, const struct changes *c,
                                     const struct row_context *x, const struct table *t,
                                     enum side side, const struct row_times *times)
{
    const struct span_of *const s = &c->spans[side];
    struct row_context of = *x;
    of.table = t;
    of.span = SPAN_TOTAL;
    of.seconds = (double)(s->to - s->from) / 1e9;
    of.times = times;
    of.now_ns = s->to;
    of.missing = availability_missing(&v->column_availability, t->pane);
    return of;
}

static struct value value_of(const struct column *c, const struct table_row *r,
                             struct row_context *x)
{
    return r ? c->get(c, r, x) : value_absent();
}

static double amount(struct value v)
{
    return v.type == VALUE_ABSENT ? 0 : value_signed(v);
}

/* Events behind the column: those that it counts, else those of the row, by the measure that
 * counted most. */
static double events_of(const struct column *c, const struct table_row *r,
                        const struct row_context *x)
{
    uint64_t most = 0;
    const int own = column_measure(x, c, 0);
    if (r && own >= 0 && x->table->pane->measures[own].kind == MEASURE_COUNT)
        return (double)row_tally(x, r, own);
    for (unsigned m = 0; r && m < x->table->pane->measure_count; m++) {
        const enum measure_kind kind = x->table->pane->measures[m].kind;
        if (kind != MEASURE_COUNT && kind != MEASURE_HISTOGRAM)
            continue;
        const uint64_t count = row_tally(x, r, (int)m);
        most = count > most ? count : most;
    }
    return (double)most;
}

/* The part of all time spent in the column's operations that is the row's, on the side where
 * it is larger. */
static double part_of_time(const struct column *c, const struct table_row *const rows[SIDES],
                           struct row_context of[SIDES])
{
    double largest = 0;
    for (unsigned side = 0; side < SIDES; side++) {
        const int m = column_measure(&of[side], c, 0);
        const struct table_row *const all = of[side].table->all, *const r = rows[side];
        if (!r)
            continue;
        const double mine =
                         amount(get_average(c, r, &of[side])) * (double)row_tally(&of[side], r, m),
                     whole = amount(get_average(c, all, &of[side])) *
                             (double)row_tally(&of[side], all, m);
        if (whole > 0 && mine / whole > largest)
            largest = mine / whole;
    }
    return largest;
}

/* From 0 to 1, without the number of events. */
static double change_of(const struct column *c, const struct mover *m, struct row_context of[SIDES])
{
    const double before = amount(m->values[BEFORE]), now = amount(m->values[NOW]);
    const double d = fabs(now - before);
    if (c->get == get_p99) {
        if (m->values[BEFORE].type == VALUE_ABSENT || m->values[NOW].type == VALUE_ABSENT || d == 0)
            return 0;
        return d / (now > before ? now : before) * part_of_time(c, m->rows, of);
    }
    const double a = amount(c->get(c, of[BEFORE].table->all, &of[BEFORE])),
                 b = amount(c->get(c, of[NOW].table->all, &of[NOW]));
    const double whole = a > b ? a : b;
    return whole > 0 ? d / whole : 0;
}

static bool is_comparable(const struct column *c)
{
    return c->measure &&
           (c->flags & COLUMN_SUMS || (c->get == get_p99 && c->flags & COLUMN_DEFAULT)) &&
           column_has_difference(c) && c->type != VALUE_COUNT && c->type != VALUE_BYTES &&
           (c->type != VALUE_TIME || c->get == get_p99);
}

/* A side without operations shows 0, in the unit of the other. */
static void even_out(struct mover *m)
{
    for (unsigned side = 0; side < SIDES; side++)
        if (m->values[side].type == VALUE_ABSENT) {
            m->values[side] = m->values[!side];
            m->values[side].count = 0;
        }
}

static void compare_row(struct changes *c, unsigned pane, const struct table_row *before,
                        const struct table_row *now, struct row_context of[SIDES])
{
    const struct pane *const p = c->panes[pane].pane;
    struct mover best = {.score = 0};
    for (unsigned i = 0; i < p->column_count; i++) {
        const struct column *const column = &p->columns[i];
        if (!is_comparable(column) || of[NOW].missing >> i & 1 ||
            column_seconds(&of[BEFORE], column) <= 0 || column_seconds(&of[NOW], column) <= 0)
            continue; /* what was not recorded on one side did not change */
        struct mover m = {.pane = pane, .column = i, .rows = {before, now}};
        m.values[BEFORE] = value_of(column, before, &of[BEFORE]);
        m.values[NOW] = value_of(column, now, &of[NOW]);
        const double events =
            events_of(column, before, &of[BEFORE]) + events_of(column, now, &of[NOW]);
        m.score = change_of(column, &m, of) * events / (events + BY_CHANCE);
        if (m.score > best.score)
            best = m;
    }
    if (!(best.score >= LEAST))
        return;
    even_out(&best);
    if (c->mover_count == c->mover_room) {
        c->mover_room = c->mover_room ? 2 * c->mover_room : 256;
        c->movers = mem_grow(c->movers, c->mover_room, sizeof *c->movers);
    }
    c->movers[c->mover_count++] = best;
}

/* All rows of both sides, each once. */
static void compare_pane(struct view *v, unsigned pane, const struct row_context *x)
{
    struct changes *const c = v->changes;
    struct changed_pane *const p = &c->panes[pane];
    struct row_context of[SIDES];
    struct row_order met = {0};
    struct names *const names = names_new(x, p->tables[0].pane);
    for (unsigned side = 0; side < SIDES; side++) {
        table_settle(&p->tables[side], v->model);
        view_times(v, view_dataset(v), &p->tables[side], c->spans[side].from, c->spans[side].to,
                   view_sampled(&p->tables[side]), &p->times[side]);
        of[side] = context_of(v, c, x, &p->tables[side], side, &p->times[side]);
        of[side].texts = NULL;
        p->rows[side] = row_list_of(&p->tables[side], names);
    }
    names_free(names);
    p->has_rows = true;
    for (size_t i = 0; i < p->rows[BEFORE].count; i++)
        row_order_add(&met, p->rows[BEFORE].rows[i]->key);
    bool *const has_now = mem_new(p->rows[BEFORE].count + 1, sizeof *has_now);
    for (size_t i = 0; i < p->rows[NOW].count; i++) {
        const struct table_row *const now = p->rows[NOW].rows[i];
        const uint32_t rank = row_order_rank(&met, now->key);
        if (rank)
            has_now[rank - 1] = true;
        compare_row(c, pane, rank ? p->rows[BEFORE].rows[rank - 1] : NULL, now, of);
    }
    for (size_t i = 0; i < p->rows[BEFORE].count; i++)
        if (!has_now[i])
            compare_row(c, pane, p->rows[BEFORE].rows[i], NULL, of);
    free(has_now);
    row_order_clear(&met);
}

static int larger_first(const void *a, const void *b)
{
    const struct mover *const x = a, *const y = b;
    if (x->score != y->score)
        return x->score > y->score ? -1 : 1;
    return x->pane != y->pane ? (x->pane > y->pane) - (x->pane < y->pane)
                              : (x->column > y->column) - (x->column < y->column);
}

static void make(struct view *v, const struct row_context *x)
{
    struct changes *const c = v->changes;
    c->mover_count = 0;
    for (unsigned i = 0; i < c->pane_count; i++)
        compare_pane(v, i, x);
    if (c->mover_count)
        qsort(c->movers, c->mover_count, sizeof *c->movers, larger_first);
    if (c->mover_count > MOST)
        c->mover_count = MOST;
    c->is_made = true;
}

/* ---- the frame ------------------------------------------------------------------------------- */

/* Names first, then numbers: what identifies the row in its pane, without what is measured. */
static struct value label_of(const struct changed_pane *p, const struct table_row *r,
                             struct row_context *x)
{
    char text[1024];
    size_t used = 0;
    const size_t mark = x->texts->used;
    for (int round = 0; round < 2; round++)
        for (size_t i = 0; i < p->pane->column_count && used < sizeof text - 1; i++) {
            const struct column *const c = &p->pane->columns[i];
            const bool is_id = c->type == VALUE_ID,
                       is_text = c->type == VALUE_TEXT || c->type == VALUE_PATH;
            if (c->measure || !(c->flags & COLUMN_DEFAULT) || strcmp(c->id, "cmd") == 0 ||
                (round ? !is_id : !is_text))
                continue;
            const struct value v = c->get(c, r, x);
            const char *const blank = used ? " " : "";
            if (v.type == VALUE_TEXT || v.type == VALUE_PATH)
                used += (size_t)snprintf(text + used, sizeof text - used, "%s%.*s", blank,
                                         (int)v.text.bytes, x->texts->bytes + v.text.offset);
            else if (v.type == VALUE_ID)
                used += (size_t)snprintf(text + used, sizeof text - used, "%s%llu", blank,
                                         (unsigned long long)v.count);
        }
    x->texts->used = mark;
    return texts_add(x->texts, VALUE_TEXT, text, used < sizeof text ? used : sizeof text - 1);
}

static struct value plain(struct frame_maker *maker, const char *text)
{
    return maker_text(maker, VALUE_TEXT, text, strlen(text));
}

static struct value times_of(struct frame_maker *maker, const struct mover *m)
{
    const double before = amount(m->values[BEFORE]), now = amount(m->values[NOW]);
    char text[32];
    if (before == 0 || now == 0)
        return plain(maker, before == 0 ? "new" : "gone");
    if (now / before < 9999.5)
        snprintf(text, sizeof text, "%.3g", now / before);
    else
        snprintf(text, sizeof text, "%.0fk", now / before / 1000);
    return plain(maker, text);
}

enum cell { SCORE, PANE, ROW, COLUMN, WAS, IS, DELTA, TIMES, UNIT };

static const struct table_row *row_of(const struct mover *m)
{
    return m->rows[NOW] ? m->rows[NOW] : m->rows[BEFORE];
}

/* Rows of different panes may have the same key. */
static struct row_key key_of(const struct mover *m)
{
    const struct row_key k = row_of(m)->key;
    const uint64_t mixed = hash_mix(row_key_mixed(k) ^ (uint64_t)m->pane << 20);
    return (struct row_key){(uint32_t)mixed, (uint32_t)(mixed >> 32), m->pane + 1, 0};
}

static void fill_cells(struct view *v, const struct changes *c, struct frame_maker *maker,
                       const struct row_context *x, const struct mover *m, struct value *cells)
{
    const struct changed_pane *const p = &c->panes[m->pane];
    const enum side side = m->rows[NOW] ? NOW : BEFORE;
    struct row_context of = context_of(v, c, x, &p->tables[side], side, &p->times[side]);
    of.texts = &maker->texts;
    cells[SCORE] = value_rate(VALUE_PERCENT, m->score * 100);
    cells[PANE] = plain(maker, p->pane->id);
    cells[ROW] = label_of(p, row_of(m), &of);
    cells[COLUMN] = plain(maker, p->pane->columns[m->column].title);
    cells[WAS] = m->values[BEFORE];
    cells[IS] = m->values[NOW];
    cells[DELTA] = value_difference(m->values[NOW], m->values[BEFORE]);
    cells[TIMES] = times_of(maker, m);
    cells[UNIT] = plain(maker, p->pane->columns[m->column].unit);
}

/* What a row is sorted by where it is not the score. */
struct sorted {
    const struct mover *mover;
    double number;
    uint32_t text, text_bytes;
};

static int by_number(const void *a, const void *b)
{
    const struct sorted *const x = a, *const y = b;
    if (x->number != y->number)
        return x->number > y->number ? -1 : 1;
    return x->mover->score > y->mover->score ? -1 : x->mover->score < y->mover->score;
}

static double sort_value(const struct view *v, const struct mover *m)
{
    const double before = amount(m->values[BEFORE]), now = amount(m->values[NOW]);
    switch (v->request.sort) {
    case PANE:
    case ROW:
        return -(double)m->pane;
    case COLUMN:
    case UNIT:
        return -(double)(m->pane * 64 + m->column);
    case WAS:
        return before;
    case IS:
        return now;
    case DELTA:
        return fabs(now - before);
    case TIMES:
        return before > 0 ? now / before : HUGE_VAL;
    default:
        return m->score;
    }
}

static struct sorted *sort_movers(const struct view *v, const struct changes *c)
{
    struct sorted *const all = mem_new(c->mover_count + 1, sizeof *all);
    for (size_t i = 0; i < c->mover_count; i++) {
        all[i] = (struct sorted){.mover = &c->movers[i], .number = sort_value(v, &c->movers[i])};
        if (v->request.ascending)
            all[i].number = -all[i].number;
    }
    if (c->mover_count)
        qsort(all, c->mover_count, sizeof *all, by_number);
    return all;
}

/* Everything in both spans was counted. */
static bool is_counted(const struct view *v, bool is_complete)
{
    int64_t from, to;
    changes_hull(v, &from, &to);
    const struct dataset *const w = view_dataset(v);
    return is_complete || (v->scan_next >= w->facts.first && v->scan_next < w->facts.end &&
                                   facts_at(&w->facts, v->scan_next)->time > to);
}

void view_fill_changes(struct view *v, struct frame_maker *maker, const struct row_context *x,
                       bool is_complete)
{
    const struct request *const r = &v->request;
    if (!v->changes->is_made && is_counted(v, is_complete)) {
        make(v, x);
        changes_free(v->last_changes);
        v->last_changes = NULL;
    }
    const struct changes *const c = v->last_changes ? v->last_changes : v->changes;
    const size_t count = c->mover_count;
    struct sorted *const all = sort_movers(v, c);
    uint64_t first = r->first < count ? r->first : count > r->rows ? count - r->rows : 0;
    for (size_t i = 0; r->has_anchor && i < count; i++)
        if (row_key_equal(key_of(all[i].mover), r->anchor)) {
            const uint64_t line = r->anchor_line > 0 ? (uint64_t)r->anchor_line : 0;
            first = i > line ? i - line : 0;
        }
    const size_t left = count - first;
    const unsigned rows = (unsigned)(left < r->rows ? left : r->rows);
    maker_init(maker, rows, r->pane->column_count);
    struct frame *const f = &maker->frame;
    f->anchor_row = -1;
    for (unsigned i = 0; i < rows; i++) {
        const struct mover *const m = all[first + i].mover;
        struct frame_row *const row = &maker->rows[i];
        fill_cells(v, c, maker, x, m, maker->cells + i * r->pane->column_count);
        row->key = key_of(m);
        row->of_pane = c->panes[m->pane].pane;
        row->of = row_of(m)->key;
        row->of_column = m->column;
        if (r->has_anchor && row_key_equal(row->key, r->anchor))
            f->anchor_row = (int)i;
    }
    f->first = first;
    f->shown = count;
    f->row_count = rows;
    f->now_from = c->spans[NOW].from;
    f->now_to = c->spans[NOW].to;
    f->base_from = c->spans[BEFORE].from;
    f->base_to = c->spans[BEFORE].to;
    free(all);
}

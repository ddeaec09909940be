/* The frame of a table: which rows pass, in which order, and the cells of those that show. */
#include "src/base/clock.h"
#include "src/base/mem.h"
#include "src/base/text.h"
#include "src/os/os.h"
#include "src/table/difference.h"
#include "src/table/row_code.h"
#include "src/view/chart.h"
#include "src/view/find.h"
#include "src/view/group.h"
#include "src/view/inside.h"
#include "src/view/rows.h"
#include "src/view/table_order.h"
#include "src/view/waiting.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What rows measure changes from frame to frame, and so does who passes by it. */
static bool is_lasting(const struct filter *f)
{
    return !(f->used[LEVEL_ROW] & (f->of_group[GROUP_COLUMN] | f->moving));
}

/* A new filter over very many rows takes longer than an answer may: the frame shows
 * what was matched in time, says that it is partial, and the next one goes on. */
static bool may_match(struct view *v, const struct table_row *r)
{
    enum { BETWEEN_LOOKS = 128 };
    if (!v->has_unmatched && ++v->matched % BETWEEN_LOOKS == 0)
        v->has_unmatched = os_now() > v->match_until;
    return !v->has_unmatched
           || (v->request.has_anchor && row_key_equal(r->key, v->request.anchor));
}

/* A cached match holds until a name is learned late, or the row's texts may have changed. */
static bool row_passes(struct view *v, struct table_row *r, struct row_context *x)
{
    const bool lasts = is_lasting(&v->filter);
    if (lasts && r->match >> 1 == v->filter_serial)
        return r->match & 1;
    if (lasts && !may_match(v, r))
        return false;
    const bool passes = view_row_fits(v, &v->filter, r, x);
    r->match = v->filter_serial << 1 | passes;
    return passes;
}

/* A process that ended a while ago and did nothing in the interval leaves the live
 * picture; its sums stay in the totals. */
static bool is_gone(const struct view *v, const struct table_row *r, const struct row_context *x)
{
    const struct pane *const pane = v->request.pane;
    const uint32_t process = pane_is_of_processes(pane) ? key_process(pane, r->key) : 0;
    if (x->span == SPAN_TOTAL || !process)
        return false;
    const struct process *p = model_process_at(v->model, process);
    return p && p->flags & LIFETIME_ENDED && x->now_ns - p->end_ns > view_exited_stay(v) &&
           x->table->interval - r->interval > 1;
}

static void add_value(struct value *sum, struct value v)
{
    if (v.type == VALUE_ABSENT)
        return;
    if (sum->type == VALUE_ABSENT) {
        *sum = v;
        return;
    }
    if (v.type == VALUE_COUNT || v.type == VALUE_REAL) { /* which may have a sign, too */
        *sum = value_sum(*sum, v);
        return;
    }
    switch ((enum value_type)v.type) {
    case VALUE_RATE:
    case VALUE_REAL:
    case VALUE_BYTE_RATE:
    case VALUE_TIME_RATE:
    case VALUE_PERCENT:
        sum->number += v.number;
        break;
    case VALUE_TIME:
        sum->ns = clock_plus(sum->ns, v.ns);
        break;
    default:
        sum->count += v.count;
        break;
    }
}

/* What a frame of a table is made of. */
struct sheet {
    struct row_context *x, *base; /* base: of what is taken away; NULL = nothing is */
    struct names *names;          /* of both */
    struct row_list rows, base_rows;
    struct row_order base_ranks;  /* rows of base_rows by key */
    struct table_row *nothing;    /* what is taken from rows that are new */
    struct groups *groups;        /* rows put together; NULL = each stands alone */
    struct groups *exited;        /* those of exited processes, put together; NULL = as others */
    bool is_tree;                 /* which sorts by itself */
};

/* What the row is a group of; NULL: it is none. */
static const struct groups *groups_of(const struct sheet *s, struct row_key key)
{
    return s->exited && group_is_of_exited(key) ? s->exited : s->groups;
}

static struct value cell_of(const struct sheet *s, size_t column, const struct item *i)
{
    const struct column *c = &s->x->table->pane->columns[column];
    if (s->x->missing >> column & 1)
        return value_absent();
    const struct groups *const groups = groups_of(s, i->row->key);
    if (groups && !group_has_cell(c))
        return group_label(groups, c, i->row->key, s->x);
    const struct value now = c->get(c, i->row, s->x);
    if (!s->base || !column_has_difference(c))
        return now;
    return value_difference(now, c->get(c, i->base ? i->base : s->nothing, s->base));
}

/* Nothing of what adds up in the pane happened in the span. */
static bool is_idle(const struct sheet *s, const struct item *item)
{
    const struct pane *const p = s->x->table->pane;
    if (s->x->span == SPAN_INTERVAL && s->x->table->interval - item->row->interval > 1)
        return true;
    bool has_sums = false;
    for (size_t i = 0; i < p->column_count; i++) {
        const struct column *c = &p->columns[i];
        if (!(c->flags & COLUMN_SUMS) ||
            (c->flags & COLUMN_IS_SUM && s->x->span == SPAN_INTERVAL))
            continue;
        has_sums = true;
        const struct value value = cell_of(s, i, item);
        if (value.type != VALUE_ABSENT && view_number(value) != 0)
            return false;
    }
    return has_sums;
}

/* Does the row belong to what is shown? */
static bool belongs(struct view *v, const struct sheet *s, const struct item *i, uint64_t *hidden)
{
    if (is_gone(v, i->row, s->x) || view_is_unwatched(v, i->row->key))
        return false;
    const bool is_hidden = view_hides(v, i->row->key) || (v->request.hides_idle && is_idle(s, i)) ||
                           (filter_has(&v->filter, LEVEL_ROW) && !row_passes(v, i->row, s->x));
    *hidden += is_hidden;
    return !is_hidden;
}

/* What base_rows has of the row's key. */
static const struct table_row *base_row(const struct sheet *s, struct row_key key)
{
    const uint32_t rank = s->base ? row_order_rank(&s->base_ranks, key) : 0;
    return rank ? s->base_rows.rows[rank - 1] : NULL;
}

/* Left out for what it does not do now alone. */
static bool is_of_the_past(struct view *v, const struct sheet *s, const struct item *i)
{
    return (is_gone(v, i->row, s->x) || (v->request.hides_idle && is_idle(s, i))) &&
           !view_hides(v, i->row->key) && !view_is_unwatched(v, i->row->key) &&
           (!filter_has(&v->filter, LEVEL_ROW) || row_passes(v, i->row, s->x));
}

/* The curves of groups are of all that were in them, not of those alone that are still there. */
static void add_past(struct view *v, const struct sheet *s, struct groups *groups)
{
    const struct row_list *const l = &s->rows;
    for (size_t i = 0; groups && s->x->table->trend_count && i < l->count; i++) {
        const struct item item = {.row = l->rows[i], .base = base_row(s, l->rows[i]->key)};
        if (is_of_the_past(v, s, &item))
            group_add_past(groups, item.row);
    }
}

static bool has_exited(const struct view *v, const struct table_row *r, const struct row_context *x)
{
    return !key_is_others(r->key) && view_row_flags(v, r, x) & ROW_EXITED;
}

/* Live, as it is now, and nothing is asked about single rows. */
static bool may_fold_exited(const struct view *v, const struct sheet *s)
{
    const struct request *const r = &v->request;
    bool is_inside = false;
    for (unsigned i = 0; i < r->crumb_count; i++)
        is_inside |= r->crumbs[i].kind == CRUMB_GROUP && group_is_of_exited(r->crumbs[i].key);
    return r->folds_exited && !is_inside && !r->freeze && !r->to_ns && !s->base && !s->groups &&
           !s->is_tree && r->chart.kind != CHART_ROWS && s->x->span == SPAN_INTERVAL &&
           pane_is_of_processes(r->pane) && !filter_has(&v->filter, LEVEL_ROW);
}

/* Folds from a screenful on, and until there is half of one: rows must not come and go. */
static bool folds_exited(struct view *v, const struct sheet *s)
{
    const size_t screenful = v->request.rows / 3, least = v->is_folding ? screenful / 2 : screenful;
    size_t exited = 0;
    v->is_folding = false;
    if (!may_fold_exited(v, s))
        return false;
    for (size_t i = 0; i < s->rows.count && exited <= least; i++)
        exited += has_exited(v, s->rows.rows[i], s->x) && !is_gone(v, s->rows.rows[i], s->x);
    v->is_folding = exited > least;
    return v->is_folding;
}

static void add_to_totals(const struct sheet *s, const struct item *i, struct value *totals)
{
    const struct pane *const p = s->x->table->pane;
    for (size_t c = 0; c < p->column_count; c++)
        if (p->columns[c].flags & COLUMN_SUMS && !(s->x->missing >> c & 1))
            add_value(&totals[c], cell_of(s, c, i));
}

static void give_sort_value(const struct view *v, const struct sheet *s, struct item *i)
{
    const struct pane *const p = s->x->table->pane;
    const size_t by = v->request.sort < p->column_count ? v->request.sort : 0;
    const struct column *const then = p->sort_then && p->sort
                                              && &p->columns[by] == pane_column(p, p->sort)
                                          ? pane_column(p, p->sort_then)
                                          : NULL;
    const struct value value = cell_of(s, by, i);
    i->is_absent = value.type == VALUE_ABSENT;
    i->is_text = value_is_text(value);
    if (i->is_text) {
        i->text = value.text.offset;
        i->text_bytes = value.text.bytes;
    } else if (value.type == VALUE_SERIES || value.type == VALUE_BINS) {
        i->number =
            text_number(value.type, s->x->texts->bytes + value.text.offset, value.text.bytes);
    } else {
        i->number = value.is_difference ? fabs(view_number(value)) : view_number(value);
    }
    if (then)
        i->then = view_number(cell_of(s, (size_t)(then - p->columns), i));
}

/* The measure that is read of every row: for sorting, or else to find idle rows; -1: none. */
static int measure_of_all(const struct view *v, const struct sheet *s)
{
    const struct pane *const p = s->x->table->pane;
    const unsigned sort = v->request.sort < p->column_count ? v->request.sort : 0;
    int measure = s->is_tree ? -1 : column_measure(s->x, &p->columns[sort], 0);
    for (size_t i = 0; v->request.hides_idle && measure < 0 && i < p->column_count; i++)
        if (p->columns[i].flags & COLUMN_SUMS)
            measure = column_measure(s->x, &p->columns[i], 0);
    return measure;
}

/* Rows lie all over the memory, and what their percentiles are of elsewhere again: has them brought
 * in time, one after the other. */
static void ask_ahead(const struct sheet *s, size_t at, int measure)
{
    enum { ROWS_AHEAD = 16, HISTOGRAMS_AHEAD = 8 };
    const struct row_list *const l = &s->rows;
    if (at + ROWS_AHEAD < l->count)
        row_ask(s->x, l->rows[at + ROWS_AHEAD], measure);
    if (at + HISTOGRAMS_AHEAD < l->count)
        row_ask_histograms(s->x, l->rows[at + HISTOGRAMS_AHEAD], measure);
}

/* All rows that belong, with their sort values; totals when some were left out. */
static size_t collect(struct view *v, struct sheet *s, struct item *items, struct value *totals,
                      uint64_t *hidden)
{
    const struct row_list *const l = &s->rows;
    struct groups *const groups = s->groups;
    const int measure = measure_of_all(v, s);
    size_t count = 0;
    s->groups = NULL; /* rows are matched before they are put together */
    for (size_t i = 0; i < l->count; i++) {
        ask_ahead(s, i, measure);
        struct item item = {.row = l->rows[i], .base = base_row(s, l->rows[i]->key)};
        if (!belongs(v, s, &item, hidden))
            continue;
        if (view_picks_rows(v))
            add_to_totals(s, &item, totals);
        struct groups *const of = s->exited && has_exited(v, item.row, s->x) ? s->exited : groups;
        if (of)
            group_add(of, item.row, item.base);
        else if (!s->is_tree)
            give_sort_value(v, s, &item);
        if (!of)
            items[count++] = item;
    }
    struct groups *const made = groups ? groups : s->exited;
    add_past(v, s, made);
    s->groups = groups;
    for (size_t i = 0; made && i < group_count(made); i++) {
        struct item item = {.row = group_row(made, i, &item.base)};
        give_sort_value(v, s, &item);
        items[count++] = item;
    }
    return count;
}

/* Sorts by the ranks that the rows had before. Those without one come last, in the order
 * asked for, and have ranks from then on. An order is only taken over when it is whole. */
static struct order lock_order(struct view *v, const struct order *asked, struct item *items,
                               size_t count)
{
    enum { LOCKED_MOST = 4 * TABLE_ROWS }; /* rows that went long ago are not kept for ever */
    if (v->row_order.count > LOCKED_MOST)
        row_order_clear(&v->row_order);
    if (v->row_order.count == 0 && (!view_is_complete(v) || v->has_unmatched))
        return *asked;
    size_t known = 0;
    for (size_t i = 0; i < count; i++) {
        const uint32_t rank = row_order_rank(&v->row_order, items[i].row->key);
        if (!rank)
            continue;
        items[i].number = rank;
        items[i].is_absent = items[i].is_text = false;
        item_swap(&items[i], &items[known++]);
    }
    table_order_window(asked, items + known, count - known, 0, count - known);
    for (size_t i = known; i < count; i++) {
        items[i].number = row_order_add(&v->row_order, items[i].row->key);
        items[i].is_absent = items[i].is_text = false;
    }
    return (struct order){.is_ascending = true};
}

/* Of more rows than the pane shows, the first ones by the order asked for. */
static size_t keep_top(const struct pane *p, const struct order *o, struct item *items,
                       size_t count, uint64_t *hidden)
{
    if (!p->top || count <= p->top)
        return count;
    table_order_window(o, items, count, 0, p->top);
    *hidden += count - p->top;
    return p->top;
}

static uint64_t first_row(const struct view *v, const struct order *o, const struct item *items,
                          size_t count)
{
    const struct request *r = &v->request;
    const struct item *anchor = NULL;
    for (size_t i = 0; r->has_anchor && i < count; i++)
        if (row_key_equal(items[i].row->key, r->anchor))
            anchor = &items[i];
    if (!anchor)
        return r->first < count ? r->first : count > r->rows ? count - r->rows : 0;
    uint64_t rank = 0;
    for (size_t i = 0; i < count; i++)
        rank += table_order_compare(o, &items[i], anchor) < 0;
    const uint64_t line = r->anchor_line > 0 ? (uint64_t)r->anchor_line : 0;
    return rank > line ? rank - line : 0;
}

/* Groups are known by their names alone. */
static unsigned found_flags(const struct view *v, const struct sheet *s, const struct item *i)
{
    if (!finder_is_on(v))
        return 0;
    const struct groups *const groups = groups_of(s, i->row->key);
    if (!groups)
        return finder_row(v, i->row, s->x);
    const struct column *const c = pane_column(v->request.pane, "name");
    const struct value name = c ? group_label(groups, c, i->row->key, s->x) : value_absent();
    return value_is_text(name) ? finder_name(v, s->x->texts->bytes + name.text.offset, name.text.bytes) : 0;
}

/* Looks for the next row that is found, in the order of the rows. */
static void seek(struct view *v, const struct sheet *s, const struct order *o,
                 const struct item *items, size_t count)
{
    struct seeking k;
    if (!seek_begin(v, &k))
        return;
    const struct item *from = NULL;
    for (size_t i = 0; v->request.has_anchor && i < count; i++)
        if (row_key_equal(items[i].row->key, v->request.anchor))
            from = &items[i];
    if (from)
        seek_start(&k, count);
    /* Only those on either side of the start have to be put in order: of each, the nearest to it
     * and to the ends. Ranks: 0 … count - 1 before it, from count + 1 on behind. */
    struct item *const found = mem_new(count + 1, sizeof *found);
    size_t matches = 0;
    for (size_t i = 0; i < count; i++)
        if (found_flags(v, s, &items[i]) & ROW_FOUND)
            found[matches++] = items[i];
    table_order_window(o, found, matches, 0, matches);
    for (size_t i = 0; i < matches; i++) {
        const int side = from ? table_order_compare(o, &found[i], from) : 1;
        const bool is_start = from && found[i].row == from->row;
        seek_row(&k, is_start ? count : side < 0 ? i : count + 1 + i, found[i].row->key);
    }
    free(found);
    seek_end(v, &k);
}

/* Of a row of the history: a part of it is among the others. */
static bool is_part(const struct view *v, const struct table_row *r)
{
    return v->is_of_history && r->parts < v->history_parts && !key_is_others(r->key);
}

static void fill_row(struct view *v, const struct sheet *s, struct frame_maker *maker, unsigned at,
                     const struct item *i)
{
    const struct pane *p = v->request.pane;
    struct value *cells = maker->cells + at * p->column_count;
    for (size_t c = 0; c < p->column_count; c++) {
        cells[c] = cell_of(s, c, i);
        cells[c].is_incomplete |= p->columns[c].flags & COLUMN_SUMS && is_part(v, i->row);
    }
    const struct row_key key = i->row->key;
    maker->rows[at].key = key;
    const struct groups *const groups = groups_of(s, key);
    maker->rows[at].crumb = key_is_others(key) ? CRUMB_NONE : groups ? CRUMB_GROUP : p->crumb;
    if (groups) {
        maker->rows[at].flags = groups == s->exited ? ROW_EXITED : 0;
    } else {
        maker->rows[at].flags = view_row_flags(v, i->row, s->x);
        maker->rows[at].rule = view_rule_of_row(v, i->row, s->x);
    }
    maker->rows[at].flags |= (uint8_t)found_flags(v, s, i);
    if (v->request.has_anchor && row_key_equal(key, v->request.anchor))
        maker->frame.anchor_row = (int)at;
}

/* The header of everything. */
static void fill_totals(const struct view *v, const struct sheet *s, struct frame_maker *maker)
{
    const struct pane *const p = v->request.pane;
    const struct item all = {.row = s->x->table->all, .base = s->base ? s->base->table->all : NULL};
    /* Of the history: rows that pass may be among the others in part or whole. */
    const bool is_part = v->is_of_history && v->history_parts && view_picks_rows(v);
    const uint64_t shortened = v->is_of_history ? row_code_shortens(p) : 0;
    struct sheet plain = *s;
    plain.groups = NULL;
    for (size_t c = 0; c < p->column_count && !view_picks_rows(v); c++)
        if (p->columns[c].flags & COLUMN_SUMS)
            maker->totals[c] = cell_of(&plain, c, &all);
    for (size_t c = 0; c < p->column_count; c++) {
        const bool is_sum = s->x->span == SPAN_TOTAL || p->columns[c].flags & COLUMN_IS_SUM;
        maker->totals[c].is_incomplete = (v->losses && p->columns[c].measure &&
                                          (is_sum ? v->losses->has_lost : v->losses->is_losing)) ||
                                         (is_part && p->columns[c].flags & COLUMN_SUMS) ||
                                         shortened >> c & 1;
    }
}

/* The histogram asked for: of all that the pane counts, or of the rows that pass, or of one. */
static struct chart *histogram_of(struct view *v, const struct row_context *x,
                                  const struct item *items, size_t count)
{
    const struct chart_look *const look = &v->request.chart;
    if (!look->of_row && !view_picks_rows(v))
        return chart_of_rows(x, look, &x->table->all, 1);
    struct table_row **const rows = mem_new(count + 1, sizeof *rows);
    size_t taken = 0;
    for (size_t i = 0; i < count; i++)
        if (!look->of_row || row_key_equal(items[i].row->key, look->row))
            rows[taken++] = items[i].row;
    struct chart *const p = chart_of_rows(x, look, rows, taken);
    free(rows);
    return p;
}

/* Rows that only what is taken away has stand there, too, with nothing of their own. */
static void add_base_rows(struct sheet *s)
{
    s->base_rows = row_list_of(s->base->table, s->names);
    s->nothing = row_new(s->base->table, (struct row_key){0});
    const size_t count = s->base_rows.count;
    struct row_key *const keys = mem_new(count + 1, sizeof *keys);
    for (size_t i = 0; i < count; i++) {
        keys[i] = s->base_rows.rows[i]->key;
        row_order_add(&s->base_ranks, keys[i]);
    }
    row_list_add_missing(&s->rows, keys, count);
    free(keys);
}

static void sheet_fini(struct sheet *s)
{
    names_free(s->names);
    groups_free(s->groups);
    groups_free(s->exited);
    if (s->base) {
        row_drop(s->base->table, s->nothing);
        row_list_fini(&s->base_rows);
        row_order_clear(&s->base_ranks);
    }
    row_list_fini(&s->rows);
}

void view_fill_table(struct view *v, struct frame_maker *maker, struct row_context *x,
                     struct row_context *base)
{
    const struct pane *p = v->request.pane;
    struct names *const names = names_new(x, p);
    struct sheet s = {.x = x, .base = base, .names = names, .rows = row_list_of(x->table, names)};
    if (base)
        add_base_rows(&s);
    else
        view_add_waiting(v, x, &s.rows);
    const bool is_by_row = v->request.chart.kind == CHART_ROWS; /* of single rows */
    s.is_tree = v->request.tree && p->tree && !base && !is_by_row;
    if (v->request.group && !is_by_row && pane_is_of_processes(p) && !s.is_tree)
        s.groups = groups_new(v->model, x->table, base ? base->table : NULL, v->request.group);
    if (folds_exited(v, &s))
        s.exited = groups_new(v->model, x->table, NULL, GROUPED_AS_EXITED);
    if (!v->items || v->item_room < s.rows.count) {
        v->item_room = s.rows.count * 2 + 1;
        v->items = mem_grow(v->items, v->item_room, sizeof *v->items);
    }
    struct item *const items = v->items;
    if (v->filter_names != v->model->late_names) {
        v->filter_names = v->model->late_names;
        v->filter_serial++;
    }
    struct frame_maker scratch;
    maker_init(&scratch, 1, p->column_count);
    /* Folders of a tree that are rows hold two others at least: there are fewer than rows. */
    const size_t most = s.is_tree ? 2 * s.rows.count : s.rows.count;
    maker_init(maker, v->request.rows < most ? v->request.rows : most, p->column_count);
    maker->frame.anchor_row = -1;
    x->texts = &scratch.texts;
    if (base)
        base->texts = &scratch.texts;
    size_t count = collect(v, &s, items, maker->totals, &maker->frame.hidden);
    fill_totals(v, &s, maker);
    maker->frame.lacks_latencies = !x->table->octaves;
    struct chart *chart = NULL;
    if (v->request.chart.kind == CHART_HISTOGRAM || is_by_row)
        maker->frame.chart = chart = histogram_of(v, x, items, count);
    struct order order = {
        .texts = scratch.texts.bytes,
        .is_ascending = v->request.ascending,
    };
    if (s.is_tree) {
        struct table_row **const passed = mem_new(count + 1, sizeof *passed);
        for (size_t i = 0; i < count; i++)
            passed[i] = items[i].row;
        view_fill_tree(v, maker, x, passed, count);
        free(passed);
        goto out;
    }
    count = keep_top(p, &order, items, count, &maker->frame.hidden);
    if (v->request.locks_order)
        order = lock_order(v, &order, items, count);
    seek(v, &s, &order, items, count);
    const uint64_t first = first_row(v, &order, items, count);
    const uint64_t left = count - (first < count ? first : count);
    const unsigned rows = (unsigned)(left < v->request.rows ? left : v->request.rows);
    table_order_window(&order, items, count, first, first + rows);
    x->texts = &maker->texts;
    if (base)
        base->texts = &maker->texts;
    if (is_by_row)
        chart_make_room(chart, rows);
    for (unsigned i = 0; i < rows; i++) {
        fill_row(v, &s, maker, i, &items[first + i]);
        if (is_by_row)
            chart_put_row(chart, i, x, &v->request.chart, items[first + i].row);
    }
    maker->frame.first = first;
    maker->frame.shown = count;
    maker->frame.row_count = rows;
out:
    frame_free(maker_take(&scratch));
    sheet_fini(&s);
}

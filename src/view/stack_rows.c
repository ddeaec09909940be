/* Call trees as frames for the ui: which nodes are worth a row, in which order, and what the rows
 * say. */
#include "src/base/mem.h"
#include "src/view/find.h"
#include "src/view/inside.h"
#include "src/view/stack_order.h"
#include "src/view/stack_tree.h"
#include "src/view/stacks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum row_kind { ROW_FRAME, ROW_BELOW, ROW_NO_FRAMES, ROW_WITHOUT };

struct tree_row {
    enum row_kind kind;
    uint32_t node; /* of BELOW: the parent; `rest` children */
    uint32_t rest;
    unsigned level;
    char sign;
    uint64_t count, self;
    struct row_key key;
};

struct tree_rows {
    struct request reported; /* the request at hand, with the keys of now */
    struct stack_tree *tree;
    double least;        /* nodes below fold into one row of their parent … */
    uint32_t shown;      /* … but for the cursor's and what is above it; 0 = none */
    bool unfolds;        /* it was found just now: what is above it is not folded, either */
    bool is_all;         /* every node has a row, for who looks for one */
    uint64_t root_count; /* what percentages are of */
    struct tree_row *rows;
    size_t row_count, row_room;
    struct stack_child *candidates; /* a stack: of each open parent, its children */
    size_t candidate_count, candidate_room;
    struct map ranks; /* of modules by their names, where rows go by them */
};

/* Marks keys of rows that stand for what a parent hides. */
static const uint32_t BELOW = 1u << 31;

enum cell { CELL_FRAME, CELL_MODE, CELL_SAMPLES, CELL_SELF, CELL_TOTAL, CELL_DEPTH };

struct tree_rows *tree_rows_new(void)
{
    struct tree_rows *const r = mem_new(1, sizeof *r);
    map_init(&r->ranks);
    return r;
}

void tree_rows_free(struct tree_rows *r)
{
    free(r->rows);
    free(r->candidates);
    map_fini(&r->ranks);
    free(r);
}

/* ---- order --------------------------------------------------------------------------------- */

/* A flame graph keeps its frames in place while their figures change: it goes by name. */
static bool is_by_name(const struct view *v)
{
    return v->request.sort == CELL_FRAME || v->request.stacks.is_flame;
}

static struct stack_child child_of(const struct view *v, uint32_t node)
{
    const struct tree_node *n = &v->tree_rows->tree->nodes[node];
    return (struct stack_child){
        .node = node,
        .number = is_by_name(v)                  ? map_get(&v->tree_rows->ranks, n->site.module)
                  : v->request.sort == CELL_SELF ? n->self
                                                 : n->count,
        .at = site_id(&n->site),
    };
}

static struct tree_row *row_push(struct tree_rows *r)
{
    if (r->row_count == r->row_room) {
        r->row_room = r->row_room ? r->row_room * 2 : 256;
        r->rows = mem_grow(r->rows, r->row_room, sizeof *r->rows);
    }
    struct tree_row *row = &r->rows[r->row_count++];
    *row = (struct tree_row){0};
    return row;
}

/* ---- which rows ---------------------------------------------------------------------------- */

/* What hides below the cut-off under one parent. */
struct below {
    uint32_t nodes;
    uint64_t count;
};

static void candidate_push(struct view *v, uint32_t node)
{
    struct tree_rows *const r = v->tree_rows;
    if (r->candidate_count == r->candidate_room) {
        r->candidate_room = r->candidate_room ? r->candidate_room * 2 : 256;
        r->candidates = mem_grow(r->candidates, r->candidate_room, sizeof *r->candidates);
    }
    r->candidates[r->candidate_count++] = child_of(v, node);
}

static bool leads_to(const struct tree_rows *r, uint32_t node)
{
    uint32_t n = r->shown;
    while (n > node) /* parents come first */
        n = r->tree->nodes[n].parent;
    return n && n == node;
}

/* Appends the children worth a row, sorted; the rest comes back. */
static struct below gather(struct view *v, uint32_t parent)
{
    struct tree_rows *const r = v->tree_rows;
    const struct tree_node *const nodes = r->tree->nodes;
    const size_t first = r->candidate_count;
    struct below below = {0};
    for (uint32_t n = nodes[parent].child; n; n = nodes[n].sibling) {
        if (!nodes[n].count)
            continue; /* its facts have moved to a fuller stack */
        if ((double)nodes[n].count < r->least && !leads_to(r, n)) {
            below.nodes++;
            below.count += r->tree->look.shape == STACK_FLAT ? nodes[n].self : nodes[n].count;
        } else {
            candidate_push(v, n);
        }
    }
    if (r->candidate_count > first)
        stack_order_sort(r->candidates + first, r->candidate_count - first);
    return below;
}

static void list_children(struct view *v, uint32_t parent, unsigned level);

static void list_node(struct view *v, uint32_t number, unsigned level)
{
    struct tree_rows *const r = v->tree_rows;
    const struct stack_look *const look = &r->reported.stacks;
    const struct tree_node *n = &r->tree->nodes[number];
    const bool is_open = look->is_flame || look->is_whole || r->is_all ||
                         (r->unfolds && number != r->shown && leads_to(r, number));
    const bool is_shut = n->child && !is_open && request_is_folded(&r->reported, n->key);
    const size_t at = r->row_count;
    *row_push(r) = (struct tree_row){.kind = ROW_FRAME,
                                     .node = number,
                                     .level = level,
                                     .count = n->count,
                                     .self = n->self,
                                     .key = n->key,
                                     .sign = is_shut    ? '+'
                                             : n->child ? '-'
                                                        : ' '};
    if (is_shut)
        r->rows[at].self = n->count; /* what it hides is in it */
    else if (n->child)
        list_children(v, number, level);
}

/* Only where a path branches do its rows move to the right: stacks are deep. */
static void list_children(struct view *v, uint32_t parent, unsigned level)
{
    struct tree_rows *const r = v->tree_rows;
    const size_t first = r->candidate_count;
    const struct below below = gather(v, parent);
    const size_t children = r->candidate_count - first;
    const bool is_upwards = v->request.ascending || v->request.stacks.is_flame;
    const unsigned deeper = level + (parent && children + (below.nodes > 0) > 1);
    for (size_t i = 0; i < children; i++) {
        const size_t at = is_upwards ? i : children - 1 - i;
        list_node(v, r->candidates[first + at].node, deeper);
    }
    r->candidate_count = first;
    if (!below.nodes)
        return;
    const struct row_key key = r->tree->nodes[parent].key;
    *row_push(r) = (struct tree_row){.kind = ROW_BELOW,
                                     .node = parent,
                                     .rest = below.nodes,
                                     .level = deeper,
                                     .count = below.count,
                                     .self = below.count,
                                     .sign = ' ',
                                     .key = {key.a, key.b, key.c | BELOW, 0}};
}

static uint32_t find_node(const struct stack_tree *t, struct row_key key)
{
    for (uint32_t n = 1; n < t->count; n++)
        if (row_key_equal(t->nodes[n].key, key))
            return n;
    return 0;
}

/* What is above the root of a flame graph, outermost first. */
static void list_ancestors(struct tree_rows *r, uint32_t node)
{
    const struct tree_node *const n = &r->tree->nodes[node];
    if (!node)
        return;
    list_ancestors(r, n->parent);
    *row_push(r) = (struct tree_row){.kind = ROW_FRAME,
                                     .node = node,
                                     .count = n->count,
                                     .self = n->self,
                                     .key = n->key,
                                     .sign = '-'};
}

/* Around a frame there is nothing but stacks that go through it. */
static uint64_t without_of(const struct view *v)
{
    return v->request.stacks.shape == STACK_BOTH ? 0 : tree_without(v->tree);
}

static void list_rows(struct view *v)
{
    struct tree_rows *const r = v->tree_rows;
    const struct stack_look *const look = &r->reported.stacks;
    const uint32_t root = look->is_flame && !r->is_all ? find_node(r->tree, look->root) : 0;
    const int cut_off = look->is_whole || r->is_all  ? STACK_CUT_OFF_NONE
                        : look->cut_off ? look->cut_off
                                        : STACK_CUT_OFF_DEFAULT;
    const uint64_t of = root ? r->tree->nodes[root].count : r->tree->all;
    r->root_count = look->of_visible ? of : r->tree->all + r->tree->hidden;
    r->least = cut_off < 0 ? 0 : (double)cut_off / 10000 * (double)of;
    r->row_count = r->candidate_count = 0;
    if (is_by_name(v))
        stack_order_rank(&r->ranks, v->model, r->tree);
    list_ancestors(r, root);
    list_children(v, root, 0);
    const uint64_t no_frames = r->tree->nodes[0].self, without = without_of(v);
    if (no_frames && !root)
        *row_push(r) = (struct tree_row){.kind = ROW_NO_FRAMES,
                                         .sign = ' ',
                                         .count = no_frames,
                                         .self = no_frames,
                                         .key = {.a = 1}};
    if (without && !root)
        *row_push(r) = (struct tree_row){
            .kind = ROW_WITHOUT, .sign = ' ', .count = without, .self = without, .key = {.a = 2}};
}

/* ---- what they say ------------------------------------------------------------------------- */

/* The two halves of what is around a frame. */
static void describe_part(const struct view *v, const struct tree_node *n, char *out, size_t room)
{
    const struct stack_look *const look = &v->request.stacks;
    char name[1024];
    const struct tree_term *const focus = &v->tree_rows->tree->focus;
    path_text(&v->sites, v->model, &focus->site, focus->of_module ? FOLD_MODULES : look->fold, name,
              sizeof name);
    snprintf(out, room, n->site.at ? "%s is called by" : "%s calls", name);
}

static void describe(const struct view *v, const struct tree_row *r, char *out, size_t room)
{
    enum { DEEPEST = 40 }; /* further right nothing would be left to read */
    const struct stack_look *const look = &v->request.stacks;
    const struct tree_node *n = &v->tree_rows->tree->nodes[r->node];
    const int cut_off = look->cut_off ? look->cut_off : STACK_CUT_OFF_DEFAULT;
    if (!look->is_whole && !look->is_flame) {
        const int used = snprintf(out, room, "%*s%c ",
                                  (int)(r->level < DEEPEST ? r->level : DEEPEST), "", r->sign);
        out += used;
        room -= (size_t)used;
    }
    switch (r->kind) {
    case ROW_FRAME:
        if (n->site.mode == SITE_OF_PART) {
            describe_part(v, n, out, room);
            break;
        }
        path_text(&v->sites, v->model, &n->site, look->fold, out, room);
        break;
    case ROW_BELOW:
        snprintf(out, room, "(%u below %g%%)", r->rest, cut_off / 100.0);
        break;
    case ROW_NO_FRAMES:
        snprintf(out, room, "(frames unknown)");
        break;
    case ROW_WITHOUT:
        snprintf(out, room, "(no stack)");
        break;
    }
}

/* ---- under which names ---------------------------------------------------------------------- */

/* The key by which the ui knows the row, if it was called something else before. */
static struct row_key key_asked(const struct view *v, struct row_key key)
{
    const struct request *const asked = &v->request, *const now = &v->tree_rows->reported;
    if (asked->has_anchor && row_key_equal(key, now->anchor))
        return asked->anchor;
    for (unsigned i = 0; i < now->fold_count; i++)
        if (row_key_equal(key, now->folds[i]))
            return asked->folds[i];
    return row_key_equal(key, now->stacks.root) ? asked->stacks.root : key;
}

/* What the request names by keys of former names, by those of now. */
static void translate_request(struct view *v)
{
    struct request *const r = &v->tree_rows->reported;
    *r = v->request;
    r->anchor = frame_filters_key_now(v, r->anchor);
    r->stacks.root = frame_filters_key_now(v, r->stacks.root);
    if (r->fold_count > FOLDS_MAX)
        r->fold_count = FOLDS_MAX;
    for (unsigned i = 0; i < r->fold_count; i++)
        r->folds[i] = frame_filters_key_now(v, r->folds[i]);
}

/* ---- what is looked for --------------------------------------------------------------------- */

static unsigned found_flags(const struct view *v, const struct tree_row *r)
{
    enum { TEXT_ROOM = 1200 };
    const struct tree_rows *const all = v->tree_rows;
    const struct site *const s = &all->tree->nodes[r->node].site;
    const unsigned fold = v->request.stacks.fold;
    char text[TEXT_ROOM];
    if (!finder_is_on(v) || r->kind != ROW_FRAME || s->mode == SITE_OF_PART)
        return 0;
    const struct image like = {.module = s->module};
    const char *const function =
        fold == FOLD_MODULES ? "" : site_function(&v->sites, v->model, s->function);
    const struct reported_frame reported = {
        .text = path_text(&v->sites, v->model, s, fold, text, sizeof text),
        .module = model_module_name(v->model, &like),
        .function = function[0] ? function : NULL,
        .mode = s->mode,
        .samples = (double)r->count,
        .self = (double)all->tree->nodes[r->node].self,
        .total = all->root_count ? (double)r->count / (double)all->root_count * 100 : 0,
        .depth = all->tree->nodes[r->node].key.c & PATH_DEPTH,
    };
    return finder_frame(v, &reported);
}

/* The share of stacks that go through any of the rows found: each stack counts once. */
static double percent_through(const struct view *v)
{
    const struct tree_rows *const r = v->tree_rows;
    const struct stack_tree *const t = r->tree;
    const bool is_flat = t->look.shape == STACK_FLAT;
    bool *const is_hit = mem_new(t->count, sizeof *is_hit);
    uint64_t sum = 0;
    for (size_t i = 0; i < r->row_count; i++)
        if (r->rows[i].kind == ROW_FRAME && found_flags(v, &r->rows[i]) & ROW_FOUND)
            is_hit[r->rows[i].node] = true;
    for (uint32_t n = 1; n < t->count && !is_flat; n++)
        is_hit[n] |= t->nodes[n].parent && is_hit[t->nodes[n].parent];
    for (uint32_t i = 0; i < t->stack_count; i++) {
        const struct tree_stack *const s = &t->stacks[i];
        bool goes_through = false;
        for (uint32_t at = 0; at < s->refs && !s->is_out; at++)
            goes_through |= is_hit[t->refs[s->ref + at]];
        sum += goes_through ? s->weight : 0;
    }
    free(is_hit);
    return r->root_count ? (double)sum / (double)r->root_count * 100 : 0;
}

/* In all of the tree, as if nothing were folded, cut off or zoomed into. */
static void seek(struct view *v)
{
    struct tree_rows *const r = v->tree_rows;
    const struct row_key a = r->reported.anchor, from = {a.a, a.b, a.c & ~BELOW, 0};
    struct seeking s;
    if (!seek_begin(v, &s))
        return;
    s.is_in_order = true;
    r->is_all = true;
    list_rows(v);
    r->is_all = false;
    for (size_t i = 0; r->reported.has_anchor && i < r->row_count; i++)
        if (row_key_equal(r->rows[i].key, from))
            seek_start(&s, i);
    for (size_t i = 0; i < r->row_count; i++)
        if (found_flags(v, &r->rows[i]) & ROW_FOUND)
            seek_row(&s, i, r->rows[i].key);
    if (!s.count && view_waits_for_names(v))
        return; /* it may have a name soon */
    s.percent = s.count ? percent_through(v) : 0;
    seek_end(v, &s);
    r->reported.has_anchor = v->request.has_anchor;
    r->reported.anchor = v->request.anchor;
    r->reported.anchor_line = v->request.anchor_line;
}

/* The cursor's row stays, however little it weighs: it may have been looked for. */
static void reveal(struct view *v)
{
    struct tree_rows *const r = v->tree_rows;
    r->shown = 0;
    seek(v);
    if (r->reported.has_anchor)
        r->shown = find_node(r->tree, r->reported.anchor);
    r->unfolds = r->shown && seek_has_found(v);
}

/* Tells what of the things above the row that was found the request folds. */
static void report_folded(const struct view *v, struct frame *f)
{
    const struct tree_rows *const r = v->tree_rows;
    const struct tree_node *const nodes = r->tree->nodes;
    struct row_key shut[FOLDS_MAX];
    for (uint32_t n = nodes[r->shown].parent; r->unfolds && n; n = nodes[n].parent)
        if (request_is_folded(&r->reported, nodes[n].key) && f->found_shut_count++ < FOLDS_MAX)
            shut[f->found_shut_count - 1] = key_asked(v, nodes[n].key);
    if (f->found_shut_count && f->found_shut_count <= FOLDS_MAX)
        f->found_shut = mem_copy(shut, f->found_shut_count * sizeof *shut);
}

/* ---- cells ---------------------------------------------------------------------------------- */

static struct value weight_value(const struct view *v, uint64_t weight)
{
    const uint8_t type = stack_metrics[v->request.stacks.metric].type;
    return type == VALUE_TIME ? (struct value){.type = type, .ns = (int64_t)weight}
                              : value_number(type, weight);
}

static void fill_row(struct view *v, struct frame_maker *maker, unsigned at,
                     const struct tree_row *r)
{
    enum { TEXT_ROOM = 1200 };
    const struct tree_rows *const all = v->tree_rows;
    const struct tree_node *n = &all->tree->nodes[r->node];
    struct value *cells = maker->cells + at * v->request.pane->column_count;
    struct frame_row *const row = &maker->rows[at];
    char text[TEXT_ROOM];
    describe(v, r, text, sizeof text);
    const bool is_code = r->kind == ROW_FRAME && n->site.mode < SITE_MODES;
    if (is_code)
        cells[CELL_MODE] = maker_text(maker, VALUE_TEXT, site_letter(n->site.mode), 1);
    if (r->kind == ROW_FRAME) {
        cells[CELL_DEPTH] = value_number(VALUE_ID, n->key.c & PATH_DEPTH);
        row->level = (uint16_t)(n->key.c & PATH_DEPTH);
    }
    cells[CELL_FRAME] = maker_text(maker, VALUE_TEXT, text, strlen(text));
    cells[CELL_SAMPLES] = weight_value(v, r->count);
    cells[CELL_SELF] = weight_value(v, r->self);
    if (r->kind != ROW_WITHOUT && all->root_count)
        cells[CELL_TOTAL] =
            value_rate(VALUE_PERCENT, (double)r->count / (double)all->root_count * 100);
    row->key = key_asked(v, r->key);
    row->crumb = is_code && all->tree->look.shape != STACK_BOTH ? CRUMB_FRAME : CRUMB_NONE;
    const uint32_t parent = r->kind == ROW_BELOW ? r->node : n->parent;
    if (parent)
        row->parent = key_asked(v, all->tree->nodes[parent].key);
    row->flags = (uint8_t)found_flags(v, r);
    row->fold = r->sign == '+' ? FOLD_SHUT : r->sign == '-' ? FOLD_OPEN : FOLD_NONE;
    if (v->request.has_anchor && row_key_equal(r->key, all->reported.anchor))
        maker->frame.anchor_row = (int)at;
}

static uint64_t first_row(const struct view *v)
{
    const struct tree_rows *const all = v->tree_rows;
    const struct request *r = &all->reported;
    const uint64_t count = all->row_count;
    if (r->stacks.is_flame)
        return 0;
    for (uint64_t i = 0; r->has_anchor && i < count; i++)
        if (row_key_equal(all->rows[i].key, r->anchor))
            return r->anchor_line > 0 && (uint64_t)r->anchor_line < i ? i - (uint64_t)r->anchor_line
                   : r->anchor_line > 0                               ? 0
                                                                      : i;
    return r->first < count ? r->first : count > r->rows ? count - r->rows : 0;
}

static void swap_trees(struct view *v)
{
    struct tree *const other = v->last_tree;
    v->last_tree = v->tree;
    v->tree = other;
}

/* Bit per metric that the recording has facts for; live all that can be asked for. */
static uint32_t metrics_of(struct view *v)
{
    uint32_t metrics = 0;
    bool is_live = false;
    for (size_t i = 0; i < v->collector_count; i++)
        is_live |= v->collectors[i]->kind && v->collectors[i]->kind->is_live;
    availability_look(&v->column_availability, v->model);
    for (unsigned i = 0; i < STACK_METRICS; i++)
        for (unsigned c = 0; c < FACT_CLASSES; c++)
            if (stack_metrics[i].classes >> c & 1 &&
                (is_live || availability_has(&v->column_availability, c)))
                metrics |= 1u << i;
    if (!is_live && !availability_has(&v->column_availability, FACT_READY))
        metrics &= ~(1u << METRIC_WAITING | 1u << METRIC_READY | 1u << METRIC_WALL);
    if (!is_live && !availability_has(&v->column_availability, FACT_SAMPLE))
        metrics &= ~(1u << METRIC_WALL);
    return metrics;
}

static void fill_figures(struct view *v, struct frame *f)
{
    const struct tree_rows *const all = v->tree_rows;
    f->metric = v->request.stacks.metric;
    f->metrics = metrics_of(v);
    f->stack_weight = all->tree->all;
    f->stack_missing = tree_without(v->tree);
    f->stack_hidden = all->tree->hidden;
    f->stack_cut = all->tree->cut;
    f->stack_root = all->root_count;
}

static void fill_shown(struct view *v, struct frame_maker *maker)
{
    struct tree_rows *const all = v->tree_rows;
    all->tree = tree_counted(v->tree);
    translate_request(v);
    reveal(v);
    list_rows(v);
    const uint64_t first = first_row(v);
    const uint64_t left = all->row_count - first;
    const unsigned rows = (unsigned)(left < v->request.rows ? left : v->request.rows);
    maker_init(maker, rows, v->request.pane->column_count);
    maker->frame.anchor_row = -1;
    for (unsigned i = 0; i < rows; i++)
        fill_row(v, maker, i, &all->rows[first + i]);
    if (v->request.detail && v->request.has_anchor)
        view_fill_site(v, maker, v->request.anchor);
    const uint64_t sum = all->tree->all + without_of(v);
    maker->totals[CELL_SAMPLES] = maker->totals[CELL_SELF] = weight_value(v, sum);
    maker->frame.first = first;
    maker->frame.shown = all->row_count;
    maker->frame.row_count = rows;
    fill_figures(v, &maker->frame);
    report_folded(v, &maker->frame);
}

void view_fill_stacks(struct view *v, struct frame_maker *maker)
{
    /* The new one is not whole yet; one that counted something else says nothing. */
    const bool is_whole = v->scan_next >= view_dataset(v)->facts.end;
    const bool is_older =
        v->last_tree && !is_whole && stack_look_counts_alike(&v->request.stacks, tree_look(v->last_tree));
    if (is_older)
        swap_trees(v);
    fill_shown(v, maker);
    if (is_older)
        swap_trees(v);
}

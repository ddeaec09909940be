/* Call trees: the facts that pass, counted by their stacks, outermost frame first.
 *
 * Each stack is resolved once, to the node of its innermost frame; every further fact
 * adds one there and along the parents. A stack that comes after its fact was counted
 * moves the fact (struct stack_update). What keys and images tell later about stacks
 * that were resolved already takes a new scan. */
#include "src/mem.h"
#include "src/view.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Nodes beyond this count in their parent. */
enum { NODES = 1 << 18, FIRST_ROOM = 1024 };

/* Rows below this part of the whole fold into one, of each parent. */
static const double CUT_OFF = 0.005;

/* Frames are told apart by their function; without a name, by where they are. */
struct node {
    uint32_t parent, child, sibling; /* 0 = none; [0] is the root */
    struct site site;                /* of the first stack that came here … */
    uint32_t stack;                  /* … which is this one */
    uint64_t count, self;
    struct row_key key;              /* by path: the same in every scan; c = depth */
};

enum row_kind { ROW_FRAME, ROW_BELOW, ROW_UNTOLD, ROW_WITHOUT };

struct tree_row {
    enum row_kind kind;
    uint32_t node;   /* of BELOW: the parent; `rest` children */
    uint32_t rest;
    unsigned level;
    char sign;
    uint64_t count, self;
    struct row_key key;
};

/* A child with what it is sorted by. */
struct candidate {
    uint32_t node;
    uint64_t number;
    const char *text;
    uint64_t at;
};

struct tree {
    struct node *nodes;
    uint32_t count, room;
    uint32_t *slots; /* open addressing over nodes */
    uint32_t mask;
    struct map leaves;       /* stack → its innermost node + 1 */
    uint64_t without;        /* facts that have no stack */
    uint64_t unresolved;     /* frames and stacks that later news may explain */
    uint64_t unnamed;        /* frames whose names the worker looks for */
    uint64_t update_next;    /* of the model's updates */
    uint64_t learnt, images; /* the model's counts when the scan began */
    struct symbol_figures symbols; /* likewise */
    struct request told;     /* the request at hand, with the keys of now */
    struct tree_row *rows;
    size_t row_count, row_room;
    struct candidate *candidates; /* a stack: of each open parent, its children */
    size_t candidate_count, candidate_room;
};

struct tree *tree_new(void)
{
    struct tree *t = mem_new(1, sizeof *t);
    t->room = FIRST_ROOM;
    t->nodes = mem_new(t->room, sizeof *t->nodes);
    t->count = 1;
    t->mask = 2 * FIRST_ROOM - 1;
    t->slots = mem_new((size_t)t->mask + 1, sizeof *t->slots);
    map_init(&t->leaves);
    return t;
}

void tree_free(struct tree *t)
{
    if (!t)
        return;
    free(t->nodes);
    free(t->slots);
    map_fini(&t->leaves);
    free(t->rows);
    free(t->candidates);
    free(t);
}

/* ---- growing ------------------------------------------------------------------------- */

static uint64_t node_hash(uint32_t parent, const struct site *s)
{
    return hash_mix(hash_mix(site_id(s) ^ (uint64_t)s->module << 40) + parent) >> 20;
}

static void rehash(struct tree *t)
{
    t->mask = t->mask * 2 + 1;
    free(t->slots);
    t->slots = mem_new((size_t)t->mask + 1, sizeof *t->slots);
    for (uint32_t n = 1; n < t->count; n++) {
        const struct node *node = &t->nodes[n];
        uint64_t i = node_hash(node->parent, &node->site) & t->mask;
        while (t->slots[i])
            i = (i + 1) & t->mask;
        t->slots[i] = n;
    }
}

static uint32_t node_add(struct tree *t, uint32_t parent, const struct site *site, uint32_t stack)
{
    if (t->count == t->room) {
        t->room *= 2;
        t->nodes = mem_grow(t->nodes, t->room, sizeof *t->nodes);
    }
    const uint32_t number = t->count++;
    struct node *p = &t->nodes[parent];
    t->nodes[number] = (struct node){.parent = parent, .sibling = p->child, .site = *site,
                                     .stack = stack, .key = path_key(p->key, site)};
    p->child = number;
    return number;
}

static bool is_of(const struct node *n, uint32_t parent, const struct site *s)
{
    return n->parent == parent && n->site.module == s->module && site_id(&n->site) == site_id(s);
}

/* The child of `parent` for this frame; the parent itself when there is no more room. */
static uint32_t node_of(struct tree *t, uint32_t parent, const struct site *site, uint32_t stack)
{
    uint64_t i = node_hash(parent, site) & t->mask;
    for (; t->slots[i]; i = (i + 1) & t->mask)
        if (is_of(&t->nodes[t->slots[i]], parent, site))
            return t->slots[i];
    if (t->count == NODES)
        return parent;
    const uint32_t number = node_add(t, parent, site, stack);
    t->slots[i] = number;
    if (t->count > t->mask / 2)
        rehash(t);
    return number;
}

/* The innermost node of a stack; the root while its frames have not been told. */
static uint32_t resolve(struct view *v, struct tree *t, uint32_t stack)
{
    uint64_t frames[2 * STACK_FRAMES];
    const struct model *const m = v->model;
    const struct stack *s = shelf_at(&m->stack_store.stacks, stack);
    const unsigned count = s ? model_stack_frames(m, s, frames) : 0;
    t->unresolved += !count;
    uint32_t node = 0;
    for (unsigned i = count; i > 0; i--) {
        const struct site site = site_of(&v->sites, m, s, frames, i - 1);
        t->unresolved += !site.module;
        t->unnamed += site.state == SYMBOL_ASKED;
        node = node_of(t, node, &site, stack);
        passages_note(v, t->nodes[node].key, stack, i - 1);
    }
    return node;
}

static void count(struct view *v, uint32_t stack, int64_t by)
{
    struct tree *const t = v->tree;
    if (!stack) {
        t->without += (uint64_t)by;
        return;
    }
    uint32_t leaf = map_get(&t->leaves, stack);
    if (!leaf) {
        leaf = resolve(v, t, stack) + 1;
        map_put(&t->leaves, stack, leaf);
    }
    uint32_t n = leaf - 1;
    t->nodes[n].self += (uint64_t)by;
    for (; n; n = t->nodes[n].parent)
        t->nodes[n].count += (uint64_t)by;
    t->nodes[0].count += (uint64_t)by;
}

/* Walks are about other events and have no stacks themselves. */
static bool is_counted(struct view *v, const struct fact *f)
{
    const struct request *r = &v->request;
    if (is_other_end(f))
        return false;
    const bool is_in_time = request_has_range(r) ? f->time > r->from_ns && f->time <= r->to_ns
                                                 : f->time >= view_world(v)->reset_ns;
    const uint32_t process = model_process_of(v->model, f);
    return r->pane->classes >> f->class & 1 && f->op != OP_SLICE && is_in_time
           && view_fact_passes(v, f, process) && view_filter_passes(v, f, process);
}

void tree_start(struct view *v)
{
    struct tree *const t = v->tree;
    const struct model *const m = v->model;
    t->count = 1;
    t->nodes[0] = (struct node){ 0 };
    memset(t->slots, 0, ((size_t)t->mask + 1) * sizeof *t->slots);
    map_fini(&t->leaves);
    map_init(&t->leaves);
    t->without = t->unresolved = t->unnamed = 0;
    t->update_next = m->stack_store.update_count;
    t->learnt = m->stack_store.learnt;
    t->images = m->images_learnt;
    t->symbols = view_symbols(v);
}

void tree_feed(struct view *v, const struct fact *f)
{
    if (is_counted(v, f))
        count(v, f->stack, 1);
}

bool tree_catch_up(struct view *v)
{
    struct tree *t = v->tree;
    const struct stack_store *s = &v->model->stack_store;
    const struct facts *facts = &view_world(v)->facts;
    if (s->update_count - t->update_next > STACK_UPDATES)
        return false;
    for (; t->update_next < s->update_count; t->update_next++) {
        const struct stack_update *u = &s->updates[t->update_next % STACK_UPDATES];
        if (u->number >= v->scan_next || u->number < facts->first || u->now == u->old)
            continue;
        if (is_counted(v, facts_at(facts, u->number))) {
            count(v, u->old, -1);
            count(v, u->now, 1);
        }
    }
    return true;
}

bool tree_is_outdated(const struct view *v)
{
    const struct tree *t = v->tree;
    const struct symbol_figures now = view_symbols(v);
    /* Names come in batches: when they come no more, or every now and then (view.c). */
    const bool is_named = t->unnamed && (t->symbols.version != now.version
                                         || (t->symbols.put_off != now.put_off
                                             && now.asked == now.answered));
    return is_named || (t->unresolved && (t->learnt != v->model->stack_store.learnt
                                          || t->images != v->model->images_learnt));
}

/* ---- rows ------------------------------------------------------------------------------ */

enum cell { CELL_FRAME, CELL_MODE, CELL_SAMPLES, CELL_SELF, CELL_TOTAL, CELL_DEPTH };

static int compare(const void *a, const void *b)
{
    const struct candidate *x = a, *y = b;
    const int by_text = strcmp(x->text, y->text);
    if (by_text)
        return by_text;
    if (x->number != y->number)
        return x->number < y->number ? -1 : 1;
    return (x->at > y->at) - (x->at < y->at);
}

static const char *module_name(const struct model *m, uint32_t module)
{
    const struct image like = { .module = module };
    return model_module_name(m, &like);
}

static struct candidate candidate_of(const struct view *v, uint32_t node)
{
    const struct node *n = &v->tree->nodes[node];
    const unsigned sort = v->request.sort;
    const char *name = sort == CELL_FRAME ? module_name(v->model, n->site.module) : NULL;
    return (struct candidate){
        .node = node,
        .number = sort == CELL_FRAME ? 0 : sort == CELL_SELF ? n->self : n->count,
        .text = name ? name : "",
        .at = site_id(&n->site),
    };
}

static struct tree_row *row_push(struct tree *t)
{
    if (t->row_count == t->row_room) {
        t->row_room = t->row_room ? t->row_room * 2 : 256;
        t->rows = mem_grow(t->rows, t->row_room, sizeof *t->rows);
    }
    struct tree_row *r = &t->rows[t->row_count++];
    *r = (struct tree_row){ 0 };
    return r;
}

/* What hides below the cut-off under one parent. */
struct below {
    uint32_t nodes;
    uint64_t count;
};

/* Appends the children worth a row, sorted; the rest comes back. */
static struct below gather(struct view *v, uint32_t parent)
{
    struct tree *t = v->tree;
    const double least = CUT_OFF * (double)t->nodes[0].count;
    const size_t first = t->candidate_count;
    struct below below = { 0 };
    for (uint32_t n = t->nodes[parent].child; n; n = t->nodes[n].sibling) {
        if (!t->nodes[n].count)
            continue; /* its facts have moved to a fuller stack */
        if ((double)t->nodes[n].count < least) {
            below.nodes++;
            below.count += t->nodes[n].count;
            continue;
        }
        if (t->candidate_count == t->candidate_room) {
            t->candidate_room = t->candidate_room ? t->candidate_room * 2 : 256;
            t->candidates = mem_grow(t->candidates, t->candidate_room, sizeof *t->candidates);
        }
        t->candidates[t->candidate_count++] = candidate_of(v, n);
    }
    if (t->candidate_count > first)
        qsort(t->candidates + first, t->candidate_count - first, sizeof *t->candidates, compare);
    return below;
}

static void list_children(struct view *v, uint32_t parent, unsigned level);

static void list_node(struct view *v, uint32_t number, unsigned level)
{
    struct tree *t = v->tree;
    const struct node *n = &t->nodes[number];
    const bool is_shut = n->child && request_is_folded(&t->told, n->key);
    const size_t at = t->row_count;
    *row_push(t) = (struct tree_row){ .kind = ROW_FRAME, .node = number, .level = level,
                                      .count = n->count, .self = n->self, .key = n->key,
                                      .sign = is_shut ? '+' : n->child ? '-' : ' ' };
    if (is_shut)
        t->rows[at].self = n->count; /* what it hides is in it */
    else
        list_children(v, number, level);
}

/* Only where a path branches do its rows move to the right: stacks are deep. */
static void list_children(struct view *v, uint32_t parent, unsigned level)
{
    struct tree *t = v->tree;
    const size_t first = t->candidate_count;
    const struct below below = gather(v, parent);
    const size_t children = t->candidate_count - first;
    const unsigned deeper = level + (parent && children + (below.nodes > 0) > 1);
    for (size_t i = 0; i < children; i++) {
        const size_t at = v->request.ascending ? i : children - 1 - i;
        list_node(v, t->candidates[first + at].node, deeper);
    }
    t->candidate_count = first;
    if (!below.nodes)
        return;
    const struct row_key key = t->nodes[parent].key;
    *row_push(t) = (struct tree_row){ .kind = ROW_BELOW, .node = parent, .rest = below.nodes,
                                      .level = deeper, .count = below.count, .self = below.count,
                                      .sign = ' ', .key = { key.a, key.b, key.c | 1u << 31 } };
}

static void list_rows(struct view *v)
{
    struct tree *t = v->tree;
    t->row_count = t->candidate_count = 0;
    list_children(v, 0, 0);
    const uint64_t untold = t->nodes[0].self;
    if (untold)
        *row_push(t) = (struct tree_row){ .kind = ROW_UNTOLD, .sign = ' ', .count = untold,
                                          .self = untold, .key = { 1, 0, 0 } };
    if (t->without)
        *row_push(t) = (struct tree_row){ .kind = ROW_WITHOUT, .sign = ' ', .count = t->without,
                                          .self = t->without, .key = { 2, 0, 0 } };
}

static void describe(const struct view *v, const struct tree_row *r, char *out, size_t room)
{
    enum { DEEPEST = 40 }; /* further right nothing would be left to read */
    const struct node *n = &v->tree->nodes[r->node];
    const int used = snprintf(out, room, "%*s%c ", (int)(r->level < DEEPEST ? r->level : DEEPEST),
                              "", r->sign);
    out += used;
    room -= (size_t)used;
    switch (r->kind) {
    case ROW_FRAME:
        site_text(&v->sites, v->model, &n->site, out, room);
        break;
    case ROW_BELOW:
        snprintf(out, room, "(%u below 0.5%%)", r->rest);
        break;
    case ROW_UNTOLD:
        snprintf(out, room, "(frames not told)");
        break;
    case ROW_WITHOUT:
        snprintf(out, room, "(no stack)");
        break;
    }
}

/* The key by which the ui knows the row, if it was called something else before. */
static struct row_key key_asked(const struct view *v, struct row_key key)
{
    const struct request *const asked = &v->request, *const now = &v->tree->told;
    if (asked->has_anchor && row_key_equal(key, now->anchor))
        return asked->anchor;
    for (unsigned i = 0; i < now->fold_count; i++)
        if (row_key_equal(key, now->folds[i]))
            return asked->folds[i];
    return key;
}

/* What the request names by keys of former names, by those of now. */
static void translate_request(struct view *v)
{
    struct request *const r = &v->tree->told;
    *r = v->request;
    r->anchor = passages_key_now(v, r->anchor);
    if (r->fold_count > FOLDS_MAX)
        r->fold_count = FOLDS_MAX;
    for (unsigned i = 0; i < r->fold_count; i++)
        r->folds[i] = passages_key_now(v, r->folds[i]);
}

static void fill_row(struct view *v, struct frame_maker *maker, unsigned at,
                     const struct tree_row *r)
{
    enum { TEXT_ROOM = 512 };
    const struct node *n = &v->tree->nodes[r->node];
    const uint64_t all = v->tree->nodes[0].count;
    struct value *cells = maker->cells + at * v->request.pane->column_count;
    char text[TEXT_ROOM];
    describe(v, r, text, sizeof text);
    if (r->kind == ROW_FRAME) {
        cells[CELL_MODE] = maker_text(maker, VALUE_TEXT, site_letter(n->site.mode), 1);
        cells[CELL_DEPTH] = value_number(VALUE_ID, n->key.c);
    }
    cells[CELL_FRAME] = maker_text(maker, VALUE_TEXT, text, strlen(text));
    cells[CELL_SAMPLES] = value_number(VALUE_COUNT, r->count);
    cells[CELL_SELF] = value_number(VALUE_COUNT, r->self);
    if (r->kind != ROW_WITHOUT && all)
        cells[CELL_TOTAL] = value_rate(VALUE_PERCENT, (double)r->count / (double)all * 100);
    maker->rows[at].key = key_asked(v, r->key);
    maker->rows[at].crumb = r->kind == ROW_FRAME ? CRUMB_FRAME : CRUMB_NONE;
    maker->rows[at].parent =
        key_asked(v, v->tree->nodes[r->kind == ROW_BELOW ? r->node : n->parent].key);
    maker->rows[at].fold = r->sign == '+' ? FOLD_SHUT : r->sign == '-' ? FOLD_OPEN : FOLD_NONE;
    if (v->request.has_anchor && row_key_equal(r->key, v->tree->told.anchor))
        maker->frame.anchor_row = (int)at;
}

static uint64_t first_row(const struct view *v, uint64_t count)
{
    const struct request *r = &v->tree->told;
    for (uint64_t i = 0; r->has_anchor && i < count; i++)
        if (row_key_equal(v->tree->rows[i].key, r->anchor))
            return r->anchor_line > 0 && (uint64_t)r->anchor_line < i
                       ? i - (uint64_t)r->anchor_line
                       : r->anchor_line > 0 ? 0 : i;
    return r->first < count ? r->first : count > r->rows ? count - r->rows : 0;
}

static void swap_trees(struct view *v)
{
    struct tree *const other = v->last_tree;
    v->last_tree = v->tree;
    v->tree = other;
}

static void fill_shown(struct view *v, struct frame_maker *maker)
{
    struct tree *t = v->tree;
    translate_request(v);
    list_rows(v);
    const uint64_t first = first_row(v, t->row_count);
    const uint64_t left = t->row_count - first;
    const unsigned rows = (unsigned)(left < v->request.rows ? left : v->request.rows);
    maker_init(maker, rows, v->request.pane->column_count);
    maker->frame.anchor_row = -1;
    for (unsigned i = 0; i < rows; i++)
        fill_row(v, maker, i, &t->rows[first + i]);
    const uint64_t all = t->nodes[0].count + t->without;
    maker->totals[CELL_SAMPLES] = maker->totals[CELL_SELF] = value_number(VALUE_COUNT, all);
    maker->frame.first = first;
    maker->frame.shown = t->row_count;
    maker->frame.row_count = rows;
}

void view_fill_stacks(struct view *v, struct frame_maker *maker)
{
    const bool is_older = v->last_tree != NULL; /* the new one is not whole yet */
    if (is_older)
        swap_trees(v);
    fill_shown(v, maker);
    if (is_older)
        swap_trees(v);
}

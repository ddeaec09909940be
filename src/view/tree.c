/* Rows of a table as a tree: files and keys by their paths, processes by who started them.
 *
 * It is made for every frame of the rows that pass, of what is known from the last one as far as
 * that holds (struct kept_tree): so a filter keeps what stands above a row that passes, and every row
 * shows the sum of what stands below it and is shown. A chain of folders that hold nothing but
 * each other is one row. Rows of a table are leaves; among processes, nodes. */
#include "src/base/mem.h"
#include "src/base/text.h"
#include "src/view/find.h"
#include "src/view/folder.h"
#include "src/view/inside.h"
#include "src/view/tree.h"

#include <stdlib.h>
#include <string.h>

/* A sibling with what it is sorted by. */
struct sibling {
    uint32_t top, node;
    double number;
    uint32_t text, text_bytes;
    uint64_t begin; /* of the text: it decides most comparisons */
    bool is_absent;
};

/* ---- sums -------------------------------------------------------------------------------- */

/* The lower end of the chain that begins here: a folder that branches, or a row. */
static uint32_t chain_end(const struct row_tree *t, uint32_t number)
{
    while (!t->nodes[number].own && t->nodes[number].children == 1)
        number = t->nodes[number].child;
    return number;
}

/* Rows lie all over the memory: has one brought that is added soon. Its next sibling. */
static uint32_t ask_for(const struct row_tree *t, uint32_t number)
{
    const struct node *const end = &t->nodes[chain_end(t, number)];
    if (end->own)
        row_ask_all(t->context->table, end->own);
    return t->nodes[number].sibling;
}

static void new_sum(struct row_tree *t, uint32_t number)
{
    struct node *const n = &t->nodes[number];
    if (t->summed_count == t->summed_room) {
        t->summed_room = t->summed_room ? t->summed_room * 2 : 256;
        t->summed = mem_grow(t->summed, t->summed_room, sizeof *t->summed);
    }
    t->summed[t->summed_count++] = number;
    n->sum = row_new(t->context->table, n->own ? n->own->key : folder_key(n->hash));
}

static const struct table_row *sum_of(struct row_tree *t, uint32_t number)
{
    enum { AHEAD = 3 };
    number = chain_end(t, number); /* every file is a folder of its rows, most often of one */
    struct node *const n = &t->nodes[number];
    if (!n->child)
        return n->own;
    if (n->sum)
        return n->sum;
    const struct table *table = t->context->table;
    new_sum(t, number);
    if (n->own)
        row_add(table, n->sum, n->own);
    uint32_t soon = n->child;
    for (unsigned i = 0; i < AHEAD && soon; i++)
        soon = ask_for(t, soon);
    for (uint32_t c = n->child; c; c = t->nodes[c].sibling) {
        soon = soon ? ask_for(t, soon) : 0;
        row_add(table, n->sum, sum_of(t, c));
    }
    return n->sum;
}

/* Folders are no thing of the table's: only what is measured can be said of them. */
static struct value cell_of(struct row_tree *t, uint32_t number, size_t column)
{
    struct row_context *const x = t->context;
    const struct column *c = &t->pane->columns[column];
    const bool is_folder = !t->nodes[number].own;
    if (x->missing >> column & 1 || (is_folder && !c->measure && c->get != get_share))
        return value_absent();
    return c->get(c, sum_of(t, number), x);
}

/* ---- rows ---------------------------------------------------------------------------------- */

static struct row_key key_of(const struct row_tree *t, uint32_t number)
{
    const struct node *n = &t->nodes[number];
    return n->own ? n->own->key : number ? folder_key(n->hash) : (struct row_key){0};
}

static bool comes_before(const struct row_tree *t, const struct sibling *a, const struct sibling *b)
{
    if (a->is_absent != b->is_absent)
        return b->is_absent;
    if (a->begin != b->begin)
        return t->view->request.ascending ? a->begin < b->begin : a->begin > b->begin;
    const char *const texts = t->context->texts->bytes;
    const int by = t->is_text ? text_compare(texts + a->text, a->text_bytes, texts + b->text,
                                             b->text_bytes)
                              : (a->number > b->number) - (a->number < b->number);
    if (by)
        return t->view->request.ascending ? by < 0 : by > 0;
    const struct row_key p = key_of(t, a->node), q = key_of(t, b->node);
    return p.a != q.a ? p.a < q.a : p.b != q.b ? p.b < q.b : p.c < q.c;
}

/* Sorts by merging, which needs the tree: qsort() has no place for it. */
static void sort_siblings(const struct row_tree *t, struct sibling *all, struct sibling *room,
                          size_t count)
{
    if (count < 2)
        return;
    const size_t half = count / 2;
    sort_siblings(t, all, room, half);
    sort_siblings(t, all + half, room, count - half);
    memcpy(room, all, half * sizeof *room);
    size_t low = 0, high = half, to = 0;
    while (low < half)
        all[to++] = high < count && comes_before(t, &all[high], &room[low]) ? all[high++]
                                                                          : room[low++];
}

/* Its first bytes as a number that sorts as text_compare() does. */
static uint64_t begin_of(const char *text, size_t bytes)
{
    uint64_t begin = 0;
    for (size_t i = 0; i < sizeof begin; i++)
        begin = begin << 8 | (i < bytes ? (uint8_t)text_lower(text[i]) : 0);
    return begin;
}

static void set_text(const struct row_tree *t, struct sibling *s, uint32_t text, uint32_t bytes)
{
    s->text = text;
    s->text_bytes = bytes;
    s->begin = begin_of(t->context->texts->bytes + text, bytes);
}

static struct sibling sibling_of(struct row_tree *t, uint32_t top)
{
    const unsigned sort = t->view->request.sort;
    const size_t column = sort < t->pane->column_count ? sort : 0;
    const uint32_t end = chain_end(t, top);
    struct sibling s = {.top = top, .node = end};
    const struct node *n = &t->nodes[top];
    if (&t->pane->columns[column] == t->column) {
        set_text(t, &s, n->text, n->text_bytes);
        return s;
    }
    const struct value v = cell_of(t, end, column);
    s.is_absent = v.type == VALUE_ABSENT;
    if (v.type == VALUE_TEXT || v.type == VALUE_PATH) {
        set_text(t, &s, v.text.offset, v.text.bytes);
    } else {
        s.number = view_number(v);
    }
    return s;
}

static void list_children(struct row_tree *t, uint32_t parent, unsigned level);

static void list_node(struct row_tree *t, const struct sibling *s, struct row_key parent,
                      unsigned level)
{
    if (t->row_count == t->row_room) {
        t->row_room = t->row_room ? t->row_room * 2 : 256;
        t->rows = mem_grow(t->rows, t->row_room, sizeof *t->rows);
    }
    t->rows[t->row_count++] =
        (struct shown){.top = s->top, .node = s->node, .level = level, .parent = parent};
    if (t->nodes[s->node].child && !request_is_folded(&t->view->request, key_of(t, s->node)))
        list_children(t, s->node, level + 1);
}

static void list_children(struct row_tree *t, uint32_t parent, unsigned level)
{
    const size_t first = t->sibling_count, count = t->nodes[parent].children;
    if (!count)
        return;
    if (t->sibling_room < first + 2 * count) {
        t->sibling_room = 2 * (first + 2 * count);
        t->siblings = mem_grow(t->siblings, t->sibling_room, sizeof *t->siblings);
    }
    for (uint32_t n = t->nodes[parent].child; n; n = t->nodes[n].sibling)
        t->siblings[t->sibling_count++] = sibling_of(t, n);
    sort_siblings(t, t->siblings + first, t->siblings + first + count, count);
    for (size_t i = 0; i < count; i++) {
        const struct sibling s = t->siblings[first + i]; /* the stack may move */
        list_node(t, &s, key_of(t, parent), level);
    }
    t->sibling_count = first;
}

/* ---- the frame -------------------------------------------------------------------------------- */

static void append(char *out, size_t room, size_t *used, const char *text, size_t bytes)
{
    const size_t left = room - *used, take = bytes < left ? bytes : left;
    memcpy(out + *used, text, take);
    *used += take;
}

/* "Windows\System32" of a chain; what stands in a folder beside others of it, itself. */
static struct value label_of(const struct row_tree *t, const struct shown *s,
                             const struct value_texts *names, struct value_texts *to)
{
    enum { ROOM = 4096 };
    char text[ROOM];
    size_t used = 0;
    for (uint32_t n = s->top;; n = t->nodes[n].child) {
        const struct node *node = &t->nodes[n];
        if (used && node->text_bytes)
            append(text, ROOM, &used, node->is_slash ? "/" : "\\", 1);
        append(text, ROOM, &used, names->bytes + node->text, node->text_bytes);
        if (n == s->node)
            break;
    }
    if (!used)
        append(text, ROOM, &used, "(itself)", strlen("(itself)"));
    return texts_add(to, VALUE_TEXT, text, used);
}

/* Folders are known by their names alone. */
static unsigned found_flags(const struct row_tree *t, const struct value_texts *names,
                            const struct shown *s)
{
    const struct node *const n = &t->nodes[s->node];
    struct value_texts *const to = t->context->texts;
    if (!finder_is_on(t->view))
        return 0;
    const size_t mark = to->used;
    const struct value name = label_of(t, s, names, to);
    unsigned found = finder_name(t->view, to->bytes + name.text.offset, name.text.bytes);
    to->used = mark;
    if (n->own)
        found |= finder_row(t->view, n->own, t->context);
    return found;
}

static void seek(struct row_tree *t, const struct value_texts *names)
{
    struct view *const v = t->view;
    struct seeking s;
    if (!seek_begin(v, &s))
        return;
    for (size_t i = 0; v->request.has_anchor && i < t->row_count; i++)
        if (row_key_equal(key_of(t, t->rows[i].node), v->request.anchor))
            seek_start(&s, i);
    for (size_t i = 0; i < t->row_count; i++)
        if (found_flags(t, names, &t->rows[i]) & ROW_FOUND)
            seek_row(&s, i, key_of(t, t->rows[i].node));
    seek_end(v, &s);
}

static void fill_row(struct row_tree *t, const struct value_texts *names,
                     struct frame_maker *maker, unsigned at, const struct shown *s)
{
    const size_t columns = t->pane->column_count;
    struct value *cells = maker->cells + at * columns;
    const struct node *n = &t->nodes[s->node];
    const struct row_key key = key_of(t, s->node);
    for (size_t c = 0; c < columns; c++)
        cells[c] = &t->pane->columns[c] == t->column ? label_of(t, s, names, &maker->texts)
                                                     : cell_of(t, s->node, c);
    struct frame_row *row = &maker->rows[at];
    row->key = key;
    row->parent = s->parent;
    row->level = (uint16_t)s->level;
    row->fold = !n->child                                     ? FOLD_NONE
                : request_is_folded(&t->view->request, key) ? FOLD_SHUT
                                                              : FOLD_OPEN;
    row->flags = n->own ? view_row_flags(t->view, n->own, t->context) : 0;
    row->flags |= (uint8_t)found_flags(t, names, s);
    row->rule = n->own ? view_rule_of_row(t->view, n->own, t->context) : 0;
    row->crumb = !n->own                    ? CRUMB_FOLDER
                 : n->own->key.a == ROW_OTHERS ? CRUMB_NONE
                                               : t->pane->crumb;
    if (t->view->request.has_anchor && row_key_equal(key, t->view->request.anchor))
        maker->frame.anchor_row = (int)at;
}

static uint64_t first_row(const struct row_tree *t)
{
    const struct request *r = &t->view->request;
    for (uint64_t i = 0; r->has_anchor && i < t->row_count; i++)
        if (row_key_equal(key_of(t, t->rows[i].node), r->anchor))
            return r->anchor_line > 0 && (uint64_t)r->anchor_line < i
                       ? i - (uint64_t)r->anchor_line
                       : r->anchor_line > 0 ? 0 : i;
    return r->first < t->row_count ? r->first : t->row_count > r->rows ? t->row_count - r->rows : 0;
}

/* Its rows and their sums; what stands below what stays. */
static void forget_figures(struct row_tree *t, const struct table *table)
{
    while (t->summed_count) {
        struct node *const n = &t->nodes[t->summed[--t->summed_count]];
        row_drop(table, n->sum);
        n->sum = NULL;
    }
    t->row_count = 0;
}

static void tree_fini(struct row_tree *t, const struct table *table)
{
    forget_figures(t, table);
    free(t->summed);
    free(t->nodes);
    hash_index_fini(&t->folders);
    free(t->rows);
    free(t->siblings);
}

/* ---- keeping a tree ---------------------------------------------------------------------------- */

/* All that a tree depends on. Rows that are held are never written to: a table that would
 * takes a copy first, and so has another row. */
struct tree_key {
    struct request request; /* less which rows are wanted */
    const struct table *table;
    uint64_t rows, names, owners, missing, facts;
    int64_t now_ns;
    uint32_t filter_serial, interval;
    bool is_frozen;
};

/* What the places of rows below each other depend on, beside the rows. */
struct place_key {
    const struct pane *pane;
    uint64_t names, owners;
    uint8_t paths;
};

struct placed {
    const struct table_row *row; /* perhaps gone by now: only compared */
    struct row_key key;
};

/* The tree of the last frame. Where the picture stands still all of it is kept: who walks through
 * it does not wait for a hundred thousand rows to be added up again. Else its nodes are, as long as
 * the same rows stand in them; others may come behind. */
struct kept_tree {
    struct tree_key key;
    struct row_tree tree;
    struct value_texts texts;  /* that its nodes name */
    struct table layout;       /* of its rows; no rows of its own */
    struct table_row **rows;   /* held; NULL: it is of a picture that runs */
    size_t count;
    struct place_key place;
    struct placed *placed;     /* in their order */
    size_t placed_count, placed_room;
};

static void let_go(struct kept_tree *k)
{
    for (size_t i = 0; k->rows && i < k->count; i++)
        row_drop(&k->layout, k->rows[i]);
    free(k->rows);
    k->rows = NULL;
    k->count = 0;
}

void view_tree_drop(struct view *v)
{
    struct kept_tree *const k = v->kept_tree;
    v->kept_tree = NULL;
    if (!k)
        return;
    tree_fini(&k->tree, &k->layout);
    let_go(k);
    free(k->placed);
    free(k->texts.bytes);
    free(k);
}

static void make_key(struct tree_key *key, const struct view *v, const struct row_context *x,
                     struct table_row *const *rows, size_t count)
{
    memset(key, 0, sizeof *key); /* compared as bytes */
    memcpy(&key->request, &v->request, sizeof key->request);
    struct request *const r = &key->request;
    r->sequence = r->first = 0;
    memset(r->find, 0, sizeof r->find);
    memset(r->tag, 0, sizeof r->tag);
    r->seek = SEEK_NOT;
    r->rows = 0;
    r->has_anchor = false;
    r->anchor_line = 0;
    memset(&r->anchor, 0, sizeof r->anchor);
    key->table = x->table;
    key->rows = count;
    for (size_t i = 0; i < count; i++)
        key->rows = hash_mix(key->rows ^ (uintptr_t)rows[i]);
    key->names = v->model->late_names;
    key->owners = v->model->attributions + v->model->merges;
    key->missing = x->missing;
    key->facts = view_dataset(v)->facts.end;
    key->now_ns = x->now_ns;
    key->filter_serial = v->filter_serial;
    key->interval = x->table->interval;
    key->is_frozen = v->is_frozen;
}

/* Of what runs no figures are kept: every row would have to be copied when it changes. */
static bool stands_still(const struct view *v)
{
    return (v->is_frozen || v->is_finished) && view_is_complete(v) && !v->has_unmatched;
}

static struct kept_tree *kept_new(const struct view *v, const struct table *table)
{
    struct kept_tree *const k = mem_new(1, sizeof *k);
    const struct pane *const p = v->request.pane;
    k->layout = *table;
    k->tree.pane = p;
    k->tree.column = pane_column(p, p->tree);
    tree_node_add(&k->tree, 0);
    return k;
}

static struct place_key place_of(const struct view *v, const struct row_context *x)
{
    return (struct place_key){
        .pane = v->request.pane,
        .names = v->model->late_names,
        .owners = v->model->attributions + v->model->merges,
        .paths = x->paths,
    };
}

/* Would the rows of the tree get the same places now? The parent of a process may become known at
 * any time. */
static bool is_still_placed(const struct kept_tree *k, const struct place_key *now,
                            struct table_row *const *rows, size_t count)
{
    const struct place_key *const was = &k->place;
    if (k->tree.column->type != VALUE_PATH || was->pane != now->pane || was->names != now->names ||
        was->owners != now->owners || was->paths != now->paths || count < k->placed_count)
        return false;
    for (size_t i = 0; i < k->placed_count; i++)
        if (rows[i] != k->placed[i].row || !row_key_equal(rows[i]->key, k->placed[i].key))
            return false;
    return true;
}

static void note_placed(struct kept_tree *k, struct table_row *const *rows, size_t count)
{
    if (k->placed_room < count) {
        k->placed_room = count + count / 2;
        k->placed = mem_grow(k->placed, k->placed_room, sizeof *k->placed);
    }
    for (; k->placed_count < count; k->placed_count++)
        k->placed[k->placed_count] =
            (struct placed){rows[k->placed_count], rows[k->placed_count]->key};
}

/* A tree of these rows, made of the last one where that is possible. */
static struct kept_tree *tree_make(struct view *v, struct row_context *x,
                                   struct table_row *const *rows, size_t count)
{
    const struct pane *p = v->request.pane;
    const unsigned sort = v->request.sort < p->column_count ? v->request.sort : 0;
    const uint8_t type = p->columns[sort].type;
    const struct place_key place = place_of(v, x);
    if (v->kept_tree && !is_still_placed(v->kept_tree, &place, rows, count))
        view_tree_drop(v);
    struct kept_tree *const k = v->kept_tree ? v->kept_tree : kept_new(v, x->table);
    struct row_tree *const t = &k->tree;
    forget_figures(t, &k->layout);
    let_go(k);
    k->place = place;
    x->texts = &k->texts;
    t->view = v;
    t->context = x;
    t->is_text = type == VALUE_TEXT || type == VALUE_PATH;
    if (t->column->type == VALUE_PATH)
        tree_add_paths(t, rows + k->placed_count, count - k->placed_count);
    else
        tree_add_processes(t, rows, count);
    note_placed(k, rows, count);
    const size_t texts = k->texts.used;
    list_children(t, 0, 0);
    k->texts.used = texts; /* drops the texts that only the sorting needed */
    return k;
}

static void hold_rows(struct kept_tree *k, struct table_row *const *rows, size_t count)
{
    k->rows = mem_new(count + 1, sizeof *k->rows);
    k->count = count;
    for (size_t i = 0; i < count; i++) {
        k->rows[i] = rows[i];
        rows[i]->holders++;
    }
}

/* ---- the frame as a whole -------------------------------------------------------------------------- */

void view_fill_tree(struct view *v, struct frame_maker *maker, struct row_context *x,
                    struct table_row *const *rows, size_t count)
{
    const struct pane *p = v->request.pane;
    struct tree_key key;
    make_key(&key, v, x, rows, count);
    const bool is_same = v->kept_tree && v->kept_tree->rows && stands_still(v) &&
                         memcmp(&key, &v->kept_tree->key, sizeof key) == 0;
    struct kept_tree *const k = is_same ? v->kept_tree : tree_make(v, x, rows, count);
    struct row_tree *const t = &k->tree;
    t->context = x;
    x->texts = &maker->texts;
    seek(t, &k->texts);
    const uint64_t first = first_row(t), left = t->row_count - first;
    const unsigned shown = (unsigned)(left < v->request.rows ? left : v->request.rows);
    for (unsigned i = 0; i < shown; i++)
        fill_row(t, &k->texts, maker, i, &t->rows[first + i]);
    maker->frame.first = first;
    maker->frame.shown = t->row_count;
    maker->frame.row_count = shown;
    maker->frame.is_tree = true;
    maker->frame.tree_column = (unsigned)(t->column - p->columns);
    if (!is_same && stands_still(v)) {
        memcpy(&k->key, &key, sizeof key);
        hold_rows(k, rows, count);
    }
    v->kept_tree = k;
}

/* Rows of a table as a tree: files and keys by their paths, processes by who started them.
 *
 * It is made anew for every frame, of the rows that pass, unless nothing can have changed
 * (struct kept_tree): so a filter keeps what stands above
 * a row that passes, and every row shows the sum of what stands below it and is shown. A
 * chain of folders that hold nothing but each other is one row. Rows of a table are leaves;
 * among processes, nodes. */
#include "src/mem.h"
#include "src/text.h"
#include "src/view_find.h"

#include <stdlib.h>
#include <string.h>

/* Deeper ones stand beside: recursion must end, and nobody could read it. */
enum { DEEPEST = 64 };

/* Marks keys of folders: rows of paths leave that part of their key 0. */
static const uint32_t FOLDER = 0x80000000u;

struct node {
    uint32_t parent, child, sibling; /* 0 = none; [0] is the root */
    uint32_t children, depth;
    const struct table_row *own;
    struct table_row *sum;     /* own and everything below; made when it is asked for */
    uint64_t hash;             /* of the path up to here */
    uint32_t text, text_bytes; /* its part of the path, in the scratch arena */
    bool is_slash;             /* parts are joined by '/' */
};

/* A row to show. `top` is the upper end of a chain of folders that are one row. */
struct shown {
    uint32_t top, node;
    unsigned level;
    struct row_key parent;
};

/* A sibling with what it is sorted by. */
struct sibling {
    uint32_t top, node;
    double number;
    uint32_t text, text_bytes;
    bool is_absent;
};

struct row_tree {
    struct view *view;
    struct row_context *context;
    const struct pane *pane;
    const struct column *column; /* that the tree stands in */
    struct node *nodes;
    uint32_t count, room;
    uint32_t *slots; /* open addressing over nodes by hash */
    uint32_t mask;
    struct shown *rows;
    size_t row_count, row_room;
    struct sibling *siblings; /* a stack: of each open node, its children */
    size_t sibling_count, sibling_room;
    bool is_text; /* what rows are sorted by */
};

/* ---- paths ------------------------------------------------------------------------- */

/* Case does not tell folders apart: names come as programs wrote them. */
static uint64_t hash_part(uint64_t above, const char *part, size_t bytes)
{
    uint64_t h = above ^ 0x9e3779b97f4a7c15u;
    for (size_t i = 0; i < bytes; i++)
        h = (h ^ (uint8_t)text_lower(part[i])) * 0x100000001b3u;
    return hash_mix(h);
}

static struct row_key folder_key(uint64_t hash)
{
    return (struct row_key){(uint32_t)(hash >> 32), (uint32_t)hash, FOLDER};
}

static char separator_of(const char *path, size_t bytes)
{
    return bytes && path[0] == '/' ? '/' : '\\';
}

/* The next part of the path at *at, without separators; 0 bytes = there is no more. */
static size_t next_part(const char *path, size_t bytes, char separator, size_t *at)
{
    while (*at < bytes && path[*at] == separator)
        ++*at;
    const char *const end = *at < bytes ? memchr(path + *at, separator, bytes - *at) : NULL;
    return end ? (size_t)(end - path) - *at : bytes - *at;
}

/* ---- growing --------------------------------------------------------------------------- */

static uint32_t node_add(struct row_tree *t, uint32_t parent)
{
    if (t->count == t->room) {
        t->room = t->room ? t->room * 2 : 256;
        t->nodes = mem_grow(t->nodes, t->room, sizeof *t->nodes);
    }
    const uint32_t number = t->count++;
    struct node *p = &t->nodes[parent];
    t->nodes[number] = (struct node){.parent = parent};
    if (number) {
        t->nodes[number].depth = p->depth + 1;
        t->nodes[number].sibling = p->child;
        p->child = number;
        p->children++;
    }
    return number;
}

static void rehash(struct row_tree *t)
{
    t->mask = t->mask ? t->mask * 2 + 1 : 1023;
    free(t->slots);
    t->slots = mem_new((size_t)t->mask + 1, sizeof *t->slots);
    for (uint32_t n = 1; n < t->count; n++) {
        if (t->nodes[n].own)
            continue;
        uint64_t i = t->nodes[n].hash & t->mask;
        while (t->slots[i])
            i = (i + 1) & t->mask;
        t->slots[i] = n;
    }
}

static uint32_t folder_of(struct row_tree *t, uint32_t parent, uint64_t hash)
{
    if (t->count >= t->mask / 2)
        rehash(t);
    uint64_t i = hash & t->mask;
    for (; t->slots[i]; i = (i + 1) & t->mask)
        if (t->nodes[t->slots[i]].hash == hash)
            return t->slots[i];
    const uint32_t number = node_add(t, parent);
    t->nodes[number].hash = hash;
    t->slots[i] = number;
    return number;
}

/* Stands the row under the folder that its whole path names. */
static void add_path(struct row_tree *t, const struct table_row *r)
{
    struct row_context *const x = t->context;
    const struct value v = t->column->get(t->column, r, x);
    uint32_t at_node = 0;
    if (v.type == VALUE_PATH) {
        size_t at = 0, bytes;
        uint64_t hash = 0;
        const char separator = separator_of(x->texts->texts + v.text.offset, v.text.bytes);
        for (;;) {
            const char *const path = x->texts->texts + v.text.offset;
            bytes = next_part(path, v.text.bytes, separator, &at);
            if (t->nodes[at_node].depth + 1 >= DEEPEST)
                bytes = v.text.bytes - at;
            if (!bytes)
                break;
            hash = hash_part(hash, path + at, bytes);
            at_node = folder_of(t, at_node, hash);
            struct node *n = &t->nodes[at_node];
            n->is_slash = separator == '/';
            n->text = v.text.offset + (uint32_t)at;
            n->text_bytes = (uint32_t)bytes;
            at += bytes;
        }
    }
    const uint32_t leaf = node_add(t, at_node);
    t->nodes[leaf].own = r;
    if (v.type == VALUE_TEXT) {
        t->nodes[leaf].text = v.text.offset;
        t->nodes[leaf].text_bytes = v.text.bytes;
    }
}

static void add_paths(struct row_tree *t, struct table_row *const *rows, size_t count)
{
    rehash(t);
    for (size_t i = 0; i < count; i++)
        add_path(t, rows[i]);
}

/* ---- parents ---------------------------------------------------------------------------- */

/* Who started a process: as its start told, or the one that has the parent's id, unless that
 * began after it. */
uint32_t view_parent_of(const struct model *m, uint32_t number)
{
    const struct process *p = model_process_at(m, number);
    if (!p || p->parent || !p->pid)
        return p ? p->parent : 0;
    const uint32_t parent =
        map_get(&m->process_now, (uint64_t)p->source << 32 | p->parent_pid);
    const struct process *q = model_process_at(m, parent);
    const int64_t begun = p->start_ns ? p->start_ns : p->first_ns;
    if (!q || !q->pid || parent == number || (q->start_ns && q->start_ns > begun))
        return 0;
    return parent;
}

static void hang(struct row_tree *t, uint32_t number, uint32_t parent)
{
    struct node *p = &t->nodes[parent], *n = &t->nodes[number];
    n->parent = parent;
    n->sibling = p->child;
    p->child = number;
    p->children++;
}

/* No way up from here leads back to here, nor is it too long. */
static bool may_hang(const struct row_tree *t, const uint32_t *above, uint32_t number)
{
    unsigned steps = 0;
    for (uint32_t n = above[number]; n; n = above[n])
        if (n == number || ++steps >= DEEPEST)
            return false;
    return t->count > 0;
}

static void add_processes(struct row_tree *t, struct table_row *const *rows, size_t count)
{
    struct map nodes;
    map_init(&nodes);
    const size_t room = count + 1;
    if (t->room < room)
        t->nodes = mem_grow(t->nodes, t->room = (uint32_t)room, sizeof *t->nodes);
    uint32_t *const above = mem_new(room, sizeof *above);
    for (size_t i = 0; i < count; i++) {
        const uint32_t n = t->count++;
        t->nodes[n] = (struct node){.own = rows[i]};
        const struct value v = t->column->get(t->column, rows[i], t->context);
        t->nodes[n].text = v.text.offset;
        t->nodes[n].text_bytes = v.type == VALUE_TEXT ? v.text.bytes : 0;
        if (rows[i]->key.a)
            map_put(&nodes, rows[i]->key.a, n);
    }
    const struct model *m = t->context->model;
    for (uint32_t n = 1; n < t->count; n++) {
        const uint32_t parent = view_parent_of(m, t->nodes[n].own->key.a);
        above[n] = parent ? map_get(&nodes, parent) : 0;
    }
    for (uint32_t n = 1; n < t->count; n++)
        if (!may_hang(t, above, n))
            above[n] = 0;
    for (uint32_t n = 1; n < t->count; n++)
        hang(t, n, above[n]);
    free(above);
    map_fini(&nodes);
}

/* ---- sums -------------------------------------------------------------------------------- */

static const struct table_row *sum_of(struct row_tree *t, uint32_t number)
{
    struct node *n = &t->nodes[number];
    if (!n->child)
        return n->own;
    if (n->sum)
        return n->sum;
    const struct table *table = t->context->table;
    n->sum = row_new(table, n->own ? n->own->key : folder_key(n->hash));
    if (n->own)
        row_add(table, n->sum, n->own);
    for (uint32_t c = n->child; c; c = t->nodes[c].sibling)
        row_add(table, n->sum, sum_of(t, c));
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

/* The lower end of the chain that begins here: a folder that branches, or a row. */
static uint32_t chain_end(const struct row_tree *t, uint32_t number)
{
    while (!t->nodes[number].own && t->nodes[number].children == 1)
        number = t->nodes[number].child;
    return number;
}

static bool comes_before(const struct row_tree *t, const struct sibling *a, const struct sibling *b)
{
    if (a->is_absent != b->is_absent)
        return b->is_absent;
    const char *const texts = t->context->texts->texts;
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

static struct sibling sibling_of(struct row_tree *t, uint32_t top)
{
    const unsigned sort = t->view->request.sort;
    const size_t column = sort < t->pane->column_count ? sort : 0;
    const uint32_t end = chain_end(t, top);
    struct sibling s = {.top = top, .node = end};
    const struct node *n = &t->nodes[top];
    if (&t->pane->columns[column] == t->column) {
        s.text = n->text;
        s.text_bytes = n->text_bytes;
        return s;
    }
    const struct value v = cell_of(t, end, column);
    s.is_absent = v.type == VALUE_ABSENT;
    if (v.type == VALUE_TEXT || v.type == VALUE_PATH) {
        s.text = v.text.offset;
        s.text_bytes = v.text.bytes;
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
                             const struct frame_maker *scratch, struct frame_maker *to)
{
    enum { ROOM = 4096 };
    char text[ROOM];
    size_t used = 0;
    for (uint32_t n = s->top;; n = t->nodes[n].child) {
        const struct node *node = &t->nodes[n];
        if (used && node->text_bytes)
            append(text, ROOM, &used, node->is_slash ? "/" : "\\", 1);
        append(text, ROOM, &used, scratch->texts + node->text, node->text_bytes);
        if (n == s->node)
            break;
    }
    if (!used)
        append(text, ROOM, &used, "(itself)", strlen("(itself)"));
    return maker_text(to, VALUE_TEXT, text, used);
}

/* Folders are known by their names alone. */
static unsigned found_flags(const struct row_tree *t, const struct frame_maker *scratch,
                            const struct shown *s)
{
    const struct node *const n = &t->nodes[s->node];
    struct frame_maker *const to = t->context->texts;
    if (!finder_is_on(t->view))
        return 0;
    const size_t mark = to->text_bytes;
    const struct value name = label_of(t, s, scratch, to);
    unsigned found = finder_name(t->view, to->texts + name.text.offset, name.text.bytes);
    to->text_bytes = mark;
    if (n->own)
        found |= finder_row(t->view, n->own, t->context);
    return found;
}

static void seek(struct row_tree *t, const struct frame_maker *scratch)
{
    struct view *const v = t->view;
    struct seeking s;
    if (!seek_begin(v, &s))
        return;
    for (size_t i = 0; v->request.has_anchor && i < t->row_count; i++)
        if (row_key_equal(key_of(t, t->rows[i].node), v->request.anchor))
            seek_start(&s, i);
    for (size_t i = 0; i < t->row_count; i++)
        if (found_flags(t, scratch, &t->rows[i]) & ROW_FOUND)
            seek_row(&s, i, key_of(t, t->rows[i].node));
    seek_end(v, &s);
}

static void fill_row(struct row_tree *t, const struct frame_maker *scratch,
                     struct frame_maker *maker, unsigned at, const struct shown *s)
{
    const size_t columns = t->pane->column_count;
    struct value *cells = maker->cells + at * columns;
    const struct node *n = &t->nodes[s->node];
    const struct row_key key = key_of(t, s->node);
    for (size_t c = 0; c < columns; c++)
        cells[c] = &t->pane->columns[c] == t->column ? label_of(t, s, scratch, maker)
                                                     : cell_of(t, s->node, c);
    struct frame_row *row = &maker->rows[at];
    row->key = key;
    row->parent = s->parent;
    row->level = (uint16_t)s->level;
    row->fold = !n->child                                     ? FOLD_NONE
                : request_is_folded(&t->view->request, key) ? FOLD_SHUT
                                                              : FOLD_OPEN;
    row->flags = n->own ? view_row_flags(t->view, n->own, t->context->now_ns) : 0;
    row->flags |= (uint8_t)found_flags(t, scratch, s);
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

static void tree_fini(struct row_tree *t, const struct table *table)
{
    for (uint32_t n = 0; n < t->count; n++)
        row_drop(table, t->nodes[n].sum);
    free(t->nodes);
    free(t->slots);
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

/* The tree of the last frame of a picture that stands still: who walks through it does not
 * wait for a hundred thousand rows to be added up again. */
struct kept_tree {
    struct tree_key key;
    struct row_tree tree;
    struct frame_maker texts;  /* that its nodes name */
    struct table layout;       /* of its rows; no rows of its own */
    struct table_row **rows;   /* held */
    size_t count;
};

void view_tree_drop(struct view *v)
{
    struct kept_tree *const k = v->kept_tree;
    v->kept_tree = NULL;
    if (!k)
        return;
    tree_fini(&k->tree, &k->layout);
    for (size_t i = 0; i < k->count; i++)
        row_drop(&k->layout, k->rows[i]);
    free(k->rows);
    frame_free(maker_take(&k->texts));
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
    key->facts = view_world(v)->facts.end;
    key->now_ns = x->now_ns;
    key->filter_serial = v->filter_serial;
    key->interval = x->table->interval;
    key->is_frozen = v->is_frozen;
}

/* Of what runs no tree is kept: every row would have to be copied when it changes. */
static bool stands_still(const struct view *v)
{
    return (v->is_frozen || v->is_finished) && view_is_complete(v) && !v->has_unjudged;
}

static struct kept_tree *tree_make(struct view *v, struct row_context *x,
                                   struct table_row *const *rows, size_t count)
{
    const struct pane *p = v->request.pane;
    const unsigned sort = v->request.sort < p->column_count ? v->request.sort : 0;
    const uint8_t type = p->columns[sort].type;
    struct kept_tree *const k = mem_new(1, sizeof *k);
    struct row_tree *const t = &k->tree;
    maker_init(&k->texts, 1, p->column_count);
    k->layout = *x->table;
    x->texts = &k->texts;
    *t = (struct row_tree){.view = v, .context = x, .pane = p};
    t->column = pane_column(p, p->tree);
    t->is_text = type == VALUE_TEXT || type == VALUE_PATH;
    node_add(t, 0);
    if (t->column->type == VALUE_PATH)
        add_paths(t, rows, count);
    else
        add_processes(t, rows, count);
    list_children(t, 0, 0);
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
    if (v->kept_tree && (!stands_still(v) || memcmp(&key, &v->kept_tree->key, sizeof key) != 0))
        view_tree_drop(v);
    struct kept_tree *const k = v->kept_tree ? v->kept_tree : tree_make(v, x, rows, count);
    struct row_tree *const t = &k->tree;
    t->context = x;
    x->texts = maker;
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
    if (!v->kept_tree && stands_still(v)) {
        memcpy(&k->key, &key, sizeof key);
        hold_rows(k, rows, count);
    }
    const bool is_kept = k->rows != NULL;
    v->kept_tree = k;
    if (!is_kept)
        view_tree_drop(v);
}

/* ---- folders as crumbs --------------------------------------------------------------------------- */

/* Verdicts on things by number, direct-mapped: a collision costs a second look. */
enum { VERDICTS = 8192 };

struct verdict {
    uint32_t number;
    bool is_known, is_in;
};

struct folder {
    struct row_key key;
    struct verdict verdicts[VERDICTS];
    char *path; /* of the folder, once something in it was met */
};

void view_folders_clear(struct view *v)
{
    for (unsigned i = 0; i < CRUMBS_MAX; i++) {
        if (v->folders[i])
            free(v->folders[i]->path);
        free(v->folders[i]);
        v->folders[i] = NULL;
    }
}

/* Bytes of the path that name the folder; 0 = the path leads elsewhere. */
static size_t bytes_inside(struct row_key key, const char *path)
{
    const size_t whole = strlen(path);
    const char separator = separator_of(path, whole);
    size_t at = 0, bytes;
    uint64_t hash = 0;
    while ((bytes = next_part(path, whole, separator, &at)) > 0) {
        hash = hash_part(hash, path + at, bytes);
        at += bytes;
        if (row_key_equal(folder_key(hash), key))
            return at;
    }
    return 0;
}

bool view_folder_passes(struct view *v, unsigned crumb, const struct fact *f)
{
    struct folder **const place = &v->folders[crumb];
    if (!*place)
        *place = mem_new(1, sizeof **place);
    struct folder *const folder = *place;
    folder->key = v->request.crumbs[crumb].key;
    struct verdict *known = &folder->verdicts[f->entity % VERDICTS];
    if (known->is_known && known->number == f->entity)
        return known->is_in;
    /* The tree may have been made of either kind of path. */
    char room[4096];
    const struct file *file = model_file_at(v->model, f->entity);
    const char *path = model_path(v->model, file, room, sizeof room);
    size_t bytes = path ? bytes_inside(folder->key, path) : 0;
    if (path && !bytes && path != file->name)
        bytes = bytes_inside(folder->key, path = file->name);
    *known = (struct verdict){f->entity, true, bytes > 0};
    if (bytes && !folder->path) {
        folder->path = mem_copy(path, bytes + 1);
        folder->path[bytes] = '\0';
    }
    return bytes > 0;
}

const char *view_folder_name(const struct view *v, unsigned crumb)
{
    const struct folder *folder = v->folders[crumb];
    return folder && folder->path ? folder->path : "(folder)";
}

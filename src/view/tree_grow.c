/* How rows come to stand below each other in a tree: by their paths, or by who started them. */
#include "src/base/map.h"
#include "src/base/mem.h"
#include "src/base/text.h"
#include "src/view/folder.h"
#include "src/view/inside.h"
#include "src/view/tree.h"

#include <stdlib.h>
#include <string.h>

/* Deeper ones stand beside: recursion must end, and nobody could read it. */
enum { DEEPEST = 64 };

/* ---- nodes ----------------------------------------------------------------------------- */

uint32_t tree_node_add(struct row_tree *t, uint32_t parent)
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

static uint64_t hash_of_folder(const void *nodes, uint32_t number)
{
    return ((const struct node *)nodes)[number].hash;
}

static uint32_t folder_of(struct row_tree *t, uint32_t parent, uint64_t hash)
{
    uint32_t at = hash_index_first(&t->folders, hash);
    for (uint32_t known; (known = t->folders.numbers[at]); at = hash_index_next(&t->folders, at))
        if (t->nodes[known].hash == hash)
            return known;
    const uint32_t number = tree_node_add(t, parent);
    t->nodes[number].hash = hash;
    hash_index_put(&t->folders, at, number, hash_of_folder, t->nodes);
    return number;
}

/* The folders on the way to the last row: the next one often lies in the same. */
struct trail {
    uint32_t text, text_bytes; /* the path */
    unsigned parts;
    struct {
        size_t end; /* behind the part */
        uint64_t hash;
        uint32_t node;
    } of[DEEPEST];
};

/* How many parts, from the root on, the path has in common with the last one. */
static unsigned parts_shared(const struct trail *l, const char *texts, struct value v)
{
    const char *const a = texts + l->text, *const b = texts + v.text.offset;
    const size_t most = l->text_bytes < v.text.bytes ? l->text_bytes : v.text.bytes;
    size_t same = 0;
    unsigned parts = 0;
    while (same < most && a[same] == b[same])
        same++;
    while (parts < l->parts && l->of[parts].end < same) /* the separator behind it, too */
        parts++;
    return parts;
}

/* The folder that the whole path names. */
static uint32_t folder_at(struct row_tree *t, struct trail *l, struct value v)
{
    const char *const texts = t->context->texts->bytes, *const path = texts + v.text.offset;
    const char separator = path_separator(path, v.text.bytes);
    unsigned parts = parts_shared(l, texts, v);
    uint64_t hash = parts ? l->of[parts - 1].hash : 0;
    uint32_t node = parts ? l->of[parts - 1].node : 0;
    size_t at = parts ? l->of[parts - 1].end : 0;
    for (; parts < DEEPEST; parts++) {
        size_t bytes = path_next_part(path, v.text.bytes, separator, &at);
        if (t->nodes[node].depth + 1 >= DEEPEST)
            bytes = v.text.bytes - at;
        if (!bytes)
            break;
        hash = folder_hash(hash, path + at, bytes);
        node = folder_of(t, node, hash);
        struct node *n = &t->nodes[node];
        n->is_slash = separator == '/';
        n->text = v.text.offset + (uint32_t)at;
        n->text_bytes = (uint32_t)bytes;
        at += bytes;
        l->of[parts].end = at;
        l->of[parts].hash = hash;
        l->of[parts].node = node;
    }
    l->text = v.text.offset;
    l->text_bytes = v.text.bytes;
    l->parts = parts;
    return node;
}

/* Stands the row under the folder that its whole path names. */
static void add_path(struct row_tree *t, struct trail *l, const struct table_row *r)
{
    const struct value v = t->column->get(t->column, r, t->context);
    const uint32_t folder = v.type == VALUE_PATH ? folder_at(t, l, v) : 0;
    const uint32_t leaf = tree_node_add(t, folder);
    t->nodes[leaf].own = r;
    if (v.type == VALUE_TEXT) {
        t->nodes[leaf].text = v.text.offset;
        t->nodes[leaf].text_bytes = v.text.bytes;
    }
}

void tree_add_paths(struct row_tree *t, struct table_row *const *rows, size_t count)
{
    struct trail last = {.parts = 0};
    /* every row and its file, and some folders */
    const uint32_t room = t->count + 2 * (uint32_t)count + 2;
    if (t->room < room && count)
        t->nodes = mem_grow(t->nodes, t->room = room + room / 8, sizeof *t->nodes);
    if (!t->folders.numbers)
        hash_index_init(&t->folders, 512);
    for (size_t i = 0; i < count; i++)
        add_path(t, &last, rows[i]);
}

/* ---- parents ---------------------------------------------------------------------------- */

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

void tree_add_processes(struct row_tree *t, struct table_row *const *rows, size_t count)
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
        const uint32_t parent = model_parent_of(m, t->nodes[n].own->key.a);
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

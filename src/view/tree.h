/* Inside of rows as a tree: its nodes, which tree_grow.c makes of the rows that pass, and
 * what tree.c shows of them. Engine thread only. */
#ifndef SRC_VIEW_TREE_H
#define SRC_VIEW_TREE_H

#include "src/base/hash_index.h"
#include "src/view/inside.h"

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

struct row_tree {
    struct view *view;
    struct row_context *context;
    const struct pane *pane;
    const struct column *column; /* that the tree stands in */
    struct node *nodes;
    uint32_t count, room;
    struct hash_index folders; /* nodes that are folders, by the hash of their path */
    uint32_t *summed; /* nodes that have a sum */
    size_t summed_count, summed_room;
    struct shown *rows;
    size_t row_count, row_room;
    struct sibling *siblings; /* a stack: of each open node, its children */
    size_t sibling_count, sibling_room;
    bool is_text; /* what rows are sorted by */
};

/* A node under another one; the first of all is the root, under itself. */
uint32_t tree_node_add(struct row_tree *t, uint32_t parent);

/* Stands the rows below each other: by the paths in the tree's column, or as processes below their
 * parents. There is a root; rows with paths may come to others. */
void tree_add_paths(struct row_tree *t, struct table_row *const *rows, size_t count);
void tree_add_processes(struct row_tree *t, struct table_row *const *rows, size_t count);

#endif

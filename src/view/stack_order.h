/* In which order the children of a call tree's node stand: there may be hundreds of thousands of
 * them, and they are sorted anew for every frame. */
#ifndef SRC_VIEW_STACK_ORDER_H
#define SRC_VIEW_STACK_ORDER_H

#include "src/view/stack_tree.h"

/* A child with what it is sorted by. */
struct stack_child {
    uint32_t node;
    uint64_t number; /* its figure, or the rank of its module's name; then, where in it: */
    uint64_t at;
};

/* Upwards. */
void stack_order_sort(struct stack_child *from, size_t count);

/* Fills *ranks, which is initialized, for the modules of all nodes: the rank of their names, from 1
 * on; equal names have equal ranks. Names are compared once, and then are numbers. */
void stack_order_rank(struct map *ranks, const struct model *m, const struct stack_tree *t);

#endif

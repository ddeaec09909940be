/* What a call tree is counted in: every distinct stack that was met with its weight and the nodes
 * it belongs to; the nodes of one shape of tree. A fact costs one look-up and one addition;
 * nodes are summed up when somebody looks (stack_tree_sum()). Engine's thread. */
#ifndef SRC_VIEW_STACK_TREE_H
#define SRC_VIEW_STACK_TREE_H

#include "src/base/hash_index.h"
#include "src/base/map.h"
#include "src/view/stack_path.h"

/* Nodes beyond this count in their parent: of a screen, and of an answer that is a whole tree. */
enum { TREE_NODES = 1 << 18, TREE_NODES_WHOLE = 1 << 23 };

/* A frame is known by its function, or by its address where it has no name. */
struct tree_node {
    uint32_t parent, child, sibling; /* 0 = none; [0] is the root; parents come first */
    struct site site;                /* of the first stack that came here */
    uint64_t count, self;
    struct row_key key; /* by path: the same in every scan */
};

/* A distinct stack. */
struct tree_stack {
    uint64_t weight;
    uint32_t ref, refs; /* its nodes: refs[ref …]; the first is that of its innermost frame */
    bool is_out;        /* the look drops it */
    bool is_cut;        /* no room for all of its frames: it counts where they end */
};

struct tree_term {
    struct site site;
    bool is_known, of_module, drops;
};

struct stack_tree {
    struct stack_look look;
    struct row_key root;
    struct tree_node *nodes;
    uint32_t count, room;
    struct hash_index index; /* of nodes by parent and frame */
    struct map numbers;      /* stack and state → index into stacks + 1 */
    struct tree_stack *stacks;
    uint32_t stack_count, stack_room;
    uint32_t *refs;
    uint32_t ref_count, ref_room;
    struct tree_term terms[STACK_TERMS], focus;

    uint64_t without;    /* weight that has no stack … */
    uint64_t all;        /* … that has one and is kept; of those without frames: nodes[0].self */
    uint64_t hidden;     /* that is dropped */
    uint64_t cut;        /* of `all`: of stacks that are not there in full depth */
    bool is_summed;      /* all, hidden, cut and the nodes' figures are those of the stacks */
    uint64_t unresolved; /* frames and stacks that later news may explain */
    uint64_t unnamed;    /* frames whose names the worker looks for … */
    uint64_t nameless;   /* … and those without one, whose image may get a build later */
};

void stack_tree_init(struct stack_tree *t);
void stack_tree_fini(struct stack_tree *t);

/* Empties it for another look; terms and focus are the caller's to fill in. */
void stack_tree_clear(struct stack_tree *t, const struct stack_look *look);

/* Where a stack that has not been met before belongs. */
void stack_tree_place(struct stack_tree *t, struct tree_stack *s, const struct path_step *steps,
                      unsigned count);

/* The number of a stack (the model's number, and what its thread did, above it), + 1; 0 where it
 * has not been met. */
static inline uint32_t stack_tree_known(const struct stack_tree *t, uint64_t stack)
{
    return map_get(&t->numbers, stack);
}

/* A stack that has not been met. The pointer is good until the next one. */
struct tree_stack *stack_tree_add(struct stack_tree *t, uint64_t stack);

void stack_tree_sum(struct stack_tree *t);

#endif

#include "src/view/stack_tree.h"

#include "src/base/mem.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_ROOM = 1024 };

void stack_tree_init(struct stack_tree *t)
{
    t->room = FIRST_ROOM;
    t->nodes = mem_new(t->room, sizeof *t->nodes);
    t->count = 1;
    hash_index_init(&t->index, t->room);
    map_init(&t->numbers);
}

void stack_tree_fini(struct stack_tree *t)
{
    free(t->nodes);
    hash_index_fini(&t->index);
    free(t->stacks);
    free(t->refs);
    map_fini(&t->numbers);
}

void stack_tree_clear(struct stack_tree *t, const struct stack_look *look)
{
    t->look = *look;
    t->root = path_root(look->shape, look->fold);
    t->count = 1;
    t->nodes[0] = (struct tree_node){.key = t->root};
    hash_index_clear(&t->index);
    map_fini(&t->numbers);
    map_init(&t->numbers);
    t->stack_count = t->ref_count = 0;
    t->without = t->all = t->hidden = t->cut = t->unresolved = t->unnamed = t->nameless = 0;
    t->is_summed = true;
    memset(t->terms, 0, sizeof t->terms);
    memset(&t->focus, 0, sizeof t->focus);
}

/* ---- nodes --------------------------------------------------------------------------------- */

static uint64_t node_hash(uint32_t parent, const struct site *s)
{
    return hash_mix(hash_mix(site_id(s) ^ (uint64_t)s->module << 40) + parent) >> 20;
}

static uint64_t hash_of_node(const void *nodes, uint32_t number)
{
    const struct tree_node *const n = (const struct tree_node *)nodes + number;
    return node_hash(n->parent, &n->site);
}

static uint32_t node_add(struct stack_tree *t, uint32_t parent, const struct site *site)
{
    if (t->count == t->room) {
        t->room *= 2;
        t->nodes = mem_grow(t->nodes, t->room, sizeof *t->nodes);
    }
    const uint32_t number = t->count++;
    struct tree_node *p = &t->nodes[parent];
    t->nodes[number] = (struct tree_node){
        .parent = parent, .sibling = p->child, .site = *site, .key = path_key(p->key, site)};
    p->child = number;
    return number;
}

/* The child of `parent` for this frame; the parent itself when there is no more room. */
static uint32_t node_of(struct stack_tree *t, struct tree_stack *s, uint32_t parent,
                        const struct site *site)
{
    uint32_t at = hash_index_first(&t->index, node_hash(parent, site));
    for (uint32_t known; (known = t->index.numbers[at]); at = hash_index_next(&t->index, at)) {
        const struct tree_node *const n = &t->nodes[known];
        if (n->parent == parent && site_is(&n->site, site))
            return known;
    }
    if (t->count == (t->look.is_whole ? TREE_NODES_WHOLE : TREE_NODES)) {
        s->is_cut = true;
        return parent;
    }
    const uint32_t number = node_add(t, parent, site);
    hash_index_put(&t->index, at, number, hash_of_node, t->nodes);
    return number;
}

/* ---- stacks -------------------------------------------------------------------------------- */

struct tree_stack *stack_tree_add(struct stack_tree *t, uint64_t stack)
{
    if (t->stack_count == t->stack_room) {
        t->stack_room = t->stack_room ? t->stack_room * 2 : FIRST_ROOM;
        t->stacks = mem_grow(t->stacks, t->stack_room, sizeof *t->stacks);
    }
    struct tree_stack *const s = &t->stacks[t->stack_count++];
    *s = (struct tree_stack){.ref = t->ref_count};
    map_put(&t->numbers, stack, t->stack_count);
    return s;
}

static void refer(struct stack_tree *t, struct tree_stack *s, uint32_t node)
{
    if (t->ref_count == t->ref_room) {
        t->ref_room = t->ref_room ? t->ref_room * 2 : FIRST_ROOM;
        t->refs = mem_grow(t->refs, t->ref_room, sizeof *t->refs);
    }
    t->refs[t->ref_count++] = node;
    s->refs++;
}

static bool refers(const struct stack_tree *t, const struct tree_stack *s, uint32_t node)
{
    for (uint32_t i = 0; i < s->refs; i++)
        if (t->refs[s->ref + i] == node)
            return true;
    return false;
}

static bool term_meets(const struct tree_term *term, const struct path_step *steps, unsigned count,
                       unsigned *at)
{
    for (*at = 0; *at < count; ++*at) {
        const struct site *const s = &steps[*at].site;
        if (term->of_module ? s->module == term->site.module && s->mode < SITE_MODES
                            : site_is(s, &term->site))
            return true;
    }
    return false;
}

static bool is_dropped(const struct stack_tree *t, const struct path_step *steps, unsigned count)
{
    unsigned at;
    for (unsigned i = 0; i < t->look.term_count && i < STACK_TERMS; i++)
        if (t->terms[i].is_known &&
            term_meets(&t->terms[i], steps, count, &at) == t->terms[i].drops)
            return true;
    return false;
}

static void place_path(struct stack_tree *t, struct tree_stack *s, const struct path_step *steps,
                       unsigned count)
{
    uint32_t node = 0;
    for (unsigned i = 0; i < count; i++)
        node = node_of(t, s, node, &steps[i].site);
    refer(t, s, node);
}

/* Every frame once, however often it comes. */
static void place_flat(struct stack_tree *t, struct tree_stack *s, const struct path_step *steps,
                       unsigned count)
{
    for (unsigned i = count; i > 0; i--) {
        const uint32_t node = node_of(t, s, 0, &steps[i - 1].site);
        if (!refers(t, s, node))
            refer(t, s, node);
    }
    if (!s->refs)
        refer(t, s, 0);
}

/* What led to the outermost of the frames asked for, and what it led to. */
static void place_both(struct stack_tree *t, struct tree_stack *s, const struct path_step *steps,
                       unsigned count)
{
    static const struct site callers = {.mode = SITE_OF_PART, .state = SYMBOL_NONE, .at = 1},
                             callees = {.mode = SITE_OF_PART, .state = SYMBOL_NONE, .at = 0};
    unsigned at;
    if (!t->focus.is_known || !term_meets(&t->focus, steps, count, &at)) {
        s->is_out = true;
        return;
    }
    uint32_t node = node_of(t, s, 0, &callers);
    for (unsigned i = at; i > 0; i--)
        node = node_of(t, s, node, &steps[i - 1].site);
    refer(t, s, node);
    node = node_of(t, s, 0, &callees);
    for (unsigned i = at + 1; i < count; i++)
        node = node_of(t, s, node, &steps[i].site);
    refer(t, s, node);
}

void stack_tree_place(struct stack_tree *t, struct tree_stack *s, const struct path_step *steps,
                      unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        t->unresolved += !steps[i].site.module && steps[i].site.mode < SITE_MODES;
        t->unnamed += steps[i].site.state == SYMBOL_ASKED;
        t->nameless += steps[i].site.state == SYMBOL_NONE && steps[i].site.image != 0;
    }
    t->unresolved += !count;
    s->is_out = is_dropped(t, steps, count);
    if (s->is_out)
        return;
    if (t->look.shape == STACK_FLAT)
        place_flat(t, s, steps, count);
    else if (t->look.shape == STACK_BOTH)
        place_both(t, s, steps, count);
    else
        place_path(t, s, steps, count);
}

/* ---- sums ---------------------------------------------------------------------------------- */

static void sum_stack(struct stack_tree *t, const struct tree_stack *s)
{
    if (s->is_out) {
        t->hidden += s->weight;
        return;
    }
    t->all += s->weight;
    t->cut += s->is_cut ? s->weight : 0;
    const uint32_t *const refs = t->refs + s->ref;
    if (t->look.shape == STACK_FLAT) {
        t->nodes[refs[0]].self += s->weight;
        for (uint32_t i = 0; i < s->refs; i++)
            t->nodes[refs[i]].count += s->weight;
    } else {
        for (uint32_t i = 0; i < s->refs; i++)
            t->nodes[refs[i]].self += s->weight;
    }
}

void stack_tree_sum(struct stack_tree *t)
{
    if (t->is_summed)
        return;
    t->is_summed = true;
    t->all = t->hidden = t->cut = 0;
    for (uint32_t n = 0; n < t->count; n++)
        t->nodes[n].count = t->nodes[n].self = 0;
    for (uint32_t i = 0; i < t->stack_count; i++)
        sum_stack(t, &t->stacks[i]);
    for (uint32_t n = t->count; t->look.shape != STACK_FLAT && n-- > 1;) {
        struct tree_node *const node = &t->nodes[n];
        node->count += node->self;
        t->nodes[node->parent].count += node->count;
    }
}

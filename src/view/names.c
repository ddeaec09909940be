#include "src/view/names.h"

#include "src/base/hash.h"
#include "src/base/mem.h"
#include "src/pane/user_view.h"
#include "src/table/row_order.h"

#include <stdlib.h>
#include <string.h>

enum { TEXT = 4096 };

struct names {
    const struct row_context *x;
    const struct pane *pane;
    /* The place in `ids`, + 1: of an id and its part, and of what it shows; a text's key ends with
     * OF_TEXT. */
    struct row_order ranks;
    uint32_t *ids;
    size_t room;
};

static const uint32_t OF_TEXT = 0x80000000u;

/* 0: what belongs to no process that is known. */
static uint32_t known_id(const struct pane *p, unsigned part, uint32_t id)
{
    return p->process_part == PART_A + part && id & FACT_BY_THREAD ? 0 : id;
}

static uint32_t *place_of(struct names *n, struct row_key key, uint32_t if_new)
{
    const uint32_t rank = row_order_rank(&n->ranks, key);
    if (rank)
        return &n->ids[rank - 1];
    if (n->ranks.count == n->room) {
        n->room = n->room ? 2 * n->room : 64;
        n->ids = mem_grow(n->ids, n->room, sizeof *n->ids);
    }
    uint32_t *const place = &n->ids[row_order_add(&n->ranks, key) - 1];
    *place = if_new;
    return place;
}

static struct row_key text_key(const struct names *n, unsigned part, uint32_t id)
{
    char text[TEXT];
    user_view_part_text(n->pane->user_view, part, n->x, id, text, sizeof text);
    const uint64_t hash = hash_mix(hash_bytes(HASH_START, text, strlen(text)));
    return (struct row_key){(uint32_t)(hash >> 32), (uint32_t)hash, part, OF_TEXT};
}

/* The first id that showed the same. */
static uint32_t shown_id(struct names *n, unsigned part, uint32_t id)
{
    const struct row_key of_id = {id, 0, part, 0};
    const uint32_t rank = row_order_rank(&n->ranks, of_id);
    if (rank)
        return n->ids[rank - 1];
    const uint32_t shown = *place_of(n, text_key(n, part, id), id);
    return *place_of(n, of_id, shown);
}

static bool is_joined(const struct pane *p, unsigned part)
{
    return p->joined_parts >> (PART_A + part) & 1;
}

static void begin_with_lowest(struct names *n, unsigned part)
{
    const struct model *const m = n->x->model;
    for (uint32_t i = 0; i < m->processes.end; i++) {
        const struct process *const p = generation_place(&m->processes, i);
        uint32_t *const lowest = p ? place_of(n, text_key(n, part, p->number), p->number) : NULL;
        if (p && p->number < *lowest)
            *lowest = p->number;
    }
}

struct names *names_new(const struct row_context *x, const struct pane *p)
{
    if (!p->joined_parts)
        return NULL;
    struct names *const n = mem_new(1, sizeof *n);
    n->x = x;
    n->pane = p;
    if (p->process_part && is_joined(p, p->process_part - PART_A))
        begin_with_lowest(n, p->process_part - PART_A);
    return n;
}

void names_free(struct names *n)
{
    if (!n)
        return;
    row_order_clear(&n->ranks);
    free(n->ids);
    free(n);
}

struct row_key names_key(struct names *n, struct row_key key)
{
    uint32_t parts[KEY_PARTS] = {key.a, key.b, key.c, key.d};
    if (key_is_others(key))
        return key;
    for (unsigned i = 0; i < KEY_PARTS; i++) {
        parts[i] = known_id(n->pane, i, parts[i]);
        if (is_joined(n->pane, i))
            parts[i] = shown_id(n, i, parts[i]);
    }
    return (struct row_key){parts[0], parts[1], parts[2], parts[3]};
}

bool names_are_one(const struct row_context *x, const struct pane *p, struct row_key a,
                   struct row_key b)
{
    const uint32_t of_a[KEY_PARTS] = {a.a, a.b, a.c, a.d}, of_b[KEY_PARTS] = {b.a, b.b, b.c, b.d};
    const struct names n = {.x = x, .pane = p};
    if (key_is_others(a) || key_is_others(b))
        return row_key_equal(a, b);
    for (unsigned i = 0; i < KEY_PARTS; i++) {
        const uint32_t one = known_id(p, i, of_a[i]), other = known_id(p, i, of_b[i]);
        if (one != other &&
            !(is_joined(p, i) && row_key_equal(text_key(&n, i, one), text_key(&n, i, other))))
            return false;
    }
    return true;
}

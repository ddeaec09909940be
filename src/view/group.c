#include "src/view/group.h"

#include "src/base/hash.h"
#include "src/base/mem.h"
#include "src/table/row_order.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Marks keys of groups; the grouping stands below. */
static const uint32_t GROUP = 0x40000000u;

struct group {
    struct table_row *row, *base; /* sums */
    uint32_t process, members;    /* one of them, and how many */
};

struct groups {
    const struct model *model;
    const struct table *table, *base_table;
    enum group_by by;
    struct group *all;
    size_t count, room;
    struct row_order ranks;
};

const char *group_name(const struct model *m, uint32_t process, enum group_by by, char *room,
                       size_t bytes)
{
    const struct row_context x = {.model = m};
    const struct process *const p = model_process_at(m, process);
    if (by == GROUPED_BY_NAME || process == ROW_OTHERS)
        return process_label(&x, process, room, bytes);
    if (by == GROUPED_BY_USER)
        return p && p->user ? process_user(p) : "(no user known)";
    if (by == GROUPED_BY_SERVICE)
        return p && p->services ? p->services : "(no service)";
    if (by == GROUPED_AS_EXITED)
        return p && p->flags & LIFETIME_ENDED ? "(exited)" : "(running)";
    if (!p || !p->has_session)
        return "(no session known)";
    snprintf(room, bytes, "session %u", p->session);
    return room;
}

struct row_key group_key(const struct model *m, uint32_t process, enum group_by by)
{
    char room[64];
    const char *const name = group_name(m, process, by, room, sizeof room);
    const uint64_t hash = hash_mix(hash_bytes(HASH_START, name, strlen(name)));
    return (struct row_key){(uint32_t)(hash >> 32), (uint32_t)hash, GROUP | by, 0};
}

bool group_is_of_exited(struct row_key key)
{
    return key.c == (GROUP | GROUPED_AS_EXITED);
}

bool group_has(const struct model *m, struct row_key key, uint32_t process)
{
    const struct row_key of = group_key(m, process, key.c & ~GROUP);
    return row_key_equal(of, key);
}

const char *group_name_of_key(const struct model *m, struct row_key key, char *room, size_t bytes)
{
    const enum group_by by = key.c & ~GROUP;
    if (group_has(m, key, 0))
        return group_name(m, 0, by, room, bytes);
    for (uint32_t i = 0; i < m->processes.places; i++) {
        const struct process *const p = generation_place(&m->processes, i);
        if (p && group_has(m, key, p->number))
            return group_name(m, p->number, by, room, bytes);
    }
    return "(none)";
}

struct groups *groups_new(const struct model *m, const struct table *t, const struct table *base,
                          enum group_by by)
{
    struct groups *const g = mem_new(1, sizeof *g);
    *g = (struct groups){.model = m, .table = t, .base_table = base, .by = by};
    return g;
}

void groups_free(struct groups *g)
{
    if (!g)
        return;
    for (size_t i = 0; i < g->count; i++) {
        row_drop(g->table, g->all[i].row);
        row_drop(g->base_table, g->all[i].base);
    }
    free(g->all);
    row_order_clear(&g->ranks);
    free(g);
}

static struct group *group_of(struct groups *g, struct row_key key, uint32_t process)
{
    const uint32_t rank = row_order_rank(&g->ranks, key);
    if (rank)
        return &g->all[rank - 1];
    if (g->count == g->room) {
        g->room = g->room ? 2 * g->room : 64;
        g->all = mem_grow(g->all, g->room, sizeof *g->all);
    }
    row_order_add(&g->ranks, key);
    struct group *const of = &g->all[g->count++];
    *of = (struct group){.row = row_new(g->table, key), .process = process};
    if (g->base_table)
        of->base = row_new(g->base_table, key);
    return of;
}

void group_add(struct groups *g, const struct table_row *row, const struct table_row *base)
{
    const uint32_t process = key_process(g->table->pane, row->key);
    const struct row_key key =
        key_is_others(row->key) ? row->key : group_key(g->model, process, g->by);
    struct group *const of = group_of(g, key, process);
    of->members++;
    row_add(g->table, of->row, row);
    if (base)
        row_add(g->base_table, of->base, base);
}

void group_add_past(struct groups *g, const struct table_row *row)
{
    const struct row_key key =
        key_is_others(row->key)
            ? row->key
            : group_key(g->model, key_process(g->table->pane, row->key), g->by);
    const uint32_t rank = row_order_rank(&g->ranks, key);
    if (rank)
        trends_add(g->table, g->all[rank - 1].row, row);
}

size_t group_count(const struct groups *g)
{
    return g->count;
}

struct table_row *group_row(const struct groups *g, size_t i, const struct table_row **base)
{
    *base = g->all[i].base;
    return g->all[i].row;
}

bool group_has_cell(const struct column *c)
{
    return c->measure || c->get == get_share;
}

struct value group_label(const struct groups *g, const struct column *c, struct row_key key,
                         struct row_context *x)
{
    const uint32_t rank = row_order_rank(&g->ranks, key);
    char room[64], text[400];
    if (strcmp(c->id, "name") != 0 || !rank)
        return value_absent();
    const struct group *const of = &g->all[rank - 1];
    const char *const name = group_name(g->model, of->process, g->by, room, sizeof room);
    if (of->members == 1)
        return value_text(x, c->type, name);
    if (g->by == GROUPED_AS_EXITED)
        snprintf(text, sizeof text, "(exited: %u)", of->members);
    else
        snprintf(text, sizeof text, "%.300s (%u)", name, of->members);
    return value_text(x, c->type, text);
}

#include "src/view/group.h"

#include "src/base/hash.h"
#include "src/base/mem.h"
#include "src/table/row_order.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Marks keys of groups; the grouping stands below. */
static const uint32_t GROUP = 0x40000000u;

/* How many members of a group have a name. */
struct namesakes {
    const char *name; /* the model's */
    uint32_t count;
};

enum { NAMES = 32, NAMES_SHOWN = 3 }; /* of different members; later ones are not counted */

struct group {
    struct table_row *row, *base; /* sums */
    struct group_member one;      /* of its members … */
    uint32_t members;             /* … and how many there are */
    struct namesakes *names;      /* NAMES of them, of exited ones; else NULL */
};

struct groups {
    const struct model *model;
    const struct table *table, *base_table;
    enum group_by by;
    struct group *all;
    size_t count, room;
    struct row_order ranks;
};

/* Its name where a query found the address; "room" has room for an address. */
static const char *host_name(const struct model *m, uint32_t connection, char *room, size_t bytes)
{
    const struct connection *const c = generation_at(&m->connections, connection);
    const char *const name = c ? model_host(m, c->ends.remote, c->ends.is_v6) : NULL;
    return name ? name : c ? model_connection_address(c, true, room, bytes) : "(no host known)";
}

const char *group_name(const struct model *m, struct group_member who, enum group_by by,
                       char *room, size_t bytes)
{
    const struct row_context x = {.model = m};
    const struct process *const p = model_process_at(m, who.process);
    if (by == GROUPED_BY_HOST)
        return host_name(m, who.connection, room, bytes);
    if (by == GROUPED_BY_NAME || who.process == ROW_OTHERS)
        return process_label(&x, who.process, room, bytes);
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

static struct row_key key_of_name(const char *name, enum group_by by)
{
    const uint64_t hash = hash_mix(hash_bytes(HASH_START, name, strlen(name)));
    return (struct row_key){(uint32_t)(hash >> 32), (uint32_t)hash, GROUP | by, 0};
}

struct row_key group_key(const struct model *m, struct group_member who, enum group_by by)
{
    char room[64];
    return key_of_name(group_name(m, who, by, room, sizeof room), by);
}

bool group_is_of_exited(struct row_key key)
{
    return key.c == (GROUP | GROUPED_AS_EXITED);
}

/* Is it the group of the address of a connection whose host has a name now? Without a name, the
 * address is the name. */
static bool is_of_address(const struct model *m, struct row_key key, uint32_t connection)
{
    const struct connection *const c = generation_at(&m->connections, connection);
    char room[64];
    return c && model_host(m, c->ends.remote, c->ends.is_v6) &&
           row_key_equal(key, key_of_name(model_connection_address(c, true, room, sizeof room),
                                          GROUPED_BY_HOST));
}

bool group_has(const struct model *m, struct row_key key, struct group_member who)
{
    const enum group_by by = key.c & ~GROUP;
    return row_key_equal(group_key(m, who, by), key) ||
           (by == GROUPED_BY_HOST && is_of_address(m, key, who.connection));
}

/* One of the group's members; false: none is known any more. */
static bool find_member(const struct model *m, struct row_key key, struct group_member *who)
{
    const bool is_host = (key.c & ~GROUP) == GROUPED_BY_HOST;
    const struct generation_table *const all = is_host ? &m->connections : &m->processes;
    *who = (struct group_member){0, 0};
    for (uint32_t i = 0; i < all->end && !group_has(m, key, *who); i++) {
        const void *const thing = generation_place(all, i);
        const uint32_t number = thing ? *(const uint32_t *)thing : 0;
        *who = is_host ? (struct group_member){0, number} : (struct group_member){number, 0};
    }
    return group_has(m, key, *who);
}

const char *group_name_of_key(const struct model *m, struct row_key key, char *room, size_t bytes)
{
    struct group_member who;
    if (find_member(m, key, &who))
        return group_name(m, who, key.c & ~GROUP, room, bytes);
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
        free(g->all[i].names);
    }
    free(g->all);
    row_order_clear(&g->ranks);
    free(g);
}

/* Who a row is about. */
static struct group_member member_of(const struct pane *p, struct row_key key)
{
    return (struct group_member){key_process(p, key), p->crumb == CRUMB_CONNECTION ? key.a : 0};
}

static struct group *group_of(struct groups *g, struct row_key key, struct group_member one)
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
    *of = (struct group){.row = row_new(g->table, key), .one = one};
    if (g->base_table)
        of->base = row_new(g->base_table, key);
    return of;
}

static void count_name(struct group *g, const struct process *p)
{
    unsigned i = 0;
    if (!g->names)
        g->names = mem_new(NAMES, sizeof *g->names);
    while (p && p->name && i < NAMES && g->names[i].name && strcmp(g->names[i].name, p->name) != 0)
        i++;
    if (!p || !p->name || i == NAMES)
        return;
    g->names[i].name = p->name;
    g->names[i].count++;
}

void group_add(struct groups *g, const struct table_row *row, const struct table_row *base)
{
    const struct group_member who = member_of(g->table->pane, row->key);
    const struct row_key key = key_is_others(row->key) ? row->key : group_key(g->model, who, g->by);
    struct group *const of = group_of(g, key, who);
    of->members++;
    if (g->by == GROUPED_AS_EXITED)
        count_name(of, model_process_at(g->model, who.process));
    row_add(g->table, of->row, row);
    if (base)
        row_add(g->base_table, of->base, base);
}

void group_add_past(struct groups *g, const struct table_row *row)
{
    const struct row_key key =
        key_is_others(row->key) ? row->key
                                : group_key(g->model, member_of(g->table->pane, row->key), g->by);
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

/* "(exited: 120) clang 96, sh 12": the names that most of them have. */
static void exited_text(const struct group *g, char *out, size_t room)
{
    uint64_t shown = 0;
    size_t used = (size_t)snprintf(out, room, "(exited: %u)", g->members);
    for (unsigned n = 0; n < NAMES_SHOWN; n++) {
        unsigned most = NAMES;
        for (unsigned i = 0; i < NAMES && g->names[i].name; i++)
            if (!(shown >> i & 1) && (most == NAMES || g->names[i].count > g->names[most].count))
                most = i;
        if (most == NAMES || used >= room)
            return;
        shown |= 1ull << most;
        used += (size_t)snprintf(out + used, room - used, "%s %.64s %u", n ? "," : "",
                                 g->names[most].name, g->names[most].count);
    }
}

struct value group_label(const struct groups *g, const struct column *c, struct row_key key,
                         struct row_context *x)
{
    const uint32_t rank = row_order_rank(&g->ranks, key);
    char room[64], text[400];
    const char *const id = g->by == GROUPED_BY_HOST ? "raddr" : "name";
    if (strcmp(c->id, id) != 0 || !rank)
        return value_absent();
    const struct group *const of = &g->all[rank - 1];
    const char *const name = group_name(g->model, of->one, g->by, room, sizeof room);
    if (of->members == 1)
        return value_text(x, c->type, name);
    if (g->by == GROUPED_AS_EXITED)
        exited_text(of, text, sizeof text);
    else
        snprintf(text, sizeof text, "%.300s (%u)", name, of->members);
    return value_text(x, c->type, text);
}

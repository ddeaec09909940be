/* Rows put together: connections by remote host, processes by name, user, session or service.
 * Engine thread only. */
#ifndef SRC_VIEW_GROUP_H
#define SRC_VIEW_GROUP_H

#include "src/frame/frame.h"
#include "src/table/getters.h"

struct groups;

/* For rows of one table, and of the one that is taken away from it, or NULL. */
struct groups *groups_new(const struct model *m, const struct table *t, const struct table *base,
                          enum group_by by);
void groups_free(struct groups *g); /* NULL is fine */

/* Adds a row, and what is taken from it (or NULL), to its group. */
void group_add(struct groups *g, const struct table_row *row, const struct table_row *base);

/* A row that is not shown itself any more: what it was in the intervals before was its group's, too,
 * where that is still there. After the rows that are shown. */
void group_add_past(struct groups *g, const struct table_row *row);

size_t group_count(const struct groups *g);
struct table_row *group_row(const struct groups *g, size_t i, const struct table_row **base);

/* Is the column's cell of a group what its getter says of the sum? Else it is this: the group's
 * name and how many there are, or nothing. */
bool group_has_cell(const struct column *c);
struct value group_label(const struct groups *g, const struct column *c, struct row_key key,
                         struct row_context *x);

/* The process and the connection of a row or a fact, by number; 0 = none. */
struct group_member {
    uint32_t process, connection;
};

/* The group that a member belongs to, and what that is called: in `room`, 64 bytes for an address, or
 * the model's. */
struct row_key group_key(const struct model *m, struct group_member who, enum group_by by);
const char *group_name(const struct model *m, struct group_member who, enum group_by by, char *room,
                       size_t bytes);

/* The name of a group by its key; "(none)" where nothing is known that belongs to it. */
const char *group_name_of_key(const struct model *m, struct row_key key, char *room, size_t bytes);

/* Is it the group of processes which have exited? */
bool group_is_of_exited(struct row_key key);

/* Is it a member of the group? A connection also is one of its address's group, even after a query
 * has named the address. */
bool group_has(const struct model *m, struct row_key key, struct group_member who);

#endif

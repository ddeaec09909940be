/* What the columns of user views show; for user_view.c, which chooses among it. */
#ifndef SRC_PANE_USER_VIEW_CELLS_H
#define SRC_PANE_USER_VIEW_CELLS_H

#include "src/pane/user_view_inside.h"

uint32_t user_view_key_part(struct row_key key, unsigned part);

struct value user_view_key_cell(const struct column *c, const struct table_row *r,
                                struct row_context *x);
struct value user_view_sum_cell(const struct column *c, const struct table_row *r,
                                struct row_context *x);
struct value user_view_run_cell(const struct column *c, const struct table_row *r,
                                struct row_context *x);
struct value user_view_run_rate_cell(const struct column *c, const struct table_row *r,
                                     struct row_context *x);
struct value user_view_field_least_cell(const struct column *c, const struct table_row *r,
                                        struct row_context *x);

/* The amounts of facts. */
uint64_t user_view_size_of(const struct fact *f);
uint64_t user_view_latency_of(const struct fact *f);

#endif

/* Charts of a view: histograms, heat maps and lanes, counted by a scan or drawn from rows. */
#ifndef SRC_VIEW_CHART_H
#define SRC_VIEW_CHART_H

#include "src/view/inside.h"

/* Charts (chart.c): whether one takes a scan; its scan begins, counts a fact that the
 * crumbs and the range let through, leaves out what is kept no more. */
bool chart_is_scanned(const struct request *r);
struct chart_scan *chart_scan_new(struct view *v, unsigned cpus);
void chart_scan_free(struct chart_scan *s); /* NULL is fine */
bool chart_looks_at(const struct view *v, const struct fact *f);
bool chart_is_outdated(const struct view *v);
void chart_feed(struct view *v, const struct fact *f, uint32_t process);
void chart_forget(struct view *v);

/* For a frame, which owns it: of what was scanned, or of rows of the context's table. */
struct chart *chart_of_scan(const struct chart_scan *s, const struct request *r,
                            struct row_context *x);
struct chart *chart_of_rows(const struct row_context *x, const struct chart_look *look,
                            struct table_row *const *rows, size_t count);

/* CHART_ROWS: room for the latencies of that many rows; then those of the frame's row `at`. */
void chart_make_room(struct chart *p, unsigned rows);
void chart_put_row(struct chart *p, unsigned at, const struct row_context *x,
                   const struct chart_look *look, const struct table_row *r);

#endif

/* What all pictures say about themselves: what is measured, of whom, over which time. */
#ifndef UI_DRAW_CHART_HEAD_H
#define UI_DRAW_CHART_HEAD_H

#include "ui/state/chart.h"

enum { CHART_TITLE = 512 };

/* "Time from start to completion, 24 rows, last 1.0 s". Returns `out`. */
const char *chart_title(const struct app *a, char out[CHART_TITLE]);

/* What a row is called: its first text, process and thread id; rows of queries by all their keys.
 */
void chart_row_name(const struct app *a, const struct frame_row *row, char *out, size_t room);

/* The header's line: text on the left, and on the right what has room there. */
void chart_header(struct grid *g, const struct rect *r, const char *left, const char *right);

/* "p50 1.2ms  p90 4ms  …" from x on, as many as there is room for. */
void chart_percentiles(const struct app *a, struct grid *g, int x, int y, int width,
                       const struct chart *p);

/* A latency or a size as text, by what the chart is of; and the role of its color: latencies that
 * deserve a look have others, as in tables. */
void chart_amount(const struct app *a, uint64_t amount, char *out, size_t room);
enum role chart_role(const struct app *a, uint64_t amount);

/* What to say of an empty chart. */
const char *chart_if_none(const struct app *a);

/* The instants below columns of time. */
void chart_axis(const struct app *a, struct grid *g, const struct chart_area *at,
                const struct chart *p);

/* 0 … 1, on a logarithmic scale; and a cell of that lightness. */
double chart_share(uint64_t count, uint64_t most);
void chart_cell(struct grid *g, int x, int y, double share);

/* In the middle of the body, where there is nothing else. */
void chart_says(struct grid *g, const struct rect *body, const char *text);

#endif

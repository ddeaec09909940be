#include "ui/state/chart.h"
#include "ui/state/layout.h"

/* Cells for what stands on the left: "1.05ms ", "cpu 12  100% ". */
enum { SCALE = 8, LANE_LABEL = 13, SIDE = 22, SIDE_FROM = 110, BELOW_FROM = 14 };

static void group_rows(struct chart_area *out, const struct chart *p)
{
    const unsigned height = out->plot.height > 1 ? (unsigned)out->plot.height : 1;
    for (out->group = 1;; out->group *= 2) {
        out->first = p->first_row - p->first_row % out->group;
        const unsigned end = p->first_row + p->rows;
        out->groups = (end - out->first + out->group - 1) / out->group;
        if (out->groups <= height || out->group >= 1024)
            return;
    }
}

struct chart_area chart_lay_out(const struct app *a, const struct chart *p)
{
    const struct layout l = app_layout(a);
    const bool is_cpus = app_shown(a)->chart.kind == CHART_CPUS;
    const int left = is_cpus ? LANE_LABEL : SCALE;
    const int side = l.body.width >= SIDE_FROM && !is_cpus ? SIDE : 0;
    const int below = l.body.height >= BELOW_FROM ? 1 : 0;
    struct chart_area out = {
        .plot = {l.body.x + left + 1, l.body.y, l.body.width - left - 2 - side,
                 l.body.height - 1 - below},
    };
    out.side = (struct rect){out.plot.x + out.plot.width + 1, out.plot.y, side ? side - 1 : 0,
                             out.plot.height};
    out.below =
        (struct rect){out.plot.x, out.plot.y + out.plot.height, out.plot.width, below};
    out.axis = (struct rect){out.plot.x, out.below.y + below, out.plot.width, 1};
    if (p && !is_cpus)
        group_rows(&out, p);
    if (!p || !is_cpus || !p->lanes)
        return out;
    /* Lanes are equally high; what is left stays empty below the axis. */
    enum { HIGHEST = 8 };
    const int height = out.plot.height / (int)p->lanes;
    out.groups = p->lanes;
    out.plot.height = (int)p->lanes * (height < 1 ? 1 : height > HIGHEST ? HIGHEST : height);
    out.below.height = 0;
    out.axis.y = out.plot.y + out.plot.height;
    return out;
}

unsigned chart_column_at(const struct chart_area *at, const struct chart *p, int x)
{
    const int64_t width = at->plot.width > 0 ? at->plot.width : 1;
    const int64_t column = (int64_t)(x - at->plot.x) * p->columns / width;
    return column < 0 ? 0 : column >= (int64_t)p->columns ? p->columns - 1 : (unsigned)column;
}

int chart_column_width(const struct chart_area *at, const struct chart *p, unsigned column, int *x)
{
    const int64_t width = at->plot.width, columns = p->columns ? p->columns : 1;
    const int64_t from = (column * width + columns - 1) / columns;
    const int64_t to = ((column + 1) * width + columns - 1) / columns;
    *x = at->plot.x + (int)from;
    return (int)(to - from);
}

/* Latencies grow upwards, processors are counted downwards. */
unsigned chart_group_at(const struct chart_area *at, const struct chart *p, int y)
{
    const int height = at->plot.height > 0 ? at->plot.height : 1;
    const int line = p->kind == CHART_CPUS ? y - at->plot.y : height - 1 - (y - at->plot.y);
    const int64_t group = (int64_t)line * at->groups / height;
    return group < 0 || !at->groups          ? 0
           : group >= (int64_t)at->groups ? at->groups - 1
                                          : (unsigned)group;
}

uint64_t chart_count(const struct chart *p, const struct chart_area *at, unsigned column,
                     unsigned group)
{
    uint64_t sum = 0;
    for (unsigned i = 0; i < at->group; i++) {
        const unsigned row = at->first + group * at->group + i;
        if (row >= p->first_row && row - p->first_row < p->rows && column < p->columns)
            sum += p->cells[(size_t)column * p->rows + row - p->first_row];
    }
    return sum;
}

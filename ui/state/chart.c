#include "ui/state/chart.h"

#include <string.h>

const struct chart *chart_known(const struct app *a)
{
    const struct frame *const f = app_known(a);
    const struct chart *const p = f ? f->chart : NULL;
    return p && p->kind == app_shown(a)->chart.kind ? p : NULL;
}

/* ---- of what ------------------------------------------------------------------------------- */

bool chart_can_show(const struct pane *p, unsigned measure)
{
    return measure < p->measure_count && measure_has_chart(&p->measures[measure]);
}

bool chart_is_of_sizes(const struct pane *p, unsigned measure)
{
    return p->view == PANE_TABLE && measure < p->measure_count &&
           measure_is_of_sizes(&p->measures[measure]);
}

/* The measure behind a column; measure_count = none. */
static unsigned measure_of(const struct pane *p, unsigned column)
{
    const char *const id = column < p->column_count ? p->columns[column].measure : NULL;
    for (unsigned i = 0; id && i < p->measure_count; i++)
        if (chart_can_show(p, i) && strcmp(p->measures[i].id, id) == 0)
            return i;
    return (unsigned)p->measure_count;
}

/* The column cursor's, the sorted column's, or the pane's first. */
static unsigned best_measure(const struct place *p)
{
    const unsigned at_cursor =
        p->shows_column ? measure_of(p->pane, p->column) : (unsigned)p->pane->measure_count;
    unsigned best = chart_can_show(p->pane, at_cursor) ? at_cursor : measure_of(p->pane, p->sort);
    for (unsigned i = 0; !chart_can_show(p->pane, best) && i < p->pane->measure_count; i++)
        best = i;
    return best;
}

bool chart_has_amounts(const struct place *p)
{
    if (p->pane->view == PANE_CHANGES)
        return false;
    return p->pane->view != PANE_TABLE || chart_can_show(p->pane, best_measure(p));
}

bool chart_has_processors(const struct pane *p)
{
    return p->view == PANE_TABLE && p->classes >> FACT_SWITCH & 1 &&
           p->classes >> FACT_SAMPLE & 1 && p->threads;
}

bool chart_is_over_time(const struct app *a)
{
    const unsigned kind = app_shown(a)->chart.kind;
    return kind == CHART_HEAT || kind == CHART_CPUS;
}

bool chart_is_by_row(const struct app *a)
{
    return app_shown(a)->chart.kind == CHART_ROWS;
}

static unsigned measures_of(const struct pane *p)
{
    unsigned count = 0;
    for (unsigned i = 0; p->view == PANE_TABLE && i < p->measure_count; i++)
        count += chart_can_show(p, i);
    return count;
}

bool chart_has_use(const struct app *a, const char *name)
{
    const struct place *const p = app_shown(a);
    if (strcmp(name, "chart-go") == 0 || strcmp(name, "chart-finer") == 0)
        return chart_is_over_time(a);
    if (strcmp(name, "chart-measure") == 0)
        return p->chart.kind != CHART_CPUS && measures_of(p->pane) > 1;
    if (strcmp(name, "chart-row") == 0)
        return p->chart.kind != CHART_CPUS && p->pane->view == PANE_TABLE;
    const struct frame *const f = app_known(a);
    const bool has_none = f && f->pane == p->pane && f->lacks_latencies && !p->chart.kind;
    return (chart_has_amounts(p) && !has_none) || chart_has_processors(p->pane);
}

struct chart_look chart_wanted(const struct app *a)
{
    const struct place *const p = app_shown(a);
    struct chart_look look;
    memset(&look, 0, sizeof look); /* padding too: requests are compared as bytes */
    look.kind = p->chart.kind;
    if (!look.kind)
        return look;
    const struct chart_area area = chart_lay_out(a, NULL);
    look.measure = p->chart.measure;
    look.of_row = p->chart.of_row;
    if (look.of_row)
        look.row = p->chart.row;
    if (chart_is_over_time(a)) {
        look.columns = (uint16_t)(area.plot.width > 2 ? area.plot.width : 2);
        look.column_ns = p->chart.column_ns;
    }
    if (look.kind == CHART_CPUS)
        look.lanes = (uint16_t)(area.plot.height > 1 ? area.plot.height : 1);
    return look;
}

/* ---- which --------------------------------------------------------------------------------- */

bool chart_show(struct app *a, enum chart_kind kind)
{
    struct place *const p = app_place(a);
    if (kind == CHART_CPUS && !chart_has_processors(p->pane)) {
        app_message(a, false, "CPU and Processes have this chart: press 2, then :cpus");
        return false;
    }
    if (kind == CHART_ROWS && p->pane->view != PANE_TABLE) {
        app_message(a, false, "only tables have rows that can be compared");
        return false;
    }
    if (kind != CHART_NONE && kind != CHART_CPUS && !chart_has_amounts(p)) {
        if (p->pane->user_view)
            app_message(a, false,
                        "this table has no latencies or sizes; p99 lat in a query adds them");
        else
            app_message(a, false, "%s has no latencies; CPU, Disk, Files and most others have",
                        p->pane->title);
        return false;
    }
    if (kind != CHART_NONE && p->chart.kind == CHART_NONE) {
        p->chart = (struct chart_place){.measure = (uint8_t)best_measure(p)};
        if (p->pane->view == PANE_TREE && p->stacks.term_count)
            app_message(a, false, "hidden and chosen frames do not change this chart");
    }
    p->chart.kind = (uint8_t)kind;
    p->chart.has_cursor = false;
    return true;
}

bool chart_close(struct app *a)
{
    if (!chart_is_shown(a))
        return false;
    app_place(a)->chart.kind = CHART_NONE;
    return true;
}

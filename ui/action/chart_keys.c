/* Keys in pictures, and clicks into them. */
#include "ui/action/chart_keys.h"

#include "ui/action/action.h"
#include "ui/state/chart.h"
#include "ui/state/step.h"

ACTION(chart)
{
    UNUSED(b), UNUSED(k);
    const struct place *const p = app_shown(a);
    unsigned next = (p->chart.kind + 1u) % CHARTS;
    if (next == CHART_ROWS && p->pane->view != PANE_TABLE)
        next = CHART_CPUS;
    if (next && next != CHART_CPUS && !chart_has_amounts(p) && chart_has_processors(p->pane))
        next = CHART_CPUS;
    if (next == CHART_CPUS && !chart_has_processors(p->pane))
        next = CHART_NONE;
    chart_show(a, (enum chart_kind)next);
    return REACT_DRAW;
}

ACTION(chart_row)
{
    UNUSED(b), UNUSED(k);
    struct place *const p = app_place(a);
    const struct frame_row *const row = app_cursor_row(a);
    if (p->chart.of_row) {
        p->chart.of_row = false;
    } else if (p->pane->view != PANE_TABLE || !row || row->crumb == CRUMB_FOLDER) {
        app_message(a, false, "there is no row of a table under the cursor");
    } else if (row->crumb == CRUMB_GROUP) {
        app_message(a, false,
                    row->flags & ROW_EXITED ? "these are many processes; Enter shows them by name"
                                            : "rows are grouped; B ungroups them");
    } else if (p->chart.kind == CHART_CPUS) {
        app_message(a, false, "this chart shows all processors; a filter limits it");
    } else {
        p->chart.of_row = true;
        p->chart.row = row->key;
        if (p->chart.kind == CHART_ROWS)
            p->chart.kind = CHART_HISTOGRAM;
    }
    return REACT_DRAW;
}

ACTION(chart_measure)
{
    UNUSED(k);
    struct place *const p = app_place(a);
    unsigned at = p->chart.measure;
    const unsigned count = (unsigned)p->pane->measure_count;
    for (unsigned i = 0; i < count; i++) {
        at = (at + (b->argument > 0 ? 1 : count - 1)) % count;
        if (chart_can_show(p->pane, at))
            break;
    }
    if (p->pane->view != PANE_TABLE || at == p->chart.measure)
        app_message(a, false, "this pane has nothing else to chart");
    else
        p->chart.measure = (uint8_t)at;
    return REACT_DRAW;
}

/* ---- moments ------------------------------------------------------------------------------- */

/* Of the cursor: what it points at, or the newest column. */
static bool cursor_column(const struct app *a, unsigned *out)
{
    const struct chart *const p = chart_known(a);
    const struct chart_place *const at = &app_shown(a)->chart;
    if (!p || !p->columns)
        return false;
    const int64_t column = (at->at_ns - p->begin_ns) / p->column_ns;
    *out = !at->has_cursor || column >= (int64_t)p->columns ? p->columns - 1
           : column < 0                                     ? 0
                                                            : (unsigned)column;
    return true;
}

/* Where a cursor begins: at the latency of half of all; at the first processor. */
static int first_row(const struct chart *p)
{
    return p->kind == CHART_CPUS ? 0 : (int)chart_row_of(p->p50);
}

static int cursor_row(const struct app *a, const struct chart *p)
{
    const struct chart_place *const at = &app_shown(a)->chart;
    return at->has_cursor ? at->at_row : first_row(p);
}

static void put_cursor(struct app *a, unsigned column, int row)
{
    const struct chart *const p = chart_known(a);
    struct chart_place *const at = &app_place(a)->chart;
    at->has_cursor = true;
    at->at_ns = p->begin_ns + (int64_t)column * p->column_ns;
    at->at_row = row;
}

ACTION(chart_move)
{
    UNUSED(k);
    unsigned column;
    if (chart_is_by_row(a) && b->argument < -1)
        return list_home(&app_place(a)->list), REACT_DRAW;
    if (chart_is_by_row(a) && b->argument > 1)
        return list_end(&app_place(a)->list), REACT_DRAW;
    if (!cursor_column(a, &column))
        return REACT_NONE;
    const struct chart *const p = chart_known(a);
    const bool is_far = b->argument > 1 || b->argument < -1;
    const unsigned last = p->columns - 1;
    if (is_far)
        column = b->argument < 0 ? 0 : last;
    else if (app_shown(a)->chart.has_cursor)
        column = b->argument < 0 ? column - (column > 0) : column + (column < last);
    put_cursor(a, column, cursor_row(a, p));
    return REACT_DRAW;
}

/* Up and down: from group to group, lane to lane, or row to row. */
ACTION(chart_climb)
{
    UNUSED(k);
    unsigned column;
    if (chart_is_by_row(a)) {
        list_move(&app_place(a)->list, -b->argument);
        return REACT_DRAW;
    }
    if (!cursor_column(a, &column))
        return chart_known(a) ? REACT_NONE : REACT_DRAW;
    const struct chart *const p = chart_known(a);
    const struct chart_area at = chart_lay_out(a, p);
    const bool is_cpus = p->kind == CHART_CPUS;
    const int by = is_cpus ? -b->argument : b->argument * (int)at.group;
    const int low = is_cpus ? 0 : (int)at.first;
    const int high = is_cpus ? (int)p->lanes - 1 : (int)(at.first + (at.groups - 1) * at.group);
    int row = cursor_row(a, p) + (app_shown(a)->chart.has_cursor ? by : 0);
    row = row < low ? low : row > high ? high : row;
    put_cursor(a, column, row);
    return REACT_DRAW;
}

/* The rows of that moment. */
ACTION(chart_go)
{
    UNUSED(b), UNUSED(k);
    unsigned column;
    if (!cursor_column(a, &column)) {
        chart_close(a);
        return REACT_DRAW;
    }
    const struct chart *const p = chart_known(a);
    const int64_t from = p->begin_ns + (int64_t)column * p->column_ns;
    if (step_into(a, from, from + p->column_ns))
        chart_close(a);
    return REACT_DRAW;
}

/* How much time there is in a column: half of it, or twice. */
ACTION(chart_scale)
{
    UNUSED(k);
    const struct chart *const p = chart_known(a);
    struct chart_place *const at = &app_place(a)->chart;
    if (!p || !chart_is_over_time(a))
        return REACT_NONE;
    const int64_t now = p->column_ns;
    if (b->argument > 0 && now % 2 == 0)
        at->column_ns = now / 2; /* a sample is a whole number of columns, or the other way round */
    else if (b->argument > 0)
        app_message(a, false, "cannot zoom in further");
    else if (b->argument < 0 && at->column_ns)
        at->column_ns = now * 2;
    else if (b->argument < 0)
        app_message(a, false, "the whole history is shown");
    if (b->argument < 0 && now * 2 * (int64_t)p->columns > app_known(a)->kept_last - app_known(a)->kept_first)
        at->column_ns = 0;
    return REACT_DRAW;
}

unsigned chart_click(struct app *a, const struct key *k)
{
    const struct chart *const p = chart_known(a);
    if (!p || !p->columns)
        return REACT_NONE;
    const struct chart_area at = chart_lay_out(a, p);
    const struct rect *const r = &at.plot;
    if (k->x < r->x || k->x >= r->x + r->width || k->y < r->y || k->y >= r->y + r->height)
        return REACT_NONE;
    unsigned before;
    cursor_column(a, &before);
    const bool was_there = app_shown(a)->chart.has_cursor;
    const unsigned column = chart_column_at(&at, p, k->x);
    const unsigned group = chart_group_at(&at, p, k->y);
    const int row = (int)(p->kind == CHART_CPUS ? group : at.first + group * at.group);
    const bool again = was_there && before == column && app_shown(a)->chart.at_row == row;
    put_cursor(a, column, row);
    if (again)
        return action_chart_go(a, NULL, k);
    app_freeze(a, true); /* it stands still at once; the second click goes there */
    return REACT_DRAW;
}

#include "ui/state/chart.h"

#include <string.h>

const struct picture *picture_known(const struct app *a)
{
    const struct frame *const f = app_known(a);
    const struct picture *const p = f ? f->picture : NULL;
    return p && p->kind == app_shown(a)->picture.kind ? p : NULL;
}

/* ---- of what ------------------------------------------------------------------------------- */

bool picture_is_latency(const struct pane *p, unsigned measure)
{
    return measure < p->measure_count && p->measures[measure].kind == MEASURE_HISTOGRAM;
}

/* The latency that a column tells about; measure_count = none. */
static unsigned latency_of(const struct pane *p, unsigned column)
{
    const char *const id = column < p->column_count ? p->columns[column].measure : NULL;
    for (unsigned i = 0; id && i < p->measure_count; i++)
        if (picture_is_latency(p, i) && strcmp(p->measures[i].id, id) == 0)
            return i;
    return (unsigned)p->measure_count;
}

/* The column cursor's, the sorted column's, or the pane's first. */
static unsigned best_latency(const struct place *p)
{
    const unsigned at_cursor =
        p->shows_column ? latency_of(p->pane, p->column) : (unsigned)p->pane->measure_count;
    unsigned best = picture_is_latency(p->pane, at_cursor) ? at_cursor : latency_of(p->pane, p->sort);
    for (unsigned i = 0; !picture_is_latency(p->pane, best) && i < p->pane->measure_count; i++)
        best = i;
    return best;
}

bool picture_has_latency(const struct place *p)
{
    if (p->pane->view == PANE_CHANGES)
        return false;
    return p->pane->view != PANE_TABLE || picture_is_latency(p->pane, best_latency(p));
}

bool picture_has_processors(const struct pane *p)
{
    return p->view == PANE_TABLE && p->classes >> FACT_SWITCH & 1 &&
           p->classes >> FACT_SAMPLE & 1 && p->threads;
}

bool picture_is_possible(const struct app *a)
{
    return picture_has_latency(app_shown(a)) || picture_has_processors(app_shown(a)->pane);
}

static unsigned latencies(const struct pane *p)
{
    unsigned count = 0;
    for (unsigned i = 0; p->view == PANE_TABLE && i < p->measure_count; i++)
        count += picture_is_latency(p, i);
    return count;
}

bool picture_has_use(const struct app *a, const char *name)
{
    const struct place *const p = app_shown(a);
    const bool is_over_time = p->picture.kind == PICTURE_HEAT || p->picture.kind == PICTURE_CPUS;
    if (strcmp(name, "picture-go") == 0 || strcmp(name, "picture-finer") == 0)
        return is_over_time;
    if (strcmp(name, "picture-measure") == 0)
        return p->picture.kind != PICTURE_CPUS && latencies(p->pane) > 1;
    if (strcmp(name, "picture-row") == 0)
        return p->picture.kind != PICTURE_CPUS && p->pane->view == PANE_TABLE;
    return picture_is_possible(a);
}

struct picture_look picture_wanted(const struct app *a)
{
    const struct place *const p = app_shown(a);
    struct picture_look look;
    memset(&look, 0, sizeof look); /* padding too: requests are compared as bytes */
    look.kind = p->picture.kind;
    if (!look.kind)
        return look;
    const struct picture_area area = picture_lay_out(a, NULL);
    look.measure = p->picture.measure;
    look.of_row = p->picture.of_row;
    if (look.of_row)
        look.row = p->picture.row;
    if (look.kind != PICTURE_HISTOGRAM) {
        look.columns = (uint16_t)(area.plot.width > 2 ? area.plot.width : 2);
        look.column_ns = p->picture.column_ns;
    }
    if (look.kind == PICTURE_CPUS)
        look.lanes = (uint16_t)(area.plot.height > 1 ? area.plot.height : 1);
    return look;
}

/* ---- which --------------------------------------------------------------------------------- */

bool picture_show(struct app *a, enum picture_kind kind)
{
    struct place *const p = app_place(a);
    if (kind == PICTURE_CPUS && !picture_has_processors(p->pane)) {
        app_say(a, false, "who ran where is shown by CPU and Processes: 2, then :cpus");
        return false;
    }
    if ((kind == PICTURE_HEAT || kind == PICTURE_HISTOGRAM) && !picture_has_latency(p)) {
        app_say(a, false, "%s has no latencies; CPU, Disk, Files and most others have", p->pane->title);
        return false;
    }
    if (kind != PICTURE_NONE && p->picture.kind == PICTURE_NONE) {
        p->picture = (struct picture_place){.measure = (uint8_t)best_latency(p)};
        if (p->pane->view == PANE_TREE && p->stacks.term_count)
            app_say(a, false, "frames that are kept or left out do not count here");
    }
    p->picture.kind = (uint8_t)kind;
    p->picture.has_cursor = false;
    return true;
}

bool picture_close(struct app *a)
{
    if (!picture_is_shown(a))
        return false;
    app_place(a)->picture.kind = PICTURE_NONE;
    return true;
}

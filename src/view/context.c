/* What values of rows are made of: which span of time, what of it was recorded, which figures the
 * recording has. */
#include "src/base/clock.h"
#include "src/collect/coverage.h"
#include "src/table/row_code.h"
#include "src/view/inside.h"

/* The span that is shown. */
struct stretch {
    int64_t from, to;
};

static double span_seconds(const struct view *v, struct stretch s)
{
    const int64_t gap = coverage_gap_ns(v->collectors, v->collector_count, s.from, s.to);
    return (double)(s.to - s.from - gap) / 1e9;
}

/* How much of the range what is counted covers: what lies outside of it does not make
 * rates smaller, and a few events at its edge do not make them enormous. */
static struct stretch range_of(const struct view *v, const struct dataset *w, int64_t from,
                               int64_t to)
{
    static const int64_t LEAST_NS = 1000000;
    const int64_t first = view_counted_from(v) - 1;
    const struct stretch kept = {from > first ? from : first, to < w->newest_ns ? to : w->newest_ns};
    if (kept.to <= kept.from)
        return (struct stretch){from, to};
    const int64_t asked = clock_minus(to, from), least = asked < LEAST_NS ? asked : LEAST_NS;
    return kept.to - kept.from > least ? kept : (struct stretch){kept.to - least, kept.to};
}

/* A range, all since the reset, or the last interval. */
static struct stretch span_of(const struct view *v, const struct dataset *w, bool is_total)
{
    const struct request *const r = &v->request;
    if (request_has_range(r))
        return range_of(v, w, view_range(v).from, view_range(v).to);
    if (!is_total) {
        const int64_t end = w->origin_ns + (int64_t)w->interval * v->interval_ns;
        return (struct stretch){end - v->interval_ns, end};
    }
    const int64_t first = view_counted_from(v);
    return (struct stretch){w->reset_ns > first ? w->reset_ns : first, w->newest_ns};
}

/* The interval that an instant lies in. */
static uint32_t interval_at(const struct view *v, const struct dataset *w, int64_t instant)
{
    const uint64_t number =
        instant > w->origin_ns ? (uint64_t)(instant - w->origin_ns) / (uint64_t)v->interval_ns : 0;
    return number < UINT32_MAX ? (uint32_t)number : UINT32_MAX - 1;
}

/* Chooses the table for trends, and its intervals. The table of a range has those of the range at
 * most. The pane's table of everything has them all, if no filter and no crumb narrows the rows.
 * Otherwise the trend columns are missing. */
static void look_back(const struct view *v, const struct dataset *w, struct row_context *x)
{
    const struct request *const r = &v->request;
    x->trends = x->table;
    x->trend_end = x->table->interval + v->is_finished;
    if (!request_has_range(r))
        return;
    const bool is_known = !v->is_of_history && !r->crumb_count && !v->filter.part_count &&
                          !r->pane->is_scanned && v->interval_ns > 0 && r->to_ns > w->origin_ns;
    if (!is_known && !view_counts_by_interval(v)) {
        x->trends = NULL;
        x->missing |= trend_columns(r->pane);
        return;
    }
    if (is_known)
        x->trends = &w->tables[pane_index(r->pane)];
    else
        x->trend_begin = interval_at(v, w, clock_plus(r->from_ns, 1));
    const uint32_t end = interval_at(v, w, r->to_ns) + 1;
    x->trend_end = end < x->trends->interval + 1 ? end : x->trends->interval + 1;
}

/* Of all processors; a range is summed up as it is scanned. */
static uint64_t sampled_in(const struct view *v, const struct dataset *w,
                           const struct row_context *x)
{
    return request_has_range(&v->request) ? v->machine.sampled
                                          : dataset_sum(w, x, "processes", "sampled");
}

struct row_context view_context_of(struct view *v, const struct dataset *w, const struct table *t)
{
    const bool has_interval = w->interval > 0;
    const bool is_total = v->request.accumulate || v->is_finished || !has_interval;
    const struct stretch s = span_of(v, w, is_total);
    struct row_context x = {
        .table = t,
        .model = v->model,
        .dictionary = v->live->dictionary,
        .callbacks = &v->side_callbacks,
        .span = is_total ? SPAN_TOTAL : SPAN_INTERVAL,
        .seconds = span_seconds(v, s),
        .now_ns = is_total || s.to > w->newest_ns ? w->newest_ns : s.to, /* not what came since */
        .paths = v->request.paths,
        .of_one_cpu = v->request.of_one_cpu,
    };
    if (v->request.tree && x.paths == PATHS_NAME)
        x.paths = PATHS_FULL;
    if (request_has_range(&v->request)) {
        x.span = SPAN_TOTAL; /* of the narrowed table, which holds nothing else */
        x.now_ns = view_range(v).to < w->newest_ns ? view_range(v).to : w->newest_ns;
    }
    x.cpus = view_processors(v);
    availability_look(&v->column_availability, v->model);
    view_times(v, w, t, s.from, s.to, sampled_in(v, w, &x), &v->row_times);
    x.times = &v->row_times;
    x.has_switches =
        availability_has(&v->column_availability, FACT_SWITCH) &&
        (v->row_times.of_class[FACT_SWITCH] > 0 || v->row_times.of_class[FACT_SAMPLE] <= 0);
    x.missing = availability_missing(&v->column_availability, v->request.pane) |
                availability_lacking(&v->column_availability, v->request.pane, v->filter_lacking,
                                     v->counted_ops);
    if (v->is_of_history)
        x.missing |= row_code_lacks(v->request.pane);
    look_back(v, w, &x);
    return x;
}

struct row_context view_context(struct view *v)
{
    const struct dataset *const w = view_dataset(v);
    return view_context_of(v, w,
                      v->has_narrowed ? &v->narrowed : &w->tables[pane_index(v->request.pane)]);
}

struct row_context view_base_context(struct view *v, const struct row_context *x)
{
    const struct request *const r = &v->request;
    struct row_context base = *x;
    base.table = &v->base;
    const struct dataset *const w = view_dataset(v);
    const struct stretch s = range_of(v, w, r->base_from_ns, r->base_to_ns);
    base.seconds = span_seconds(v, s);
    view_times(v, w, base.table, s.from, s.to, view_sampled(base.table), &v->base_times);
    base.times = &v->base_times;
    return base;
}

/* Builds the frame that answers a request: rows by the kind of pane, totals, the span. */

#include "src/filter/remark.h"
#include "src/os/os.h"
#include "src/view/changes.h"
#include "src/view/chart.h"
#include "src/view/find.h"
#include "src/view/inside.h"
#include "src/view/stacks.h"

#include <string.h>

/* A read of a file may be a read of a disk, too. Counts of events are what they say; bytes and
 * times of both together are neither. */
static bool counts_twice(const struct view *v)
{
    const struct pane *const p = v->request.pane;
    const bool has_both = v->counted_ops[FACT_FILE] && v->counted_ops[FACT_DISK] &&
                          availability_has(&v->column_availability, FACT_FILE) &&
                          availability_has(&v->column_availability, FACT_DISK);
    const uint32_t both = 1u << FACT_FILE | 1u << FACT_DISK;
    for (size_t i = 0; p->user_view && has_both && i < p->measure_count; i++) {
        const struct measure *const m = &p->measures[i];
        const bool is_amount = !m->of && !m->field && m->kind != MEASURE_COUNT;
        if (is_amount && (m->classes & both) == both)
            return true;
    }
    return false;
}

/* Looks for unknown payload fields: where there is no row, and in answers of commands. */
static bool wants_fields(const struct view *v, const struct frame *f)
{
    const bool is_empty = !f->shown && !f->hidden;
    return !*f->filter_remark && !f->is_partial && (is_empty || v->request.is_settled);
}

/* The filter that is shown, and that of a pane that has one. */
static void add_remarks(struct view *v, const struct filter *filter, struct frame *f)
{
    if (!filter)
        return;
    f->given_up += filter_given_up(filter);
    if (!*f->filter_remark)
        filter_unknown_name(filter, v->model->schemas, f->filter_remark);
    for (unsigned i = 0; i < filter->term_count && wants_fields(v, f); i++)
        if (filter->terms[i].payload)
            view_unknown_payload(v, filter->terms[i].payload, f->filter_remark);
}

/* The fields that a query or view asks for. */
static void add_field_remarks(struct view *v, struct frame *f)
{
    for (unsigned i = 0; i < f->pane->field_count && wants_fields(v, f); i++)
        view_unknown_payload(v, f->pane->fields[i], f->filter_remark);
}

static void fill_recorders(const struct model *m, struct frame *f)
{
    for (uint32_t s = 0; s < m->source_count; s++) {
        f->by_both |= m->sources[s].recorded_by_both;
        f->by_winsock |= m->sources[s].has_winsock;
        f->by_http |= m->sources[s].has_http;
        for (unsigned class = 0; class < FACT_CLASSES; class ++) {
            const uint8_t by = m->sources[s].recorded_by[class];
            f->by_provider |= (uint32_t)(by == RECORDED_BY_PROVIDER) << class;
            f->by_kernel_logger |= (uint32_t)(by == RECORDED_BY_KERNEL_LOGGER) << class;
        }
    }
}

static void fill_range(const struct view *v, struct frame *f, const struct row_context *x)
{
    const struct machine_sums *m = &v->machine;
    const uint64_t all = x->has_switches ? m->run : m->sampled;
    const uint64_t idle = x->has_switches ? m->idle_run : m->idle_sampled;
    const double seconds = context_processor_seconds(x);
    const double disk = x->times->of_class[FACT_DISK];
    f->range_from = view_range(v).from;
    f->range_to = view_range(v).to;
    f->base_from = v->has_base ? v->request.base_from_ns : f->base_from;
    f->base_to = v->has_base ? v->request.base_to_ns : f->base_to;
    f->cpu_percent = all && seconds > 0 ? (double)(all - idle) / 1e9 / seconds * 100 : -1;
    f->disk_read = disk > 0 ? (double)m->read / disk : 0;
    f->disk_write = disk > 0 ? (double)m->written / disk : 0;
}

bool view_counts_itself(const struct view *v)
{
    return v->has_narrowed;
}

uint64_t view_folded(const struct view *v)
{
    return (v->has_narrowed ? v->narrowed.folded : 0) + (v->has_base ? v->base.folded : 0);
}

struct row_context view_fill(struct view *v, struct frame_maker *maker)
{
    static const int64_t MATCH_NS = 5 * 1000000, MATCH_ANEW_NS = 50 * 1000000;
    v->match_until = os_now() + (v->shares_match_cache ? MATCH_ANEW_NS : MATCH_NS);
    v->matched = 0;
    v->has_unmatched = false;
    const struct dataset *w = view_dataset(v);
    view_pass_time(v);
    struct table *t = v->has_narrowed ? &v->narrowed : &w->tables[pane_index(v->request.pane)];
    table_settle(t, v->model);
    struct row_context x = view_context_of(v, w, t);
    if (view_shows(v, PANE_EVENTS))
        view_fill_events(v, maker);
    else if (view_shows(v, PANE_TREE))
        view_fill_stacks(v, maker);
    else if (view_shows(v, PANE_CHANGES))
        view_fill_changes(v, maker, &x, view_is_complete(v));
    else if (v->has_base) {
        table_settle(&v->base, v->model);
        struct row_context base = view_base_context(v, &x);
        view_fill_table(v, maker, &x, &base);
    } else
        view_fill_table(v, maker, &x, NULL);
    x.texts = &maker->texts;
    if (v->chart)
        maker->frame.chart =
            chart_of_scan(v->last_chart ? v->last_chart : v->chart, &v->request, &x);
    view_fill_crumbs(v, maker, &x);
    struct frame *f = &maker->frame;
    f->sequence = v->request.sequence;
    f->view = v->request.view;
    seek_report(v, f);
    view_fill_about(v, maker, &x);
    f->pane = v->request.pane;
    f->instant = request_has_range(&v->request) ? x.now_ns : w->newest_ns;
    f->kept_first = facts_earliest(&w->facts);
    f->kept_last = w->facts.end > w->facts.first ? w->newest_ns : 0;
    struct history_span sums;
    f->sums_first = w->history && interval_history_span(w->history, &sums) ? sums.from + 1 : 0;
    f->is_of_history = v->is_of_history;
    f->recorded_first = v->can_reread ? w->first_ns : 0;
    f->origin = w->origin_ns;
    f->sample_ns = v->interval_ns;
    f->is_window_only = view_is_window_only(v);
    f->first_instant = view_counted_from(v);
    f->interval_s = x.seconds;
    for (size_t i = 0; i < f->pane->column_count && i < FRAME_COLUMNS && f->pane->view == PANE_TABLE; i++)
        f->column_s[i] = column_seconds(&x, &f->pane->columns[i]);
    if (x.times)
        memcpy(f->class_s, x.times->of_class, sizeof f->class_s);
    f->is_total = x.span == SPAN_TOTAL && !request_has_range(&v->request);
    f->interval = w->interval;
    f->is_frozen = v->is_frozen;
    f->is_partial = view_is_partial(v) || view_waits_for_names(v);
    f->symbols_asked = view_symbols(v).asked;
    f->symbols_answered = view_symbols(v).answered;
    f->download = v->sites.symbols ? symbols_progress(v->sites.symbols)
                                   : (struct symbol_progress){.title = ""};
    f->unread = v->unread;
    f->folded = v->has_narrowed ? view_folded(v) : view_shows(v, PANE_TABLE) ? t->folded : 0;
    add_remarks(v, &v->filter, f);
    add_remarks(v, view_pane_filter(v, f->pane), f);
    add_field_remarks(v, f);
    fill_recorders(v->model, f);
    f->cpus = x.cpus;
    f->has_switches = x.has_switches;
    f->has_samples = availability_has(&v->column_availability, FACT_SAMPLE);
    f->has_disks = availability_has(&v->column_availability, FACT_DISK);
    f->counts_twice = counts_twice(v);
    f->missing = x.missing;
    if (request_has_range(&v->request))
        fill_range(v, f, &x);
    return x;
}

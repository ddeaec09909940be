
#include "src/base/clock.h"
#include "src/base/mem.h"
#include "src/os/os.h"
#include "src/view/changes.h"
#include "src/view/chart.h"
#include "src/view/find.h"
#include "src/view/inside.h"
#include "src/view/predicate.h"
#include "src/view/stacks.h"
#include "src/view/values.h"

#include <stdlib.h>
#include <string.h>

struct view *view_new(const struct view_options *o)
{
    struct view *const v = mem_new(1, sizeof *v);
    *v = (struct view){.model = o->model,
                       .collectors = o->collectors,
                       .collector_count = o->collector_count,
                       .control = o->control,
                       .live = o->live,
                       .frozen_snapshot = o->frozen_snapshot,
                       .losses = o->losses,
                       .rules = o->rules,
                       .interval_ns = o->interval_ns,
                       .filter_serial = o->filter_serial,
                       .is_finished = o->is_finished,
                       .can_reread = o->can_reread};
    sites_init(&v->sites, o->symbols);
    filter_init(&v->filter, "", NULL, NULL, NULL);
    v->match_cache = match_cache_new();
    v->cache = view_cache_new();
    view_callbacks_init(v);
    v->tag_rule = tag_rule_new();
    v->finder = finder_new();
    v->shown_frames = shown_frames_new();
    v->tree_rows = tree_rows_new();
    return v;
}

static void drop_scan(struct view *v)
{
    view_tree_drop(v);
    if (v->has_narrowed)
        table_fini(&v->narrowed);
    if (v->has_base)
        table_fini(&v->base);
    v->has_narrowed = v->has_base = v->is_of_history = false;
    v->waiting_count = 0;
    v->is_scanning = v->is_whole = false;
    v->wants_reread = false;
    v->reread = v->scanned = NULL;
    v->index.first = v->index.end = v->index.hidden = 0;
}

static void set_frozen(struct view *v, bool is_frozen);

void view_free(struct view *v)
{
    if (!v)
        return;
    drop_scan(v);
    filter_fini(&v->filter);
    free(v->items);
    row_order_clear(&v->row_order);
    free(v->index.numbers);
    view_folders_clear(v);
    view_frame_filters_clear(v);
    match_cache_free(v->match_cache);
    view_cache_free(v->cache);
    view_callbacks_fini(v);
    view_wheres_free(v);
    view_values_free(v);
    tree_free(v->tree);
    tree_free(v->last_tree);
    chart_scan_free(v->chart);
    chart_scan_free(v->last_chart);
    shown_frames_free(v->shown_frames);
    tree_rows_free(v->tree_rows);
    changes_forget(v);
    finder_free(v->finder);
    tag_rule_free(v->tag_rule);
    set_frozen(v, false);
    sites_fini(&v->sites);
    free(v);
}

/* ---- scanning ------------------------------------------------------------------------ */

static bool is_table(const struct view *v)
{
    return v->request.pane->view == PANE_TABLE;
}

static bool is_tree(const struct view *v)
{
    return v->request.pane->view == PANE_TREE;
}

static bool is_changes(const struct view *v)
{
    return v->request.pane->view == PANE_CHANGES;
}

/* What is shown beside a picture. */
static bool rows_need_scan(const struct view *v)
{
    return v->request.crumb_count > 0 || request_has_range(&v->request) || v->request.pane->is_scanned
           || (v->request.pane->has_images && (v->can_reread || view_dataset(v)->facts.first == 0))
           || is_tree(v) || is_changes(v) || filter_has(&v->filter, LEVEL_FACT);
}

static bool needs_scan(const struct view *v)
{
    return rows_need_scan(v) || chart_is_scanned(&v->request);
}

/* Of a request that looks at records: is one gone whose fact is kept? Rings forget the oldest
 * first. */
static bool lacks_records(struct view *v)
{
    const struct facts *const facts = &view_dataset(v)->facts;
    struct event e;
    uint64_t n = facts->first;
    if (!v->request.pane->field_count && !v->filter.of_group[GROUP_CALLBACK])
        return false;
    while (n < facts->end && facts_at(facts, n)->flags & FACT_NO_RECORD)
        n++;
    return n < facts->end && !view_record(v, facts_at(facts, n), &e);
}

static bool is_about_stacks(const struct view *v)
{
    bool is_of_frame = false;
    for (unsigned i = 0; i < v->request.crumb_count; i++)
        is_of_frame |= v->request.crumbs[i].kind == CRUMB_FRAME;
    return is_of_frame || is_tree(v) || v->request.pane->has_stacks ||
           v->filter.of_group[GROUP_STACK];
}

/* Of a request about stacks: is one forgotten whose fact is kept? Those of the oldest facts go
 * first. */
static bool lacks_stacks(const struct view *v)
{
    const struct facts *const facts = &view_dataset(v)->facts;
    const struct generation_table *const stacks = &v->model->stack_store.stacks;
    uint64_t n = facts->first;
    if (!is_about_stacks(v) || !(stacks->evicted + stacks->recycled))
        return false;
    while (n < facts->end &&
           (!facts_at(facts, n)->stack ||
            (request_has_range(&v->request) && facts_at(facts, n)->time <= v->request.from_ns)))
        n++;
    return n < facts->end && !generation_at(stacks, facts_at(facts, n)->stack);
}

/* Is the scan that begins about facts that are kept no more? Lists of events and what changes are
 * about the history. */
static bool wants_reread(struct view *v)
{
    const struct dataset *const w = view_dataset(v);
    if (!v->can_reread || view_shows(v, PANE_EVENTS) || is_changes(v))
        return false;
    if (lacks_records(v) || lacks_stacks(v))
        return true;
    if (!w->facts.first)
        return false;
    const int64_t kept = facts_earliest(&w->facts);
    const struct request *const r = &v->request;
    if (!request_has_range(r))
        return w->reset_ns < kept;
    return r->from_ns + 1 < kept || (request_has_base(r) && r->base_from_ns + 1 < kept);
}

static void start_chart(struct view *v)
{
    chart_scan_free(v->chart);
    chart_scan_free(v->last_chart);
    v->last_chart = NULL;
    v->chart = chart_is_scanned(&v->request) ? chart_scan_new(v, view_processor_numbers(v)) : NULL;
}

/* Since when the narrowed table counts. */
static int64_t counts_since(const struct view *v)
{
    const struct dataset *const w = view_dataset(v);
    if (request_has_range(&v->request))
        return clock_plus(v->request.from_ns, 1);
    return w->reset_ns > w->first_ns ? w->reset_ns : w->first_ns;
}

/* Does it take more than the facts themselves to know which of them count? */
static bool asks_names(struct view *v)
{
    const struct filter *const where = view_pane_filter(v, v->request.pane);
    return v->request.crumb_count || !filter_is_of_facts(&v->filter) ||
           (where && !filter_is_of_facts(where));
}

static void start_scan(struct view *v)
{
    drop_scan(v);
    tree_free(v->last_tree);
    v->last_tree = NULL;
    v->is_scanning = needs_scan(v);
    v->wants_reread = v->is_scanning && wants_reread(v);
    v->scan_next = v->slice_next = 0;
    v->scan_from =
        view_dataset(v)->facts.first ? facts_earliest(&view_dataset(v)->facts) : INT64_MIN;
    v->scan_attributions = v->model->attributions + v->model->merges;
    v->scan_names = v->model->late_names;
    v->scan_kinds = v->model->late_kinds;
    v->scan_stacks = view_stacks_known(v);
    v->scan_symbols = view_symbols(v).version;
    v->scan_images = v->model->images_learned;
    v->scan_started = os_now();
    v->unread = 0;
    v->machine = (struct machine_sums){0};
    match_cache_clear(v->match_cache);
    view_wheres_clear(v);
    view_folders_clear(v);
    view_frame_filters_clear(v);
    v->crumbs_passed = 0;
    if (is_tree(v) && !v->tree)
        v->tree = tree_new();
    if (is_tree(v))
        tree_start(v);
    if (is_changes(v))
        changes_start(v);
    start_chart(v);
    if (v->is_scanning && is_table(v) && rows_need_scan(v)) {
        table_init(&v->narrowed, v->request.pane);
        v->narrowed.model = v->model;
        table_begin(&v->narrowed, counts_since(v));
        v->narrowed.counts_all = !request_has_range(&v->request) &&
                                 view_dataset(v)->reset_ns <= view_dataset(v)->first_ns;
        v->has_narrowed = true;
    }
    if (v->has_narrowed && view_reads_history(v))
        view_read_history(v);
    if (v->has_narrowed && request_has_base(&v->request)) {
        table_init(&v->base, v->request.pane);
        v->base.model = v->model;
        table_begin(&v->base, clock_plus(v->request.base_from_ns, 1));
        v->has_base = true;
    }
    view_values_start(v);
    view_choose_facts(v);
    v->scan_begin = view_dataset(v)->first_ns;
    v->asks_names = asks_names(v);
}

void view_restart(struct view *v)
{
    if (v->is_scanning)
        start_scan(v);
}

void view_end(struct view *v, bool can_reread)
{
    v->is_finished = true;
    v->can_reread = can_reread;
    if (v->has_request && wants_reread(v) && needs_scan(v) &&
        (!v->is_scanning || view_is_window_only(v) || v->unread))
        start_scan(v);
}

void view_start_reread(struct view *v, const struct reread *r)
{
    v->reread = v->scanned = r;
    v->scan_started = os_now();
    view_callbacks_fini(v); /* distances were counted between other facts */
    if (is_tree(v))
        tree_start(v);
    v->scanned = NULL;
}

void view_refuse_reread(struct view *v)
{
    v->can_reread = false;
    view_restart(v);
}

static bool same_crumbs(const struct request *a, const struct request *b)
{
    return a->crumb_count == b->crumb_count
           && memcmp(a->crumbs, b->crumbs, a->crumb_count * sizeof *a->crumbs) == 0;
}

static bool same_range(const struct request *a, const struct request *b)
{
    return a->from_ns == b->from_ns && a->to_ns == b->to_ns && a->base_from_ns == b->base_from_ns
           && a->base_to_ns == b->base_to_ns && a->now_ns == b->now_ns
           && a->before_ns == b->before_ns;
}

static struct frozen_snapshot *frozen_snapshot_new(const struct view *v)
{
    struct frozen_snapshot *const s = mem_new(1, sizeof *s);
    s->dataset = dataset_freeze(v->live);
    s->window_count = (unsigned)v->collector_count + 1;
    s->windows = mem_new(s->window_count, sizeof *s->windows);
    for (unsigned i = 0; i < s->window_count; i++)
        s->windows[i] = window_new(view_ring(v, i), PIN_FREEZE);
    return s;
}

static void frozen_snapshot_free(struct frozen_snapshot *s)
{
    dataset_fini(&s->dataset);
    for (unsigned i = 0; i < s->window_count; i++)
        window_free(s->windows[i]);
    free(s->windows);
    free(s);
}

static void set_frozen(struct view *v, bool is_frozen)
{
    if (is_frozen == v->is_frozen || !v->frozen_snapshot)
        return;
    view_tree_drop(v);
    v->is_frozen = is_frozen;
    if (is_frozen) {
        *v->frozen_snapshot = *v->frozen_snapshot ? *v->frozen_snapshot : frozen_snapshot_new(v);
        (*v->frozen_snapshot)->holders++;
    } else if (--(*v->frozen_snapshot)->holders == 0) {
        frozen_snapshot_free(*v->frozen_snapshot);
        *v->frozen_snapshot = NULL;
    }
}

size_t frozen_snapshot_bytes(const struct frozen_snapshot *s)
{
    size_t sum = 0;
    for (unsigned i = 0; s && i < s->window_count; i++)
        sum += window_bytes(s->windows[i]);
    return sum;
}

size_t view_bytes(const struct view *v)
{
    return (v->has_narrowed ? table_bytes(&v->narrowed) : 0) +
           (v->has_base ? table_bytes(&v->base) : 0) + v->index.room * sizeof *v->index.numbers;
}

bool frozen_snapshot_keep(struct frozen_snapshot *s, int64_t deadline)
{
    for (unsigned i = 0; s && i < s->window_count; i++)
        if (window_work(s->windows[i], deadline))
            return true;
    return false;
}

/* Asked for the same rows by the same order, and to keep it. */
static bool keeps_order(const struct request *a, const struct request *b)
{
    return a->locks_order && b->locks_order && a->pane == b->pane && same_crumbs(a, b) &&
           a->sort == b->sort && a->ascending == b->ascending && a->accumulate == b->accumulate;
}

/* Where the filter of a table says of which time events are, rates divide by that, as they do of a
 * range. What is open at its end goes on live: there, the last interval counts. */
static bool takes_times(const struct view *v, const struct filter_span *span)
{
    const struct request *const r = &v->request;
    return r->pane->view == PANE_TABLE && !request_has_base(r) &&
           (span->last_ns < INT64_MAX || v->is_finished || r->accumulate);
}

static void read_times(struct view *v)
{
    struct filter_span span;
    struct filter without = v->filter;
    v->has_times = filter_take_span(&without, &span) && takes_times(v, &span);
    if (!v->has_times)
        return;
    v->filter = without;
    v->times = span;
}

/* The part of the range that was asked for that the filter leaves; where there is none, one that no
 * event lies in. */
static void narrow_range(struct view *v)
{
    struct request *const r = &v->request;
    r->from_ns = v->asked.first_ns;
    r->to_ns = v->asked.last_ns;
    if (!v->has_times)
        return;
    const int64_t since = v->times.first_ns > 0 ? v->times.first_ns - 1 : 0;
    const bool has_range = request_has_range(r);
    r->from_ns = has_range && r->from_ns > since ? r->from_ns : since;
    r->to_ns = has_range && r->to_ns < v->times.last_ns ? r->to_ns : v->times.last_ns;
    if (!request_has_range(r))
        r->from_ns = (r->to_ns = INT64_MAX) - 1;
}

static void read_filter(struct view *v)
{
    const struct dataset *const w = view_dataset(v);
    static const struct filter_span anywhere = {1, INT64_MAX};
    const struct request *const r = &v->request;
    v->filter_span = (struct filter_span){facts_earliest(&w->facts), w->newest_ns};
    filter_fini(&v->filter);
    v->times_are_outside =
        !filter_init(&v->filter, r->filter, r->pane, &v->filter_span, NULL) &&
        filter_init(&v->filter, r->filter, r->pane, &anywhere, NULL);
    read_times(v);
    for (unsigned class = 0; class < FACT_CLASSES; class ++) {
        v->filter_ops[class] = v->counted_ops[class] = filter_ops(&v->filter, class);
        v->filter_lacking[class] = filter_lacking(&v->filter, class);
    }
    const struct filter *const where = view_pane_filter(v, r->pane);
    for (unsigned class = 0; where && class < FACT_CLASSES; class ++) {
        v->counted_ops[class] &= filter_ops(where, class);
        v->filter_lacking[class] |= filter_lacking(where, class);
    }
    v->filter_serial++;
    narrow_range(v);
}

static bool same_tags(const struct request *a, const struct request *b)
{
    return a->tag_count == b->tag_count && strcmp(a->tag, b->tag) == 0
           && memcmp(a->tags, b->tags, a->tag_count * sizeof *a->tags) == 0;
}

/* Lists of events are found by the filter; it may ask whether they are tagged. */
static bool asks_for_tags(const struct filter *f)
{
    for (unsigned i = 0; i < f->term_count; i++)
        if (f->terms[i].by == BY_TAG)
            return true;
    return false;
}

void view_ask(struct view *v, const struct request *r)
{
    const struct request old = v->request;
    const bool is_first = !v->has_request;
    v->request = *r;
    v->asked = (struct filter_span){r->from_ns, r->to_ns};
    v->has_request = true;
    v->request.filter[FILTER_MAX - 1] = '\0';
    if (v->request.crumb_count > CRUMBS_MAX)
        v->request.crumb_count = CRUMBS_MAX;
    if (v->request.tag_count > TAGS_MAX)
        v->request.tag_count = TAGS_MAX;
    if (v->request.stacks.metric >= STACK_METRICS)
        v->request.stacks.metric = METRIC_OPERATIONS;
    const bool new_filter = is_first || strcmp(old.filter, v->request.filter) != 0;
    const bool had_facts = filter_has(&v->filter, LEVEL_FACT);
    if (new_filter || old.pane != r->pane || /* the same words may mean other columns … */
        old.accumulate != r->accumulate || request_has_base(&old) != request_has_base(r))
        read_filter(v); /* … and the same times another range */
    else
        narrow_range(v);
    finder_ask(v);
    seek_ask(v);
    if (old.paths != r->paths)
        v->filter_serial++; /* filters look at paths as they are shown */
    if (!keeps_order(&old, &v->request))
        row_order_clear(&v->row_order);
    const bool new_dataset = v->frozen_snapshot && v->is_frozen != r->freeze;
    set_frozen(v, r->freeze);
    if (is_first || new_dataset || old.pane != r->pane || !same_crumbs(&old, &v->request) ||
        !same_range(&old, &v->request) ||
        (is_tree(v) && !stack_look_counts_alike(&old.stacks, &r->stacks)) ||
        !chart_look_counts_alike(&old.chart, &r->chart) ||
        ((new_filter || old.hides != r->hides) && chart_is_scanned(r)) ||
        (new_filter && (had_facts || filter_has(&v->filter, LEVEL_FACT))) ||
        (asks_for_tags(&v->filter) && !same_tags(&old, &v->request))) {
        changes_forget(v);
        start_scan(v);
    }
}

/* For the same request, with what was learned since. A call tree is shown as it was until the
 * new one is whole. */
static void scan_again(struct view *v)
{
    struct tree *const shown = v->last_tree ? v->last_tree : v->tree;
    if (is_tree(v) && shown == v->tree)
        v->tree = NULL;
    v->last_tree = NULL;
    struct chart_scan *const seen = v->last_chart ? v->last_chart : v->chart;
    if (seen == v->chart)
        v->chart = NULL;
    v->last_chart = NULL;
    if (view_times_moved(v))
        read_filter(v);
    start_scan(v);
    v->last_tree = is_tree(v) ? shown : NULL;
    v->last_chart = seen;
}

/* All was read again: from here on it is as if everything were kept. */
static void end_reread(struct view *v)
{
    view_callbacks_fini(v);
    v->reread = v->scanned = NULL;
    v->wants_reread = false;
    v->is_whole = true;
    v->scan_next = view_dataset(v)->facts.end;
    v->slice_next = view_dataset(v)->slices.end;
    if (is_tree(v))
        tree_end_reread(v);
}

/* Facts that may be scanned now. */
static uint64_t scan_end(const struct view *v)
{
    return v->reread ? v->reread->ready : view_dataset(v)->facts.end;
}

static bool scan(struct view *v, int64_t deadline)
{
    const bool is_old = !v->reread && v->scan_next >= scan_end(v) && view_is_outdated(v),
               has_begun = v->has_narrowed && v->scan_begin != view_dataset(v)->first_ns;
    if (is_old || has_begun || (is_tree(v) && !tree_catch_up(v)))
        scan_again(v);
    if (v->wants_reread && !v->reread)
        return true;
    const bool had_work = v->scan_next < scan_end(v);
    if (!view_scan_facts(v, scan_end(v), deadline))
        return true;
    if (v->reread && !v->reread->is_over)
        return had_work;
    if (v->reread)
        end_reread(v);
    tree_free(v->last_tree);
    v->last_tree = NULL;
    chart_scan_free(v->last_chart);
    v->last_chart = NULL;
    if (!v->is_whole)
        chart_forget(v);
    return had_work;
}

bool view_work(struct view *v, int64_t deadline)
{
    if (!v->has_request || !v->is_scanning || (v->wants_reread && !v->reread))
        return false;
    v->scanned = v->reread;
    const bool had_work = scan(v, deadline);
    view_count_waiting(v); /* the facts may go before the next turn */
    v->scanned = NULL;
    return had_work;
}

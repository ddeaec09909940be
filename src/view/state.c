/* What everybody asks a view: where it looks, at how much of it, and who works there. */
#include "src/collect/coverage.h"
#include "src/view/inside.h"

const struct request *view_request(const struct view *v)
{
    return v->has_request ? &v->request : NULL;
}

bool view_filters_events(const struct view *v)
{
    return filter_has(&v->filter, LEVEL_FACT);
}

void view_share_matches(struct view *v, bool is_shared)
{
    v->shares_match_cache = is_shared;
}

void view_set_interval(struct view *v, int64_t ns)
{
    v->interval_ns = ns;
}

bool view_wants_reread(const struct view *v)
{
    return v->wants_reread;
}

bool view_rereads(const struct view *v, const struct reread *r)
{
    return v->reread == r;
}

bool view_is_scanning(const struct view *v)
{
    return v->has_request && v->is_scanning;
}

uint64_t view_next_fact(const struct view *v)
{
    return v->scan_next;
}

uint32_t view_filter_serial(const struct view *v)
{
    return v->filter_serial;
}

bool view_has_unmatched(const struct view *v)
{
    return v->has_unmatched;
}

const struct dataset *view_dataset(const struct view *v)
{
    return v->is_frozen ? &(*v->frozen_snapshot)->dataset : v->live;
}

const struct dataset *view_scanned(const struct view *v)
{
    return v->scanned ? v->scanned->dataset : view_dataset(v);
}

struct ring *view_ring(const struct view *v, size_t index)
{
    if (v->scanned && index == 0)
        return v->scanned->hot;
    return index < v->collector_count ? v->collectors[index]->hot : v->control;
}

bool view_is_window_only(const struct view *v)
{
    return !v->is_whole && !v->wants_reread &&
           (v->is_scanning ? v->scan_from != INT64_MIN
                           : view_shows(v, PANE_EVENTS) && view_dataset(v)->facts.first > 0);
}

int64_t view_counted_from(const struct view *v)
{
    const struct dataset *const w = view_dataset(v);
    if (!view_is_window_only(v))
        return w->first_ns;
    return v->is_scanning ? v->scan_from : facts_earliest(&w->facts);
}

unsigned view_processors(const struct view *v)
{
    unsigned cpus = coverage_processors(v->collectors, v->collector_count);
    for (uint32_t i = 0; i < v->model->source_count; i++)
        cpus =
            v->model->sources[i].processors_run > cpus ? v->model->sources[i].processors_run : cpus;
    return cpus;
}

unsigned view_processor_numbers(const struct view *v)
{
    unsigned numbers = coverage_processors(v->collectors, v->collector_count);
    for (uint32_t i = 0; i < v->model->source_count; i++) {
        const struct model_source *const s = &v->model->sources[i];
        for (uint32_t cpu = s->processors_seen; cpu > numbers; cpu--)
            if (s->processors[cpu - 1].has_run)
                numbers = cpu;
    }
    return numbers;
}

struct symbol_figures view_symbols(const struct view *v)
{
    return v->sites.symbols ? symbols_figures(v->sites.symbols) : (struct symbol_figures){0};
}

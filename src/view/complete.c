/* Does the frame of now say all that there is to say? */
#include "src/os/os.h"
#include "src/view/changes.h"
#include "src/view/chart.h"
#include "src/view/inside.h"
#include "src/view/stacks.h"

uint64_t view_stacks_known(const struct view *v)
{
    const struct model *const m = v->model;
    return m->stack_store.update_count + m->stack_store.learned + m->images_learned;
}

static bool has_crumb(const struct request *r, enum crumb_kind kind)
{
    for (unsigned i = 0; i < r->crumb_count; i++)
        if (r->crumbs[i].kind == kind)
            return true;
    return false;
}

static bool asks_for_stacks(const struct filter *f)
{
    return f->used[LEVEL_FACT] & f->of_group[GROUP_STACK];
}

static bool asks_for_times(const struct filter *f)
{
    for (unsigned i = 0; i < f->term_count; i++)
        if (f->terms[i].by == BY_TIME)
            return true;
    return false;
}

bool view_times_moved(const struct view *v)
{
    const struct dataset *const w = view_dataset(v);
    return v->filter_span.last_ns != w->newest_ns && (v->is_finished || v->times_are_outside) &&
           asks_for_times(&v->filter);
}

bool view_is_outdated(const struct view *v)
{
    static const int64_t PATIENCE_NS = 1000000000;
    if (view_shows(v, PANE_CHANGES))
        return changes_are_old(v);
    /* Rows of tables move by themselves (table_settle()). */
    const bool by_process = (v->asks_names || !v->has_narrowed || v->chart) &&
                            v->scan_attributions != v->model->attributions + v->model->merges;
    const bool by_name = v->asks_names && v->scan_names != v->model->late_names;
    const bool by_kind = v->request.pane->field_count && v->scan_kinds != v->model->late_kinds;
    const bool by_time = v->has_narrowed && v->narrowed.interval > view_dataset(v)->interval;
    const bool by_stack = (view_shows(v, PANE_TREE) && tree_is_outdated(v))
                          || (has_crumb(&v->request, CRUMB_FRAME)
                              && (v->scan_stacks != view_stacks_known(v)
                                  || v->scan_symbols != view_symbols(v).version));
    const bool by_key = v->request.pane->has_stacks && v->scan_stacks != view_stacks_known(v);
    const bool by_frame = asks_for_stacks(&v->filter)
                          && (v->scan_stacks != view_stacks_known(v)
                              || v->scan_symbols != view_symbols(v).version);
    /* When nothing more will come, the answer that stays is to be the right one. */
    const bool by_image = (v->request.pane->has_images || has_crumb(&v->request, CRUMB_IMAGE)) &&
                          v->scan_images != v->model->images_learned;
    const struct symbol_figures symbols = view_symbols(v);
    return (view_times_moved(v) || by_process || by_name || by_stack || by_frame || by_key ||
            by_image || by_kind || by_time || chart_is_outdated(v)) &&
           ((v->is_finished && symbols.asked == symbols.answered) ||
            (!v->is_whole && !v->request.is_settled && /* nobody sees what comes before the end */
             os_now() - v->scan_started > PATIENCE_NS));
}

bool view_is_complete(const struct view *v)
{
    return !v->is_scanning || (!v->wants_reread && v->scan_next >= view_dataset(v)->facts.end &&
                               !(v->is_finished && view_is_outdated(v)));
}

bool view_is_partial(const struct view *v)
{
    return !view_is_complete(v) || v->has_unmatched;
}

/* The answer that stays shall have all names that can be had. */
bool view_waits_for_names(const struct view *v)
{
    const struct symbol_figures s = view_symbols(v);
    return v->is_finished &&
           (view_shows(v, PANE_TREE) || has_crumb(&v->request, CRUMB_FRAME) ||
            asks_for_stacks(&v->filter) || v->request.pane->has_stacks) &&
           s.asked != s.answered;
}

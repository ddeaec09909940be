/* The views of an engine, one per pane that is looked at. */
#include "src/engine/inside.h"

void engine_open_view(struct engine *e, unsigned i)
{
    enum {
        SERIALS = 1 << 26
    }; /* match_cache stand in rows that all views share: triggers have the
        * first of these, but for those of view 0 */
    struct rules *const rules = e->viewports[i].rules;
    const struct view_options o = {.control = e->control->hot,
                                   .model = &e->model,
                                   .collectors = e->collectors,
                                   .collector_count = e->options.collector_count,
                                   .live = &e->dataset,
                                   .frozen_snapshot = &e->frozen_snapshot,
                                   .losses = &e->losses,
                                   .rules = rules,
                                   .symbols = e->symbols,
                                   .is_finished = e->is_done,
                                   .can_reread = e->is_done && engine_can_reread(e),
                                   .interval_ns = e->options.interval_ns,
                                   .filter_serial = i ? (TRIGGERS_MAX + i) * SERIALS : 0};
    e->viewports[i] = (struct viewport){.view = view_new(&o), .rules = rules};
}

void engine_close_view(struct engine *e, unsigned i)
{
    if (!view_request(e->viewports[i].view))
        return;
    view_free(e->viewports[i].view);
    engine_open_view(e, i);
    frame_free(atomic_exchange_explicit(&e->frames[i], NULL, memory_order_acq_rel));
}

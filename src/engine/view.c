/* The views of an engine, one per pane that is looked at. */
#include "src/engine/inside.h"

void engine_open_view(struct engine *e, unsigned i)
{
    enum {
        SERIALS = 1 << 26
    }; /* match_cache stand in rows that all views share: triggers have the
        * first of these, but for those of view 0 */
    struct rules *const rules = e->viewports[i].view.rules;
    e->viewports[i] =
        (struct viewport){.view = {.control = e->control->hot,
                                   .model = &e->model,
                                   .collectors = e->collectors,
                                   .collector_count = e->options.collector_count,
                                   .live = &e->dataset,
                                   .frozen_snapshot = &e->frozen_snapshot,
                                   .losses = &e->losses,
                                   .rules = rules,
                                   .is_finished = e->is_done,
                                   .can_reread = e->is_done && engine_can_reread(e),
                                   .is_losing = e->viewports[0].view.is_losing,
                                   .has_lost = e->viewports[0].view.has_lost,
                                   .interval_ns = e->options.interval_ns,
                                   .filter_serial = i ? (TRIGGERS_MAX + i) * SERIALS : 0}};
    view_init(&e->viewports[i].view);
    sites_init(&e->viewports[i].view.sites, e->symbols);
}

void engine_close_view(struct engine *e, unsigned i)
{
    if (!e->viewports[i].view.has_request)
        return;
    view_fini(&e->viewports[i].view);
    sites_fini(&e->viewports[i].view.sites);
    engine_open_view(e, i);
    frame_free(atomic_exchange_explicit(&e->frames[i], NULL, memory_order_acq_rel));
}

/* The views of an engine, one per visible pane. */
#include "src/engine/inside.h"

/* Triggers have the first ones behind view 0. */
static unsigned serials_of(unsigned view)
{
    return view ? TRIGGERS_MAX + view : 0;
}

void engine_open_view(struct engine *e, unsigned i)
{
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
                                   .filter_serial = engine_first_serial(e, serials_of(i))};
    e->viewports[i] = (struct viewport){.view = view_new(&o), .rules = rules};
}

void engine_close_view(struct engine *e, unsigned i)
{
    if (!view_request(e->viewports[i].view))
        return;
    engine_keep_serial(e, serials_of(i), e->viewports[i].view);
    view_free(e->viewports[i].view);
    engine_open_view(e, i);
    frame_free(atomic_exchange_explicit(&e->frames[i], NULL, memory_order_acq_rel));
}

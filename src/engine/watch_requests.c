/* What live collectors are asked for, and what the model may expect of them. */
#include "src/engine/inside.h"

/* What starts while a class is off and ends when it is on again has no beginning. */
static void notice_stopped_classes(struct engine *e)
{
    uint32_t active = 0;
    for (size_t i = 0; i < e->options.collector_count; i++)
        active |= atomic_load_explicit(&e->collectors[i]->active, memory_order_relaxed);
    if ((e->active & ~active) >> FACT_SYSCALL & 1)
        model_calls_stopped(&e->model);
    e->active = active;
}

/* Live Linux has stacks with the events that it was asked to, all others when they like. */
void engine_expect_stacks(struct engine *e)
{
    bool may_come = false;
    for (size_t i = 0; i < e->options.collector_count; i++) {
        const struct collector *const c = e->collectors[i];
        const unsigned count = e->merge_inputs[i].sources;
        may_come |= !count;
        for (unsigned s = 0; s < count; s++) {
            const struct model_source *const source = &e->model.sources[i * SOURCE_MAX + s];
            may_come |= !source->is_linux || !source->is_live;
        }
        e->wanted_stacks |= atomic_load_explicit(&c->wanted_stacks, memory_order_relaxed) != 0;
    }
    e->model.is_without_stacks = !may_come && !e->wanted_stacks;
}

void engine_follow_requests(struct engine *e, int64_t now)
{
    for (size_t i = 0; i < e->options.collector_count; i++)
        watch_follow(&e->watch, e->collectors[i], now);
    notice_stopped_classes(e);
    engine_expect_stacks(e);
}

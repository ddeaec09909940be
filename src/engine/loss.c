/* Events that were lost, as collectors and the engine count them. */
#include "src/engine/inside.h"

void engine_add_loss(struct frame_loss *sum, const struct collector *c)
{
    sum->kernel += atomic_load_explicit(&c->loss.kernel, memory_order_relaxed);
    sum->undelivered += atomic_load_explicit(&c->loss.undelivered, memory_order_relaxed);
    sum->realtime += atomic_load_explicit(&c->loss.buffers, memory_order_relaxed);
    sum->decoder += atomic_load_explicit(&c->loss.skipped, memory_order_relaxed);
    sum->is_unknown |= atomic_load_explicit(&c->loss.is_unknown, memory_order_relaxed);
    sum->ring +=
        ring_figures(c->hot).lost + atomic_load_explicit(&c->loss.intake, memory_order_relaxed);
}

struct frame_loss engine_loss(const struct engine *e)
{
    struct frame_loss sum = {0};
    for (size_t i = 0; i < e->options.collector_count; i++)
        engine_add_loss(&sum, e->options.collectors[i]);
    sum.decoder += atomic_load_explicit(&e->figures.undecoded, memory_order_relaxed);
    return sum;
}

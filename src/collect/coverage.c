#include "src/collect/coverage.h"

#include "src/os/os.h"

#include <stdlib.h>

enum { SPANS = 4 * SOURCE_MAX };

struct span {
    int64_t start, end;
};

static int by_start(const void *a, const void *b)
{
    const struct span *x = a, *y = b;
    return (x->start > y->start) - (x->start < y->start);
}

/* The spans of all sources; 0 when one of them is not known (or there are too many). */
static size_t spans_of(struct collector *const *collectors, size_t count, struct span *out)
{
    size_t used = 0;
    for (size_t i = 0; i < count; i++) {
        const struct collector *c = collectors[i];
        const unsigned sources = atomic_load_explicit(&c->source_count, memory_order_acquire);
        for (unsigned s = 0; s < sources; s++) {
            const struct source *source = &c->sources[s];
            if (used == SPANS || !source->start_ns || source->end_ns < source->start_ns)
                return 0;
            out[used++] = (struct span){source->start_ns, source->end_ns};
        }
    }
    return used;
}

void coverage_switch(struct collector *c, uint32_t active)
{
    const uint32_t changed = active ^ atomic_load_explicit(&c->active, memory_order_relaxed);
    const int64_t now = changed ? os_wall_now() : 0;
    for (unsigned class = 0; class < CLASS_BITS; class ++)
        if (changed >> class & 1)
            atomic_store_explicit(&c->switched_ns[class], now, memory_order_relaxed);
    /* With the engine's look: who sees the bit sees its time. */
    atomic_store_explicit(&c->active, active, memory_order_release);
}

unsigned coverage_processors(struct collector *const *collectors, size_t count)
{
    unsigned cpus = 0;
    for (size_t i = 0; i < count; i++) {
        const struct collector *c = collectors[i];
        const unsigned sources = atomic_load_explicit(&c->source_count, memory_order_acquire);
        for (unsigned s = 0; s < sources; s++)
            cpus = c->sources[s].cpus > cpus ? c->sources[s].cpus : cpus;
    }
    return cpus;
}

int64_t coverage_gap_ns(struct collector *const *collectors, size_t count, int64_t from, int64_t to)
{
    struct span spans[SPANS];
    const size_t used = spans_of(collectors, count, spans);
    if (used < 2)
        return 0;
    qsort(spans, used, sizeof *spans, by_start);
    int64_t gap = 0, covered = spans[0].end > from ? spans[0].end : from;
    for (size_t i = 1; i < used && covered < to; i++) {
        const int64_t next = spans[i].start < to ? spans[i].start : to;
        if (next > covered)
            gap += next - covered;
        covered = spans[i].end > covered ? spans[i].end : covered;
    }
    return gap;
}

/* Processors, by the numbers that events carry. */
#include "src/base/mem.h"
#include "src/model/model.h"

struct processor *model_processor_new(struct model *m, source_id source, uint32_t cpu)
{
    struct model_source *s = &m->sources[source];
    if (cpu >= PROCESSORS_MOST)
        return NULL;
    if (cpu >= s->processor_count) {
        uint32_t room = s->processor_count ? s->processor_count : 16;
        while (room <= cpu)
            room *= 2;
        s->processors = mem_grow(s->processors, room, sizeof *s->processors);
        for (uint32_t i = s->processor_count; i < room; i++)
            s->processors[i] = (struct processor){.ready_ns = -1};
        s->processor_count = room;
    }
    if (cpu >= s->processors_seen)
        s->processors_seen = cpu + 1;
    return &s->processors[cpu];
}

#include "src/model/counter.h"

#include "src/model/model.h"

#include <stdio.h>
#include <stdlib.h>

uint32_t model_counter(struct model *m, uint32_t id)
{
    for (uint32_t i = 0; i < m->counter_count; i++)
        if (m->counters[i].id == id && m->counters[i].source == m->source)
            return i + 1;
    if (m->counter_count == COUNTERS)
        return 0;
    m->counters[m->counter_count] = (struct counter){.id = id, .source = m->source};
    return ++m->counter_count;
}

struct counter *model_counter_at(struct model *m, uint32_t number)
{
    return number && number <= m->counter_count ? &m->counters[number - 1] : NULL;
}

const char *model_counter_name(const struct model *m, uint32_t number, char *room, size_t bytes)
{
    if (!number || number > m->counter_count)
        return NULL;
    const struct counter *const c = &m->counters[number - 1];
    if (c->name)
        return c->name;
    snprintf(room, bytes, "counter %u", c->id);
    return room;
}

void model_counters_fini(struct model *m)
{
    for (uint32_t i = 0; i < m->counter_count; i++)
        free(m->counters[i].name);
}

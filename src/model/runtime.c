#include "src/model/runtime.h"

#include "src/base/mem.h"
#include "src/model/model.h"

#include <stdlib.h>

enum { RUNTIMES = 1 << 12 };

static enum generation_use use_of_runtime(const void *thing, const void *model)
{
    const struct model *const m = model;
    const struct process *const p = model_process_at(m, ((const struct runtime *)thing)->process);
    if (!p)
        return GENERATION_UNUSED;
    if (!(p->flags & LIFETIME_ENDED))
        return GENERATION_IN_USE;
    return model_is_kept(m, p->end_ns) ? GENERATION_WANTED : GENERATION_UNUSED;
}

static uint64_t key_of(uint32_t process, uint16_t instance)
{
    return (uint64_t)process << 16 | instance;
}

static void forget_runtime(void *thing, void *arg)
{
    const struct runtime *const r = thing;
    struct model *const m = arg;
    const uint64_t key = key_of(r->process, r->instance);
    if (map_get(&m->runtimes->now, key) == r->number)
        map_remove(&m->runtimes->now, key);
}

static struct runtimes *store(struct model *m)
{
    if (!m->runtimes) {
        m->runtimes = mem_new(1, sizeof *m->runtimes);
        generation_init(&m->runtimes->table, sizeof(struct runtime), RUNTIMES, use_of_runtime);
        map_init(&m->runtimes->now);
        m->runtimes->operations = mem_new(IRP_SLOTS, sizeof *m->runtimes->operations);
        m->runtimes->newest = mem_new(RUNTIME_THREADS, sizeof *m->runtimes->newest);
    }
    return m->runtimes;
}

struct runtime *model_runtime(struct model *m, uint32_t process, uint16_t instance)
{
    struct runtimes *const s = store(m);
    const uint64_t key = key_of(process, instance);
    struct runtime *r = generation_at(&s->table, map_get(&s->now, key));
    if (r)
        return r;
    r = generation_add(&s->table, forget_runtime, m);
    r->process = process;
    r->instance = instance;
    map_put(&s->now, key, r->number);
    return r;
}

void model_runtimes_fini(struct model *m)
{
    struct runtimes *const s = m->runtimes;
    if (!s)
        return;
    generation_fini(&s->table);
    map_fini(&s->now);
    free(s->operations);
    free(s->newest);
    free(s);
}

size_t model_runtimes_bytes(const struct model *m)
{
    const struct runtimes *const s = m->runtimes;
    return s ? generation_bytes(&s->table) + map_bytes(&s->now) +
                   IRP_SLOTS * sizeof *s->operations + RUNTIME_THREADS * sizeof *s->newest
             : 0;
}

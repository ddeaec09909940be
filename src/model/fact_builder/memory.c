/* Page faults, and address space that is taken and given back. */
#include "src/model/fact_builder/helpers.h"

/* The Linux collector learns the kind of a soft fault from events of the class memory. While these
 * are off, it calls each soft fault a transition. A recording may state only at its end when they
 * were on; until then a fault of another kind shows it. */
static bool are_kinds_recorded(const struct model *m, const struct model_source *s, int64_t time)
{
    return !s->is_linux || (m->recorded.counts[FACT_MEMORY]
                                ? recorded_states(&m->recorded, FACT_MEMORY, time)
                                : s->has_fault_kinds);
}

void make_soft_fault(struct model *m, const struct event *e, const struct kind *k, struct fact *f)
{
    (void)e, (void)k;
    struct model_source *const s = &m->sources[source_of(m)];
    if (f->op != OP_TRANSITION)
        s->has_fault_kinds = true;
    else if (!are_kinds_recorded(m, s, f->time))
        f->op = OP_SOFT;
}

void make_hard_fault(struct model *m, const struct event *e, const struct kind *k, struct fact *f)
{
    uint64_t tid;
    if (kind_load(k, e, 0, &tid))
        set_thread(m, f, tid);
    f->value = field(k, e, 1);
    f->entity = model_file(m, source_of(m), NAMESPACE_FILE, field(k, e, 2));
    set_latency_since(m, e, f, field(k, e, 3));
}

void make_memory(struct model *m, const struct event *e, const struct kind *k, struct fact *f)
{
    uint64_t pid;
    if (kind_load(k, e, 0, &pid))
        f->process = model_process(m, source_of(m), (uint32_t)pid, f->time);
    f->value = field(k, e, 1);
}

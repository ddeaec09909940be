/* Page faults, and address space that is taken and given back. */
#include "src/model/fact_builder/helpers.h"

/* The Linux collector reports a soft fault of unknown kind so. Windows reports each fault once more
 * by its kind. */
void make_soft_fault(struct model *m, const struct event *e, const struct kind *k, struct fact *f)
{
    (void)e, (void)k;
    if (!m->sources[source_of(m)].is_linux)
        f->op = OP_OTHER;
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

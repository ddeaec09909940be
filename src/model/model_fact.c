/* One event, one fact: the part that is the same for all kinds. */
#include "src/model/model.h"

/* Who was running when the event happened: the header says it, or the last context
 * switch on that processor. A better answer may follow from the payload. */
static void set_owner(struct model *m, const struct event *e, source_id source, struct fact *f)
{
    const bool has_pid = e->pid != EVENT_NO_ID, has_tid = e->tid != EVENT_NO_ID;
    if (!has_pid && !has_tid) {
        const struct processor *p = model_processor(m, source, e->cpu);
        f->thread = p ? p->thread : 0;
        const struct thread *t = f->thread ? generation_at(&m->threads, f->thread) : NULL;
        f->process = t ? t->process : 0;
        return;
    }
    f->process = model_process(m, source, e->pid, f->time);
    f->thread = model_thread(m, source, e->tid, f->time);
    struct thread *t = f->thread ? generation_at(&m->threads, f->thread) : NULL;
    if (t && !t->process && f->process)
        model_thread_belongs(m, t, f->process);
    if (t && !f->process)
        f->process = t->process;
}

/* Does somebody else record the same of this source? */
static bool is_repetition(struct model_source *s, const struct kind *k)
{
    uint8_t *const first = &s->recorded_by[k->class];
    if (*first == RECORDED_BY_NONE)
        *first = k->recorded_by;
    s->recorded_by_both |= (uint32_t)(*first != k->recorded_by) << k->class;
    return *first != k->recorded_by && RECORDED_ONCE >> k->class & 1;
}

void model_fact(struct model *m, const struct event *e, source_id source, int64_t time,
                struct fact *f)
{
    const uint16_t index = model_kind(m, e);
    struct kind *k = &m->kinds[index];
    if (!k->events++ || time < k->first_ns)
        k->first_ns = time;
    if (time > k->last_ns)
        k->last_ns = time;
    k->bytes += e->payload_bytes;
    m->source = source;
    m->time = time;
    f->time = time;
    f->kind = index;
    f->cpu = e->cpu;
    f->class = k->class;
    f->op = k->op;
    set_owner(m, e, source, f);
    const uint32_t owner = f->thread;
    m->tally.cut += e->payload_bytes < k->least[e->pointer == 8];
    if (k->recorded_by && is_repetition(&m->sources[source], k)) {
        f->class = FACT_OTHER;
        f->op = OP_NONE;
    } else if (k->make) {
        k->make(m, e, k, f);
    }
    recorded_see(&m->recorded, f);
    if (e->extended)
        model_stack_inline(m, e, source, f);
    if (f->class != FACT_STACK)
        model_stack_expect(m, e, source, f, owner);
}

/* Samples of what runs, and the stacks that are walked with events. */
#include "src/model/fact_builder/helpers.h"

void make_sample(struct model *m, const struct event *e, const struct kind *k, struct fact *f)
{
    set_thread(m, f, field(k, e, 0));
    uint64_t count;
    if (!kind_load(k, e, 1, &count) || !count)
        count = 1;
    f->value = count * m->sources[source_of(m)].sample_ns;
    uint64_t address;
    if (!kind_load(k, e, 2, &address))
        return;
    f->latency = model_address(e, address);
    f->entity = model_image_at(m, source_of(m), f->process, f->latency, f->time);
}

void make_interval(struct model *m, const struct event *e, const struct kind *k, struct fact *f)
{
    (void)f;
    enum { SOURCE_TIME = 0, MAX_UNITS = 10000000 }; /* 100 ns units; a second at most */
    uint64_t units;
    if (field(k, e, 0) == SOURCE_TIME && kind_load(k, e, 1, &units) && units && units <= MAX_UNITS)
        m->sources[source_of(m)].sample_ns = units * 100;
}

enum { STACK_TIME, STACK_PROCESS, STACK_THREAD, STACK_KEY };

void make_stack(struct model *m, const struct event *e, const struct kind *k, struct fact *f)
{
    uint64_t ts, pid, tid;
    if (!kind_load(k, e, STACK_TIME, &ts) || !kind_load(k, e, STACK_PROCESS, &pid) ||
        !kind_load(k, e, STACK_THREAD, &tid)) {
        m->tally.stacks_unmatched++; /* cut short: about nothing that can be found */
        return;
    }
    set_thread(m, f, tid);
    const struct stack_walk walk = {
        .ts = (int64_t)ts,
        .process = model_process(m, source_of(m), (uint32_t)pid, f->time),
        .thread = f->thread,
        .key = field(k, e, STACK_KEY),
    };
    if (!f->process)
        f->process = walk.process;
    model_stack_walked(m, e, source_of(m), &walk);
}

void make_stack_key(struct model *m, const struct event *e, const struct kind *k, struct fact *f)
{
    uint64_t key;
    f->process = f->thread = 0; /* a key is shared by all who were there */
    if (kind_load(k, e, 0, &key) && key)
        model_stack_defined(m, e, source_of(m), key);
}

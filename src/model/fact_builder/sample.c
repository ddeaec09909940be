/* Samples of what runs, and the stacks that are walked with events. */
#include "src/model/fact_builder/helpers.h"

/* Where a thread was sampled. */
static void set_address(struct model *m, const struct event *e, const struct kind *k,
                        struct fact *f, unsigned field)
{
    uint64_t address;
    if (!kind_load(k, e, field, &address))
        return;
    f->latency = model_address(e, address);
    f->entity = model_image_at(m, source_of(m), f->process, f->latency, f->time);
}

/* A counter that nobody names in the trace has the name of the kernel's list. */
static struct counter *counter_of(struct model *m, const struct event *e, const struct kind *k,
                                  const char *number_field, uint32_t number)
{
    char name[DECODE_NAME];
    struct decoded d;
    struct counter *const c = model_counter_at(m, number);
    if (c && !c->is_met && kind_field(k, e, number_field, &d) &&
        decode_value_name(&d, name, sizeof name))
        model_rename(m, &c->name, name);
    if (c)
        c->is_met = true;
    return c;
}

void make_pmc(struct model *m, const struct event *e, const struct kind *k, struct fact *f)
{
    set_thread(m, f, field(k, e, 0));
    f->place = model_counter(m, (uint32_t)field(k, e, 1));
    const struct counter *const c = counter_of(m, e, k, "ProfileSource", f->place);
    f->value = c && c->interval ? c->interval : 1;
    set_address(m, e, k, f, 2);
}

void make_sample(struct model *m, const struct event *e, const struct kind *k, struct fact *f)
{
    set_thread(m, f, field(k, e, 0));
    uint64_t count;
    if (!kind_load(k, e, 1, &count) || !count)
        count = 1;
    f->value = count * m->sources[source_of(m)].sample_ns;
    model_processor_runs(m, source_of(m), model_processor(m, source_of(m), e->cpu));
    set_address(m, e, k, f, 2);
}

/* Of counters the interval is a number of their events. */
static void set_counter(struct model *m, const struct event *e, const struct kind *k,
                        uint64_t interval)
{
    char name[NAME_ROOM];
    struct counter *const c =
        counter_of(m, e, k, "Source", model_counter(m, (uint32_t)field(k, e, 0)));
    if (!c)
        return;
    c->interval = interval;
    if (model_rename(m, &c->name, kind_text(k, e, "SourceName", name, sizeof name)))
        m->late_names++;
}

void make_interval(struct model *m, const struct event *e, const struct kind *k, struct fact *f)
{
    (void)f;
    enum { SOURCE_TIME = 0, MAX_UNITS = 10000000 }; /* 100 ns units; a second at most */
    uint64_t units;
    if (field(k, e, 0) != SOURCE_TIME)
        set_counter(m, e, k, field(k, e, 1));
    else if (kind_load(k, e, 1, &units) && units && units <= MAX_UNITS)
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

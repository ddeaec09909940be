/* The parts of an engine that has no thread and no views yet. */
#include "src/base/mem.h"
#include "src/engine/inside.h"

#include <stdlib.h>

enum { DEFAULT_FACTS = 2 << 20 };

/* A ring of marks with a clock that counts ns since 1970; NULL: no memory for it. */
static struct collector *control_new(void)
{
    enum { BYTES = 8 * RING_SEGMENT, NS_PER_S = 1000000000 };
    struct collector *c = mem_new(1, sizeof *c);
    c->hot = ring_new(BYTES, RING_SEGMENT);
    if (!c->hot) {
        free(c);
        return NULL;
    }
    c->sources[0].clock = trace_clock_make(CLOCK_QPC, 0, FILETIME_UNIX_EPOCH, NS_PER_S);
    atomic_init(&c->source_count, 1);
    return c;
}

static void count_only_what_is_needed(struct engine *e)
{
    const struct request *const only = e->options.only;
    if (!only || e->options.trigger_count || only->pane->view == PANE_CHANGES)
        return;
    if (e->dataset.table_count)
        dataset_count_only(&e->dataset, only->pane);
    e->model.ignores_stacks = !view_needs_stacks(only);
}

struct engine *engine_new(const struct engine_options *o, bool has_tables, struct err *err)
{
    struct collector *const control = control_new();
    if (!control) {
        fail(err, "no memory for the control ring");
        return NULL;
    }
    struct engine *e = mem_new(1, sizeof *e);
    e->control = control;
    e->options = *o;
    if (e->options.interval_ns <= 0)
        e->options.interval_ns = 1000 * MS;
    if (e->options.names_ns <= 0)
        e->options.names_ns = 900 * MS;
    if (!e->options.facts)
        e->options.facts = DEFAULT_FACTS;
    e->collectors = mem_copy(o->collectors, o->collector_count * sizeof *e->collectors);
    e->options.collectors = e->collectors;
    e->merge_inputs = mem_new(o->collector_count + 1, sizeof *e->merge_inputs);
    /* A recording is shown whole, whatever of it is kept. */
    const bool is_bounded = engine_is_any_live(e) && e->options.facts < DEFAULT_FACTS;
    model_init_for(&e->model, is_bounded ? e->options.facts : 0);
    (has_tables ? dataset_init : dataset_init_facts)(&e->dataset, e->options.facts);
    count_only_what_is_needed(e);
    e->model.facts = &e->dataset.facts;
    for (unsigned i = 0; i < e->dataset.table_count; i++)
        e->dataset.tables[i].model = &e->model;
    for (size_t i = 0; i < o->collector_count; i++) {
        e->merge_inputs[i] = (struct merge_input){
            .ring = e->collectors[i]->hot, .collector = e->collectors[i], .complete = INT64_MIN};
        merge_input_sources(e, &e->merge_inputs[i]);
    }
    e->spans = span_set_new(o->spans, o->span_count, &e->model);
    e->merge_inputs[o->collector_count] =
        (struct merge_input){.ring = e->control->hot, .collector = e->control};
    merge_input_sources(e, &e->merge_inputs[o->collector_count]);
    return e;
}

void engine_free(struct engine *e)
{
    rundown_orders_close(&e->rundowns);
    span_set_free(e->spans);
    if (e->timeline)
        timeline_fini(e->timeline);
    free(e->timeline);
    dataset_fini(&e->dataset);
    model_fini(&e->model);
    free(e->collectors);
    ring_free(e->control->hot);
    free(e->control);
    free(e->merge_inputs);
    free(e);
}

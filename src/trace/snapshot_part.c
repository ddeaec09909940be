#include "src/trace/snapshot_part.h"

#include "src/base/mem.h"
#include "src/event/attribution.h"
#include "src/model/rundown.h"
#include "src/trace/select.h"

#include <stdlib.h>

struct snapshot_part {
    const char *filter;
    int64_t from, to;
    struct trace_clock clocks[SOURCE_MAX];
    struct attribution *owners;
    struct rundown *names;
    struct schemas *schemas;
    bool is_linux[SOURCE_MAX];
    struct select *select;
    struct dependencies *dependencies;
};

struct snapshot_part *snapshot_part_new(const struct collector *c, const char *filter, int64_t from,
                                        int64_t to)
{
    struct snapshot_part *const p = mem_new(1, sizeof *p);
    p->filter = filter;
    p->from = from;
    p->to = to;
    const unsigned known = atomic_load_explicit(&c->source_count, memory_order_acquire);
    for (unsigned i = 0; i < known && i < SOURCE_MAX; i++) {
        p->clocks[i] = c->sources[i].clock;
        p->is_linux[i] = c->sources[i].is_linux;
    }
    p->owners = attribution_new();
    p->schemas = schemas_new();
    p->names = rundown_new(from, to);
    return p;
}

/* Only what is an event of a source that is known. */
static bool read_event(const struct record_head *head, struct event *e)
{
    if (head->form != RECORD_ETW || head->source >= SOURCE_MAX ||
        event_of_record(head, e) != EVENT_OK)
        return false;
    e->source = head->source;
    e->cpu = head->cpu;
    e->ts = head->ts;
    return true;
}

void snapshot_part_learn(struct snapshot_part *p, const struct record_head *head)
{
    struct event e, about;
    if (!read_event(head, &e))
        return;
    schema_learn(p->schemas, e.source, &e, &about);
    attribution_learn(p->owners, &e);
    rundown_note(p->names, &e, trace_clock_ns(&p->clocks[e.source], e.ts));
}

void snapshot_part_learn_rundown(struct snapshot_part *p, const struct model_rundown *r)
{
    size_t bytes;
    const uint8_t *const records = model_rundown_records(r, &bytes);
    for (size_t at = 0; at < bytes;) {
        const struct record_head *const head =
            (const struct record_head *)(const void *)(records + at);
        snapshot_part_learn(p, head);
        at += ring_padded(head->bytes);
    }
}

bool snapshot_part_settle(struct snapshot_part *p, struct err *err)
{
    const struct filter_span span = {p->from, p->to};
    attribution_settle(p->owners);
    const struct select_names names = {p->names, p->schemas, p->is_linux};
    p->select = select_new(p->filter, &names, &span, err);
    if (!p->select)
        return false;
    const struct dependencies_options o = {.from = p->from,
                                           .to = p->to,
                                           .select = p->select,
                                           .owners = p->owners,
                                           .rundown = p->names,
                                           .clocks = p->clocks};
    p->dependencies = dependencies_new(&o);
    return true;
}

enum dependency_answer snapshot_part_ask(struct snapshot_part *p, const struct record_head *head)
{
    struct event e;
    return read_event(head, &e)
               ? dependencies_event(p->dependencies, &e, trace_clock_ns(&p->clocks[e.source], e.ts))
               : DEPENDENCY_NOT;
}

void snapshot_part_free(struct snapshot_part *p)
{
    if (!p)
        return;
    dependencies_free(p->dependencies);
    select_free(p->select);
    rundown_free(p->names);
    attribution_free(p->owners);
    schemas_free(p->schemas);
    free(p);
}

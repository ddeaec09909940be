/* The kernel events of all domains, and the ids under which their samples come. */
#include "collectors/linux/live.h"
#include "collectors/linux/translate/function.h"

#include "src/base/mem.h"

#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

/* ---- rows -------------------------------------------------------------------------------- */

static const struct linux_event *events_of(const struct linux_live *l, unsigned domain,
                                           size_t *count)
{
    const struct linux_domain *const d = linux_domains[domain];
    *count = d ? d->event_count : 0;
    return d && d->events_of_run ? d->events_of_run(&l->translator, count) : d ? d->events : NULL;
}

static uint32_t count_events(const struct linux_live *l)
{
    uint32_t all = 0;
    size_t count;
    for (unsigned d = 0; d < DOMAINS; d++, all += (uint32_t)count)
        events_of(l, d, &count);
    return all;
}

/* Where the fields lie, and the number to open it by. */
static bool describe_perf(const struct linux_live *l, struct row *r, struct err *err)
{
    const struct linux_event *const e = r->event;
    r->bpf = NULL;
    r->type = e->perf_type;
    r->config = e->perf_config;
    if (!e->group)
        return !e->needs_bpf;
    r->type = PERF_TYPE_TRACEPOINT;
    if (!l->tracefs.path[0])
        return fail(err, "%s", l->no_tracefs.text);
    char *const text = tracefs_format(&l->tracefs, e->group, e->name, err);
    if (!text)
        return false;
    const bool has_layout = format_layout(text, e, &r->layout, err);
    r->config = format_id(text);
    free(text);
    return has_layout && (r->config || fail(err, "%s:%s has no number", e->group, e->name));
}

static bool describe_bpf(const struct linux_live *l, struct row *r, struct err *err)
{
    const struct linux_event *const e = r->event;
    if (!l->bpf)
        return fail(err, "%s", l->no_bpf.text);
    struct bpf_source *const source = bpf_find(l->bpf, e->program, err);
    for (const struct row *other = l->rows; source && other < r; other++)
        if (other->bpf == source)
            return fail(err, "the BPF program %s serves another event", e->program);
    if (!source || !bpf_layout(source, e, &r->layout, err))
        return false;
    r->bpf = source;
    r->type = PERF_TYPE_SOFTWARE;
    r->config = PERF_COUNT_SW_BPF_OUTPUT;
    return true;
}

static bool comes_by_bpf(const struct linux_live *l, const struct linux_event *e)
{
    if (!e->program || l->options.kernel_source == KERNEL_PERF)
        return false;
    return e->needs_bpf || e->prefers_bpf || l->options.kernel_source == KERNEL_BPF;
}

/* BPF where that is the better source and is to be had, else perf, else BPF after all. */
static bool describe(const struct linux_live *l, struct row *r)
{
    const struct linux_event *const e = r->event;
    struct err no_bpf = {""}, no_perf = {""};
    const bool is_better = comes_by_bpf(l, e);
    if (is_better && describe_bpf(l, r, &no_bpf))
        return true;
    const bool is_there = !e->needs_bpf && describe_perf(l, r, &no_perf);
    if (!is_there && !is_better && e->program && l->options.kernel_source != KERNEL_PERF &&
        describe_bpf(l, r, &no_bpf))
        return true;
    r->why = no_perf.text[0] ? no_perf : no_bpf;
    return is_there;
}

bool row_use_perf(struct linux_live *l, uint32_t row)
{
    struct row *const r = &l->rows[row];
    if (r->event->needs_bpf || !describe_perf(l, r, NULL))
        return false;
    for (uint32_t i = 0; i < l->cpu_count * VARIANTS; i++)
        l->slots[row * l->cpu_count * VARIANTS + i].source.has_raw = r->event->group != NULL;
    return true;
}

/* Calls that are younger than the kernel, or of another machine. */
static bool is_no_call(const struct linux_live *l, const struct linux_event *e)
{
    static const char calls[] = "syscalls";
    return e->group && strcmp(e->group, calls) == 0 && l->tracefs.path[0] &&
           tracefs_has(&l->tracefs, calls, "sys_enter_openat") &&
           !tracefs_has(&l->tracefs, calls, e->name);
}

static void make_slots(struct linux_live *l, uint32_t index)
{
    const struct row *const r = &l->rows[index];
    for (uint32_t cpu = 0; cpu < l->cpu_count; cpu++)
        for (unsigned v = 0; v < VARIANTS; v++) {
            struct sample_slot *const s = slot_of(l, index, cpu, v);
            s->fd = -1;
            atomic_init(&s->check_at, INT64_MAX);
            s->source = (struct sample_source){
                .event = r->event,
                .layout = &r->layout,
                .has_chain = v == 1,
                .has_raw = r->event->group || r->bpf,
                .has_stack = v == 1 && r->event->stack_bytes && l->translator.unwinds,
                .slot = (uint32_t)(s - l->slots),
            };
        }
}

static void open_bpf(struct linux_live *l)
{
    fail(&l->no_bpf, "BPF was switched off for this run");
    if (l->options.kernel_source != KERNEL_PERF)
        l->bpf = bpf_open(l->functions ? &l->functions->bpf : NULL, &l->no_bpf);
}

void rows_init(struct linux_live *l)
{
    open_bpf(l);
    l->row_count = count_events(l);
    l->slot_count = l->row_count * l->cpu_count * VARIANTS;
    l->rows = mem_new(l->row_count + 1, sizeof *l->rows);
    l->slots = mem_new(l->slot_count + 1, sizeof *l->slots);
    l->id_mask = 63;
    while (l->id_mask < 2 * l->slot_count * (1 + l->user_threads.count))
        l->id_mask = l->id_mask * 2 + 1;
    l->ids = mem_new((size_t)l->id_mask + 1, sizeof *l->ids);
    l->soft_fault_row = l->row_count;
    uint32_t index = 0;
    size_t count;
    for (unsigned d = 0; d < DOMAINS; d++) {
        const struct linux_event *const events = events_of(l, d, &count);
        for (size_t i = 0; i < count; i++) {
            struct row *const r = &l->rows[index];
            r->event = &events[i];
            r->is_missing = !describe(l, r);

            r->is_no_call = r->is_missing && is_no_call(l, r->event);
            r->is_reported =
                r->is_no_call ||
                (l->perf.pid && r->event->group); /* one sentence is for all of these */
            if (!r->event->group && r->config == PERF_COUNT_SW_PAGE_FAULTS_MIN)
                l->soft_fault_row = index;
            make_slots(l, index++);
        }
    }
}

bool row_is_on(const struct linux_live *l, const char *name, bool by_bpf)
{
    for (const struct row *r = l->rows; r < l->rows + l->row_count; r++)
        if (r->event->name && strcmp(r->event->name, name) == 0)
            return (r->is_on[0] || r->is_on[1]) && (r->bpf || !by_bpf);
    return false;
}

void rows_fini(struct linux_live *l)
{
    bpf_close(l->bpf);
    free(l->rows);
    free(l->slots);
    free(l->ids);
}

/* ---- ids --------------------------------------------------------------------------------- */

/* Open addressing; control writes, the collector reads. The kernel gives each id once, so a
 * place that changes hands under a reader cannot be mistaken for another event's. */

enum { ID_FREE = 0, ID_GONE = 1 };

/* The kernel counts ids up. */
static uint32_t id_place(const struct linux_live *l, uint64_t id)
{
    return (uint32_t)(id * 0x9e3779b97f4a7c15u >> 32) & l->id_mask;
}

const struct sample_source *ids_find(const void *live, uint64_t id)
{
    const struct linux_live *const l = live;
    for (uint32_t i = id_place(l, id), n = 0; id > ID_GONE && n <= l->id_mask;
         i = (i + 1) & l->id_mask, n++) {
        const uint64_t found = atomic_load_explicit(&l->ids[i].id, memory_order_acquire);
        if (found == id)
            return &l->slots[l->ids[i].slot].source;
        if (found == ID_FREE)
            break;
    }
    return NULL;
}

void ids_add(struct linux_live *l, uint64_t id, uint32_t slot)
{
    for (uint32_t i = id_place(l, id);; i = (i + 1) & l->id_mask) {
        if (atomic_load_explicit(&l->ids[i].id, memory_order_relaxed) > ID_GONE)
            continue;
        l->ids[i].slot = slot;
        atomic_store_explicit(&l->ids[i].id, id, memory_order_release);
        return;
    }
}

void ids_remove(struct linux_live *l, uint64_t id)
{
    for (uint32_t i = id_place(l, id), n = 0; n <= l->id_mask; i = (i + 1) & l->id_mask, n++)
        if (atomic_load_explicit(&l->ids[i].id, memory_order_relaxed) == id) {
            atomic_store_explicit(&l->ids[i].id, ID_GONE, memory_order_relaxed);
            return;
        }
}

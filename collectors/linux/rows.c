/* The kernel events of all domains, and the ids under which their samples come. */
#include "collectors/linux/live.h"

#include "src/mem.h"

#include <linux/perf_event.h>
#include <stdlib.h>

/* ---- rows -------------------------------------------------------------------------------- */

static uint32_t count_events(void)
{
    uint32_t count = 0;
    for (unsigned d = 0; d < DOMAINS; d++)
        if (linux_domains[d])
            count += (uint32_t)linux_domains[d]->event_count;
    return count;
}

/* Where the fields lie, and the number to open it by. */
static bool describe(const struct live *l, struct row *r, struct err *err)
{
    const struct linux_event *const e = r->event;
    r->type = e->perf_type;
    r->config = e->perf_config;
    if (!e->group)
        return true;
    r->type = PERF_TYPE_TRACEPOINT;
    if (!l->tracefs.path[0])
        return fail(err, "tracefs cannot be read");
    char *const text = tracefs_format(&l->tracefs, e->group, e->name, err);
    if (!text)
        return false;
    const bool has_layout = format_layout(text, e, &r->layout, err);
    r->config = format_id(text);
    free(text);
    return has_layout && (r->config || fail(err, "%s:%s has no number", e->group, e->name));
}

static void make_slots(struct live *l, uint32_t index)
{
    const struct row *const r = &l->rows[index];
    for (uint32_t cpu = 0; cpu < l->cpu_count; cpu++)
        for (unsigned v = 0; v < VARIANTS; v++) {
            struct slot *const s = slot_of(l, index, cpu, v);
            s->fd = -1;
            atomic_init(&s->check_at, INT64_MAX);
            s->source = (struct sample_source){
                .event = r->event,
                .layout = &r->layout,
                .has_chain = v == 1,
                .has_raw = r->event->group != NULL,
                .slot = (uint32_t)(s - l->slots),
            };
        }
}

void rows_init(struct live *l)
{
    l->row_count = count_events();
    l->slot_count = l->row_count * l->cpu_count * VARIANTS;
    l->rows = mem_new(l->row_count + 1, sizeof *l->rows);
    l->slots = mem_new(l->slot_count + 1, sizeof *l->slots);
    l->id_mask = 63;
    while (l->id_mask < 2 * l->slot_count)
        l->id_mask = l->id_mask * 2 + 1;
    l->ids = mem_new((size_t)l->id_mask + 1, sizeof *l->ids);
    uint32_t index = 0;
    for (unsigned d = 0; d < DOMAINS; d++)
        for (size_t i = 0; linux_domains[d] && i < linux_domains[d]->event_count; i++) {
            struct row *const r = &l->rows[index];
            r->event = &linux_domains[d]->events[i];
            r->is_missing = !describe(l, r, NULL);
            make_slots(l, index++);
        }
}

void rows_fini(struct live *l)
{
    free(l->rows);
    free(l->slots);
    free(l->ids);
}

/* ---- ids --------------------------------------------------------------------------------- */

/* Open addressing; control writes, the collector reads. The kernel gives each id once, so a
 * place that changes hands under a reader cannot be mistaken for another event's. */

enum { ID_FREE = 0, ID_GONE = 1 };

/* The kernel counts ids up. */
static uint32_t id_place(const struct live *l, uint64_t id)
{
    return (uint32_t)(id * 0x9e3779b97f4a7c15u >> 32) & l->id_mask;
}

const struct sample_source *ids_find(const void *live, uint64_t id)
{
    const struct live *const l = live;
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

void ids_add(struct live *l, uint64_t id, uint32_t slot)
{
    for (uint32_t i = id_place(l, id);; i = (i + 1) & l->id_mask) {
        if (atomic_load_explicit(&l->ids[i].id, memory_order_relaxed) > ID_GONE)
            continue;
        l->ids[i].slot = slot;
        atomic_store_explicit(&l->ids[i].id, id, memory_order_release);
        return;
    }
}

void ids_remove(struct live *l, uint64_t id)
{
    for (uint32_t i = id_place(l, id), n = 0; n <= l->id_mask; i = (i + 1) & l->id_mask, n++)
        if (atomic_load_explicit(&l->ids[i].id, memory_order_relaxed) == id) {
            atomic_store_explicit(&l->ids[i].id, ID_GONE, memory_order_relaxed);
            return;
        }
}

/* Routines: what runs on behalf of nobody in particular and is named by an address or a
 * number — interrupt service routines, deferred calls — and system calls, which are named
 * the same way. On Windows all have addresses in the kernel's images; on Linux interrupts
 * have a number (the vector), softirqs and system calls a small number for an address, and
 * an event of the collector's own says what those are called. */
#include "src/base/mem.h"
#include "src/model/model.h"

#include <stdio.h>
#include <stdlib.h>

/* Distinct ones that are remembered: a kernel has some hundred interrupts and about a
 * thousand system calls; more are damage, and the oldest make room. */
enum { ROUTINES = 1 << 14 };

/* Where an address is known, the vector is a property; else it is the key. */
static uint64_t routine_key(source_id source, enum routine_kind kind, uint64_t address,
                            uint32_t vector)
{
    const uint64_t which = (uint64_t)source << 40 | (uint64_t)kind << 32 | (address ? 0 : vector);
    return hash_mix(hash_mix(address) ^ which);
}

static void forget_routine(void *thing, void *arg)
{
    struct routine *r = thing;
    struct model *m = arg;
    const uint64_t key = routine_key(r->source, r->kind, r->address, r->vector);
    if (map_get(&m->routine_now, key) == r->number)
        map_remove(&m->routine_now, key);
    model_unname(m, &r->name);
}

static enum generation_use use_of_routine(const void *thing, const void *m)
{
    (void)thing, (void)m;
    return GENERATION_UNUSED;
}

void model_routines_init(struct model *m)
{
    generation_init(&m->routines, sizeof(struct routine), ROUTINES, use_of_routine);
    map_init(&m->routine_now);
    m->call_epoch = 1;
}

void model_routines_fini(struct model *m)
{
    for (uint32_t i = 0; i < m->routines.end; i++) {
        const struct routine *const r = generation_place(&m->routines, i);
        if (r)
            free(r->name);
    }
    generation_fini(&m->routines);
    map_fini(&m->routine_now);
}

uint32_t model_routine(struct model *m, source_id source, enum routine_kind kind, uint64_t address,
                       uint32_t vector)
{
    const uint64_t key = routine_key(source, kind, address, vector);
    struct routine *r = generation_at(&m->routines, map_get(&m->routine_now, key));
    const bool is_it = r && r->source == source && r->kind == kind && r->address == address &&
                       (address || r->vector == vector);
    if (!is_it) {
        r = generation_add(&m->routines, forget_routine, m);
        r->source = source;
        r->kind = (uint8_t)kind;
        r->address = address;
        map_put(&m->routine_now, key, r->number);
    }
    r->vector = vector;
    return r->number;
}

void model_routine_named(struct model *m, source_id source, enum routine_kind kind,
                         uint64_t address, uint32_t vector, const char *name)
{
    struct routine *r =
        generation_at(&m->routines, model_routine(m, source, kind, address, vector));
    if (model_rename(m, &r->name, name))
        m->late_names++;
}

static const char *number_name(const struct routine *r, char *out, size_t room)
{
    static const char *const words[ROUTINE_KINDS] = {
        [ROUTINE_ISR] = "interrupt",     [ROUTINE_DPC] = "deferred call",
        [ROUTINE_TIMER] = "timer",       [ROUTINE_THREADED] = "threaded call",
        [ROUTINE_IO_TIMER] = "IO timer", [ROUTINE_CALL] = "call",
    };
    const bool is_vector = r->kind == ROUTINE_ISR;
    snprintf(out, room, "%s %llu", words[r->kind],
             is_vector ? r->vector : (unsigned long long)r->address);
    return out;
}

const char *model_routine_label(const struct model *m, uint32_t routine, int64_t time, char *out,
                                size_t room)
{
    enum { SMALL = 0x10000 }; /* no code lies there: a number */
    const struct routine *r = generation_at(&m->routines, routine);
    if (!r)
        return "(unknown)";
    if (r->name)
        return r->name;
    if (r->address < SMALL)
        return number_name(r, out, room);
    const uint32_t number = model_image_at(m, r->source, 0, r->address, time);
    const struct image *i = generation_at(&m->images, number);
    const char *module = model_module_name(m, i);
    if (module)
        snprintf(out, room, "%s+0x%llx", module, (unsigned long long)(r->address - i->base));
    else
        snprintf(out, room, "0x%llx", (unsigned long long)r->address);
    return out;
}

/* ---- facts ------------------------------------------------------------------------------- */

enum { HOOK_THREADED = 0x0f42, HOOK_TIMER = 0x0f45, HOOK_IO_TIMER = 0x0f46 };

static enum routine_kind kind_of(const struct event *e, const struct fact *f)
{
    if (f->class == FACT_ISR)
        return ROUTINE_ISR;
    switch (decode_hook(e)) {
    case HOOK_THREADED:
        return ROUTINE_THREADED;
    case HOOK_TIMER:
        return ROUTINE_TIMER;
    case HOOK_IO_TIMER:
        return ROUTINE_IO_TIMER;
    default:
        return ROUTINE_DPC;
    }
}

enum { ROUTINE_SINCE, ROUTINE_ADDRESS, ROUTINE_VECTOR };

void make_routine(struct model *m, const struct event *e, const struct kind *k, struct fact *f)
{
    uint64_t since, address, vector;
    f->process = f->thread = 0; /* whoever was interrupted did not ask for it */
    kind_load(k, e, ROUTINE_VECTOR, &vector);
    if (kind_load(k, e, ROUTINE_ADDRESS, &address))
        f->entity =
            model_routine(m, m->source, kind_of(e, f), model_address(e, address), (uint32_t)vector);
    if (!kind_load(k, e, ROUTINE_SINCE, &since) || !since)
        return;
    const struct trace_clock *clock = &m->sources[m->source].clock;
    fact_latency(f, trace_clock_span_ns(clock, (int64_t)((uint64_t)e->ts - since)));
}

/* A system call lasts from its entry to the next exit of the same thread. A call that never
 * returns (the thread ends in it) leaves an entry. A thread's first exit may have no entry: of the
 * call that it was in when recording began, or of the fork that it was born in. */
void make_call_enter(struct model *m, const struct event *e, const struct kind *k, struct fact *f)
{
    uint64_t address;
    if (!kind_load(k, e, 0, &address))
        return;
    f->entity = model_routine(m, m->source, ROUTINE_CALL, model_address(e, address), 0);
    struct thread *t = generation_at(&m->threads, f->thread);
    if (!t || t->tid == 0) /* whoever that is: many processors idle */
        return;
    t->call = f->entity;
    t->call_ns = f->time;
    t->call_epoch = m->call_epoch;
}

void make_call_exit(struct model *m, const struct event *e, const struct kind *k, struct fact *f)
{
    uint64_t code;
    if (kind_load(k, e, 0, &code))
        model_set_status(m, f, code);
    struct thread *t = generation_at(&m->threads, f->thread);
    const bool is_first = t && t->call_epoch != m->call_epoch;
    if (!t || !t->call || is_first)
        m->tally.calls_unmatched += !is_first;
    else {
        f->entity = t->call;
        fact_latency(f, f->time - t->call_ns);
    }
    if (!t)
        return;
    t->call = 0;
    t->call_epoch = m->call_epoch;
}

void model_calls_stopped(struct model *m)
{
    m->call_epoch = m->call_epoch == UINT16_MAX ? 1 : (uint16_t)(m->call_epoch + 1);
}

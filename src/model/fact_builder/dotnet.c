/* .NET: a runtime's own events: collections and their pauses, the heap, allocations, compiled
 * methods, exceptions, contended locks and the thread pool. */
#include "src/event/providers.h"
#include "src/model/fact_builder/helpers.h"
#include "src/model/runtime.h"

#include <stdio.h>

/* The first field of each builder. It lies behind texts in some events, and older versions have none. */
enum { INSTANCE };

static uint16_t instance_of(const struct kind *k, const struct event *e)
{
    uint64_t instance = 0;
    if (!kind_load(k, e, INSTANCE, &instance))
        kind_number(k, e, "ClrInstanceID", &instance);
    return (uint16_t)instance;
}

/* A stack walk follows its event on the same thread. */
static struct runtime_event *newest_event(struct model *m, uint32_t thread)
{
    return &m->runtimes->newest[thread & (RUNTIME_THREADS - 1)];
}

static struct runtime *set_runtime(struct model *m, const struct event *e, const struct kind *k,
                                   struct fact *f)
{
    struct runtime *const r = model_runtime(m, f->process, instance_of(k, e));
    f->place = r->number;
    *newest_event(m, f->thread) = (struct runtime_event){m->facts ? m->facts->end : 0, f->thread};
    return r;
}

void make_dotnet_other(struct model *m, const struct event *e, const struct kind *k,
                       struct fact *f)
{
    (void)e, (void)k;
    if (m->runtimes)
        *newest_event(m, f->thread) =
            (struct runtime_event){m->facts ? m->facts->end : 0, f->thread};
}

static uint32_t name_in(struct model *m, const struct kind *k, const struct event *e,
                        const char *field)
{
    char name[NAME_ROOM];
    return model_method_named(m, kind_text(k, e, field, name, sizeof name));
}

/* ---- the runtime ------------------------------------------------------------------------------ */

void make_dotnet_start(struct model *m, const struct event *e, const struct kind *k,
                       struct fact *f)
{
    enum { SKU = 1, BCL, BCL_MINOR, BCL_BUILD, VM, VM_MINOR, VM_BUILD, SKU_CORE = 2 };
    struct runtime *const r = set_runtime(m, e, k, f);
    uint64_t sku;
    if (!kind_load(k, e, SKU, &sku))
        return;
    /* Core's own version is that of its class library. */
    const bool is_core = sku == SKU_CORE;
    const unsigned first = is_core ? BCL : VM;
    snprintf(r->version, sizeof r->version, "%s %u.%u.%u", is_core ? "CoreCLR" : "CLR",
             (unsigned)field(k, e, first), (unsigned)field(k, e, first + 1),
             (unsigned)field(k, e, first + 2));
}

/* ---- collections ------------------------------------------------------------------------------ */

/* .NET Framework 4.5 records the start of a collection in two versions of the event: the second
 * one is no collection. True of it. */
static bool is_second_start(struct runtime *r, uint32_t collection)
{
    const bool is_second = r->has_collected && r->collection == collection;
    r->has_collected = true;
    r->collection = collection;
    return is_second;
}

/* status: 1 + the generation; 0 where the event does not say. */
void make_dotnet_gc(struct model *m, const struct event *e, const struct kind *k, struct fact *f)
{
    enum { DEPTH = 1, COLLECTION, TYPE, BACKGROUND = 1 };
    uint64_t depth, type, collection;
    struct runtime *const r = set_runtime(m, e, k, f);
    if (kind_load(k, e, COLLECTION, &collection) && is_second_start(r, (uint32_t)collection)) {
        f->op = OP_OTHER;
        return;
    }
    if (kind_load(k, e, DEPTH, &depth))
        f->status = depth < UINT8_MAX ? (uint32_t)depth + 1 : 0;
    if (kind_load(k, e, TYPE, &type) && type == BACKGROUND)
        f->flags |= FACT_BACKGROUND;
}

enum { SUSPEND_FOR_GC = 1, SUSPEND_FOR_GC_PREPARATION = 6 };

/* A pause is from the beginning of the suspension to the end of the restart. */
void make_dotnet_suspend(struct model *m, const struct event *e, const struct kind *k,
                         struct fact *f)
{
    struct runtime *const r = set_runtime(m, e, k, f);
    r->suspend_ns = f->time;
    r->reason = (uint16_t)field(k, e, 1);
}

static bool is_for_gc(const struct runtime *r)
{
    return r->suspend_ns &&
           (r->reason == SUSPEND_FOR_GC || r->reason == SUSPEND_FOR_GC_PREPARATION);
}

void make_dotnet_suspended(struct model *m, const struct event *e, const struct kind *k,
                           struct fact *f)
{
    const struct runtime *const r = set_runtime(m, e, k, f);
    if (is_for_gc(r))
        fact_latency(f, f->time - r->suspend_ns);
}

/* Debuggers and shutdowns suspend, too; these are no pauses. */
void make_dotnet_resumed(struct model *m, const struct event *e, const struct kind *k,
                         struct fact *f)
{
    struct runtime *const r = set_runtime(m, e, k, f);
    if (is_for_gc(r))
        fact_latency(f, f->time - r->suspend_ns);
    else
        f->op = OP_OTHER;
    r->suspend_ns = 0;
}

/* Never 0, which stands for a size that is not known. */
static uint32_t kib(uint64_t bytes)
{
    const uint64_t nearest = (bytes >> 10) + (bytes >> 9 & 1);
    return nearest < UINT32_MAX ? (uint32_t)nearest + 1 : UINT32_MAX;
}

void make_dotnet_heap(struct model *m, const struct event *e, const struct kind *k, struct fact *f)
{
    enum { GENERATION_0 = 1, LARGE = 4, PINNED = 5 };
    uint64_t sizes[PINNED] = {0};
    set_runtime(m, e, k, f);
    for (unsigned i = 0; i < PINNED; i++) {
        kind_load(k, e, GENERATION_0 + i, &sizes[i]);
        f->value = sizes[i] > UINT64_MAX - f->value ? UINT64_MAX : f->value + sizes[i];
    }
    f->status = kib(sizes[0]);
    f->entity = kib(sizes[1]);
    f->latency = kib(sizes[2]) | (uint64_t)kib(sizes[3]) << 32;
}

void make_dotnet_allocation(struct model *m, const struct event *e, const struct kind *k,
                            struct fact *f)
{
    enum { AMOUNT = 1, AMOUNT_64 };
    set_runtime(m, e, k, f);
    if (!kind_load(k, e, AMOUNT_64, &f->value))
        kind_load(k, e, AMOUNT, &f->value);
    f->entity = name_in(m, k, e, "TypeName");
}

/* ---- code ------------------------------------------------------------------------------------- */

static uint64_t compilation_key(const struct fact *f, uint64_t method)
{
    return hash_mix(method) ^ f->thread;
}

void make_dotnet_compile(struct model *m, const struct event *e, const struct kind *k,
                         struct fact *f)
{
    set_runtime(m, e, k, f);
    irp_put(m, m->runtimes->operations, compilation_key(f, field(k, e, 1)), source_of(m), f);
}

/* The runtime loads methods that were compiled ahead as well: these are no work of the JIT. */
void make_dotnet_method(struct model *m, const struct event *e, const struct kind *k,
                        struct fact *f)
{
    enum { METHOD = 1, SIZE, FLAGS, JITTED = 8 };
    struct irp_slot begun;
    make_method(m, e, k, f);
    set_runtime(m, e, k, f);
    if (!(field(k, e, FLAGS) & JITTED)) {
        f->class = FACT_NAME;
        f->op = OP_START;
        f->entity = 0;
        return;
    }
    f->value = field(k, e, SIZE);
    if (irp_take(m->runtimes->operations, compilation_key(f, field(k, e, METHOD)), source_of(m),
                 &begun))
        fact_latency(f, f->time - begun.time);
}

void make_dotnet_load(struct model *m, const struct event *e, const struct kind *k, struct fact *f)
{
    make_module(m, e, k, f);
    set_runtime(m, e, k, f);
}

/* ---- exceptions, locks, threads ----------------------------------------------------------------- */

void make_dotnet_exception(struct model *m, const struct event *e, const struct kind *k,
                           struct fact *f)
{
    set_runtime(m, e, k, f);
    f->entity = name_in(m, k, e, "ExceptionType");
}

static uint64_t wait_key(const struct fact *f)
{
    return UINT64_C(1) << 63 | f->thread;
}

void make_dotnet_wait(struct model *m, const struct event *e, const struct kind *k, struct fact *f)
{
    set_runtime(m, e, k, f);
    irp_put(m, m->runtimes->operations, wait_key(f), source_of(m), f);
}

/* The stack is walked where a wait begins. */
static void take_stack(const struct model *m, const struct irp_slot *begun, struct fact *f)
{
    const struct fact *const start = irp_beginning(m, begun);
    if (start)
        f->stack = start->stack;
}

void make_dotnet_waited(struct model *m, const struct event *e, const struct kind *k,
                        struct fact *f)
{
    struct irp_slot begun;
    uint64_t bits;
    double ns = -1;
    set_runtime(m, e, k, f);
    const bool is_known =
        irp_take(m->runtimes->operations, wait_key(f), source_of(m), &begun);
    if (is_known)
        take_stack(m, &begun, f);
    if (kind_load(k, e, 1, &bits))
        memcpy(&ns, &bits, sizeof ns);
    if (ns >= 0 && ns < 1e18)
        fact_latency(f, (int64_t)ns);
    else if (is_known)
        fact_latency(f, f->time - begun.time);
}

void make_dotnet_pool(struct model *m, const struct event *e, const struct kind *k, struct fact *f)
{
    set_runtime(m, e, k, f);
    f->value = field(k, e, 1);
}

/* status: 1 + why the pool changes its number of threads. */
void make_dotnet_pool_change(struct model *m, const struct event *e, const struct kind *k,
                             struct fact *f)
{
    uint64_t reason;
    set_runtime(m, e, k, f);
    f->value = field(k, e, 1);
    if (kind_load(k, e, 2, &reason))
        f->status = reason < UINT32_MAX ? (uint32_t)reason + 1 : 0;
}

/* ---- stacks ------------------------------------------------------------------------------------- */

/* u16 instance, two bytes, u32 number of frames, the frames from the innermost outwards. */
void make_dotnet_stack(struct model *m, const struct event *e, const struct kind *k,
                       struct fact *f)
{
    enum { COUNT = 4, FRAMES = 8 };
    (void)k;
    const struct runtime_event of =
        m->runtimes ? *newest_event(m, f->thread) : (struct runtime_event){0};
    if (e->payload_bytes < FRAMES)
        return;
    const size_t most = (e->payload_bytes - FRAMES) / e->pointer;
    const uint32_t stated = load_u32(e->payload + COUNT);
    const uint64_t number = of.thread == f->thread ? of.number : 0;
    model_stack_follows(m, source_of(m), number, e->payload + FRAMES,
                        (stated < most ? stated : most) * e->pointer, e->pointer);
}

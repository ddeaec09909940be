/* The synthetic machine's agenda of what happens next, its scheduler, which gives processors to
 * threads by priority, and its disks, which serve requests in order.
 *
 * A thread's burst ends in another burst, in a wait or in the thread's end. Whoever ends a wait
 * logs ReadyThread on the processor where that happens: a timer's DPC, a disk's DPC, a packet's
 * DPC, another thread. */
#include "collectors/synthetic/machine.h"

#include <assert.h>

enum {
    QUANTUM = 200000, /* 20 ms */
};

/* ---- agenda: slots, each with at most one time ------------------------------------------------- */

void agenda_set(struct synthetic *s, unsigned slot, int64_t time)
{
    struct heap *const h = &s->agenda.heap;
    if (h->where[slot])
        heap_move(h, h->where[slot] - 1u, time);
    else
        heap_add(h, (struct heap_item){.key = {time, slot}});
}

void agenda_clear(struct synthetic *s, unsigned slot)
{
    struct heap *const h = &s->agenda.heap;
    if (h->where[slot])
        heap_remove(h, h->where[slot] - 1u);
}

/* ---- ready threads ------------------------------------------------------------------ */

static void enqueue(struct synthetic *s, struct demo_thread *t)
{
    const uint16_t index = thread_index(s, t);
    t->state = THREAD_READY;
    t->next = NOBODY;
    if (s->ready_first[t->priority] == NOBODY)
        s->ready_first[t->priority] = index;
    else
        s->threads[s->ready_last[t->priority]].next = index;
    s->ready_last[t->priority] = index;
    s->ready_mask |= 1u << t->priority;
}

static int best_priority(const struct synthetic *s)
{
    return s->ready_mask ? 31 - __builtin_clz(s->ready_mask) : -1;
}

static struct demo_thread *dequeue(struct synthetic *s)
{
    const int priority = best_priority(s);
    if (priority < 0)
        return NULL;
    struct demo_thread *t = &s->threads[s->ready_first[priority]];
    s->ready_first[priority] = t->next;
    if (t->next == NOBODY)
        s->ready_mask &= ~(1u << priority);
    t->next = NOBODY;
    return t;
}

/* ---- processors ----------------------------------------------------------------------- */

static int64_t burst_of(struct synthetic *s, const struct demo_thread *t)
{
    int64_t ticks = prng_spread(&s->prng, roles[t->role].run_us * TICKS_PER_US, 14);
    /* A machine that has to be busier than natural also has shorter bursts. */
    if (s->stretch < 65536)
        ticks = (int64_t)((uint64_t)ticks * s->stretch >> 16);
    return ticks + 5;
}

static void use_up(struct synthetic *s, unsigned cpu)
{
    struct cpu *c = &s->cpus[cpu];
    struct demo_thread *t = &s->threads[c->thread];
    t->burst -= s->now - c->since;
    t->ran += s->now - c->since;
    c->since = s->now;
}

static void set_slice(struct synthetic *s, unsigned cpu)
{
    const struct demo_thread *t = current(s, cpu);
    if (t->tid == 0)
        agenda_clear(s, SLOT_CPU + cpu);
    else
        agenda_set(s, SLOT_CPU + cpu,
                   s->now + (t->burst > QUANTUM ? QUANTUM
                             : t->burst > 1     ? t->burst
                                                : 1));
}

static void switch_to(struct synthetic *s, unsigned cpu, struct demo_thread *to, unsigned state,
                      unsigned reason)
{
    struct cpu *c = &s->cpus[cpu];
    struct demo_thread *from = current(s, cpu);
    pass(s, prng_between(&s->prng, 2, 12));
    log_switch(s, cpu, to, from, state, reason);
    c->thread = thread_index(s, to);
    c->since = s->now;
    to->state = THREAD_RUNNING;
    to->cpu = (uint16_t)cpu;
    const uint64_t bit = (uint64_t)1 << cpu;
    s->idle_mask = to->tid ? s->idle_mask & ~bit : s->idle_mask | bit;
    set_slice(s, cpu);
}

static void preempt(struct synthetic *s, unsigned cpu, struct demo_thread *to, unsigned reason)
{
    struct demo_thread *from = current(s, cpu);
    if (from->tid == 0) {
        switch_to(s, cpu, to, STATE_RUNNING, 0);
        return;
    }
    use_up(s, cpu);
    enqueue(s, from);
    switch_to(s, cpu, to, STATE_READY, reason);
}

/* A processor has come to the end of something: does somebody else deserve it more? */
static void settle(struct synthetic *s, unsigned cpu)
{
    s->busy = CPU_SLOTS;
    const struct demo_thread *t = current(s, cpu);
    if (best_priority(s) > (t->tid ? t->priority : -1))
        preempt(s, cpu, dequeue(s), WAIT_PREEMPTED);
}

static void place(struct synthetic *s, struct demo_thread *t)
{
    const uint64_t idle =
        s->busy < CPU_SLOTS ? s->idle_mask & ~((uint64_t)1 << s->busy) : s->idle_mask;
    if (idle >> t->cpu & 1)
        switch_to(s, t->cpu, t, STATE_RUNNING, 0);
    else if (idle)
        switch_to(s, (unsigned)__builtin_ctzll(idle), t, STATE_RUNNING, 0);
    else if (t->cpu != s->busy && current(s, t->cpu)->priority < t->priority)
        preempt(s, t->cpu, t, WAIT_PREEMPTED);
    else
        enqueue(s, t);
}

void ready(struct synthetic *s, struct demo_thread *t, unsigned cpu, bool is_dpc)
{
    assert(t->state == THREAD_WAITING);
    agenda_clear(s, SLOT_THREAD + thread_index(s, t));
    log_ready(s, cpu, t, is_dpc);
    if (t->burst <= 0)
        t->burst = burst_of(s, t);
    place(s, t);
}

void go_on(struct synthetic *s, unsigned cpu, struct demo_thread *t)
{
    use_up(s, cpu);
    t->burst = burst_of(s, t);
    set_slice(s, cpu);
    settle(s, cpu);
}

static void give_up_cpu(struct synthetic *s, unsigned cpu, unsigned state, unsigned reason)
{
    s->busy = CPU_SLOTS;
    struct demo_thread *next = dequeue(s);
    switch_to(s, cpu, next ? next : &s->threads[s->cpus[cpu].idle], state, reason);
}

void block(struct synthetic *s, unsigned cpu, struct demo_thread *t, unsigned reason)
{
    use_up(s, cpu);
    t->burst = 0;
    t->state = THREAD_WAITING;
    t->reason = (uint8_t)reason;
    t->waiting_since = s->now;
    give_up_cpu(s, cpu, STATE_WAITING, reason);
}

void leave(struct synthetic *s, unsigned cpu, struct demo_thread *t)
{
    use_up(s, cpu);
    give_up_cpu(s, cpu, STATE_TERMINATED, WAIT_TERMINATED);
    thread_free(s, thread_index(s, t));
}

bool slice_is_last(struct synthetic *s, unsigned cpu)
{
    struct demo_thread *t = current(s, cpu);
    use_up(s, cpu);
    if (t->burst <= 0) {
        s->busy = cpu;
        return true;
    }
    if (best_priority(s) >= t->priority)
        preempt(s, cpu, dequeue(s), WAIT_QUANTUM);
    else
        set_slice(s, cpu);
    return false;
}

int64_t pause_of(struct synthetic *s, int64_t median_us)
{
    const int64_t ticks = prng_spread(&s->prng, median_us * TICKS_PER_US, 16);
    const uint64_t stretched = (uint64_t)ticks * s->stretch >> 16;
    return stretched > 600 * TICKS_PER_SECOND ? 600 * TICKS_PER_SECOND : (int64_t)stretched + 10;
}

/* ---- interrupts ---------------------------------------------------------------------------- */

void dpc_begin(struct synthetic *s, unsigned cpu)
{
    s->busy = cpu;
    pass(s, prng_between(&s->prng, 5, 40));
}

void dpc_end(struct synthetic *s, unsigned cpu, enum demo_kind kind, int64_t since, unsigned driver)
{
    log_dpc(s, cpu, kind, since, kernel_images[driver].base + 0x5a10 + 0x40 * (uint64_t)driver);
    settle(s, cpu);
}

/* ---- disks ----------------------------------------------------------------------------------- */

static int64_t serve(struct synthetic *s, struct disk *d, const struct io *io)
{
    unsigned channel = 0;
    for (unsigned i = 1; i < d->channels; i++)
        if (d->free_at[i] < d->free_at[channel])
            channel = i;
    const int64_t median = io->kind == IO_READ ? d->median_read : d->median_write;
    const int64_t work =
        prng_spread(&s->prng, median, d->spread) + d->per_mib * io->bytes / (1 << 20);
    int64_t from = d->free_at[channel] > s->now ? d->free_at[channel] : s->now;
    if (from < d->hang_until)
        from = d->hang_until;
    return d->free_at[channel] = from + work + 1;
}

struct io *io_submit(struct synthetic *s, unsigned cpu, struct demo_thread *t,
                     const struct demo_file *f, enum io_kind kind, uint64_t offset, uint32_t bytes,
                     uint32_t flags)
{
    const uint16_t index = s->free_io;
    if (index == NOBODY)
        return NULL;
    s->free_io = s->io_next[index];
    struct io *io = &s->ios[index];
    *io = (struct io){
        .irp = 0xffff9b8f70000010u + (uint64_t)index * 0x400,
        .object = t->object,
        .key = f->key,
        .offset = f->at + offset,
        .bytes = bytes,
        .flags = flags,
        .thread = thread_index(s, t),
        .cpu = (uint16_t)cpu,
        .disk = f->disk,
        .kind = (uint8_t)kind,
        .is_waited = true,
    };
    log_disk_init(s, cpu, io, t);
    io->start = s->now;
    agenda_set(s, SLOT_IO + index, serve(s, &s->disks[io->disk], io));
    return io;
}

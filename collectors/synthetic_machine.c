/* How the synthetic machine runs: an agenda of what happens next, a scheduler that
 * gives processors to threads by priority, disks that serve requests in order,
 * interrupts, the profile clock, and a governor that keeps the rate.
 *
 * A thread lives in rounds: it runs a burst on a processor (in slices, if others want
 * it too), then acts (synthetic_acts.c), and the act ends in another burst, in a wait
 * or in the thread's end. Whoever ends a wait logs ReadyThread on the processor
 * where that happens: a timer's DPC, a disk's DPC, a packet's DPC, another thread. */
#include "collectors/synthetic_machine.h"

#include <assert.h>
#include <string.h>

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

static void enqueue(struct synthetic *s, struct thread *t)
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

static struct thread *dequeue(struct synthetic *s)
{
    const int priority = best_priority(s);
    if (priority < 0)
        return NULL;
    struct thread *t = &s->threads[s->ready_first[priority]];
    s->ready_first[priority] = t->next;
    if (t->next == NOBODY)
        s->ready_mask &= ~(1u << priority);
    t->next = NOBODY;
    return t;
}

/* ---- processors ----------------------------------------------------------------------- */

static int64_t burst_of(struct synthetic *s, const struct thread *t)
{
    int64_t ticks = dice_spread(&s->dice, roles[t->role].run_us * TICKS_PER_US, 14);
    /* A machine that has to be busier than natural also has shorter bursts. */
    if (s->stretch < 65536)
        ticks = (int64_t)((uint64_t)ticks * s->stretch >> 16);
    return ticks + 5;
}

static void use_up(struct synthetic *s, unsigned cpu)
{
    struct cpu *c = &s->cpus[cpu];
    struct thread *t = &s->threads[c->thread];
    t->burst -= s->now - c->since;
    t->ran += s->now - c->since;
    c->since = s->now;
}

static void set_slice(struct synthetic *s, unsigned cpu)
{
    const struct thread *t = current(s, cpu);
    if (t->tid == 0)
        agenda_clear(s, SLOT_CPU + cpu);
    else
        agenda_set(s, SLOT_CPU + cpu,
                   s->now + (t->burst > QUANTUM ? QUANTUM
                             : t->burst > 1     ? t->burst
                                                : 1));
}

static void switch_to(struct synthetic *s, unsigned cpu, struct thread *to, unsigned state,
                      unsigned reason)
{
    struct cpu *c = &s->cpus[cpu];
    struct thread *from = current(s, cpu);
    pass(s, dice_between(&s->dice, 2, 12));
    log_switch(s, cpu, to, from, state, reason);
    c->thread = thread_index(s, to);
    c->since = s->now;
    to->state = THREAD_RUNNING;
    to->cpu = (uint16_t)cpu;
    const uint64_t bit = (uint64_t)1 << cpu;
    s->idle_mask = to->tid ? s->idle_mask & ~bit : s->idle_mask | bit;
    set_slice(s, cpu);
}

static void preempt(struct synthetic *s, unsigned cpu, struct thread *to, unsigned reason)
{
    struct thread *from = current(s, cpu);
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
    const struct thread *t = current(s, cpu);
    if (best_priority(s) > (t->tid ? t->priority : -1))
        preempt(s, cpu, dequeue(s), WAIT_PREEMPTED);
}

static void place(struct synthetic *s, struct thread *t)
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

void ready(struct synthetic *s, struct thread *t, unsigned cpu, bool is_dpc)
{
    assert(t->state == THREAD_WAITING);
    agenda_clear(s, SLOT_THREAD + thread_index(s, t));
    log_ready(s, cpu, t, is_dpc);
    if (t->burst <= 0)
        t->burst = burst_of(s, t);
    place(s, t);
}

void go_on(struct synthetic *s, unsigned cpu, struct thread *t)
{
    use_up(s, cpu);
    t->burst = burst_of(s, t);
    set_slice(s, cpu);
    settle(s, cpu);
}

static void give_up_cpu(struct synthetic *s, unsigned cpu, unsigned state, unsigned reason)
{
    s->busy = CPU_SLOTS;
    struct thread *next = dequeue(s);
    switch_to(s, cpu, next ? next : &s->threads[s->cpus[cpu].idle], state, reason);
}

void block(struct synthetic *s, unsigned cpu, struct thread *t, unsigned reason)
{
    use_up(s, cpu);
    t->burst = 0;
    t->state = THREAD_WAITING;
    t->reason = (uint8_t)reason;
    t->waiting_since = s->now;
    give_up_cpu(s, cpu, STATE_WAITING, reason);
}

void leave(struct synthetic *s, unsigned cpu, struct thread *t)
{
    use_up(s, cpu);
    give_up_cpu(s, cpu, STATE_TERMINATED, WAIT_TERMINATED);
    thread_free(s, thread_index(s, t));
}

static void slice_end(struct synthetic *s, unsigned cpu)
{
    struct thread *t = current(s, cpu);
    use_up(s, cpu);
    if (t->burst <= 0) {
        s->busy = cpu;
        act(s, cpu, t);
        assert(s->busy == CPU_SLOTS);
    } else if (best_priority(s) >= t->priority) {
        preempt(s, cpu, dequeue(s), WAIT_QUANTUM);
    } else {
        set_slice(s, cpu);
    }
}

int64_t pause_of(struct synthetic *s, int64_t median_us)
{
    const int64_t ticks = dice_spread(&s->dice, median_us * TICKS_PER_US, 16);
    const uint64_t stretched = (uint64_t)ticks * s->stretch >> 16;
    return stretched > 600 * TICKS_PER_SECOND ? 600 * TICKS_PER_SECOND : (int64_t)stretched + 10;
}

/* ---- interrupts ---------------------------------------------------------------------------- */

void dpc_begin(struct synthetic *s, unsigned cpu)
{
    s->busy = cpu;
    pass(s, dice_between(&s->dice, 5, 40));
}

void dpc_end(struct synthetic *s, unsigned cpu, enum kind kind, int64_t since, unsigned driver)
{
    log_dpc(s, cpu, kind, since, kernel_images[driver].base + 0x5a10 + 0x40 * (uint64_t)driver);
    settle(s, cpu);
}

static void timer_due(struct synthetic *s, struct thread *t)
{
    const unsigned cpu = t->cpu;
    const int64_t since = s->now;
    struct process *p = process_of(s, t);
    uint16_t *link = &p->waiters;
    for (; *link != NOBODY; link = &s->threads[*link].next) {
        if (*link == thread_index(s, t)) {
            *link = t->next;
            t->next = NOBODY;
            break;
        }
    }
    dpc_begin(s, cpu);
    ready(s, t, cpu, true);
    dpc_end(s, cpu, KIND_TIMER_DPC, since, 0);
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
        dice_spread(&s->dice, median, d->spread) + d->per_mib * io->bytes / (1 << 20);
    int64_t from = d->free_at[channel] > s->now ? d->free_at[channel] : s->now;
    if (from < d->hang_until)
        from = d->hang_until;
    return d->free_at[channel] = from + work + 1;
}

struct io *io_submit(struct synthetic *s, unsigned cpu, struct thread *t, const struct file *f,
                     enum io_kind kind, uint64_t offset, uint32_t bytes, uint32_t flags)
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

static void io_done(struct synthetic *s, struct io *io)
{
    static const uint8_t drivers[SYNTHETIC_DISKS] = {4, 5, 3};
    struct thread *t = &s->threads[io->thread];
    const unsigned cpu = io->cpu, driver = drivers[io->disk];
    const int64_t interrupted = s->now;
    pass(s, dice_between(&s->dice, 3, 25));
    log_isr(s, cpu, io->disk == 0 ? KIND_ISR_MSI : KIND_ISR, interrupted,
            kernel_images[driver].base + 0x2f40);
    const int64_t since = s->now;
    dpc_begin(s, cpu);
    log_disk_done(s, cpu, io, t);
    if (io->address)
        log_hard_fault(s, cpu, io, t);
    if (io->file_irp)
        log_file_done(s, cpu, io->file_irp, io->bytes, 0);
    if (io->is_waited)
        ready(s, t, cpu, true);
    const uint16_t index = (uint16_t)(io - s->ios);
    s->io_next[index] = s->free_io;
    s->free_io = index;
    dpc_end(s, cpu, KIND_DPC, since, driver);
}

/* ---- samples ------------------------------------------------------------------------------------
 */

enum { FRAMES_MAX = 40 };

/* A stack is a walk from the thread's first function down a tree that is fixed for its
 * role: at each call one of four callees, the first the likeliest. So stacks share
 * prefixes and hot paths, as real ones do. */
static unsigned walk(struct synthetic *s, const struct thread *t, uint64_t *frames)
{
    const struct process *p = process_of(s, t);
    const unsigned depth = dice_between(&s->dice, 4, 28);
    const unsigned kernel_depth = p->pid <= 4 ? depth : dice_chance(&s->dice, 350) ? depth / 3 : 0;
    uint64_t path = t->role * 0x9e3779b97f4a7c15u + 1;
    for (unsigned i = 0; i < depth; i++) {
        const unsigned roll = dice_below(&s->dice, 16);
        path = (path ^ (roll < 11 ? 1 : roll < 14 ? 2 : roll < 15 ? 3 : 4)) * 0xff51afd7ed558ccdu;
        const bool is_kernel = i >= depth - kernel_depth;
        const unsigned which = (unsigned)(path >> 40) % (is_kernel ? 9 : user_image_count + 3);
        const bool is_own = !is_kernel && which >= user_image_count;
        const struct image *m = is_kernel ? &kernel_images[which]
                                : is_own  ? NULL
                                          : &user_images[which];
        const uint64_t base = m ? m->base : p->base;
        const uint32_t bytes = m ? m->bytes : 0x80000;
        frames[depth - 1 - i] = base + 0x1000 + (path >> 20) % (bytes - 0x2000) / 16 * 16 + 5;
    }
    return depth;
}

static void sample_all(struct synthetic *s)
{
    uint64_t frames[FRAMES_MAX];
    for (unsigned cpu = 0; cpu < s->cpu_count; cpu++) {
        const struct thread *t = current(s, cpu);
        if (t->tid == 0) {
            log_sample(s, cpu, t, kernel_images[0].base + 0x3fd04f);
            continue;
        }
        const unsigned count = walk(s, t, frames);
        const bool has_sample = log_sample(s, cpu, t, frames[0]);
        const int64_t at = s->now;
        if (has_sample)
            log_stack(s, cpu, at, t, frames, count);
    }
    agenda_set(s, CLOCK_SAMPLE, s->now + s->sample_interval);
}

/* ---- the governor
 * --------------------------------------------------------------------------------- */

enum { NATURAL_RATE = 45000, GOVERN_TICKS = 500000 };

static uint64_t wanted_rate(const struct synthetic *s)
{
    return s->o.rate ? s->o.rate : NATURAL_RATE;
}

/* Twenty times a second of the machine's time: too many records make pauses longer, too
 * few shorter. Part of the machine, so the same options give the same records, whether
 * somebody watches in real time or not. */
static void govern(struct synthetic *s)
{
    const uint64_t made = s->totals.records + s->totals.lost_events - s->governed;
    const uint64_t wanted = wanted_rate(s) / 20 + 1;
    s->governed += made;
    const uint64_t ratio =
        (made + wanted / 8 + 1) * 256 / (wanted + wanted / 8 + 1); /* 256 = met */
    const uint64_t bounded = ratio < 192 ? 192 : ratio > 384 ? 384 : ratio;
    s->stretch = s->stretch * (768 + bounded) / 1024;
    if (s->stretch < 64)
        s->stretch = 64;
    if (s->stretch > 65536u * 4096)
        s->stretch = 65536u * 4096;
    agenda_set(s, CLOCK_GOVERN, s->now + GOVERN_TICKS);
}

/* ---- start and step
 * ---------------------------------------------------------------------------------- */

void machine_start(struct synthetic *s)
{
    s->busy = CPU_SLOTS;
    s->stretch = 65536ull * NATURAL_RATE / wanted_rate(s); /* a first guess */
    for (unsigned i = 0; i < THREAD_SLOTS; i++) {
        struct thread *t = &s->threads[i];
        if (t->state != THREAD_WAITING || i == s->logger)
            continue;
        const int64_t pause = pause_of(s, roles[t->role].pause_us);
        const int64_t most = pause < 30 * TICKS_PER_SECOND ? pause : 30 * TICKS_PER_SECOND;
        agenda_set(s, SLOT_THREAD + i, s->now + dice_below(&s->dice, (uint32_t)most + 200000));
    }
    s->threads[s->logger].reason = WAIT_QUEUE;
    for (unsigned cpu = 0; cpu < s->cpu_count; cpu++)
        s->cpus[cpu].since = s->now;
    s->governed = s->totals.records + s->totals.lost_events;
    agenda_set(s, CLOCK_SAMPLE, s->now + s->sample_interval);
    agenda_set(s, CLOCK_GOVERN, s->now + GOVERN_TICKS);
    agenda_set(s, CLOCK_EPISODE, s->now + 5 * TICKS_PER_SECOND);
}

static void happen(struct synthetic *s, unsigned slot)
{
    if (slot < SLOT_THREAD)
        slice_end(s, slot - SLOT_CPU);
    else if (slot < SLOT_IO)
        timer_due(s, &s->threads[slot - SLOT_THREAD]);
    else if (slot < SLOT_LINK)
        io_done(s, &s->ios[slot - SLOT_IO]);
    else if (slot < SLOT_CLOCK)
        packet(s, &s->links[slot - SLOT_LINK]);
    else if (slot == CLOCK_SAMPLE)
        sample_all(s);
    else if (slot == CLOCK_GOVERN)
        govern(s);
    else
        episode(s);
}

bool machine_step(struct synthetic *s, int64_t until)
{
    assert(s->agenda.heap.count > 0); /* the clocks always are */
    const struct heap_key first = s->agenda.heap.items[0].key;
    const unsigned slot = (unsigned)first.number;
    const int64_t time = first.time;
    if (time > until) {
        if (s->now < until)
            s->now = until;
        return false;
    }
    agenda_clear(s, slot);
    if (s->now < time)
        s->now = time;
    happen(s, slot);
    return true;
}

/* How the synthetic machine runs: what comes due on its agenda (scheduler.c): the ends
 * of slices, timers, disks, packets, the profile clock, and a governor that keeps the rate.
 *
 * A thread lives in rounds: it runs a burst on a processor (in slices, if others want
 * it too), then works (workload.c). */
#include "collectors/synthetic/machine.h"

#include <assert.h>

static void slice_end(struct synthetic *s, unsigned cpu)
{
    if (!slice_is_last(s, cpu))
        return;
    work(s, cpu, current(s, cpu));
    assert(s->busy == CPU_SLOTS);
}

static void timer_due(struct synthetic *s, struct demo_thread *t)
{
    const unsigned cpu = t->cpu;
    const int64_t since = s->now;
    struct demo_process *p = process_of(s, t);
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

static void io_done(struct synthetic *s, struct io *io)
{
    static const uint8_t drivers[SYNTHETIC_DISKS] = {4, 5, 3};
    struct demo_thread *t = &s->threads[io->thread];
    const unsigned cpu = io->cpu, driver = drivers[io->disk];
    const int64_t interrupted = s->now;
    pass(s, prng_between(&s->prng, 3, 25));
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

/* ---- samples --------------------------------------------------------------------------------- */

enum { FRAMES_MAX = 40 };

/* A stack is a walk from the thread's first function down a tree that is fixed for its
 * role: at each call one of four callees, the first the likeliest. So stacks share
 * prefixes and hot paths, as real ones do. */
static unsigned walk(struct synthetic *s, const struct demo_thread *t, uint64_t *frames)
{
    const struct demo_process *p = process_of(s, t);
    const unsigned depth = prng_between(&s->prng, 4, 28);
    const unsigned kernel_depth = p->pid <= 4 ? depth : prng_chance(&s->prng, 350) ? depth / 3 : 0;
    uint64_t path = t->role * 0x9e3779b97f4a7c15u + 1;
    for (unsigned i = 0; i < depth; i++) {
        const unsigned roll = prng_below(&s->prng, 16);
        path = (path ^ (roll < 11 ? 1 : roll < 14 ? 2 : roll < 15 ? 3 : 4)) * 0xff51afd7ed558ccdu;
        const bool is_kernel = i >= depth - kernel_depth;
        const unsigned which = (unsigned)(path >> 40) % (is_kernel ? 9 : user_image_count + 3);
        const bool is_own = !is_kernel && which >= user_image_count;
        const struct demo_image *m = is_kernel ? &kernel_images[which]
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
        const struct demo_thread *t = current(s, cpu);
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

/* ---- the governor ---------------------------------------------------------------------------- */

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

/* ---- start and step -------------------------------------------------------------------------- */

void machine_start(struct synthetic *s)
{
    s->busy = CPU_SLOTS;
    s->stretch = 65536ull * NATURAL_RATE / wanted_rate(s); /* a first guess */
    for (unsigned i = 0; i < THREAD_SLOTS; i++) {
        struct demo_thread *t = &s->threads[i];
        if (t->state != THREAD_WAITING || i == s->logger)
            continue;
        const int64_t pause = pause_of(s, roles[t->role].pause_us);
        const int64_t most = pause < 30 * TICKS_PER_SECOND ? pause : 30 * TICKS_PER_SECOND;
        agenda_set(s, SLOT_THREAD + i, s->now + prng_below(&s->prng, (uint32_t)most + 200000));
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

/* The synthetic machine's records of processes, threads and images, of memory and of
 * processors: see records.c. */
#include "collectors/synthetic/machine.h"

#include "src/base/mem.h"
#include "src/base/payload_writer.h"

#include <string.h>

/* ---- processes, threads, images ------------------------------------------------- */

/* TOKEN_USER of 64-bit kernels (pointer and attributes, of no use outside), then the SID. */
static void put_user(struct payload_writer *p, bool is_user)
{
    static const uint8_t system[] = {1, 1, 0, 0, 0, 0, 0, 5, 18, 0, 0, 0};
    static const uint8_t user[] = {1,    5,    0,    0,    0,    0,    0,    5,    21,   0,
                                   0,    0,    0x4e, 0x61, 0xbc, 0x00, 0x96, 0x2c, 0xec, 0x2c,
                                   0x68, 0xfd, 0x31, 0x06, 0xe9, 0x03, 0,    0};
    put_u64(p, 0xffffd00c22cdabc0u);
    put_u64(p, 0);
    if (is_user)
        put_bytes(p, user, sizeof user);
    else
        put_bytes(p, system, sizeof system);
}

bool log_process(struct synthetic *s, unsigned cpu, enum demo_kind kind,
                 const struct demo_process *c)
{
    const struct program *program = program_of(c->program);
    char text[256];
    struct payload_writer p = log_begin(s, kind, cpu);
    put_u64(&p, c->key);
    put_u32(&p, c->pid);
    put_u32(&p, c->parent);
    put_u32(&p, program->session == 0xff ? 0xffffffffu : program->session);
    put_u32(&p, kind == KIND_PROCESS_END ? 0 : 0x103); /* STATUS_PENDING while it runs */
    put_u64(&p, c->table_base);
    put_u32(&p, 0);
    put_user(&p, program->is_user);
    process_image(c, text, sizeof text);
    put_bytes(&p, text, strlen(text));
    if (c->hostile != HOSTILE_NONE)
        put_bytes(&p, hostiles[c->hostile].narrow, strlen(hostiles[c->hostile].narrow));
    put_u8(&p, 0);
    process_command(c, text, sizeof text);
    put_ascii16(&p, text);
    put_hostile(&p, c->hostile);
    put_u16(&p, 0);
    put_u16(&p, 0); /* package */
    put_u16(&p, 0); /* application */
    if (!log_end(s, kind, cpu, &p))
        return false;
    struct synthetic_process *total = &s->totals.processes[c->total];
    if (kind == KIND_PROCESS_START)
        total->start = s->totals.last;
    if (kind == KIND_PROCESS_END)
        total->end = s->totals.last;
    return true;
}

bool log_terminate(struct synthetic *s, unsigned cpu, const struct demo_process *c)
{
    struct payload_writer p = log_begin(s, KIND_PROCESS_TERMINATE, cpu);
    put_u32(&p, c->pid);
    return log_end(s, KIND_PROCESS_TERMINATE, cpu, &p);
}

bool log_counters(struct synthetic *s, unsigned cpu, const struct demo_process *c)
{
    struct payload_writer p = log_begin(s, KIND_PROCESS_COUNTERS, cpu);
    put_u32(&p, c->pid);
    put_zeros(&p, 12);
    const uint64_t working_set = (uint64_t)(c->pid % 97 + 8) << 20;
    put_u64(&p, working_set * 9); /* peaks: virtual, working set, page file, pools … */
    put_u64(&p, working_set);
    put_u64(&p, working_set / 2);
    put_u64(&p, 113056);
    put_u64(&p, 9696);
    put_zeros(&p, 48); /* … and nothing is left of them now */
    return log_end(s, KIND_PROCESS_COUNTERS, cpu, &p);
}

static const char *thread_name(const struct demo_thread *t)
{
    return t->is_named ? roles[t->role].thread_name : "";
}

bool log_thread(struct synthetic *s, unsigned cpu, enum demo_kind kind, const struct demo_thread *t)
{
    const struct demo_process *c = process_of(s, t);
    const bool is_kernel = c->pid <= 4;
    struct payload_writer p = log_begin(s, kind, cpu);
    put_u32(&p, c->pid);
    put_u32(&p, t->tid);
    put_u64(&p, t->stack);
    put_u64(&p, t->stack - 0x7000);
    put_u64(&p, is_kernel ? 0 : 0x000000d200000000u + (uint64_t)t->tid * 0x100000);
    put_u64(&p, is_kernel ? 0 : 0x000000d200000000u + (uint64_t)t->tid * 0x100000 - 0x4000);
    put_u64(&p, s->cpu_count == 64 ? ~(uint64_t)0 : ((uint64_t)1 << s->cpu_count) - 1);
    put_u64(&p, c->base + 0x14e0);
    put_u64(&p, is_kernel ? 0 : 0x000000d1ff000000u + (uint64_t)t->tid * 0x2000);
    put_u32(&p, 0); /* service tag */
    put_u8(&p, t->priority);
    put_u8(&p, 5);
    put_u8(&p, 2);
    put_u8(&p, 0);
    put_ascii16(&p, thread_name(t));
    put_u16(&p, 0);
    return log_end(s, kind, cpu, &p);
}

bool log_thread_name(struct synthetic *s, unsigned cpu, const struct demo_thread *t)
{
    struct payload_writer p = log_begin(s, KIND_THREAD_NAME, cpu);
    put_u32(&p, process_of(s, t)->pid);
    put_u32(&p, t->tid);
    put_ascii16(&p, thread_name(t));
    put_u16(&p, 0);
    return log_end(s, KIND_THREAD_NAME, cpu, &p);
}

/* The stay that the CSwitch at `at` ended. */
static void count_slice(struct synthetic *s, const struct demo_thread *t, int64_t since,
                        int64_t ready, int64_t at)
{
    if (!s->o.keep_totals)
        return;
    struct synthetic_thread *total = &s->totals.threads[t->total];
    total->slices++;
    if (!since)
        return;
    total->run += at - since;
    total->ready += ready;
}

bool log_switch(struct synthetic *s, unsigned cpu, struct demo_thread *to, struct demo_thread *from,
                unsigned state, unsigned reason)
{
    const int64_t waited = s->now - to->waiting_since;
    struct payload_writer p = log_begin(s, KIND_SWITCH, cpu);
    put_u32(&p, to->tid);
    put_u32(&p, from->tid);
    put_u8(&p, to->priority);
    put_u8(&p, from->priority);
    put_u8(&p, from->tid == 0 ? 1 : 0); /* C-state that an idle processor leaves */
    put_u8(&p, 0);
    put_u8(&p, reason);
    put_u8(&p, reason == 6 || reason == 4 || reason == 15); /* waits of user mode */
    put_u8(&p, state);
    put_u8(&p, from->cpu);
    put_u32(&p, to->tid ? (uint32_t)(waited / 156250) : 0);
    put_u32(&p, 0);
    struct cpu *c = &s->cpus[cpu];
    const int64_t since = c->logged_since, stood_ready = c->stood_ready;
    const int64_t became_ready = to->ready_since, preempted = to->preempted_since;
    c->logged_since = c->stood_ready = 0;
    to->ready_since = to->preempted_since = to->blocked_since = from->blocked_since = 0;
    if (!log_end(s, KIND_SWITCH, cpu, &p))
        return false;
    const int64_t at = s->totals.last;
    c->logged_since = at;
    if (since)
        total_of(s, from)->run += at - since;
    total_of(s, to)->switches++;
    if (became_ready)
        total_of(s, to)->ready += at - became_ready;
    if (preempted)
        total_of(s, to)->preempted += at - preempted;
    from->preempted_since = state == STATE_READY ? at : 0;
    from->blocked_since = state == STATE_WAITING ? at : 0;
    c->stood_ready = became_ready ? at - became_ready : preempted ? at - preempted : 0;
    count_slice(s, from, since, stood_ready, at);
    return true;
}

static void count_wake(struct synthetic *s, unsigned cpu, const struct demo_thread *t, bool is_dpc,
                       int64_t since)
{
    struct synthetic_totals *all = &s->totals;
    if (!s->o.keep_totals)
        return;
    if ((all->wake_count & (all->wake_count - 1)) == 0) /* full at powers of two */
        all->wakes =
            mem_grow(all->wakes, all->wake_count ? all->wake_count * 2 : 1, sizeof *all->wakes);
    const bool is_reported = !is_dpc && s->cpus[cpu].logged_since;
    all->wakes[all->wake_count++] = (struct synthetic_wake){
        .thread = t->total,
        .waker = is_reported ? current(s, cpu)->total : SYNTHETIC_INTERRUPT,
        .waited = since ? all->last - since : 0,
        .reason = t->reason,
    };
}

bool log_ready(struct synthetic *s, unsigned cpu, struct demo_thread *t, bool is_dpc)
{
    struct payload_writer p = log_begin(s, KIND_READY, cpu);
    put_u32(&p, t->tid);
    put_u8(&p, 1);
    put_u8(&p, is_dpc ? 1 : 0);
    put_u8(&p, is_dpc ? 1 : 0);
    put_u8(&p, 0);
    const int64_t blocked = t->blocked_since;
    t->ready_since = t->blocked_since = 0;
    if (!log_end(s, KIND_READY, cpu, &p))
        return false;
    t->ready_since = s->totals.last;
    total_of(s, t)->readies++;
    count_wake(s, cpu, t, is_dpc, blocked);
    return true;
}

bool log_image(struct synthetic *s, unsigned cpu, enum demo_kind kind, uint32_t pid, uint64_t base,
               uint32_t bytes, uint32_t stamp, const char *path)
{
    struct payload_writer p = log_begin(s, kind, cpu);
    put_u64(&p, base);
    put_u64(&p, bytes);
    put_u32(&p, pid);
    put_u32(&p, bytes ^ stamp);
    put_u32(&p, stamp);
    put_u8(&p, 12);
    put_u8(&p, 1);
    put_u16(&p, 0);
    put_u64(&p, base);
    put_zeros(&p, 16);
    put_ascii16(&p, path);
    put_u16(&p, 0);
    return log_end(s, kind, cpu, &p);
}

/* ---- memory --------------------------------------------------------------------- */

bool log_fault(struct synthetic *s, unsigned cpu, enum demo_kind kind, uint64_t address,
               uint64_t code)
{
    struct payload_writer p = log_begin(s, kind, cpu);
    put_u64(&p, address);
    put_u64(&p, code);
    if (!log_end(s, kind, cpu, &p))
        return false;
    if (kind != KIND_FAULT_HARD)
        total_of(s, current(s, cpu))->soft_faults++;
    return true;
}

bool log_hard_fault(struct synthetic *s, unsigned cpu, const struct io *io,
                    const struct demo_thread *t)
{
    struct payload_writer p = log_begin(s, KIND_HARD_FAULT, cpu);
    put_u64(&p, (uint64_t)io->start);
    put_u64(&p, io->offset);
    put_u64(&p, io->address);
    put_u64(&p, io->key);
    put_u32(&p, t->tid);
    put_u32(&p, io->bytes);
    if (!log_end(s, KIND_HARD_FAULT, cpu, &p))
        return false;
    total_of(s, t)->hard_faults++;
    total_of(s, t)->hard_fault_bytes += io->bytes;
    return true;
}

bool log_memory(struct synthetic *s, unsigned cpu, enum demo_kind kind, const struct demo_thread *t,
                uint64_t base, uint64_t bytes, uint32_t flags)
{
    struct payload_writer p = log_begin(s, kind, cpu);
    put_u64(&p, base);
    put_u64(&p, bytes);
    put_u32(&p, process_of(s, t)->pid);
    put_u32(&p, flags);
    if (!log_end(s, kind, cpu, &p))
        return false;
    struct synthetic_process *c = total_of(s, t);
    *(kind == KIND_ALLOCATE ? &c->allocated_bytes : &c->freed_bytes) += bytes;
    return true;
}

/* ---- processor ------------------------------------------------------------------ */

bool log_sample(struct synthetic *s, unsigned cpu, const struct demo_thread *t, uint64_t code)
{
    struct payload_writer p = log_begin(s, KIND_SAMPLE, cpu);
    put_u64(&p, code);
    put_u32(&p, t->tid);
    put_u16(&p, 1);
    put_u8(&p, t->priority << 3); /* flags: not in a DPC or ISR; priority from bit 3 */
    put_u8(&p, 0);
    if (!log_end(s, KIND_SAMPLE, cpu, &p))
        return false;
    total_of(s, t)->samples++;
    return true;
}

bool log_dpc(struct synthetic *s, unsigned cpu, enum demo_kind kind, int64_t since,
             uint64_t routine)
{
    struct payload_writer p = log_begin(s, kind, cpu);
    put_u64(&p, (uint64_t)since);
    put_u64(&p, routine);
    if (!log_end(s, kind, cpu, &p))
        return false;
    s->totals.interrupt_ticks += s->totals.last - since;
    return true;
}

bool log_isr(struct synthetic *s, unsigned cpu, enum demo_kind kind, int64_t since,
             uint64_t routine)
{
    struct payload_writer p = log_begin(s, kind, cpu);
    put_u64(&p, (uint64_t)since);
    put_u64(&p, routine);
    put_u8(&p, 1);
    put_u16(&p, 0x81 + (unsigned)(routine >> 12 & 0x3f));
    put_u8(&p, 0);
    if (kind == KIND_ISR_MSI)
        put_u32(&p, cpu);
    if (!log_end(s, kind, cpu, &p))
        return false;
    s->totals.interrupt_ticks += s->totals.last - since;
    return true;
}

bool log_call_enter(struct synthetic *s, unsigned cpu, uint64_t routine)
{
    struct payload_writer p = log_begin(s, KIND_CALL_ENTER, cpu);
    put_u64(&p, routine);
    s->cpus[cpu].call_since = 0;
    if (!log_end(s, KIND_CALL_ENTER, cpu, &p))
        return false;
    s->cpus[cpu].call_since = s->cpus[cpu].logged_since ? s->totals.last : 0;
    return true;
}

bool log_call_exit(struct synthetic *s, unsigned cpu, uint32_t status)
{
    struct payload_writer p = log_begin(s, KIND_CALL_EXIT, cpu);
    put_u32(&p, status);
    if (!log_end(s, KIND_CALL_EXIT, cpu, &p))
        return false;
    if (s->cpus[cpu].call_since)
        s->totals.call_ticks += s->totals.last - s->cpus[cpu].call_since;
    s->totals.call_errors += status >> 30 == 3;
    return true;
}

bool log_stack(struct synthetic *s, unsigned cpu, int64_t of, const struct demo_thread *t,
               const uint64_t *frames, unsigned count)
{
    struct payload_writer p = log_begin(s, KIND_STACK, cpu);
    put_u64(&p, (uint64_t)of);
    put_u32(&p, process_of(s, t)->pid);
    put_u32(&p, t->tid);
    put_bytes(&p, frames, 8 * (size_t)count);
    if (!log_end(s, KIND_STACK, cpu, &p))
        return false;
    total_of(s, t)->stacks++;
    return true;
}

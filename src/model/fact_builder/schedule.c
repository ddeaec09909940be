/* The scheduler: who leaves a processor for whom, and who became ready by whom. */
#include "src/event/wait_call.h"
#include "src/model/fact_builder/helpers.h"

enum { STATE_READY = 1, STATE_STANDBY = 3, STATE_WAITING = 5, STATE_DEFERRED_READY = 7 };

static bool is_runnable(uint64_t state)
{
    return state == STATE_READY || state == STATE_STANDBY || state == STATE_DEFERRED_READY;
}

/* What a thread is from here on, and whether its time slice was on another processor. */
static void leave_processor(struct thread *t, uint16_t cpu, struct fact *f, uint64_t state,
                            uint8_t reason, uint8_t call)
{
    if (t->has_run && t->cpu != cpu)
        f->flags |= FACT_MIGRATED;
    t->has_run = true;
    t->cpu = cpu;
    t->has_switched = true;
    t->waits_longer = false;
    t->wait_ns = state == STATE_WAITING ? f->time : 0;
    t->wait_reason = reason;
    t->wait_call = call;
    if (is_runnable(state))
        t->ready_ns = f->time;
}

enum {
    SWITCH_NEW,
    SWITCH_OLD,
    SWITCH_REASON,
    SWITCH_STATE,
    SWITCH_PRIORITY,
    SWITCH_IDEAL,
    SWITCH_C_STATE,
    SWITCH_SPARE,
    SWITCH_CALL
};

/* A time slice that was counted further than to its end, as the switch came late: the processor has
 * had that time, and the next time slice begins with it. A clock that was wrong is another
 * matter. */
static int64_t counted_beyond(const struct processor *p, int64_t time)
{
    static const int64_t most_late = 5 * 1000000000ll;
    const int64_t beyond = p->credited_ns ? p->since_ns + p->credited_ns - time : 0;
    return beyond > 0 && beyond <= most_late ? beyond : 0;
}

/* What our collector says in the record of the time before it. */
enum { SPARE_UNSEEN = 1, SPARE_FIRST = 2 };
/* Within which the collector says SPARE_FIRST; a file may say it at any time. */
static const int64_t SOON_NS = 1000000000;

static uint64_t spare_of(struct model *m, const struct event *e, const struct kind *k)
{
    uint64_t spare = 0;
    return m->sources[source_of(m)].is_linux && kind_load(k, e, SWITCH_SPARE, &spare) ? spare : 0;
}

/* Windows has other things there. */
static uint8_t call_of_wait(const struct model *m, const struct event *e, const struct kind *k)
{
    uint64_t call = 0;
    const bool has = m->sources[source_of(m)].is_linux && kind_load(k, e, SWITCH_CALL, &call);
    return has && call < WAIT_CALLS ? (uint8_t)call : WAIT_NOT_KNOWN;
}

/* Of the time since the thread came, what was recorded and is not counted yet. */
static int64_t uncounted_until(const struct model *m, const struct processor *p, int64_t time)
{
    const int64_t ns = recorded_stay(&m->recorded, p->since_ns + p->credited_ns, time);
    return ns > 0 ? ns : 0;
}

/* Whoever came last has left this processor unseen: nobody knows whose the time since is. The one
 * that left so is met like that again. */
static void count_unseen(struct model *m, struct processor *p, int64_t time)
{
    p->unseen_ns += uncounted_until(m, p, time);
    struct thread *const t = generation_at(&m->threads, p->thread);
    if (t)
        t->leaves_unseen = true;
}

void make_switch(struct model *m, const struct event *e, const struct kind *k, struct fact *f)
{
    const uint64_t new_tid = field(k, e, SWITCH_NEW), reason = field(k, e, SWITCH_REASON),
                   state = field(k, e, SWITCH_STATE);
    set_thread(m, f, field(k, e, SWITCH_OLD));
    f->place = (uint32_t)(state & 0xff) << 8 | (uint32_t)(reason & 0xff) |
               ((uint32_t)field(k, e, SWITCH_IDEAL) & 0xff) << 16;
    uint64_t c_state; /* that the processor was in; reported when it leaves it */
    if (kind_load(k, e, SWITCH_C_STATE, &c_state))
        f->place |= (((uint32_t)c_state + 1) & 0xff) << 24;
    f->status = (uint32_t)field(k, e, SWITCH_PRIORITY) + 1;
    f->entity = model_thread(m, source_of(m), (uint32_t)new_tid, f->time);
    struct processor *p = model_processor(m, source_of(m), e->cpu);
    if (!p)
        return;
    model_processor_runs(m, source_of(m), p);
    struct thread *old = generation_at(&m->threads, f->thread);
    const bool is_watched = old && !(m->has_watched && model_is_unwatched(m, old));
    const bool saw_start = p->thread && p->thread == f->thread && is_watched;
    if (!saw_start && old)
        old->ready_ns = 0; /* that ended with a switch that was lost */
    const uint64_t spare = spare_of(m, e, k);
    int64_t *const first = &m->sources[source_of(m)].first_switch_ns;
    *first = *first ? *first : f->time;
    if (!saw_start && p->thread && spare == SPARE_UNSEEN)
        count_unseen(m, p, f->time);
    else if (!p->thread && spare == SPARE_FIRST && f->time > *first && f->time - *first < SOON_NS)
        f->value = (uint64_t)(f->time - *first); /* switches were recorded already */
    if (saw_start && old)
        old->leaves_unseen = false;
    if (saw_start && f->time >= p->since_ns) {
        f->value = (uint64_t)uncounted_until(m, p, f->time);
        if (p->ready_ns >= 0)
            fact_latency(f, p->ready_ns);
    }
    if (is_watched && old->tid != 0)
        leave_processor(old, e->cpu, f, state, (uint8_t)reason, call_of_wait(m, e, k));
    struct thread *next = generation_at(&m->threads, f->entity);
    const bool was_ready = next && next->ready_ns && f->time >= next->ready_ns;
    p->credited_ns = counted_beyond(p, f->time);
    p->thread = f->entity; /* one by one: as a whole it becomes a string instruction, and slow */
    p->since_ns = f->time;
    p->ready_ns = was_ready ? f->time - next->ready_ns : -1;
    if (next) {
        next->ready_ns = next->wait_ns = 0;
        next->has_switched = true;
    }
}

void make_ready(struct model *m, const struct event *e, const struct kind *k, struct fact *f)
{
    enum { BY_INTERRUPT = 1 }; /* a DPC did it, not the thread that it interrupted */
    const uint32_t waker = field(k, e, 1) & BY_INTERRUPT ? 0 : f->thread;
    set_thread(m, f, field(k, e, 0));
    f->entity = waker;
    struct thread *t = generation_at(&m->threads, f->thread);
    if (!t || t->ready_ns)
        return;
    t->has_switched = true;
    t->ready_ns = f->time;
    if (t->wait_ns && !t->waits_longer && f->time > t->wait_ns) {
        f->value = (uint64_t)(f->time - t->wait_ns);
        fact_latency(f, f->time - t->wait_ns);
        f->place = wait_place(t->wait_reason, t->wait_call, m->sources[source_of(m)].is_linux);
    }
    t->wait_ns = 0;
}

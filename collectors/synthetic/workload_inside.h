/* What the files of the workload share. */
#ifndef COLLECTORS_SYNTHETIC_WORKLOAD_INSIDE_H
#define COLLECTORS_SYNTHETIC_WORKLOAD_INSIDE_H

#include "collectors/synthetic/machine.h"

static inline void sleep_for(struct synthetic *s, unsigned cpu, struct demo_thread *t,
                             int64_t ticks, unsigned reason)
{
    agenda_set(s, SLOT_THREAD + thread_index(s, t), s->now + ticks);
    block(s, cpu, t, reason);
}

static inline void work_sleep(struct synthetic *s, unsigned cpu, struct demo_thread *t)
{
    sleep_for(s, cpu, t, pause_of(s, roles[t->role].pause_us), WAIT_DELAY);
}

/* Asks a server and waits for the answer; a new connection first where there is none. */
void work_request(struct synthetic *s, unsigned cpu, struct demo_thread *t);
/* A server's thread answers the last question and waits for the next. */
void work_listen(struct synthetic *s, unsigned cpu, struct demo_thread *t);
/* A name look-up: a datagram there, one back. */
void work_lookup(struct synthetic *s, unsigned cpu, struct demo_thread *t);

#endif

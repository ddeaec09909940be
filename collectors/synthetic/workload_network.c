/* What the made-up threads do on the network. */
#include "collectors/synthetic/machine.h"
#include "collectors/synthetic/workload_inside.h"

static void listen_for(struct synthetic *s, unsigned cpu, struct demo_thread *t, int64_t ticks)
{
    agenda_set(s, SLOT_LINK + t->link, s->now + ticks);
    block(s, cpu, t, WAIT_USER);
}

static void hang_up(struct synthetic *s, unsigned cpu, struct demo_thread *t)
{
    struct link *l = &s->links[t->link];
    if (!l->is_udp)
        log_disconnect(s, cpu, KIND_TCP_DISCONNECT, l, 0);
    l->is_used = false;
    t->link = NOBODY;
}

void work_request(struct synthetic *s, unsigned cpu, struct demo_thread *t)
{
    if (t->link != NOBODY && prng_chance(&s->prng, 80))
        hang_up(s, cpu, t);
    if (t->link == NOBODY) {
        if (prng_chance(&s->prng, 30))
            log_tcp_fail(s, cpu);
        if (link_new(s, t, false) == NOBODY) {
            work_sleep(s, cpu, t);
            return;
        }
        log_connect(s, cpu, KIND_TCP_CONNECT, &s->links[t->link]);
    }
    struct link *l = &s->links[t->link];
    const uint32_t bytes = (uint32_t)prng_spread(&s->prng, 700, 14);
    log_transfer(s, cpu, true, l, bytes);
    if (prng_chance(&s->prng, 15))
        log_disconnect(s, cpu, KIND_TCP_RETRANSMIT, l, bytes);
    l->expected = (uint32_t)prng_spread(&s->prng, 20000, 32);
    listen_for(s, cpu, t, l->trip + pause_of(s, 400));
}

void work_listen(struct synthetic *s, unsigned cpu, struct demo_thread *t)
{
    if (t->link != NOBODY) {
        log_transfer(s, cpu, true, &s->links[t->link], (uint32_t)prng_spread(&s->prng, 1800, 20));
        if (prng_chance(&s->prng, 12))
            hang_up(s, cpu, t);
    }
    if (t->link == NOBODY) {
        if (link_new(s, t, false) == NOBODY) {
            work_sleep(s, cpu, t);
            return;
        }
        log_connect(s, cpu, KIND_TCP_ACCEPT, &s->links[t->link]);
    }
    s->links[t->link].expected = (uint32_t)prng_spread(&s->prng, 260, 10);
    listen_for(s, cpu, t, s->links[t->link].trip + pause_of(s, 6000));
}

void work_lookup(struct synthetic *s, unsigned cpu, struct demo_thread *t)
{
    if (t->link != NOBODY || link_new(s, t, true) == NOBODY) {
        work_sleep(s, cpu, t);
        return;
    }
    struct link *l = &s->links[t->link];
    log_transfer(s, cpu, true, l, prng_between(&s->prng, 28, 60));
    l->expected = prng_between(&s->prng, 60, 400);
    listen_for(s, cpu, t, l->trip);
}

/* A packet comes in: its DPC logs what was received, and wakes the thread at the end of
 * the answer. Large answers come in several packets. */
void packet(struct synthetic *s, struct link *l)
{
    enum { MOST = 65536, NETWORK_DRIVER = 7 };
    struct demo_thread *t = &s->threads[l->thread];
    const unsigned cpu = t->cpu;
    const int64_t since = s->now;
    const uint32_t bytes = l->expected > MOST ? MOST : l->expected;
    dpc_begin(s, cpu);
    log_transfer(s, cpu, false, l, bytes ? bytes : 1);
    l->expected -= bytes;
    if (l->expected) {
        agenda_set(s, SLOT_LINK + (unsigned)(l - s->links), s->now + 2000 + l->trip / 16);
    } else {
        if (l->is_udp) {
            l->is_used = false;
            t->link = NOBODY;
        }
        ready(s, t, cpu, true);
    }
    dpc_end(s, cpu, prng_chance(&s->prng, 40) ? KIND_THREADED_DPC : KIND_DPC, since,
            NETWORK_DRIVER);
}

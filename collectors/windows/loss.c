/* What the sessions lost, as they count it themselves, and more buffers where they did. */
#include "collectors/windows/live.h"

#include "collectors/windows/owned.h"

#include <inttypes.h>

static uint64_t buffers_lost(const struct etw_properties *p)
{
    return (uint64_t)p->p.LogBuffersLost + p->p.RealTimeBuffersLost;
}

/* Twice as many, up to a share of the machine's memory: these buffers are never paged out. */
static void retune(struct windows_live *l, struct read_session *p)
{
    enum { SHARE = 32, KIB = 1024 };
    char name[128], reason[256];
    const uint64_t all = p->lost_events + p->lost_buffers;
    if (all == p->retuned_at || p->is_attached)
        return;
    const uint64_t before = p->retuned_at;
    p->retuned_at = all;
    utf8_of(p->session.name, name, sizeof name);
    if (l->options.kernel_bytes || p->is_full) {
        if (!before)
            message_write(&l->messages,
                     "the buffers of the session '%s' were full: %" PRIu64 " events and %" PRIu64
                     " buffers lost; their number cannot grow: %s",
                     name, p->lost_events, p->lost_buffers,
                     l->options.kernel_bytes ? "--buffers sets it" : "the limit of memory is reached");
        return;
    }
    const uint64_t most = os_memory() / SHARE / ((uint64_t)p->buffer_kb * KIB);
    const uint64_t more = 2ull * p->most_buffers < most ? 2ull * p->most_buffers : most;
    p->is_full = more <= p->most_buffers;
    const ULONG error = p->is_full ? ERROR_SUCCESS : session_grow_etw(&p->session, (uint32_t)more);
    p->is_full = p->is_full || error != ERROR_SUCCESS;
    if (error != ERROR_SUCCESS)
        message_write(&l->messages,
                 "the session '%s' loses events (%" PRIu64
                 " so far), and more buffers are unavailable: %s",
                 name, p->lost_events, etw_reason(error, reason, sizeof reason));
    else if (!p->is_full)
        message_write(&l->messages,
                 "the buffers of the session '%s' were full: %" PRIu64 " events and %" PRIu64
                 " buffers lost so far; it may use %" PRIu64 " buffers of %u KiB now, not %u",
                 name, p->lost_events, p->lost_buffers, more, p->buffer_kb, p->most_buffers);
    if (error == ERROR_SUCCESS && !p->is_full)
        p->most_buffers = (uint32_t)more;
    if (p == &l->kernel) /* an update may have changed what the kernel logs */
        l->has_applied = l->has_applied && p->is_full;
}

/* A look that fails may be by chance; from the second on the figures are not what they seem. */
enum { UNANSWERED = 2 };

static void report_unknown(struct windows_live *l, struct read_session *p, ULONG error)
{
    char name[128], reason[256];
    utf8_of(p->session.name, name, sizeof name);
    p->reported_unknown =
        message_write(&l->messages, "the losses of the session '%s' are unknown: %s", name,
                      etw_reason(error, reason, sizeof reason));
}

void loss_look(struct windows_live *l, struct read_session *p)
{
    struct etw_properties properties;
    if (!p->consumer.thread)
        return;
    const ULONG error = session_query_etw(p->session.name, &properties);
    if (owned_has_stopped_all())
        return; /* the program is being ended: its sessions are not missed */
    if (error != ERROR_SUCCESS && error != ERROR_MORE_DATA) {
        if (++p->unanswered >= UNANSWERED && !p->reported_unknown)
            report_unknown(l, p, error);
        return;
    }
    p->unanswered = 0;
    p->lost_events = p->lost_events_before + properties.p.EventsLost;
    p->lost_buffers = p->lost_buffers_before + buffers_lost(&properties);
    retune(l, p);
}

void loss_close(struct read_session *p)
{
    p->lost_events_before = p->lost_events;
    p->lost_buffers_before = p->lost_buffers;
    p->unanswered = 0;
}

static uint64_t get(const _Atomic uint64_t *count)
{
    return atomic_load_explicit(count, memory_order_relaxed);
}

static void set(_Atomic uint64_t *count, uint64_t to)
{
    atomic_store_explicit(count, to, memory_order_relaxed);
}

void loss_publish(struct windows_live *l)
{
    struct collector_loss *const loss = &l->collector->loss;
    const struct read_session *const parts[] = {&l->kernel, &l->events};
    uint64_t events = 0, buffers = 0, cut = 0, intake = 0;
    bool unknown = false;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        unknown |= parts[i]->unanswered >= UNANSWERED;
        events += parts[i]->lost_events;
        buffers += parts[i]->lost_buffers;
        cut += get(&parts[i]->consumer.cut);
    }
    for (unsigned i = 0; i < INTAKES; i++)
        if (l->intakes[i])
            intake += intake_figures(l->intakes[i]).lost;
    atomic_store_explicit(&loss->is_unknown, unknown, memory_order_relaxed);
    set(&loss->kernel, events);
    set(&loss->lost, events);
    set(&loss->buffers, buffers);
    set(&loss->skipped, cut);
    set(&loss->intake, intake);
}

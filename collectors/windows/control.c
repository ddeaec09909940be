/* Control: starts the sessions, has their buffers flushed, looks at what they lost, and gets
 * them back when somebody else has stopped them. Its own thread: these calls wait. */
#include "collectors/windows/live.h"

#include "collectors/windows/classes.h"
#include "collectors/windows/owned.h"
#include "collectors/windows/privilege.h"
#include "collectors/windows/sampling.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum {
    SECOND = 1000, /* ms */
    BACK_OFF_MOST = 60 * SECOND,
    PATIENCE = 5 * SECOND, /* for what a stopped session still delivers */
};

/* ---- sizes ----------------------------------------------------------------------------------- */

/* Two buffers per processor are the least that ETW takes; more where the machine has memory for
 * them, because a second of switches and system calls fills some megabytes. */
static void size_buffers(const struct live *l, struct part *p)
{
    enum { KIB = 1024, USUAL_KB = 128, MOST_KB = 1024, PER_PROCESSOR = 16 };
    const struct collector_options *const o = &l->options;
    p->buffer_kb = USUAL_KB;
    p->most_buffers = PER_PROCESSOR * l->processors + 10;
    if (o->buffer_count) {
        const uint64_t kb = o->kernel_bytes / KIB;
        p->buffer_kb = (uint32_t)(kb < 4 ? 4 : kb > MOST_KB ? MOST_KB : kb);
        p->most_buffers = (uint32_t)(o->buffer_count < 65536 ? o->buffer_count : 65536);
    } else if (o->kernel_bytes) {
        const uint64_t per_cpu = o->kernel_bytes / KIB / USUAL_KB;
        p->most_buffers = (uint32_t)(per_cpu < 2 ? 2 : per_cpu > 1024 ? 1024 : per_cpu);
        p->most_buffers *= l->processors;
    }
}

/* ---- one part: its session, and the reading of it ------------------------------------------- */

static bool read_part(struct live *l, struct part *p, enum session_trouble *trouble,
                      struct err *err)
{
    ULONG error;
    (void)l;
    if (consumer_start(&p->consumer, p->session.name, &error, err))
        return true;
    *trouble = error == ERROR_ACCESS_DENIED ? TROUBLE_RIGHTS : TROUBLE_OTHER;
    return false;
}

static bool start_part(struct live *l, struct part *p, enum session_role role,
                       enum session_trouble *trouble, struct err *err)
{
    size_buffers(l, p);
    const struct session_request request = {
        .role = role,
        .prefix = l->options.session_name,
        .flags = classes_flags(classes_always(), 0),
        .buffer_kb = p->buffer_kb,
        .least_buffers = 2 * l->processors < p->most_buffers ? 2 * l->processors : p->most_buffers,
        .most_buffers = p->most_buffers,
        .stops_existing = l->options.stops_existing,
    };
    privilege_profile_begin();
    const bool is_started = session_start_etw(&p->session, &request, trouble, err);
    privilege_profile_end();
    if (!is_started)
        return false;
    p->can_flush = true;
    if (read_part(l, p, trouble, err))
        return true;
    session_stop_etw(&p->session);
    return false;
}

static bool attach_part(struct live *l, struct part *p, enum session_trouble *trouble,
                        struct err *err)
{
    p->is_attached = true;
    p->session.slot = -1;
    return (utf16_of(l->options.attach, p->session.name, ETW_NAME_UNITS) ||
            fail(err, "expected the name of a session, found text that is not UTF-8")) &&
           read_part(l, p, trouble, err);
}

static bool begin_part(struct live *l, struct part *p, enum session_trouble *trouble,
                       struct err *err)
{
    if (l->options.attach)
        return attach_part(l, p, trouble, err);
    return start_part(l, p, p == &l->kernel ? ROLE_KERNEL : ROLE_EVENTS, trouble, err) &&
           (p == &l->kernel || (switch_providers(l), true));
}

/* What a stopped session has still in its buffers comes before ProcessTrace returns. */
static void end_part(struct part *p)
{
    if (!p->consumer.thread)
        return;
    session_stop_etw(&p->session);
    for (int waited = 0; !p->is_attached && waited < PATIENCE; waited += 10) {
        if (atomic_load_explicit(&p->consumer.has_ended, memory_order_acquire))
            break;
        os_sleep(10 * LIVE_MS);
    }
    consumer_stop(&p->consumer);
}

/* ---- gone and back --------------------------------------------------------------------------- */

static void part_name(const struct part *p, char *out, size_t room)
{
    utf8_of(p->session.name, out, room);
}

/* Twice as long each time, up to a minute. */
static void wait_longer(struct part *p)
{
    const int64_t twice = 2 * p->back_off, most = BACK_OFF_MOST * LIVE_MS;
    p->back_off = !twice ? SECOND * LIVE_MS : twice < most ? twice : most;
}

static void note_gone(struct live *l, struct part *p, int64_t now)
{
    char name[128], reason[256];
    const ULONG result = atomic_load_explicit(&p->consumer.result, memory_order_relaxed);
    part_name(p, name, sizeof name);
    loss_look(l, p);
    consumer_stop(&p->consumer);
    struct etw_properties still;
    if (p->is_attached ||
        session_query_etw(p->session.name, &still) == ERROR_WMI_INSTANCE_NOT_FOUND)
        session_gone_etw(&p->session);
    else
        session_stop_etw(&p->session); /* it runs, and only our reading of it has ended */
    loss_close(p);
    p->gone_at = now;
    wait_longer(p);
    p->retry_at = now + p->back_off;
    if (result == ERROR_SUCCESS || result == ERROR_WMI_INSTANCE_NOT_FOUND)
        message_write(&l->messages,
                      "the session '%s' was stopped by another program: it is %s in %" PRId64 " s",
                      name, p->is_attached ? "opened again" : "started again",
                      p->back_off / (SECOND * LIVE_MS));
    else
        message_write(&l->messages,
                      "reading the session '%s' ended: %s; again in %" PRId64 " s", name,
                 etw_reason(result, reason, sizeof reason), p->back_off / (SECOND * LIVE_MS));
}

static void try_again(struct live *l, struct part *p, int64_t now)
{
    enum session_trouble trouble;
    struct err err;
    if (begin_part(l, p, &trouble, &err)) {
        char name[128];
        part_name(p, name, sizeof name);
        message_write(&l->messages,
                      "the session '%s' runs again: the events of %" PRId64 " s are missing", name,
                 (now - p->gone_at) / (SECOND * LIVE_MS) + 1);
        p->retry_at = 0;
        p->began_at = now;
        l->has_applied = l->has_applied && p != &l->kernel;
        atomic_store(&l->wants_gap, GAP_STOPPED);
        return;
    }
    wait_longer(p);
    p->retry_at = now + p->back_off;
}

static void follow_part(struct live *l, struct part *p, int64_t now)
{
    if (!p->is_wanted || owned_has_stopped_all())
        return;
    if (p->consumer.thread && atomic_load_explicit(&p->consumer.has_ended, memory_order_acquire))
        note_gone(l, p, now);
    else if (!p->consumer.thread && p->retry_at && now >= p->retry_at)
        try_again(l, p, now);
    /* What has run for a minute is not being stopped again and again. */
    if (p->consumer.thread && p->back_off && now - p->began_at > BACK_OFF_MOST * LIVE_MS)
        p->back_off = 0;
}

/* ---- beginning and end ----------------------------------------------------------------------- */

static void report_reclaimed(struct live *l)
{
    const unsigned count = session_reclaim();
    if (count)
        message_write(&l->messages, "%u session%s left behind by an earlier tracetop %s stopped",
                      count, count > 1 ? "s" : "", count > 1 ? "were" : "was");
}

bool control_open(struct live *l, enum session_trouble *trouble, struct err *err)
{
    *trouble = TROUBLE_NONE;
    l->events.is_wanted = l->provider_count && !l->options.attach;
    l->kernel.is_wanted = true;
    if (!l->options.attach)
        report_reclaimed(l);
    if (!begin_part(l, &l->kernel, trouble, err)) {
        /* Providers can be had without the kernel's events. */
        if (*trouble != TROUBLE_RIGHTS || !l->events.is_wanted)
            return false;
        message_write(&l->messages, "%s: only the events of the providers are shown", err->text);
        l->kernel.is_wanted = false;
    }
    if (l->events.is_wanted && !begin_part(l, &l->events, trouble, err)) {
        end_part(&l->kernel);
        return false;
    }
    switch_classes(l);
    names_look(l, os_now());
    atomic_store(&l->wants_gap, GAP_NONE); /* what is recorded begins here */
    return true;
}

static void flush(struct live *l, int64_t now)
{
    struct part *const parts[] = {&l->kernel, &l->events};
    bool is_flushed = true;
    if (now < l->next_flush)
        return;
    l->next_flush = now + LIVE_FLUSH_MS * LIVE_MS;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        if (!parts[i]->consumer.thread)
            continue;
        is_flushed = is_flushed && parts[i]->can_flush &&
                     session_flush_etw(&parts[i]->session) == ERROR_SUCCESS;
    }
    atomic_store_explicit(&l->window, (is_flushed ? 2 * LIVE_FLUSH_MS : LIVE_LATE_MS) * LIVE_MS,
                          memory_order_relaxed);
}

static void look_around(struct live *l, int64_t now)
{
    if (now < l->next_look)
        return;
    l->next_look = now + SECOND * LIVE_MS;
    loss_look(l, &l->kernel);
    loss_look(l, &l->events);
    loss_publish(l);
}

void control_run(void *live)
{
    struct live *const l = live;
    while (!atomic_load_explicit(&l->is_stopping, memory_order_acquire)) {
        os_wakeup_wait(l->control_wakeup, LIVE_BEAT_MS * LIVE_MS);
        const int64_t now = os_now();
        follow_part(l, &l->kernel, now);
        follow_part(l, &l->events, now);
        look_around(l, now);
        switch_classes(l);
        names_look(l, now);
        flush(l, now);
    }
    loss_look(l, &l->kernel);
    loss_look(l, &l->events);
    end_part(&l->kernel);
    end_part(&l->events);
    sampling_end(l);
    loss_publish(l);
    atomic_store_explicit(&l->is_over, true, memory_order_release);
    os_wakeup_signal(l->drain_wakeup);
}

/* Control: starts the sessions, has their buffers flushed, looks at what they lost, and gets
 * them back when somebody else has stopped them. Its own thread: these calls wait. */
#include "collectors/windows/live.h"

#include "collectors/windows/classes.h"
#include "collectors/windows/owned.h"
#include "collectors/windows/privilege.h"
#include "collectors/windows/sampling.h"

#include "src/base/message.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum {
    SECOND = 1000, /* ms */
    BACK_OFF_MOST = 60 * SECOND,
    /* For what a stopped session still delivers: 3 to 8 s are usual on a busy machine. The console
     * ends the program 5 s after it has asked for it. */
    PATIENCE = 15 * SECOND,
    PATIENCE_AT_CLOSE = 3 * SECOND,
    PATIENCE_BEFORE = SECOND,
    STEP = 10,
};

/* ---- sizes ----------------------------------------------------------------------------------- */

/* Two buffers per processor are the least that ETW takes; more where the machine has memory for
 * them, because a second of switches and system calls fills some megabytes. */
static void size_buffers(const struct windows_live *l, struct read_session *p)
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

static bool read_part(struct windows_live *l, struct read_session *p, enum session_trouble *trouble,
                      struct err *err)
{
    ULONG error;
    (void)l;
    if (consumer_start(&p->consumer, p->session.name, &error, err))
        return true;
    *trouble = error == ERROR_ACCESS_DENIED ? TROUBLE_RIGHTS : TROUBLE_OTHER;
    return false;
}

static bool start_part(struct windows_live *l, struct read_session *p, enum session_role role,
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

/* OpenTrace takes every name, and ProcessTrace answers the same for a session that is not there and
 * for one that cannot be read live: so it is asked for first. Who may read it need not have the
 * right to ask. */
static bool find_attached(const WCHAR *session, struct err *err)
{
    struct etw_properties q;
    char name[256], reason[256];
    const ULONG error = session_query_etw(session, &q);
    utf8_of(session, name, sizeof name);
    if (error == ERROR_WMI_INSTANCE_NOT_FOUND)
        return fail(err,
                    "cannot attach to '%s': there is no such session; 'tracetop sessions' lists "
                    "those that run",
                    name);
    if (error == ERROR_ACCESS_DENIED)
        return true;
    if (error != ERROR_SUCCESS && error != ERROR_MORE_DATA)
        return fail(err, "cannot attach to '%s': %s", name,
                    etw_reason(error, reason, sizeof reason));
    return q.p.LogFileMode & EVENT_TRACE_REAL_TIME_MODE ||
           fail(err,
                "cannot attach to '%s': it writes to %s and delivers nothing live; 'tracetop "
                "sessions show NAME' shows what it does",
                name, q.p.LogFileMode & EVENT_TRACE_BUFFERING_MODE ? "memory" : "a file");
}

static bool attach_part(struct windows_live *l, struct read_session *p, enum session_trouble *trouble,
                        struct err *err)
{
    p->is_attached = true;
    p->session.slot = -1;
    *trouble = TROUBLE_OTHER;
    return (utf16_of(l->options.attach, p->session.name, ETW_NAME_UNITS) ||
            fail(err, "expected the name of a session, found text that is not UTF-8")) &&
           find_attached(p->session.name, err) && read_part(l, p, trouble, err);
}

static bool begin_part(struct windows_live *l, struct read_session *p,
                       enum session_trouble *trouble, struct err *err)
{
    if (l->options.attach)
        return attach_part(l, p, trouble, err);
    return start_part(l, p, p == &l->kernel ? ROLE_KERNEL : ROLE_EVENTS, trouble, err) &&
           (p == &l->kernel || (switch_providers(l), true));
}

static void part_name(const struct read_session *p, char *out, size_t room)
{
    utf8_of(p->session.name, out, room);
}

static bool is_delivering(const struct read_session *p)
{
    return p->consumer.thread && !p->is_attached &&
           !atomic_load_explicit(&p->consumer.has_ended, memory_order_acquire);
}

/* By now the screen is left: whoever waits reads it at once. */
static void report_wait(const struct read_session *p)
{
    char name[128];
    part_name(p, name, sizeof name);
    message_print(stderr, "waiting for the last events of the session '%s', 15 s at most", name);
}

static void report_missing_end(struct windows_live *l, const struct read_session *p)
{
    char name[128];
    part_name(p, name, sizeof name);
    message_write(&l->messages,
                  "the session '%s' did not deliver its last events in time: what it recorded at "
                  "its end is missing",
                  name);
}

/* What a stopped session has still in its buffers, lists of what exists and of the machine among
 * it, comes before ProcessTrace returns. */
static void wait_for_last(struct windows_live *l, struct read_session *const *parts, unsigned count)
{
    bool is_waiting = true;
    for (int waited = 0; is_waiting; waited += STEP) {
        is_waiting = false;
        for (unsigned i = 0; i < count; i++) {
            const bool is_one = is_delivering(parts[i]);
            is_waiting |= is_one;
            if (is_one && waited == PATIENCE_BEFORE)
                report_wait(parts[i]);
        }
        if (waited >= (owned_has_stopped_all() ? PATIENCE_AT_CLOSE : PATIENCE))
            break;
        if (is_waiting)
            os_sleep(STEP * LIVE_MS);
    }
    for (unsigned i = 0; i < count; i++)
        if (is_delivering(parts[i]))
            report_missing_end(l, parts[i]);
}

/* All are stopped before any is waited for: the console gives 5 s for everything. */
static void end_parts(struct windows_live *l)
{
    struct read_session *const parts[] = {&l->kernel, &l->events};
    enum { PARTS = sizeof parts / sizeof *parts };
    int slots[PARTS];
    for (unsigned i = 0; i < PARTS; i++)
        slots[i] = parts[i]->session.slot;
    owned_stop_all_of(slots, PARTS);
    wait_for_last(l, parts, PARTS);
    for (unsigned i = 0; i < PARTS; i++) {
        consumer_stop(&parts[i]->consumer);
        parts[i]->session.slot = -1;
    }
}

/* ---- gone and back --------------------------------------------------------------------------- */

/* Twice as long each time, up to a minute. */
static void wait_longer(struct read_session *p)
{
    const int64_t twice = 2 * p->back_off, most = BACK_OFF_MOST * LIVE_MS;
    p->back_off = !twice ? SECOND * LIVE_MS : twice < most ? twice : most;
}

static void note_gone(struct windows_live *l, struct read_session *p, int64_t now)
{
    char name[128], reason[256];
    const ULONG result = atomic_load_explicit(&p->consumer.result, memory_order_relaxed);
    part_name(p, name, sizeof name);
    loss_look(l, p);
    consumer_stop(&p->consumer);
    struct etw_properties still;
    const ULONG error = session_query_etw(p->session.name, &still);
    /* Who may not ask knows it from a reading that ended without an error. */
    const bool is_gone = error == ERROR_WMI_INSTANCE_NOT_FOUND ||
                         (error == ERROR_ACCESS_DENIED && result == ERROR_SUCCESS);
    if (p->is_attached || is_gone)
        session_gone_etw(&p->session);
    else
        session_stop_etw(&p->session); /* it runs, and only our reading of it has ended */
    loss_close(p);
    p->gone_at = now;
    wait_longer(p);
    p->retry_at = now + p->back_off;
    if (is_gone)
        message_write(&l->messages,
                      "the session '%s' was stopped by another program: it is %s in %" PRId64 " s",
                      name, p->is_attached ? "opened again" : "started again",
                      p->back_off / (SECOND * LIVE_MS));
    else
        message_write(&l->messages,
                      "reading the session '%s' ended: %s; again in %" PRId64 " s", name,
                 etw_reason(result, reason, sizeof reason), p->back_off / (SECOND * LIVE_MS));
}

static void try_again(struct windows_live *l, struct read_session *p, int64_t now)
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

static void follow_part(struct windows_live *l, struct read_session *p, int64_t now)
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

static void report_reclaimed(struct windows_live *l)
{
    const unsigned count = session_reclaim();
    if (count)
        message_write(&l->messages, "%u session%s left behind by an earlier tracetop %s stopped",
                      count, count > 1 ? "s" : "", count > 1 ? "were" : "was");
}

bool control_open(struct windows_live *l, enum session_trouble *trouble, struct err *err)
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
        end_parts(l);
        return false;
    }
    switch_classes(l);
    names_look(l, os_now());
    atomic_store(&l->wants_gap, GAP_NONE); /* what is recorded begins here */
    return true;
}

static void flush(struct windows_live *l, int64_t now)
{
    struct read_session *const parts[] = {&l->kernel, &l->events};
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

static void look_around(struct windows_live *l, int64_t now)
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
    struct windows_live *const l = live;
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
    end_parts(l);
    sampling_end(l);
    loss_publish(l);
    atomic_store_explicit(&l->is_over, true, memory_order_release);
    os_wakeup_signal(l->drain_wakeup);
}

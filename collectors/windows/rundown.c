/* Names that come only at a session's end: some versions of Windows list the names of open files
 * and the key control blocks of the registry no earlier. So where names.c has had none, a second,
 * short session is started and stopped at once, and only the names are taken from it. */
#include "collectors/windows/state.h"

#include "collectors/windows/classes.h"
#include "collectors/windows/privilege.h"

enum { LISTING_MS = 100, PATIENCE_MS = 10000, STEP_MS = 20 };

static bool is_stopping(const struct windows_live *l)
{
    return atomic_load_explicit(&l->is_stopping, memory_order_relaxed);
}

static void wait_for_end(const struct windows_live *l, const struct consumer *c, int ms)
{
    for (int waited = 0; waited < ms && !is_stopping(l); waited += STEP_MS) {
        if (atomic_load_explicit(&c->has_ended, memory_order_acquire))
            return;
        os_sleep(STEP_MS * LIVE_MS);
    }
}

/* The session's end has names only: how the machine is made would come, too, and take a second. */
static uint32_t flags_of(unsigned kind)
{
    return classes_whole_flags(names_rows[kind].flags) | EVENT_TRACE_FLAG_NO_SYSCONFIG;
}

/* False with a sentence. */
static bool list_names(struct windows_live *l, unsigned kind, struct err *err)
{
    if (etw_api()->build && etw_api()->build < ETW_BUILD_8)
        return fail(err, "before Windows 8 there is one kernel session only");
    struct etw_session session;
    struct consumer consumer = {
        .intake = l->intakes[INTAKE_RUNDOWN], .wakeup = l->drain_wakeup, .only_names = true};
    enum session_trouble trouble;
    ULONG error;
    const struct session_request request = {.role = ROLE_RUNDOWN,
                                            .prefix = l->options.session_name,
                                            .flags = flags_of(kind),
                                            .buffer_kb = 256,
                                            .least_buffers = 2 * l->processors,
                                            .most_buffers = 8 * l->processors + 10};
    privilege_profile_begin();
    const bool is_started = session_start_etw(&session, &request, &trouble, err);
    privilege_profile_end();
    if (!is_started)
        return false;
    const bool is_read = consumer_start(&consumer, session.name, &error, err);
    if (is_read)
        wait_for_end(l, &consumer, LISTING_MS);
    session_stop_etw(&session);
    if (is_read)
        wait_for_end(l, &consumer, PATIENCE_MS);
    consumer_stop(&consumer);
    return is_read && (atomic_load(&consumer.names[kind]) || is_stopping(l) ||
                       fail(err, "Windows listed none"));
}

void state_names(struct state *s)
{
    struct windows_live *const l = s->live;
    const unsigned missing = atomic_exchange(&l->names_missing, 0);
    for (unsigned kind = 0; kind < NAME_KINDS; kind++) {
        struct err err;
        if (missing >> kind & 1 && !is_stopping(l) && !list_names(l, kind, &err))
            message_write(
                &l->messages,
                "%s have no names: %.300s; they have addresses until they are opened again",
                names_rows[kind].what, err.text);
    }
}

/* Names that come only at a session's end: ETW lists the names of all open files when a session
 * that logs them stops, and the key control blocks of the registry likewise. So a second, short
 * session is started and stopped at once, and only the names are taken from it. */
#include "collectors/windows/state.h"

#include "collectors/windows/privilege.h"

#include "src/model/fact.h"

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

/* False with a sentence. */
static bool list_names(struct windows_live *l, uint32_t flags, struct err *err)
{
    struct etw_session session;
    struct consumer consumer = {
        .intake = l->intakes[INTAKE_RUNDOWN], .wakeup = l->drain_wakeup, .only_names = true};
    enum session_trouble trouble;
    ULONG error;
    const struct session_request request = {.role = ROLE_RUNDOWN,
                                      .prefix = l->options.session_name,
                                      .flags = flags,
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
    return is_read;
}

/* When a class is switched on for the first time. */
void state_names(struct state *s)
{
    static const struct {
        uint32_t classes, flags;
        const char *what;
    } rows[] = {
        {1u << FACT_DISK | 1u << FACT_FILE, EVENT_TRACE_FLAG_DISK_FILE_IO,
         "files that were open before"},
        {1u << FACT_REGISTRY, EVENT_TRACE_FLAG_REGISTRY, "registry keys that were open before"},
    };
    struct windows_live *const l = s->live;
    const uint32_t active = atomic_load_explicit(&l->collector->active, memory_order_relaxed);
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct err err;
        if (!(active & rows[i].classes) || s->has_names >> i & 1 || is_stopping(l))
            continue;
        s->has_names |= 1u << i;
        if (!list_names(l, rows[i].flags, &err))
            message_write(&l->messages, "%s have no names: %.300s", rows[i].what, err.text);
    }
}

/* `tracetop doctor` on Windows: rights, what this system's ETW offers, who holds its sessions.
 * A session is started for the trial and stopped at once; nothing is left behind. */
#include "collectors/windows/live.h"

#include "collectors/windows/classes.h"
#include "collectors/windows/privilege.h"

#include "src/base/mem.h"
#include "src/collect/diagnostic.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

struct visit {
    void (*report)(void *to, const struct diagnostic *f);
    void *to;
};

/* ---- rights -------------------------------------------------------------------------------- */

static void report_rights(const struct visit *v)
{
    static const struct {
        const char *state, *why, *fix;
    } rows[] = {
        [SITUATION_ELEVATED] = {"elevated", "the kernel's events and every provider", ""},
        [SITUATION_LOG_USER] = {"log user",
                                "a member of Performance Log Users: events of providers (-e), none "
                                "of the kernel",
                                "start the program by Run as administrator, or :elevate in it"},
        [SITUATION_NOBODY] = {"none", "no events at all; trace files can be opened",
                              "start the program by Run as administrator, or :elevate in it"},
    };
    const enum etw_access s = privilege_situation();
    struct diagnostic f = diagnostic("privileges", rows[s].state);
    diagnostic_because(&f, "%s%s", rows[s].why,
                       privilege_can_elevate() ? "; this user may elevate" : "");
    diagnostic_advise(&f, "%s", rows[s].fix);
    f.is_bad = s != SITUATION_ELEVATED;
    v->report(v->to, &f);
}

static void report_profile(const struct visit *v)
{
    const bool has = privilege_switch(L"SeSystemProfilePrivilege", true);
    if (has)
        privilege_switch(L"SeSystemProfilePrivilege", false);
    struct diagnostic f = diagnostic("SeSystemProfilePrivilege", has ? "ok" : "missing");
    diagnostic_because(&f, "%s",
                       has ? "on only while sampling is switched"
                           : "without it no sampling of running code");
    if (!has)
        diagnostic_advise(
            &f, "Local Security Policy, User Rights Assignment: Profile system performance");
    f.is_bad = !has;
    v->report(v->to, &f);
}

/* ---- what there is ------------------------------------------------------------------------- */

static void report_functions(const struct visit *v)
{
    static const struct {
        const char *name, *serves;
        size_t at;
    } rows[] = {
#define ROW(function, what) {#function, what, offsetof(struct etw_api, function)}
        ROW(StartTraceW, "sessions"),
        ROW(ControlTraceW, "sessions"),
        ROW(OpenTraceW, "reading sessions"),
        ROW(ProcessTrace, "reading sessions"),
        ROW(QueryAllTracesW, "the list of sessions"),
        ROW(EnableTraceEx2, "providers"),
        ROW(TraceSetInformation, "stacks, and classes beyond the first"),
        ROW(TraceQueryInformation, "the sampling interval, counters"),
        ROW(EnumerateTraceGuidsEx, "who registers a provider"),
        ROW(TdhGetEventInformation, "fields of events"),
        ROW(TdhGetEventMapInformation, "names of values"),
        ROW(TdhEnumerateProviders, "names of providers"),
        ROW(TdhEnumerateProviderFieldInformation, "keywords of providers"),
#undef ROW
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        void (*at)(void);
        memcpy(&at, (const char *)etw_api() + rows[i].at, sizeof at);
        if (at)
            continue;
        struct diagnostic f = diagnostic(rows[i].name, "missing");
        diagnostic_because(&f, "this system lacks it: no %s", rows[i].serves);
        v->report(v->to, &f);
    }
}

/* Starts what the monitor would start, and stops it. */
static void report_trial(const struct visit *v, enum session_role role, const char *subject)
{
    struct etw_session s;
    struct err err = {""};
    enum session_trouble trouble;
    const struct session_request request = {.role = role,
                                      .prefix = "tracetop-doctor",
                                      .buffer_kb = 64,
                                      .least_buffers = 2 * os_processors(),
                                      .most_buffers = 4 * os_processors()};
    const bool is_started = session_start_etw(&s, &request, &trouble, &err);
    session_stop_etw(&s);
    struct diagnostic f = diagnostic(subject, is_started ? "ok" : "refused");
    diagnostic_because(&f, "%s",
                       is_started ? (role == ROLE_KERNEL ? "a private kernel session starts"
                                                         : "a session for providers starts")
                                  : "");
    if (!is_started)
        diagnostic_because(&f, "%.250s", err.text);
    f.is_bad = trouble == TROUBLE_RIGHTS;
    v->report(v->to, &f);
}

static void report_sessions(const struct visit *v)
{
    struct session_list l;
    struct err err = {""};
    unsigned kernel = 0, orphans = 0;
    ULONG most = 64, bytes;
    if (!session_list_read(&l, &err)) {
        struct diagnostic f = diagnostic("sessions", "unknown");
        diagnostic_because(&f, "%.250s", err.text);
        v->report(v->to, &f);
        session_list_free(&l);
        return;
    }
    for (unsigned i = 0; i < l.count; i++) {
        uint32_t pid;
        bool is_gone;
        kernel += session_is_private_kernel(&l.all[i]);
        orphans += session_is_tracetop(&l.all[i], &pid, &is_gone) && is_gone;
    }
    if (etw_api()->TraceQueryInformation)
        etw_api()->TraceQueryInformation(0, ETW_MAX_LOGGERS_QUERY, &most, sizeof most, &bytes);
    const bool is_full = l.count >= most || kernel >= ETW_KERNEL_SESSIONS;
    struct diagnostic f = diagnostic("sessions", is_full ? "full" : "ok");
    diagnostic_because(&f, "%u of %lu run, %u of %d private ones for the kernel%s", l.count, most,
                       kernel, ETW_KERNEL_SESSIONS,
                       orphans ? "; some belong to a tracetop that has exited" : "");
    if (is_full || orphans)
        diagnostic_advise(&f, "tracetop sessions stop %s", orphans ? "--orphans" : "NAME");
    v->report(v->to, &f);
    session_list_free(&l);
}

static void report_interval(const struct visit *v)
{
    const ULONG interval = sampling_interval(SAMPLING_TIMER);
    if (!interval)
        return;
    struct diagnostic f = diagnostic("sampling interval", "ok");
    diagnostic_because(&f, "%.4f ms, the machine's own; --sample-every changes it while it runs",
                       interval / 1e4);
    v->report(v->to, &f);
}

/* Names of the processors' counters; virtual machines often have the timer only. */
static void report_counters(const struct visit *v)
{
    struct sampling_fact *const facts = mem_new(SAMPLING_SOURCES, sizeof *facts);
    const unsigned count = sampling_list(facts, SAMPLING_SOURCES);
    struct diagnostic f = diagnostic("processor counters", "none");
    size_t used = 0;
    for (unsigned i = 0; i < count && used + sizeof facts->name + 2 < sizeof f.why; i++)
        used += (size_t)snprintf(f.why + used, sizeof f.why - used, "%s%s", used ? ", " : "",
                                 facts[i].name);
    if (count)
        snprintf(f.state, sizeof f.state, "%u", count);
    else
        diagnostic_because(&f, "this system or virtual machine reports none");
    v->report(v->to, &f);
    free(facts);
}

void live_examine(void (*report)(void *to, const struct diagnostic *f), void *to)
{
    const struct visit v = {report, to};
    report_rights(&v);
    report_profile(&v);
    report_functions(&v);
    privilege_profile_begin();
    report_trial(&v, ROLE_KERNEL, "kernel session");
    privilege_profile_end();
    report_trial(&v, ROLE_EVENTS, "provider session");
    report_sessions(&v);
    report_interval(&v);
    report_counters(&v);
}

bool live_is_permitted(void)
{
    return privilege_situation() != SITUATION_NOBODY;
}

#include "collectors/windows/etw_session.h"

#include "collectors/windows/owned.h"
#include "src/base/mem.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const role_names[SESSION_ROLES] = {
    [ROLE_KERNEL] = "kernel", [ROLE_EVENTS] = "events", [ROLE_RUNDOWN] = "rundown"};

const GUID session_kernel_logger = {
    0x9e814aad, 0x3204, 0x11d2, {0x9a, 0x82, 0x00, 0x60, 0x08, 0xa8, 0x69, 0x39}};

bool session_is_of_kernel(const struct etw_properties *p)
{
    return p->p.LogFileMode & EVENT_TRACE_SYSTEM_LOGGER_MODE ||
           wcscmp(p->name, KERNEL_LOGGER_NAMEW) == 0;
}

/* ---- properties ---------------------------------------------------------------------------- */

void session_properties_begin(struct etw_properties *p)
{
    memset(p, 0, sizeof *p);
    p->p.Wnode.BufferSize = sizeof *p;
    p->p.Wnode.Flags = WNODE_FLAG_TRACED_GUID;
    p->p.LoggerNameOffset = offsetof(struct etw_properties, name);
    p->p.LogFileNameOffset = offsetof(struct etw_properties, file);
}

static bool has_control(void)
{
    return etw_api()->StartTraceW && etw_api()->ControlTraceW;
}

static ULONG control(TRACEHANDLE handle, const WCHAR *name, struct etw_properties *p, ULONG code)
{
    if (!has_control())
        return ERROR_CALL_NOT_IMPLEMENTED;
    return etw_api()->ControlTraceW(handle, name, &p->p, code);
}

ULONG session_query_etw(const WCHAR *name, struct etw_properties *out)
{
    session_properties_begin(out);
    return control(0, name, out, EVENT_TRACE_CONTROL_QUERY);
}

/* A buffer that is too small for the names (234) stops the session all the same. */
ULONG session_end_etw(const WCHAR *name, struct etw_properties *last)
{
    session_properties_begin(last);
    const ULONG error = control(0, name, last, EVENT_TRACE_CONTROL_STOP);
    return error == ERROR_MORE_DATA ? ERROR_SUCCESS : error;
}

ULONG session_stop_named(const WCHAR *name)
{
    struct etw_properties p;
    return session_end_etw(name, &p);
}

ULONG session_flush_etw(const struct etw_session *s)
{
    struct etw_properties p;
    session_properties_begin(&p);
    return control(s->handle, NULL, &p, EVENT_TRACE_CONTROL_FLUSH);
}

/* An update leaves alone what is 0 in the properties, except for EnableFlags, which are what the
 * kernel logs from then on, and for the mode, without whose bit the session is no longer live. What
 * QUERY answers is no base for it: it may say 0 of the flags. */
static ULONG update(const struct etw_session *s, uint32_t flags, uint32_t most_buffers)
{
    struct etw_properties p;
    session_properties_begin(&p);
    p.p.LogFileNameOffset = 0; /* the file, of which there is none, stays */
    p.p.LogFileMode = EVENT_TRACE_REAL_TIME_MODE;
    p.p.MaximumBuffers = most_buffers;
    p.p.EnableFlags = flags;
    return control(s->handle, NULL, &p, EVENT_TRACE_CONTROL_UPDATE);
}

ULONG session_grow_etw(const struct etw_session *s, uint32_t most_buffers)
{
    return update(s, s->flags, most_buffers);
}

ULONG session_flags_etw(const struct etw_session *s, uint32_t flags)
{
    return update(s, flags, 0);
}

/* ---- starting -------------------------------------------------------------------------------- */

enum flavor {
    FLAVOR_INDEPENDENT, /* one that fails does not hurt others; since Windows 8.1 */
    FLAVOR_PLAIN,
    FLAVOR_SHARED, /* the kernel's one session before Windows 8 */
};

static ULONG mode_of(const struct etw_session *s, enum flavor flavor)
{
    ULONG mode = EVENT_TRACE_REAL_TIME_MODE;
    if (s->role != ROLE_EVENTS && flavor != FLAVOR_SHARED)
        mode |= EVENT_TRACE_SYSTEM_LOGGER_MODE;
    if (flavor == FLAVOR_INDEPENDENT)
        mode |= EVENT_TRACE_INDEPENDENT_SESSION_MODE;
    return mode;
}

static void name_session(struct etw_session *s, const struct session_request *w, enum flavor flavor)
{
    char name[256];
    s->is_shared_logger = flavor == FLAVOR_SHARED;
    snprintf(name, sizeof name, "%.200s-%s-%lu", w->prefix ? w->prefix : "tracetop",
             role_names[w->role], GetCurrentProcessId());
    if (s->is_shared_logger || !utf16_of(name, s->name, ETW_NAME_UNITS))
        wcscpy(s->name, s->is_shared_logger ? KERNEL_LOGGER_NAMEW : L"tracetop");
}

static ULONG start_once(struct etw_session *s, const struct session_request *w, enum flavor flavor)
{
    struct etw_properties p;
    session_properties_begin(&p);
    name_session(s, w, flavor);
    p.p.LogFileNameOffset = 0;
    s->guid = s->is_shared_logger ? session_kernel_logger : owned_guid(w->role);
    p.p.Wnode.Guid = s->guid;
    p.p.Wnode.ClientContext = ETW_CLOCK_QPC;
    p.p.LogFileMode = mode_of(s, flavor);
    p.p.EnableFlags = w->role == ROLE_EVENTS ? 0 : w->flags;
    p.p.BufferSize = w->buffer_kb;
    p.p.MinimumBuffers = w->least_buffers;
    p.p.MaximumBuffers = w->most_buffers;
    p.p.FlushTimer = 1;
    return etw_api()->StartTraceW(&s->handle, s->name, &p.p);
}

/* A session of that name or GUID runs already. Ours whose owner is gone were taken away
 * before: what is there belongs to somebody. The kernel's one session before Windows 8 has a name
 * that nobody has chosen: who wants it stopped says so by that name. */
static ULONG replace(struct etw_session *s, const struct session_request *w, enum flavor flavor)
{
    if (!w->stops_existing || flavor == FLAVOR_SHARED ||
        session_stop_named(s->name) != ERROR_SUCCESS)
        return ERROR_ALREADY_EXISTS;
    return start_once(s, w, flavor);
}

/* Rejected parameters (87) have many reasons; only before Windows 8 is it that there are no private
 * kernel sessions. */
static bool has_private_sessions(void)
{
    const ULONG build = etw_api()->build;
    return !build || build >= ETW_BUILD_8;
}

static ULONG start_any(struct etw_session *s, const struct session_request *w)
{
    ULONG error = ERROR_INVALID_PARAMETER;
    const bool is_shared = w->role != ROLE_EVENTS && !has_private_sessions();
    const enum flavor first = is_shared ? FLAVOR_SHARED : FLAVOR_INDEPENDENT,
                       last = is_shared ? FLAVOR_SHARED : FLAVOR_PLAIN;
    for (enum flavor f = first; f <= last && error == ERROR_INVALID_PARAMETER; f++) {
        error = start_once(s, w, f);
        if (error == ERROR_ALREADY_EXISTS)
            error = replace(s, w, f);
    }
    return error;
}

bool session_is_private_kernel(const struct etw_properties *p)
{
    static const GUID circular_context = {
        0x54dea73a, 0xed1f, 0x42a4, {0xaf, 0x71, 0x3e, 0x63, 0xd0, 0x56, 0xf1, 0x74}};
    if (memcmp(&p->p.Wnode.Guid, &session_kernel_logger, sizeof(GUID)) == 0 ||
        memcmp(&p->p.Wnode.Guid, &circular_context, sizeof(GUID)) == 0)
        return false;
    return p->p.LogFileMode & EVENT_TRACE_SYSTEM_LOGGER_MODE;
}

/* Which places are taken: the kernel's few, or all. */
static bool is_kernel_full(const struct session_list *l)
{
    unsigned count = 0;
    for (unsigned i = 0; i < l->count; i++)
        count += session_is_private_kernel(&l->all[i]);
    return count >= ETW_KERNEL_SESSIONS;
}

/* "'a', 'b' …": who holds the places, of the kernel or all (*of_kernel). */
static void list_names(char *out, size_t room, bool *of_kernel)
{
    struct session_list l;
    struct err ignored;
    size_t used = 0;
    out[0] = '\0';
    const bool is_read = session_list_read(&l, &ignored);
    *of_kernel = *of_kernel && (!is_read || is_kernel_full(&l));
    if (is_read)
        for (unsigned i = 0; i < l.count && used + 80 < room; i++) {
            char name[80];
            if (*of_kernel && !session_is_private_kernel(&l.all[i]))
                continue;
            used += (size_t)snprintf(out + used, room - used, "%s%.70s", used ? ", " : "",
                                     utf8_of(l.all[i].name, name, sizeof name));
        }
    session_list_free(&l);
}

static bool refuse(const struct etw_session *s, ULONG error, enum session_trouble *trouble,
                   struct err *err)
{
    char name[256], reason[256], holders[512];
    bool of_kernel = s->role != ROLE_EVENTS;
    utf8_of(s->name, name, sizeof name);
    *trouble = TROUBLE_OTHER;
    switch (error) {
    case ERROR_PRIVILEGE_NOT_HELD:
        *trouble = TROUBLE_RIGHTS;
        return fail(err, "the kernel's events need the privilege SeSystemProfilePrivilege (Local "
                         "Security Policy: Profile system performance)");
    case ERROR_ACCESS_DENIED:
        *trouble = TROUBLE_RIGHTS;
        return fail(err, s->role == ROLE_EVENTS
                             ? "a session for events needs an elevated console (Run as "
                               "administrator) or membership of Performance Log Users"
                             : "the kernel's events need an elevated console (Run as "
                               "administrator)");
    case ERROR_ALREADY_EXISTS:
        *trouble = TROUBLE_LIMIT;
        if (s->is_shared_logger)
            return fail(err,
                        "another program has '%s', the only kernel session before Windows 8: "
                        "--attach \"%s\" reads it, 'tracetop sessions stop \"%s\"' stops it",
                        name, name, name);
        return fail(err,
                    "a session '%s' runs already: --stop-existing stops it, --attach reads it, "
                    "--session-name takes another name",
                    name);
    case ERROR_NO_SYSTEM_RESOURCES:
        *trouble = TROUBLE_LIMIT;
        list_names(holders, sizeof holders, &of_kernel);
        return fail(err,
                    "all places for %s are taken; 'tracetop sessions stop NAME' frees one. "
                    "They are held by: %s",
                    of_kernel ? "private kernel sessions (6)" : "sessions",
                    holders[0] ? holders : "sessions that we may not see");
    default:
        return fail(err, "the session '%s' cannot be started: %s", name,
                    etw_reason(error, reason, sizeof reason));
    }
}

bool session_start_etw(struct etw_session *s, const struct session_request *w,
                       enum session_trouble *trouble, struct err *err)
{
    *s = (struct etw_session){.role = w->role, .slot = -1};
    *trouble = TROUBLE_NONE;
    if (!has_control()) {
        *trouble = TROUBLE_OTHER;
        return fail(err, "this system has no event tracing (advapi32.dll lacks %s)",
                    etw_api()->StartTraceW ? "ControlTraceW" : "StartTraceW");
    }
    const ULONG error = start_any(s, w);
    if (error != ERROR_SUCCESS)
        return refuse(s, error, trouble, err);
    s->flags = w->flags;
    s->slot = owned_add(s->handle, s->name, &s->guid);
    if (!owned_has_stopped_all())
        return true;
    session_stop_etw(s); /* nobody else would */
    *trouble = TROUBLE_OTHER;
    return fail(err, "the program is ending: no session is started any more");
}

void session_stop_etw(struct etw_session *s)
{
    owned_stop(s->slot);
    s->slot = -1;
}

void session_gone_etw(struct etw_session *s)
{
    owned_forget(s->slot);
    s->slot = -1;
}

/* ---- lists --------------------------------------------------------------------------------- */

static ULONG read_list(struct session_list *l, unsigned room)
{
    PEVENT_TRACE_PROPERTIES *const pointers = mem_new(room, sizeof *pointers);
    ULONG count = 0;
    l->all = mem_new(room, sizeof *l->all);
    for (unsigned i = 0; i < room; i++) {
        session_properties_begin(&l->all[i]);
        pointers[i] = &l->all[i].p;
    }
    const ULONG error = etw_api()->QueryAllTracesW(pointers, room, &count);
    l->count = count < room ? count : room;
    free(pointers);
    return error;
}

bool session_list_read(struct session_list *l, struct err *err)
{
    *l = (struct session_list){NULL, 0};
    if (!etw_api()->QueryAllTracesW)
        return fail(err, "this system does not list its sessions");
    ULONG error = ERROR_MORE_DATA;
    for (unsigned room = 64; room <= ETW_SESSIONS_MOST && error == ERROR_MORE_DATA; room *= 2) {
        session_list_free(l);
        error = read_list(l, room);
    }
    char reason[256];
    return error == ERROR_SUCCESS || error == ERROR_MORE_DATA ||
           fail(err, "the sessions cannot be listed: %s", etw_reason(error, reason, sizeof reason));
}

void session_list_free(struct session_list *l)
{
    free(l->all);
    *l = (struct session_list){NULL, 0};
}

bool session_is_tracetop(const struct etw_properties *p, uint32_t *pid, bool *is_gone)
{
    return owned_whose(&p->p.Wnode.Guid, pid, is_gone);
}

unsigned session_reclaim(void)
{
    struct session_list l;
    struct err ignored;
    unsigned reclaimed = 0;
    uint32_t pid;
    bool is_gone;
    if (session_list_read(&l, &ignored))
        for (unsigned i = 0; i < l.count; i++)
            if (session_is_tracetop(&l.all[i], &pid, &is_gone) && is_gone)
                reclaimed += session_stop_named(l.all[i].name) == ERROR_SUCCESS;
    session_list_free(&l);
    return reclaimed;
}
